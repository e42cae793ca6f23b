//! Markdown that several pages share.

/// The line below a page's title that says where it comes from.
pub(super) fn written_from(source: &str) -> String {
    format!("<!-- Written by `cargo measure docs` from {source}. -->\n")
}

/// A table: the names of its columns, and its rows.
pub(super) fn table<const N: usize>(head: [&str; N], rows: impl IntoIterator<Item = [String; N]>) -> String {
    let line =
        |cells: [String; N]| format!("| {} |\n", cells.map(|cell| cell.replace('\n', " ")).join(" | "));
    let mut text = line(head.map(str::to_owned));
    text += &format!("|{}\n", "---|".repeat(N));
    rows.into_iter().for_each(|row| text += &line(row));
    text
}

/// A name as code.
pub(super) fn code(name: &str) -> String {
    format!("`{name}`")
}
