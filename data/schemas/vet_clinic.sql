-- A veterinary clinic: keepers, animals, vets, visits, medicines given.
CREATE TABLE keeper (
    keeper_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    town TEXT NOT NULL,
    phone VARCHAR(20)
);
CREATE TABLE animal (
    animal_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    species TEXT NOT NULL,
    born DATE,
    kilos REAL NOT NULL,
    keeper_id INTEGER NOT NULL REFERENCES keeper (keeper_id)
);
CREATE TABLE vet (
    vet_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    specialty TEXT NOT NULL,
    salary DECIMAL(9,2) NOT NULL,
    supervisor_id INTEGER REFERENCES vet (vet_id)
);
CREATE TABLE visit (
    visit_id INTEGER PRIMARY KEY,
    animal_id INTEGER NOT NULL REFERENCES animal (animal_id),
    vet_id INTEGER NOT NULL REFERENCES vet (vet_id),
    day DATE NOT NULL,
    reason TEXT NOT NULL,
    charge DECIMAL(8,2) NOT NULL,
    paid BOOLEAN NOT NULL
);
CREATE TABLE medicine (
    code VARCHAR(8) PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    unit_price DECIMAL(6,2) NOT NULL
);
CREATE TABLE dose (
    visit_id INTEGER NOT NULL REFERENCES visit (visit_id),
    code VARCHAR(8) NOT NULL REFERENCES medicine (code),
    amount INTEGER NOT NULL,
    PRIMARY KEY (visit_id, code)
);
