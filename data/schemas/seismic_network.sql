-- A network of seismic stations, their instruments, the earthquakes and the phase picks.
CREATE TABLE operator (
    operator_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    country TEXT NOT NULL
);
CREATE TABLE site (
    network_code VARCHAR(2) NOT NULL,
    site_code VARCHAR(5) NOT NULL,
    place TEXT NOT NULL,
    elevation REAL NOT NULL,
    operator_id INTEGER NOT NULL REFERENCES operator (operator_id),
    closed_on DATE,
    PRIMARY KEY (network_code, site_code)
);
CREATE TABLE instrument (
    instrument_id INTEGER PRIMARY KEY,
    network_code VARCHAR(2) NOT NULL,
    site_code VARCHAR(5) NOT NULL,
    kind TEXT NOT NULL,
    sample_rate INTEGER NOT NULL,
    FOREIGN KEY (network_code, site_code) REFERENCES site (network_code, site_code)
);
CREATE TABLE quake (
    quake_id INTEGER PRIMARY KEY,
    happened_on DATE NOT NULL,
    region TEXT NOT NULL,
    magnitude REAL NOT NULL,
    depth_km REAL NOT NULL,
    foreshock_of INTEGER REFERENCES quake (quake_id)
);
CREATE TABLE pick (
    quake_id INTEGER NOT NULL REFERENCES quake (quake_id),
    instrument_id INTEGER NOT NULL REFERENCES instrument (instrument_id),
    phase VARCHAR(2) NOT NULL,
    delay_s REAL NOT NULL,
    quality INTEGER,
    PRIMARY KEY (quake_id, instrument_id, phase)
);
