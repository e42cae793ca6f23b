-- A greenhouse nursery: bays, sensors and their readings, crops and plantings.
CREATE TABLE bay (
    bay_id INTEGER PRIMARY KEY,
    label TEXT NOT NULL UNIQUE,
    area REAL NOT NULL,
    heated BOOLEAN NOT NULL
);
CREATE TABLE crop (
    crop_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    family TEXT NOT NULL,
    days_to_harvest INTEGER NOT NULL,
    ideal_temp REAL
);
CREATE TABLE planting (
    bay_id INTEGER NOT NULL REFERENCES bay (bay_id),
    bed_no INTEGER NOT NULL,
    crop_id INTEGER NOT NULL REFERENCES crop (crop_id),
    planted_on DATE NOT NULL,
    plants INTEGER NOT NULL,
    yield_kg REAL,
    PRIMARY KEY (bay_id, bed_no)
);
CREATE TABLE sensor (
    sensor_id INTEGER PRIMARY KEY,
    serial VARCHAR(12) NOT NULL UNIQUE,
    bay_id INTEGER NOT NULL,
    bed_no INTEGER NOT NULL,
    quantity TEXT NOT NULL,
    FOREIGN KEY (bay_id, bed_no) REFERENCES planting (bay_id, bed_no)
);
CREATE TABLE reading (
    sensor_id INTEGER NOT NULL REFERENCES sensor (sensor_id),
    taken_at TEXT NOT NULL,
    value REAL NOT NULL,
    flagged BOOLEAN NOT NULL,
    PRIMARY KEY (sensor_id, taken_at)
);
