//! Hostile and everyday inputs with what must come of them: `tests/hostile/*.toml`, one file a
//! theme, run through the program. A case says what a user would rightly expect; none may be
//! taken out or weakened because it fails. `HOSTILE_BINARY=path` runs them on another program.

mod data;
mod pairs;
mod program;
mod runs;
mod streams;

macro_rules! themes {
    ($($theme:ident)*) => {
        const THEMES: &[&str] = &[$(stringify!($theme)),*];
        $(
            #[test]
            fn $theme() {
                check(stringify!($theme));
            }
        )*
    };
}

themes! {
    values clauses clauses_postgres clauses_mysql clauses_generic vacuous postgres mysql ddl
    outputs records checksums bombs environment sandbox encodings answers
}

fn check(name: &str) {
    let theme = data::load(name);
    let mut failures = pairs::failures(&theme);
    failures.extend(runs::failures(&theme));
    assert!(
        failures.is_empty(),
        "{name} ({}): {} do not hold\n  {}",
        theme.about,
        failures.len(),
        failures.join("\n  ")
    );
}

/// Each file is a theme that runs, and all of them are many.
#[test]
fn every_file_is_a_theme() {
    let mut files: Vec<String> = std::fs::read_dir(data::folder())
        .unwrap()
        .map(|f| f.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "toml"))
        .map(|p| p.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    files.sort();
    let mut themes: Vec<&str> = THEMES.to_vec();
    themes.sort_unstable();
    assert_eq!(files, themes);
    let mut names = std::collections::BTreeSet::new();
    let mut count = 0;
    for name in THEMES {
        let theme = data::load(name);
        let here = pairs::count(&theme) + theme.runs.len();
        println!("{name}: {here}");
        count += here;
        let runs = theme.runs.iter().map(|r| &r.name);
        for case in theme.pairs.iter().map(|p| &p.name).chain(runs) {
            assert!(names.insert(format!("{name}: {case}")), "{name}: {case} stands there twice");
        }
    }
    // Predictions that `hostile.rs` sends through judge, execute, score, evaluate and suite run.
    let listed = crate::inputs::hostile().len();
    println!("inputs.rs: {listed}");
    assert!(count + listed >= 300, "{count} cases and {listed} hostile predictions");
}
