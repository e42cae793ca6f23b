CREATE TABLE item (
    id INTEGER PRIMARY KEY,
    name VARCHAR(20),
    note TEXT,
    n INTEGER,
    m INTEGER,
    price NUMERIC(10, 2),
    ratio DOUBLE PRECISION,
    day DATE,
    made TIMESTAMP,
    ok BOOLEAN
);
