-- A beekeepers' association: apiaries, hives, queens, inspections, honey harvests.
CREATE TABLE beekeeper (
    beekeeper_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    village TEXT NOT NULL,
    since INTEGER
);
CREATE TABLE apiary (
    apiary_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    beekeeper_id INTEGER NOT NULL REFERENCES beekeeper (beekeeper_id),
    altitude INTEGER NOT NULL,
    flora TEXT
);
CREATE TABLE queen (
    tag VARCHAR(8) PRIMARY KEY,
    breed TEXT NOT NULL,
    hatched INTEGER NOT NULL,
    mother_tag VARCHAR(8) REFERENCES queen (tag)
);
CREATE TABLE hive (
    apiary_id INTEGER NOT NULL REFERENCES apiary (apiary_id),
    hive_no INTEGER NOT NULL,
    queen_tag VARCHAR(8) NOT NULL UNIQUE REFERENCES queen (tag),
    frames INTEGER NOT NULL,
    colour TEXT,
    PRIMARY KEY (apiary_id, hive_no)
);
CREATE TABLE inspection (
    inspection_id INTEGER PRIMARY KEY,
    apiary_id INTEGER NOT NULL,
    hive_no INTEGER NOT NULL,
    inspected_on DATE NOT NULL,
    mites INTEGER NOT NULL,
    queen_seen BOOLEAN NOT NULL,
    note TEXT,
    FOREIGN KEY (apiary_id, hive_no) REFERENCES hive (apiary_id, hive_no)
);
CREATE TABLE harvest (
    apiary_id INTEGER NOT NULL,
    hive_no INTEGER NOT NULL,
    harvest_year INTEGER NOT NULL,
    kilos REAL NOT NULL,
    kind TEXT NOT NULL,
    PRIMARY KEY (apiary_id, hive_no, harvest_year),
    FOREIGN KEY (apiary_id, hive_no) REFERENCES hive (apiary_id, hive_no)
);
