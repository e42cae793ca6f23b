-- A court's docket: courts, judges, lawsuits, parties, hearings.
CREATE TABLE court (
    court_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    city TEXT NOT NULL,
    level INTEGER NOT NULL,
    appeals_to INTEGER REFERENCES court (court_id)
);
CREATE TABLE judge (
    judge_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    court_id INTEGER NOT NULL REFERENCES court (court_id),
    appointed DATE NOT NULL
);
CREATE TABLE lawsuit (
    docket_no VARCHAR(12) PRIMARY KEY,
    court_id INTEGER NOT NULL REFERENCES court (court_id),
    field TEXT NOT NULL,
    filed DATE NOT NULL,
    closed DATE,
    claim DECIMAL(12,2) NOT NULL
);
CREATE TABLE party (
    docket_no VARCHAR(12) NOT NULL REFERENCES lawsuit (docket_no),
    party_no INTEGER NOT NULL,
    name TEXT NOT NULL,
    side TEXT NOT NULL,
    counsel TEXT,
    PRIMARY KEY (docket_no, party_no)
);
CREATE TABLE hearing (
    hearing_id INTEGER PRIMARY KEY,
    docket_no VARCHAR(12) NOT NULL REFERENCES lawsuit (docket_no),
    judge_id INTEGER NOT NULL REFERENCES judge (judge_id),
    held_on DATE NOT NULL,
    room VARCHAR(6) NOT NULL,
    minutes INTEGER NOT NULL,
    adjourned BOOLEAN NOT NULL
);
