-- A regional chess league: clubs, players, seasons, memberships, games.
CREATE TABLE club (
    club_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    town TEXT NOT NULL,
    founded INTEGER
);
CREATE TABLE player (
    player_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    rating INTEGER NOT NULL,
    birth_year INTEGER,
    rank_title TEXT,
    licence VARCHAR(10) NOT NULL UNIQUE
);
CREATE TABLE season (
    season_id INTEGER PRIMARY KEY,
    label TEXT NOT NULL UNIQUE,
    starts DATE NOT NULL,
    rounds INTEGER NOT NULL
);
CREATE TABLE membership (
    player_id INTEGER NOT NULL REFERENCES player (player_id),
    season_id INTEGER NOT NULL REFERENCES season (season_id),
    club_id INTEGER NOT NULL REFERENCES club (club_id),
    board INTEGER NOT NULL,
    PRIMARY KEY (player_id, season_id)
);
CREATE TABLE game (
    game_id INTEGER PRIMARY KEY,
    season_id INTEGER NOT NULL REFERENCES season (season_id),
    round_no INTEGER NOT NULL,
    white_id INTEGER NOT NULL REFERENCES player (player_id),
    black_id INTEGER NOT NULL REFERENCES player (player_id),
    opening TEXT NOT NULL,
    moves INTEGER NOT NULL,
    result VARCHAR(7) NOT NULL
);
