-- A film festival: entries, people, credits, halls, screenings, juries and prizes.
CREATE TABLE entry (
    entry_id INTEGER PRIMARY KEY,
    heading TEXT NOT NULL,
    country TEXT NOT NULL,
    minutes INTEGER NOT NULL,
    section TEXT NOT NULL,
    premiere BOOLEAN NOT NULL
);
CREATE TABLE person (
    person_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    nation TEXT NOT NULL,
    born INTEGER
);
CREATE TABLE credit (
    entry_id INTEGER NOT NULL REFERENCES entry (entry_id),
    person_id INTEGER NOT NULL REFERENCES person (person_id),
    duty TEXT NOT NULL,
    PRIMARY KEY (entry_id, person_id, duty)
);
CREATE TABLE hall (
    hall_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    seats INTEGER NOT NULL
);
CREATE TABLE screening (
    hall_id INTEGER NOT NULL REFERENCES hall (hall_id),
    slot INTEGER NOT NULL,
    entry_id INTEGER NOT NULL REFERENCES entry (entry_id),
    day DATE NOT NULL,
    sold INTEGER NOT NULL,
    ticket_price DECIMAL(5,2) NOT NULL,
    PRIMARY KEY (hall_id, slot)
);
CREATE TABLE review (
    review_id INTEGER PRIMARY KEY,
    hall_id INTEGER NOT NULL,
    slot INTEGER NOT NULL,
    critic TEXT NOT NULL,
    stars INTEGER NOT NULL,
    FOREIGN KEY (hall_id, slot) REFERENCES screening (hall_id, slot)
);
CREATE TABLE prize (
    prize_name TEXT PRIMARY KEY,
    entry_id INTEGER REFERENCES entry (entry_id),
    money DECIMAL(9,2) NOT NULL
);
