-- A language school. Each branch is led by a teacher, each teacher works at a branch:
-- the two foreign keys form a cycle.
CREATE TABLE site (
    site_id INTEGER PRIMARY KEY,
    city TEXT NOT NULL,
    rooms INTEGER NOT NULL,
    leader_id INTEGER,
    FOREIGN KEY (leader_id) REFERENCES teacher (teacher_id)
);
CREATE TABLE teacher (
    teacher_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    mother_tongue TEXT NOT NULL,
    hourly_wage DECIMAL(6,2) NOT NULL,
    site_id INTEGER NOT NULL,
    FOREIGN KEY (site_id) REFERENCES site (site_id)
);
CREATE TABLE course (
    course_code VARCHAR(8) PRIMARY KEY,
    language TEXT NOT NULL,
    level VARCHAR(2) NOT NULL,
    weeks INTEGER NOT NULL,
    teacher_id INTEGER NOT NULL REFERENCES teacher (teacher_id),
    follows VARCHAR(8) REFERENCES course (course_code)
);
CREATE TABLE learner (
    learner_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    email VARCHAR(60) UNIQUE,
    birth_date DATE,
    country TEXT NOT NULL
);
CREATE TABLE enrolment (
    learner_id INTEGER NOT NULL REFERENCES learner (learner_id),
    course_code VARCHAR(8) NOT NULL REFERENCES course (course_code),
    enrolled_on DATE NOT NULL,
    fee DECIMAL(7,2) NOT NULL,
    mark REAL,
    PRIMARY KEY (learner_id, course_code)
);
