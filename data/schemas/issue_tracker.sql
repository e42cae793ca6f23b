-- An open-source forge's issue tracker.
CREATE TABLE account (
    account_id INTEGER PRIMARY KEY,
    login VARCHAR(39) NOT NULL UNIQUE,
    full_name TEXT,
    created DATE NOT NULL,
    bot BOOLEAN NOT NULL
);
CREATE TABLE repository (
    repo_id INTEGER PRIMARY KEY,
    slug TEXT NOT NULL UNIQUE,
    owner_id INTEGER NOT NULL REFERENCES account (account_id),
    language TEXT NOT NULL,
    stars INTEGER NOT NULL,
    forked_from INTEGER REFERENCES repository (repo_id)
);
CREATE TABLE ticket (
    repo_id INTEGER NOT NULL REFERENCES repository (repo_id),
    number INTEGER NOT NULL,
    author_id INTEGER NOT NULL REFERENCES account (account_id),
    headline TEXT NOT NULL,
    state TEXT NOT NULL,
    opened DATE NOT NULL,
    closed DATE,
    PRIMARY KEY (repo_id, number)
);
CREATE TABLE remark (
    remark_id INTEGER PRIMARY KEY,
    repo_id INTEGER NOT NULL,
    number INTEGER NOT NULL,
    author_id INTEGER NOT NULL REFERENCES account (account_id),
    body TEXT NOT NULL,
    thumbs INTEGER NOT NULL,
    FOREIGN KEY (repo_id, number) REFERENCES ticket (repo_id, number)
);
CREATE TABLE tag (
    repo_id INTEGER NOT NULL,
    number INTEGER NOT NULL,
    word TEXT NOT NULL,
    PRIMARY KEY (repo_id, number, word),
    FOREIGN KEY (repo_id, number) REFERENCES ticket (repo_id, number)
);
