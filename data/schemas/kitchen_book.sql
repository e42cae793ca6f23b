-- A restaurant kitchen's recipes, their ingredients, steps and suppliers.
CREATE TABLE cook (
    cook_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    position TEXT NOT NULL,
    taught_by INTEGER REFERENCES cook (cook_id)
);
CREATE TABLE recipe (
    recipe_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    course TEXT NOT NULL,
    servings INTEGER NOT NULL,
    minutes INTEGER NOT NULL,
    vegan BOOLEAN NOT NULL,
    cook_id INTEGER NOT NULL REFERENCES cook (cook_id)
);
CREATE TABLE ingredient (
    ingredient_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    price_per_kg DECIMAL(8,2) NOT NULL,
    allergen TEXT
);
CREATE TABLE recipe_ingredient (
    recipe_id INTEGER NOT NULL,
    ingredient_id INTEGER NOT NULL,
    grams REAL NOT NULL,
    optional BOOLEAN NOT NULL,
    PRIMARY KEY (recipe_id, ingredient_id),
    FOREIGN KEY (recipe_id) REFERENCES recipe (recipe_id),
    FOREIGN KEY (ingredient_id) REFERENCES ingredient (ingredient_id)
);
CREATE TABLE step (
    recipe_id INTEGER NOT NULL REFERENCES recipe (recipe_id),
    step_no INTEGER NOT NULL,
    instruction TEXT NOT NULL,
    heat INTEGER,
    PRIMARY KEY (recipe_id, step_no)
);
