//! Profiles of the databases that queries are meant for, by `db_id`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use twinql_files::{FileError, Fingerprint, Lines, NoText, read_bounded};
use twinql_sql::Schema;
use twinql_suite::profile::{Bound, Profile, ProfileError};

/// MiB that a profile may have.
const MOST: u64 = 64;

/// Why profiles cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProfilesError {
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A folder cannot be listed.
    #[error("cannot list {}: {source}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A file is no profile.
    #[error("{place}: {error}")]
    NoProfile {
        /// The file, and its line where it has a profile a line.
        place: String,
        /// What is wrong with it.
        error: String,
    },
    /// There is no profile at all.
    #[error("{}: no profile in it; `twinql profile` makes one", .0.display())]
    Empty(PathBuf),
    /// Two profiles of one database.
    #[error("{origin} has two profiles of {db_id:?}: keep one of them")]
    Twice {
        /// Where they are.
        origin: String,
        /// The database.
        db_id: String,
    },
    /// None of the profiles is of a database that there is a schema of.
    #[error(
        "no profile in {origin} is of a database in the schemas: it has profiles of {profiles}, and the schemas are of {schemas}; correct `db_id` in the profile"
    )]
    Strangers {
        /// Where the profiles are.
        origin: String,
        /// Some of their names.
        profiles: String,
        /// Some names of schemas.
        schemas: String,
    },
    /// Profiles contradict their schemas.
    #[error("{}", listed(.0))]
    Contradictions(Vec<String>),
}

/// Contradictions that are told at once.
const TOLD: usize = 8;

fn listed(errors: &[String]) -> String {
    let mut text = errors.iter().take(TOLD).cloned().collect::<Vec<_>>().join("\n  ");
    if errors.len() > TOLD {
        text.push_str(&format!("\n  and {} more", errors.len() - TOLD));
    }
    text
}

/// Profiles by `db_id`.
#[derive(Debug, Clone, Default)]
pub struct Profiles {
    by_id: BTreeMap<String, Arc<Profile>>,
    origin: String,
}

impl Profiles {
    /// Reads a profile, a file of JSON lines (`.jsonl`, also compressed) with a profile each, or all `.json` files of a
    /// folder.
    ///
    /// # Errors
    /// What cannot be read, with its file and place.
    pub fn load(path: &Path) -> Result<Profiles, ProfilesError> {
        let mut profiles = Profiles { by_id: BTreeMap::new(), origin: path.display().to_string() };
        let name = path.file_name().map(|n| n.to_string_lossy().to_lowercase()).unwrap_or_default();
        if path.is_dir() {
            let failed = |source| ProfilesError::Folder { path: path.to_owned(), source };
            let mut files = Vec::new();
            for entry in std::fs::read_dir(path).map_err(failed)? {
                let file = entry.map_err(failed)?.path();
                if file.extension().is_some_and(|e| e.eq_ignore_ascii_case("json")) && file.is_file() {
                    files.push(file);
                }
            }
            files.sort();
            for file in files {
                profiles.file(&file)?;
            }
        } else if name.ends_with(".jsonl") || name.ends_with(".jsonl.gz") {
            for line in Lines::open(path)?.filled() {
                let line = line?;
                let place = format!("{} line {}", profiles.origin, line.number);
                let no_profile =
                    |why: NoText| ProfilesError::NoProfile { place: place.clone(), error: why.into() };
                let text = line.text().map_err(no_profile)?;
                profiles.add(read(text, &place)?, None)?;
            }
        } else {
            profiles.file(path)?;
        }
        match profiles.by_id.is_empty() {
            true => Err(ProfilesError::Empty(path.to_owned())),
            false => Ok(profiles),
        }
    }

    /// A profile of one's own making.
    pub fn of_one(profile: Profile) -> Profiles {
        let origin = "the profile".to_owned();
        Profiles { by_id: BTreeMap::from([(profile.db_id.clone(), Arc::new(profile))]), origin }
    }

    fn file(&mut self, path: &Path) -> Result<(), ProfilesError> {
        let place = path.display().to_string();
        let bytes = read_bounded(path, MOST, "a profile")?;
        let text = String::from_utf8(bytes)
            .map_err(|e| ProfilesError::NoProfile { place: place.clone(), error: e.to_string() })?;
        let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned());
        self.add(read(&text, &place)?, stem)
    }

    /// `named` is the name of a profile that names no database.
    fn add(&mut self, profile: Profile, named: Option<String>) -> Result<(), ProfilesError> {
        let db_id = match (profile.db_id.is_empty(), named) {
            (true, Some(named)) => named,
            _ => profile.db_id.clone(),
        };
        if self.by_id.insert(db_id.clone(), Arc::new(profile)).is_some() {
            return Err(ProfilesError::Twice { origin: self.origin.clone(), db_id });
        }
        Ok(())
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    /// The profile of the database that a schema is of.
    pub fn of(&self, schema: &Schema) -> Option<&Arc<Profile>> {
        self.by_id.get(&schema.db_id)
    }

    /// Checks the profiles against the schemas. Where there is one of each, the one is of the other, whatever their
    /// names. Gives what of the profiles is not followed, in words.
    ///
    /// # Errors
    /// No profile is of any of the schemas; a profile contradicts its schema.
    pub fn settle<'s>(
        &mut self,
        schemas: impl Iterator<Item = &'s Schema>,
    ) -> Result<Vec<String>, ProfilesError> {
        let schemas: Vec<&Schema> = schemas.collect();
        if let [only] = schemas.as_slice()
            && self.by_id.len() == 1
            && let Some((_, profile)) = self.by_id.pop_first()
        {
            self.by_id.insert(only.db_id.clone(), profile);
        }
        let (mut warnings, mut errors, mut met) = (Vec::new(), Vec::new(), 0);
        for schema in &schemas {
            let Some(profile) = self.of(schema) else { continue };
            met += 1;
            let said = |e: &ProfileError| format!("profile of {}: {e}", schema.db_id);
            match profile.bind(schema) {
                Ok((_, found)) => warnings.extend(found.iter().map(said)),
                Err(found) => errors.extend(found.iter().map(said)),
            }
        }
        if !errors.is_empty() {
            return Err(ProfilesError::Contradictions(errors));
        }
        // Pairs may bring schemas of their own, of which nothing is known yet.
        if met == 0 && !schemas.is_empty() && !self.by_id.is_empty() {
            let some = |names: Vec<&str>| names.iter().take(5).copied().collect::<Vec<_>>().join(", ");
            return Err(ProfilesError::Strangers {
                origin: self.origin.clone(),
                profiles: some(self.by_id.keys().map(String::as_str).collect()),
                schemas: some(schemas.iter().map(|s| s.db_id.as_str()).collect()),
            });
        }
        Ok(warnings)
    }

    /// The profile of a schema's database by its positions, if there is one.
    ///
    /// # Errors
    /// It contradicts the schema.
    pub fn bound(&self, schema: &Schema) -> Result<Option<Arc<Bound>>, String> {
        let Some(profile) = self.of(schema) else { return Ok(None) };
        match profile.bind(schema) {
            Ok((bound, _)) => Ok(Some(Arc::new(bound))),
            Err(errors) => {
                let errors: Vec<String> = errors.iter().map(ProfileError::to_string).collect();
                Err(listed(&errors))
            }
        }
    }

    /// Eight digits that tell sets of profiles apart, for signatures.
    pub fn digest(&self) -> String {
        let parts = self.by_id.iter().flat_map(|(id, profile)| [id.clone(), profile.digest()]);
        let mut digits = Fingerprint::of(parts).digits();
        digits.truncate(8);
        digits
    }
}

fn read(text: &str, place: &str) -> Result<Profile, ProfilesError> {
    let failed = |e: ProfileError| ProfilesError::NoProfile { place: place.to_owned(), error: e.to_string() };
    Profile::read(text.trim_start_matches('\u{feff}')).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(db_id: &str, rows: u64) -> Profile {
        let text = format!(
            r#"{{"format": "twinql-profile", "version": 1, "db_id": "{db_id}", "tables": {{"t": {{"rows": {rows}, "columns": {{"a": {{"distinct": 3}}}}}}}}}}"#
        );
        Profile::read(&text).unwrap()
    }

    fn schema(db_id: &str) -> Schema {
        Schema::from_ddl(db_id, "CREATE TABLE t (a INTEGER)").unwrap()
    }

    #[test]
    fn one_profile_is_of_the_one_schema() {
        let mut profiles = Profiles::of_one(profile("x", 5));
        let other = schema("y");
        assert!(profiles.settle([&other].into_iter()).unwrap().is_empty());
        assert!(profiles.bound(&other).unwrap().is_some());
        let mut profiles = Profiles::of_one(profile("x", 5));
        let error = profiles.settle([&schema("y"), &schema("z")].into_iter()).unwrap_err().to_string();
        assert!(error.contains("profiles of x") && error.contains("y, z"), "{error}");
    }

    #[test]
    fn contradictions_name_database_and_place() {
        let error =
            Profiles::of_one(profile("x", 2)).settle([&schema("x")].into_iter()).unwrap_err().to_string();
        assert!(
            error.starts_with("profile of x: tables.t.columns.a.distinct: 3 distinct values in 2 rows"),
            "{error}"
        );
    }

    #[test]
    fn the_digest_is_that_of_the_content() {
        assert_eq!(Profiles::of_one(profile("x", 5)).digest(), Profiles::of_one(profile("x", 5)).digest());
        assert_ne!(Profiles::of_one(profile("x", 5)).digest(), Profiles::of_one(profile("x", 6)).digest());
    }
}
