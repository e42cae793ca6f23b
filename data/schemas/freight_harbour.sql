-- A freight harbour: shipping lines, ships, quays, port calls, containers. Names hold spaces.
CREATE TABLE "shipping line" (
    "line code" VARCHAR(4) PRIMARY KEY,
    "full name" TEXT NOT NULL,
    country TEXT NOT NULL
);
CREATE TABLE ship (
    imo INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    "line code" VARCHAR(4) NOT NULL REFERENCES "shipping line" ("line code"),
    "gross tonnage" INTEGER NOT NULL,
    built INTEGER
);
CREATE TABLE quay (
    quay_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    depth REAL NOT NULL,
    cranes INTEGER NOT NULL
);
CREATE TABLE "port call" (
    "call id" INTEGER PRIMARY KEY,
    imo INTEGER NOT NULL REFERENCES ship (imo),
    quay_id INTEGER NOT NULL REFERENCES quay (quay_id),
    "arrival date" DATE NOT NULL,
    "departure date" DATE,
    dues DECIMAL(10,2) NOT NULL
);
CREATE TABLE container (
    "call id" INTEGER NOT NULL REFERENCES "port call" ("call id"),
    slot INTEGER NOT NULL,
    owner TEXT NOT NULL,
    tonnes REAL NOT NULL,
    hazardous BOOLEAN NOT NULL,
    PRIMARY KEY ("call id", slot)
);
