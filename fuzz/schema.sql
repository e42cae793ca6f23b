-- What the queries of the fuzz targets and of their corpus are over.
CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT, age INTEGER);
CREATE TABLE concert (id INTEGER PRIMARY KEY, theme TEXT, year INTEGER, seats REAL, held DATE,
    singer_id INTEGER NOT NULL REFERENCES singer(id));
CREATE TABLE friend (a INTEGER REFERENCES singer(id), b INTEGER REFERENCES singer(id),
    since TEXT UNIQUE, PRIMARY KEY (a, b));
