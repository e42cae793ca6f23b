#!/usr/bin/env python3
"""The site: the pages of docs/ as a book with a search, in target/site/html.

    scripts/site.py     needs mdbook: cargo install mdbook --locked

docs/README.md is the table of contents: its headings are the parts, its links the pages. Pages of a folder stand below the page of
its name, which links to them, and each command has a page. Links to files outside of docs/ lead to the repository. A page that is
not reached so, and a link that leads nowhere, is an error.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parents[1]
DOCS, SITE = ROOT / "docs", ROOT / "target/site"
PAGES, HTML = SITE / "pages", SITE / "html"
REPOSITORY = "https://github.com/twinql/twinql/blob/main/"
COMMANDS = "reference/command-line.md"
LINK = re.compile(r"\]\(([^)#:\s]+)")


def text(page: str) -> str:
    return (PAGES / page).read_text(encoding="utf-8")


def lead_outside(page: Path) -> None:
    """Links of a page to what is not in docs/."""

    def target(link: re.Match[str]) -> str:
        path = os.path.normpath(page.parent.relative_to(PAGES) / link[1])
        return f"]({REPOSITORY}{path.removeprefix('../')}" if path.startswith("../") else link[0]

    page.write_text(LINK.sub(target, page.read_text(encoding="utf-8")), encoding="utf-8")


def one_page_a_command() -> None:
    head, *commands = re.split(r"^## ", text(COMMANDS), flags=re.M)
    folder = PAGES / COMMANDS.removesuffix(".md")
    folder.mkdir()
    for command in commands:
        title = command.partition("\n")[0]
        name = f"{title.replace(' ', '-')}.md"
        (folder / name).write_text(f"# {command}", encoding="utf-8")
        head += f"- [{title}]({folder.name}/{name})\n"
    (PAGES / COMMANDS).write_text(head, encoding="utf-8")


def summary() -> None:
    lines, named = ["# Summary", "", "[Documentation](README.md)"], {"README.md"}

    def line(page: str, depth: int = 0) -> None:
        named.add(page)
        title = text(page).partition("\n")[0].removeprefix("# ")
        lines.append(f"{'  ' * depth}- [{title}]({page})")
        folder = Path(page).with_suffix("")
        for link in LINK.finditer(text(page)):
            below = str(Path(page).parent / link[1])
            if Path(below).parent == folder and below.endswith(".md") and below not in named:
                line(below, depth + 1)

    for row in text("README.md").splitlines():
        if row.startswith("## "):
            lines += ["", f"# {row[3:].partition(':')[0]}", ""]
        for link in LINK.finditer(row):
            if link[1].endswith(".md") and link[1] not in named and (PAGES / link[1]).is_file():
                line(link[1])
    lost = {str(page.relative_to(PAGES)) for page in PAGES.rglob("*.md")} - named
    if lost:
        sys.exit(f"docs/README.md does not lead to {', '.join(sorted(lost))}")
    (PAGES / "SUMMARY.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


class Page(HTMLParser):
    """What can be linked to on a page, and what it links to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.links: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.names.add(value)
            if name in ("href", "src") and value:
                self.links.append(value)


def check_links() -> int:
    pages = {path: Page(path) for path in HTML.rglob("*.html") if path.name not in ("404.html", "print.html")}
    dead, followed = [], 0
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme:
                continue
            to = Path(os.path.normpath(path.parent / unquote(parts.path))) if parts.path else path
            followed += 1
            if not to.exists() or (parts.fragment and to in pages and unquote(parts.fragment) not in pages[to].names):
                dead.append(f"{path.relative_to(HTML)}: {link}")
    if dead:
        sys.exit("links that lead nowhere:\n" + "\n".join(dead))
    print(f"{len(pages)} pages, {followed} links")
    return 0


def main() -> int:
    shutil.rmtree(SITE, ignore_errors=True)
    shutil.copytree(DOCS, PAGES)
    for page in PAGES.rglob("*.md"):
        lead_outside(page)
    one_page_a_command()
    summary()
    subprocess.run(["mdbook", "build", str(ROOT)], check=True)
    return check_links()


if __name__ == "__main__":
    sys.exit(main())
