-- Museums that lend works to one another's exhibitions.
CREATE TABLE house (
    house_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    town TEXT NOT NULL,
    founded INTEGER
);
CREATE TABLE maker (
    maker_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    born INTEGER,
    died INTEGER,
    teacher_id INTEGER REFERENCES maker (maker_id)
);
CREATE TABLE work (
    work_id INTEGER PRIMARY KEY,
    caption TEXT NOT NULL,
    maker_id INTEGER NOT NULL REFERENCES maker (maker_id),
    owner_id INTEGER NOT NULL REFERENCES house (house_id),
    medium TEXT NOT NULL,
    made_year INTEGER,
    insured_value DECIMAL(12,2) NOT NULL
);
CREATE TABLE show (
    show_id INTEGER PRIMARY KEY,
    theme TEXT NOT NULL,
    house_id INTEGER NOT NULL REFERENCES house (house_id),
    opens DATE NOT NULL,
    closes DATE NOT NULL,
    visitors INTEGER
);
CREATE TABLE lending (
    work_id INTEGER NOT NULL REFERENCES work (work_id),
    show_id INTEGER NOT NULL REFERENCES show (show_id),
    fee DECIMAL(10,2) NOT NULL,
    insured BOOLEAN NOT NULL,
    PRIMARY KEY (work_id, show_id)
);
CREATE TABLE crate_move (
    move_id INTEGER PRIMARY KEY,
    work_id INTEGER NOT NULL,
    show_id INTEGER NOT NULL,
    carrier TEXT NOT NULL,
    km INTEGER NOT NULL,
    damaged BOOLEAN,
    FOREIGN KEY (work_id, show_id) REFERENCES lending (work_id, show_id)
);
