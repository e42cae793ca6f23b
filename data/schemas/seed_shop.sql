-- A mail-order seed shop; one table bears a keyword's name.
CREATE TABLE grower (
    grower_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    land TEXT NOT NULL
);
CREATE TABLE seed (
    sku VARCHAR(10) PRIMARY KEY,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    price DECIMAL(6,2) NOT NULL,
    stock INTEGER NOT NULL,
    organic BOOLEAN NOT NULL,
    grower_id INTEGER NOT NULL REFERENCES grower (grower_id)
);
CREATE TABLE gardener (
    gardener_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    postcode VARCHAR(10) NOT NULL,
    email TEXT UNIQUE,
    joined DATE NOT NULL
);
CREATE TABLE "order" (
    order_id INTEGER PRIMARY KEY,
    gardener_id INTEGER NOT NULL REFERENCES gardener (gardener_id),
    placed DATE NOT NULL,
    "status" TEXT NOT NULL,
    shipping DECIMAL(5,2) NOT NULL
);
CREATE TABLE order_line (
    order_id INTEGER NOT NULL REFERENCES "order" (order_id),
    sku VARCHAR(10) NOT NULL REFERENCES seed (sku),
    packets INTEGER NOT NULL,
    gift BOOLEAN NOT NULL,
    PRIMARY KEY (order_id, sku)
);
