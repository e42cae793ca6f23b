"use strict";
// Everything that comes back is put in as text, never as markup: predictions are hostile.
const at = (id) => document.getElementById(id);

function make(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) node.setAttribute(name, value);
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

async function ask(path, body) {
  const headers = { "content-type": "application/json" };
  if (at("token").value) headers.authorization = "Bearer " + at("token").value;
  const options = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
  const answer = await fetch(path, options);
  const json = await answer.json().catch(() => ({}));
  if (answer.status === 401) document.querySelectorAll(".token").forEach((node) => { node.hidden = false; });
  if (!answer.ok) throw new Error(json.error || "the server answered " + answer.status);
  return json;
}

const percent = (p) => (p > 0 && p < 0.001 ? "< 0.1 %" : (100 * p).toFixed(1) + " %");

function verdict(score, judged, explained) {
  const record = score.results[0];
  const p = record.scores.gmn;
  const said = at("verdict");
  let head, more, tone;
  if (record.status === "gold_error" || record.status === "pred_error") {
    [tone, head, more] = ["different", "One of the queries cannot be used", record.error];
  } else if (explained && explained.verdict === "equal" && judged.verdict === "different") {
    [tone, head, more] = ["different", "Contradicted: proved the same, and a database shows a difference",
      "One of the two is wrong, which is a fault of twinql: please report the schema and both queries."];
  } else if (explained && explained.verdict === "equal") {
    [tone, head, more] = ["same", "The same answer on every database: proved", "The proof is below."];
  } else if (judged.verdict === "different") {
    [tone, head, more] = ["different", "Not the same: a database shows it", "The smallest that was found is below."];
  } else if (explained && explained.verdict === "different") {
    [tone, head, more] = ["different", "Not the same: proved", "The argument is below."];
  } else {
    const heads = { same: "Likely the same", different: "Likely not the same", abstained: "Too close to call" };
    const likely = p === null ? " The network cannot read one of the queries."
      : " The network's probability that they are the same is " + percent(p) + ".";
    [tone, head, more] = ["open", heads[record.decisions.gmn] || "Not decided",
      "Nothing is proved, and no database was found that shows a difference." + likely];
  }
  said.className = tone;
  said.replaceChildren(make("b", {}, head), more || "");
}

function scores(score) {
  const record = score.results[0];
  const names = { gmn: "network", relpm: "tree overlap", esm: "exact set match", "esm+": "ESM+", exact: "same text" };
  const list = make("dl");
  for (const [name, value] of Object.entries(record.scores)) {
    if (value === null) continue;
    const filled = make("i", { style: "width:" + Math.round(100 * value) + "%" });
    list.append(make("dt", {}, names[name] || name), make("dd", {}, percent(value)),
      make("dd", {}, make("div", { class: "track", "aria-hidden": "true" }, filled)));
  }
  at("scores").replaceChildren(make("h2", {}, "Scores"), list,
    make("p", { class: "small" }, "The network's is the probability that both queries answer alike. " + (score.signatures.gmn || "")));
}

function proof(explained) {
  const box = at("proof");
  box.replaceChildren();
  if (!explained) return;
  const found = explained.proof;
  const lines = (title, items) => items && items.length
    ? make("div", {}, make("h3", {}, title), make("ul", {}, ...items.map((item) => make("li", {}, item)))) : null;
  if (explained.verdict === "equal") {
    const certificate = found.certificate;
    box.append(make("h2", {}, "Proved the same"),
      lines("needs of the data", found.assumptions.length ? found.assumptions : ["nothing"]),
      lines("rules", [...new Set([...found.gold_rules, ...found.pred_rules])]) || "");
    if (certificate.kind === "canonical_form") box.append(make("h3", {}, "both are"), make("pre", {}, certificate.sql));
    else box.append(make("h3", {}, "rows are mapped"), make("pre", {}, JSON.stringify(certificate.maps, null, 1)));
  } else if (explained.verdict === "different") {
    box.append(make("h2", {}, "Proved different"), found.reason);
  } else {
    box.append(make("h2", {}, "What still differs"), make("div", { class: "two" },
      lines("only in the gold", found.gold_only) || make("div", {}, make("h3", {}, "only in the gold"), make("span", { class: "none" }, "nothing")),
      lines("only in the prediction", found.pred_only) || make("div", {}, make("h3", {}, "only in the prediction"), make("span", { class: "none" }, "nothing"))));
  }
}

function cell(value) {
  if (value === null) return make("td", { class: "null" }, "NULL");
  return make("td", {}, typeof value === "object" ? "x'" + value.blob + "'" : String(value));
}

function rows(title, names, all) {
  const head = make("tr", {}, ...names.map((name) => make("th", { scope: "col" }, name)));
  const body = all.length ? all.map((row) => make("tr", {}, ...row.map(cell)))
    : [make("tr", {}, make("td", { class: "none", colspan: Math.max(1, names.length) }, "no rows"))];
  return make("div", { class: "scroll" }, make("table", {}, make("caption", {}, title), make("thead", {}, head), make("tbody", {}, ...body)));
}

function witness(judged) {
  const box = at("witness");
  box.replaceChildren();
  const found = judged.witness;
  if (!found) {
    if (judged.verdict === "same") box.append(make("h2", {}, "Tested"),
      "Both queries agree on all " + judged.databases + " databases that were made for them.");
    return;
  }
  const inserts = found.sql.split("\n").filter((line) => line.startsWith("INSERT")).join("\n");
  box.append(make("h2", {}, "A database on which they differ"),
    make("pre", {}, inserts || "-- all tables are empty"),
    make("div", { class: "two", style: "margin-top:.8rem" },
      rows("the gold answers", found.gold_names, found.gold_rows),
      rows("the prediction answers", found.pred_names, found.pred_rows)),
    make("details", {}, make("summary", {}, "All statements"), make("pre", {}, found.sql)));
}

function plan(title, side, others) {
  const text = make("pre");
  for (const node of side.canonical) {
    const line = "  ".repeat(node.depth) + node.text + "\n";
    text.append(others.has(node.text) ? line : make("span", { class: "only" }, line));
  }
  const rules = side.rules.length ? "rules: " + side.rules.join(", ") : "no rule changed it";
  return make("div", {}, make("h3", {}, title), text, make("p", { class: "small" }, rules));
}

function plans(explained) {
  const box = at("plans");
  box.replaceChildren();
  if (!explained) return;
  const texts = (side) => new Set(side.canonical.map((node) => node.text));
  box.append(make("h2", {}, "Canonical plans"), make("div", { class: "two" },
    plan("gold", explained.gold, texts(explained.pred)), plan("prediction", explained.pred, texts(explained.gold))),
    make("p", { class: "small" }, "Marked lines stand on one side alone."));
}

async function compare(event) {
  if (event) event.preventDefault();
  const button = document.querySelector("button");
  const body = { gold: at("gold").value, pred: at("pred").value };
  if (at("db").value) body.db_id = at("db").value; else body.schema = at("ddl").value;
  if (at("semantics").value) body.semantics = at("semantics").value;
  button.disabled = true;
  at("problem").hidden = true;
  try {
    const metrics = ["gmn", "relpm", "esm+", "esm", "exact"];
    const [score, judged, explained] = await Promise.all([
      ask("score", { ...body, metrics }), ask("judge", body), ask("explain", body).catch(() => null)]);
    verdict(score, judged, explained);
    scores(score);
    proof(explained);
    witness(judged);
    plans(explained);
    at("result").hidden = false;
  } catch (error) {
    at("problem").textContent = error.message;
    at("problem").hidden = false;
    at("result").hidden = true;
  } finally {
    button.disabled = false;
  }
}

at("ask").addEventListener("submit", compare);
at("db").addEventListener("change", () => { at("ddl").hidden = at("db").value !== ""; });
ask("info").then((info) => { at("info").textContent = "Version " + info.version + ", network " + info.checkpoint + "."; }).catch(() => {});
ask("databases").then((names) => names.forEach((name) => at("db").append(make("option", { value: name }, name)))).catch(() => {});
// `#compare` compares at once, for links to a page that is filled in already.
if (location.hash === "#compare") compare();
