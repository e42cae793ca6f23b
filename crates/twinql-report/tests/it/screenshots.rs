//! The HTML report in a browser: wide and narrow, light and dark. Runs where Chromium is installed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::sample;

/// Widths and heights of a window on a desk and of a phone.
const SIZES: [(u32, u32); 2] = [(1280, 2400), (375, 2400)];

/// The browser, if there is one.
fn chromium() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let paths = std::env::var_os("PATH")?;
    let mut all = std::env::split_paths(&paths).flat_map(|folder| names.map(|name| folder.join(name)));
    all.find(|path| path.is_file())
}

/// Runs the browser on a page of a folder and gives what it prints.
fn run(browser: &Path, folder: &Path, arguments: &[String]) -> String {
    let out = folder.join("stdout");
    let mut child = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"])
        .args(["--no-first-run", "--disable-background-networking", "--allow-file-access-from-files"])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .args(arguments)
        .stdout(std::fs::File::create(&out).unwrap())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    loop {
        if child.try_wait().unwrap().is_some() {
            return std::fs::read_to_string(out).unwrap();
        }
        if begun.elapsed() > Duration::from_secs(120) {
            child.kill().unwrap();
            panic!("the browser did not end");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A page that holds the report in a frame of a width and a theme: windows cannot be as narrow as a phone.
/// Its script says what it finds in the frame.
fn wrapper((width, height): (u32, u32), theme: &str) -> String {
    const PROBE: &str = r#"
      function channels(colour) {
        var m = colour.match(/[\d.]+/g).map(Number);
        return { rgb: m.slice(0, 3), alpha: m.length > 3 ? m[3] : 1 };
      }
      function luminance(rgb) {
        var c = rgb.map(function (v) { v /= 255; return v <= 0.04045 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4); });
        return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
      }
      function ground(view, element) {
        for (var e = element; e; e = e.parentElement) {
          var c = channels(view.getComputedStyle(e).backgroundColor);
          if (c.alpha > 0.99) { return c.rgb; }
        }
        return [255, 0, 255];
      }
      window.addEventListener("load", function () {
        var frame = document.querySelector("iframe");
        var view = frame.contentWindow, doc = frame.contentDocument, root = doc.documentElement;
        var wide = [], worst = { ratio: 99, text: "" }, small = [];
        doc.querySelectorAll("body *").forEach(function (e) {
          var box = e.getBoundingClientRect();
          if (box.right > root.clientWidth + 1 && box.width > 0 && !e.closest(".scroll")) { wide.push(e.tagName + "." + e.getAttribute("class")); }
          if (e.closest("svg") || !e.firstChild || box.width < 2) { return; }
          var own = Array.from(e.childNodes).some(function (n) { return n.nodeType === 3 && n.data.trim(); });
          if (!own) { return; }
          var style = view.getComputedStyle(e);
          var a = luminance(channels(style.color).rgb), b = luminance(ground(view, e));
          var ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
          if (ratio < worst.ratio) { worst = { ratio: ratio, text: e.textContent.slice(0, 40) }; }
          if (parseFloat(style.fontSize) < 10.5) { small.push(e.textContent.slice(0, 40)); }
        });
        doc.querySelectorAll("svg.plot text").forEach(function (e) {
          var box = e.getBoundingClientRect(), svg = e.closest("svg").getBoundingClientRect();
          if (box.left < svg.left - 1 || box.right > svg.right + 1) { wide.push("text " + e.textContent); }
        });
        document.getElementById("probe").textContent = JSON.stringify({
          width: root.clientWidth, content: root.scrollWidth, wide: wide.slice(0, 5), contrast: worst.ratio,
          worst: worst.text, small: small.slice(0, 5), title: doc.title, buttons: doc.querySelectorAll("button").length,
          page: channels(view.getComputedStyle(doc.body).backgroundColor).rgb, alerts: view.owned || 0
        });
      });
    "#;
    format!(
        "<!DOCTYPE html><html><body style=\"margin:0\"><script>{PROBE}</script><iframe src=\"report.html\" \
         style=\"border:0;display:block;width:{width}px;height:{height}px;color-scheme:{theme}\"></iframe>\
         <pre id=\"probe\">nothing</pre></body></html>"
    )
}

/// What the probe found, from the page as the browser left it.
fn probed(dom: &str) -> serde_json::Value {
    let from = dom.rfind("<pre id=\"probe\">").expect("the probe's element") + "<pre id=\"probe\">".len();
    let to = dom[from..].find("</pre>").expect("its end") + from;
    let text = dom[from..to].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    serde_json::from_str(&text).unwrap_or_else(|why| panic!("{why}: {text}"))
}

/// Size, number of colours, and the first pixel of a picture.
fn picture(path: &Path) -> ((u32, u32), usize, [u8; 3]) {
    let file = std::fs::read(path).unwrap();
    let mut bytes = vec![0; minipng::decode_png_header(&file).unwrap().required_bytes_rgba8bpc()];
    let mut image = minipng::decode_png(&file, &mut bytes).unwrap();
    image.convert_to_rgba8bpc().unwrap();
    let pixels = image.pixels().chunks_exact(4).map(|p| [p[0], p[1], p[2]]);
    let colours: std::collections::BTreeSet<[u8; 3]> = pixels.clone().collect();
    ((image.width(), image.height()), colours.len(), pixels.clone().next().unwrap())
}

#[test]
fn the_page_fits_and_can_be_read() {
    let Some(browser) = chromium() else {
        println!("skipped: chromium is not installed");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("report.html"), sample::report().html()).unwrap();
    for size in SIZES {
        for theme in ["light", "dark"] {
            let page = folder.path().join(format!("{}-{theme}.html", size.0));
            std::fs::write(&page, wrapper(size, theme)).unwrap();
            let at = format!("file://{}", page.display());
            let window = format!("--window-size={},{}", size.0, size.1);
            let found =
                probed(&run(&browser, folder.path(), &["--dump-dom".into(), window.clone(), at.clone()]));
            let said = format!("{size:?} {theme}: {found}");
            assert_eq!(found["width"], size.0, "{said}");
            assert_eq!(found["content"], size.0, "the page scrolls sideways: {said}");
            assert_eq!(found["wide"], serde_json::json!([]), "{said}");
            assert_eq!(found["small"], serde_json::json!([]), "{said}");
            assert!(found["contrast"].as_f64().unwrap() >= 4.5, "{said}");
            // Its own script ran, and no other one.
            assert!(found["buttons"].as_u64().unwrap() > 1, "{said}");
            assert_eq!(found["title"], "How well metrics agree with labels", "{said}");

            let file = folder.path().join("shot.png");
            run(&browser, folder.path(), &[format!("--screenshot={}", file.display()), window, at]);
            let ((width, _), colours, corner) = picture(&file);
            assert_eq!(width, size.0, "{said}");
            assert!(colours > 200, "{colours} colours: {said}");
            let dark = corner.iter().all(|channel| *channel < 64);
            let light = corner.iter().all(|channel| *channel > 192);
            assert!(if theme == "dark" { dark } else { light }, "{corner:?}: {said}");
        }
    }
}
