-- A city's hire bicycles: docks, bicycles, riders, trips and repairs.
CREATE TABLE dock (
    dock_code VARCHAR(6) PRIMARY KEY,
    label TEXT NOT NULL,
    quarter TEXT NOT NULL,
    slots INTEGER NOT NULL,
    altitude REAL
);
CREATE TABLE bicycle (
    bicycle_id INTEGER PRIMARY KEY,
    frame_number TEXT NOT NULL UNIQUE,
    model TEXT NOT NULL,
    electric BOOLEAN NOT NULL,
    bought_on DATE,
    dock_code VARCHAR(6) NOT NULL REFERENCES dock (dock_code)
);
CREATE TABLE rider (
    rider_id INTEGER PRIMARY KEY,
    nickname TEXT NOT NULL,
    plan TEXT NOT NULL,
    birth_year INTEGER,
    invited_by INTEGER REFERENCES rider (rider_id)
);
CREATE TABLE trip (
    trip_id INTEGER PRIMARY KEY,
    bicycle_id INTEGER NOT NULL REFERENCES bicycle (bicycle_id),
    rider_id INTEGER NOT NULL REFERENCES rider (rider_id),
    start_dock VARCHAR(6) NOT NULL REFERENCES dock (dock_code),
    end_dock VARCHAR(6) NOT NULL REFERENCES dock (dock_code),
    started_on DATE NOT NULL,
    minutes INTEGER NOT NULL,
    km REAL NOT NULL
);
CREATE TABLE repair (
    bicycle_id INTEGER NOT NULL REFERENCES bicycle (bicycle_id),
    repair_no INTEGER NOT NULL,
    part TEXT NOT NULL,
    cost DECIMAL(7,2) NOT NULL,
    done_on DATE,
    PRIMARY KEY (bicycle_id, repair_no)
);
