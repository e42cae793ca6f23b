-- A town library with several branches that lends single copies of titles.
CREATE TABLE branch (
    branch_id INTEGER PRIMARY KEY,
    name VARCHAR(60) NOT NULL UNIQUE,
    district TEXT NOT NULL,
    opened_year INTEGER
);
CREATE TABLE title (
    title_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    author TEXT NOT NULL,
    genre TEXT,
    pages INTEGER NOT NULL,
    published_year INTEGER
);
CREATE TABLE copy (
    title_id INTEGER NOT NULL,
    copy_no INTEGER NOT NULL,
    branch_id INTEGER NOT NULL,
    shelf VARCHAR(8),
    price DECIMAL(6,2),
    PRIMARY KEY (title_id, copy_no),
    FOREIGN KEY (title_id) REFERENCES title (title_id),
    FOREIGN KEY (branch_id) REFERENCES branch (branch_id)
);
CREATE TABLE member (
    member_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    email VARCHAR(80) UNIQUE,
    joined DATE NOT NULL,
    home_branch_id INTEGER NOT NULL REFERENCES branch (branch_id)
);
CREATE TABLE loan (
    loan_id INTEGER PRIMARY KEY,
    title_id INTEGER NOT NULL,
    copy_no INTEGER NOT NULL,
    member_id INTEGER NOT NULL,
    lent_on DATE NOT NULL,
    days INTEGER NOT NULL,
    returned BOOLEAN NOT NULL,
    fine DECIMAL(6,2),
    FOREIGN KEY (title_id, copy_no) REFERENCES copy (title_id, copy_no),
    FOREIGN KEY (member_id) REFERENCES member (member_id)
);
