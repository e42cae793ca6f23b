//! How likely do two SQL queries return the same answer on every database? The command line and the library face.
