-- Mountain huts, the wardens who run them, the trails between them and hikers' stays.
CREATE TABLE warden (
    warden_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    valley TEXT NOT NULL,
    hired INTEGER NOT NULL
);
CREATE TABLE hut (
    hut_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    massif TEXT NOT NULL,
    altitude INTEGER NOT NULL,
    beds INTEGER NOT NULL,
    winter_room BOOLEAN NOT NULL,
    warden_id INTEGER NOT NULL REFERENCES warden (warden_id)
);
CREATE TABLE trail (
    from_hut INTEGER NOT NULL REFERENCES hut (hut_id),
    to_hut INTEGER NOT NULL REFERENCES hut (hut_id),
    hours REAL NOT NULL,
    grade VARCHAR(3) NOT NULL,
    PRIMARY KEY (from_hut, to_hut)
);
CREATE TABLE hiker (
    hiker_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    nation TEXT NOT NULL,
    age INTEGER,
    email TEXT UNIQUE
);
CREATE TABLE stay (
    stay_id INTEGER PRIMARY KEY,
    hut_id INTEGER NOT NULL REFERENCES hut (hut_id),
    hiker_id INTEGER NOT NULL REFERENCES hiker (hiker_id),
    arrived DATE NOT NULL,
    nights INTEGER NOT NULL,
    price DECIMAL(7,2) NOT NULL
);
