//! The server's page in a browser, where Chromium is installed: a comparison from the form to the witness, by day and by
//! night, wide and narrow.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::{says, server::Server};

/// The browser, if there is one.
fn chromium() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let paths = std::env::var_os("PATH")?;
    let mut all = std::env::split_paths(&paths).flat_map(|folder| names.map(|name| folder.join(name)));
    all.find(|path| path.is_file())
}

/// Opens the page, compares the queries that it shows, and gives what the browser prints.
fn open(browser: &Path, profile: &Path, server: &Server, arguments: &[String]) -> String {
    let child = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"])
        .args(["--no-first-run", "--disable-background-networking", "--virtual-time-budget=20000"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .args(arguments)
        .arg(format!("http://{}/#compare", server.address))
        .stderr(Stdio::null())
        .output();
    String::from_utf8(child.unwrap().stdout).unwrap()
}

/// Width, number of colours, and the first pixel of a picture.
fn picture(path: &Path) -> (u32, usize, [u8; 3]) {
    let file = std::fs::read(path).unwrap();
    let mut bytes = vec![0; minipng::decode_png_header(&file).unwrap().required_bytes_rgba8bpc()];
    let mut image = minipng::decode_png(&file, &mut bytes).unwrap();
    image.convert_to_rgba8bpc().unwrap();
    let pixels = image.pixels().chunks_exact(4).map(|p| [p[0], p[1], p[2]]);
    let colours: std::collections::BTreeSet<[u8; 3]> = pixels.clone().collect();
    (image.width(), colours.len(), pixels.clone().next().unwrap())
}

#[test]
fn two_queries_are_compared_in_a_browser() {
    let Some(browser) = chromium() else {
        println!("skipped: chromium is not installed");
        return;
    };
    let server = Server::start(&[]);
    let folder = tempfile::tempdir().unwrap();
    let profile = folder.path().join("profile");
    let page = open(&browser, &profile, &server, &["--dump-dom".into()]);
    for part in [
        "Not the same: a database shows it",
        "INSERT INTO",
        "the gold answers",
        "Canonical plans",
        "probability",
    ] {
        assert!(page.contains(part), "{part:?} is not in\n{page}");
    }
    // What went wrong stays hidden, and the database of --schemas can be chosen.
    says(&page, &["<p id=\"problem\" role=\"alert\" hidden=\"\">", "<option value=\"concerts\">"]);
    for (width, scheme, dark) in [(1100, 1, false), (1100, 0, true), (500, 1, false), (500, 0, true)] {
        let shot = folder.path().join("shot.png");
        let arguments = [
            format!("--window-size={width},1800"),
            format!("--blink-settings=preferredColorScheme={scheme}"),
            format!("--screenshot={}", shot.display()),
        ];
        open(&browser, &profile, &server, &arguments);
        let (wide, colours, corner) = picture(&shot);
        assert!(wide == width && colours > 50, "{wide} wide, {colours} colours");
        let all = |holds: fn(u8) -> bool| corner.iter().all(|channel| holds(*channel));
        assert!(
            if dark { all(|c| c < 80) } else { all(|c| c > 180) },
            "{corner:?} at {width}, scheme {scheme}"
        );
    }
}
