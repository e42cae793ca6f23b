(function () {
  "use strict";
  var root = document.documentElement;
  var header = document.querySelector("header");
  var dark = window.matchMedia("(prefers-color-scheme: dark)");
  var theme = document.createElement("button");
  function isDark() { return (root.dataset.theme || (dark.matches ? "dark" : "light")) === "dark"; }
  function label() { theme.textContent = isDark() ? "Light" : "Dark"; }
  theme.type = "button";
  theme.setAttribute("aria-label", "Switch between light and dark");
  theme.addEventListener("click", function () { root.dataset.theme = isDark() ? "light" : "dark"; label(); });
  dark.addEventListener("change", label);
  label();
  header.append(theme);
  function key(row, column) {
    var cell = row.cells[column];
    if (!cell) { return { number: null, text: "" }; }
    return { number: "v" in cell.dataset ? Number(cell.dataset.v) : null, text: cell.textContent.trim() };
  }
  function compare(a, b) {
    if (a.number !== null && b.number !== null) { return a.number - b.number; }
    return a.text < b.text ? -1 : a.text > b.text ? 1 : 0;
  }
  document.querySelectorAll("table.sortable").forEach(function (table) {
    Array.prototype.forEach.call(table.tHead.rows[0].cells, function (head, column) {
      var button = document.createElement("button");
      button.type = "button";
      button.title = "Sort";
      button.append.apply(button, Array.from(head.childNodes));
      head.append(button);
      button.addEventListener("click", function () {
        var body = table.tBodies[0];
        var down = head.getAttribute("aria-sort") !== "descending";
        Array.prototype.forEach.call(head.parentNode.cells, function (cell) { cell.removeAttribute("aria-sort"); });
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        var rows = Array.from(body.rows).map(function (row) { return { row: row, key: key(row, column) }; });
        rows.sort(function (a, b) {
          // What is no number stays below those that are.
          if ((a.key.number === null) !== (b.key.number === null)) { return a.key.number === null ? 1 : -1; }
          return down ? compare(b.key, a.key) : compare(a.key, b.key);
        });
        rows.forEach(function (entry) { body.append(entry.row); });
      });
    });
  });
})();
