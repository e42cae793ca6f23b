-- A regional power grid: substations, lines between them, plants, outages.
CREATE TABLE zone (
    zone_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    people INTEGER NOT NULL
);
CREATE TABLE substation (
    substation_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    zone_id INTEGER NOT NULL REFERENCES zone (zone_id),
    kilovolts INTEGER NOT NULL,
    commissioned DATE
);
CREATE TABLE line (
    line_id INTEGER PRIMARY KEY,
    from_id INTEGER NOT NULL REFERENCES substation (substation_id),
    to_id INTEGER NOT NULL REFERENCES substation (substation_id),
    length_km REAL NOT NULL,
    buried BOOLEAN NOT NULL,
    UNIQUE (from_id, to_id)
);
CREATE TABLE plant (
    plant_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    fuel TEXT NOT NULL,
    megawatts DECIMAL(8,1) NOT NULL,
    substation_id INTEGER NOT NULL REFERENCES substation (substation_id),
    retired DATE
);
CREATE TABLE outage (
    outage_id INTEGER PRIMARY KEY,
    line_id INTEGER NOT NULL REFERENCES line (line_id),
    began DATE NOT NULL,
    minutes INTEGER NOT NULL,
    homes INTEGER NOT NULL,
    cause TEXT
);
