// The page around the program: it makes command lines, has a worker run them, and shows what comes back. Names are put in as text,
// never as markup.
"use strict";

const at = id => document.getElementById(id);

function element(tag, props = {}, ...children) {
  const e = Object.assign(document.createElement(tag), props);
  e.append(...children);
  return e;
}

const size = b => b < 1e6 ? Math.ceil(b / 1e3) + " kB" : b < 1e9 ? (b / 1e6).toFixed(1) + " MB" : (b / 1e9).toFixed(2) + " GB";
const lines = id => at(id).value.split("\n").map(l => l.trim()).filter(l => l);

// The policy of the page allows no script but this one, and a worker from the text that this file holds.
const code = URL.createObjectURL(new Blob([at("worker").textContent], { type: "text/javascript" }));
const trusted = globalThis.trustedTypes?.createPolicy("polydag-worker", { createScriptURL: url => url === code ? url : "" });

let worker;         // runs one command at a time
let module;         // the program, for the next worker
let finish;         // of the command that runs
let told = () => {}; // its progress

function start() {
  worker = new Worker(trusted ? trusted.createScriptURL(code) : code);
  worker.onmessage = ({ data }) => {
    if (data.module) { module = data.module; finish({}); }
    if (data.progress) told(data.progress);
    if (data.done) finish(data.done);
    if (data.broken) end({ code: 1, out: "", err: `the program crashed: ${data.broken}`, wrote: {} });
  };
  worker.onerror = e => { e.preventDefault(); end({ code: 1, out: "", err: "the program crashed: " + (e.message || "out of memory?"), wrote: {} }); };
}

// end gives up the worker, whatever it does, and has another one ready.
function end(answer) {
  worker.terminate();
  start();
  if (module) worker.postMessage({ module });
  finish(answer);
}

// send has a message done by the worker.
const send = message => new Promise(resolve => { finish = resolve; worker.postMessage(message); });

// polydag runs a command line over files. Commands wait for each other.
let last = Promise.resolve();
function polydag(args, tables = {}, watch = "") {
  const next = last.then(() => send({ args, tables, watch }));
  last = next.catch(() => {});
  return next;
}

// Stop is Ctrl-C: the first ends the run in order, with its best so far; the second ends it wherever it is.
let stopping = false;
function interrupt() {
  if (stopping) return end({ code: 1, out: "", err: "stopped before there was a result", wrote: {} });
  stopping = true;
  worker.postMessage({ stop: true });
  at("now").textContent = "stopping; writing the best graph so far…";
  at("stop").textContent = "Stop now";
}

let table; // {name, file}

async function take(file) {
  // In command lines a name has no folder and does not look like a flag.
  table = { name: file.name.replaceAll("/", "_").replace(/^-/, "_"), file };
  at("look").hidden = at("learn").hidden = false;
  at("result").hidden = true;
  at("said").textContent = "";
  await look();
}

// Different values are counted up to here.
const COUNTED = 4096;

const reading = () => ["--encode", at("encode").value, "--missing", at("missing").value, ...lines("leave").flatMap(c => ["--drop", c])];

async function look() {
  const shown = table;
  at("looked").replaceChildren(element("p", { className: "mute", textContent: `reading ${shown.name}, ${size(shown.file.size)}…` }));
  at("go").disabled = true;
  const answer = await polydag(["check", shown.name, "--json", "--quiet", ...reading()], { [shown.name]: shown.file });
  if (shown !== table) return;
  let p;
  try { p = JSON.parse(answer.out); } catch { /* nothing was read */ }
  at("go").disabled = !p;
  if (!p) return at("looked").replaceChildren(element("p", { className: "bad", role: "alert", textContent: plain(answer.err) }));
  const findings = p.findings.map(f => element("li", {}, element("strong", { textContent: f.severity }), ` ${[f.sentence, advice(f)].filter(t => t).join("; ")}`));
  const rows = p.columns.map(c => element("tr", {},
    element("td", { className: "name" }, element("bdi", { textContent: c.name })),
    element("td", { textContent: c.taken_as ?? c.dropped ?? c.kind, title: c.taken_as_reason ?? "" }),
    element("td", { className: "number", textContent: c.distinct === COUNTED ? `${COUNTED} or more` : c.distinct ?? "" }),
    element("td", { className: "number", textContent: c.missing ?? "" }),
    element("td", { className: "number", textContent: c.mean === undefined ? "" : Number(c.mean.toPrecision(4)) }),
    element("td", { className: "number", textContent: c.std === undefined ? "" : Number(c.std.toPrecision(4)) })));
  const caption = `${p.rows} rows, ${p.columns.length} columns`;
  at("looked").replaceChildren(
    findings.length ? element("ul", {}, ...findings) : element("p", { textContent: "No problems found." }),
    element("div", { className: "scroll", tabIndex: 0, role: "region", ariaLabel: caption }, element("table", {},
      element("caption", { textContent: caption }),
      element("thead", {}, element("tr", {}, ...["Column", "Kind", "Distinct values", "Missing", "Mean", "Std. dev."].map(h => element("th", { scope: "col", textContent: h })))),
      element("tbody", {}, ...rows))));
}

// What the form calls the settings that messages name.
const fields = { missing: "Missing values", encode: "Text columns", bootstrap: "Bootstrap samples", require: "Required edges", forbid: "Forbidden edges", method: "Method" };

// label words one setting by the labels of the form, as package serve does: “exclude the column age”, “Missing values: drop the rows”.
function label(setting, values) {
  const [value] = values;
  if (setting === "drop" && value !== undefined) return `“exclude the column${values.length > 1 ? "s" : ""} ${values.join(", ")}”`;
  if (setting === "drop" || setting === "columns") return "“Columns to exclude”";
  if (value === undefined || value === "") return fields[setting] ? `“${fields[setting]}”` : `the option --${setting} of the command`;
  const option = fields[setting] && at(setting)?.tagName === "SELECT" && [...at(setting).options].find(o => o.value === value);
  return option ? `“${fields[setting]}: ${option.textContent}”` : `the option --${setting}${value === "true" ? "" : " " + values.join(",")} of the command`;
}

// plain is a message of the command without its first word and with the labels of the form in the place of flags.
const unquoted = w => w.replace(/^'|'$/g, "").replaceAll("'\\''", "'");
function plain(text) {
  const value = String.raw`('(?:[^']|'\\'')*'|[^\s,;()'-][^\s,;()]*)`;
  return text.trim().replaceAll(/^polydag: /gm, "")
    .replaceAll(new RegExp(String.raw`--drop ${value}(?: --drop ${value})*`, "g"), found => label("drop", [...found.matchAll(new RegExp(String.raw`--drop ${value}`, "g"))].map(m => unquoted(m[1]))))
    .replaceAll(new RegExp(String.raw`--(missing|encode|bootstrap|method) ([a-z0-9-]+)`, "g"), (_, setting, v) => label(setting, [v]))
    .replaceAll(/--(drop|columns|missing|encode|require|forbid)\b/g, (_, setting) => label(setting, []));
}

// advice is the remedy of a finding in the words of the form.
function advice(f) {
  let text = f.way_out ?? "";
  for (const r of f.remedies ?? []) {
    const quoted = c => c === "" || /[ ,;"\n\t]/.test(c) ? JSON.stringify(c) : c;
    const said = r.columns ? `${r.setting}=${(r.columns.length > 10 ? r.columns.slice(0, 3) : r.columns).map(quoted).join(",")}` : r.value ? `${r.setting}=${r.value}` : `the setting ${r.setting}`;
    text = text.replace(said, () => label(r.setting, r.columns ?? (r.value ? [r.value] : [])));
  }
  return text;
}

function settings() {
  const args = ["--method", at("method").value];
  if (at("bootstrap").value !== "0") args.push("--bootstrap", at("bootstrap").value);
  for (const e of lines("require")) args.push("--require", e);
  for (const e of lines("forbid")) args.push("--forbid", e);
  return [...args, ...reading()];
}

const word = w => /^[\w./:=+-]+$/.test(w) ? w : `'${w.replaceAll("'", `'\\''`)}'`;

let urls = [];
function blob(bytes, type) {
  const url = URL.createObjectURL(new Blob([bytes], { type }));
  urls.push(url);
  return url;
}

function progress(run) {
  const parts = [`${run.seconds.toFixed(0)} s`];
  if (run.stage) parts.push(run.stage);
  if (run.steps) parts.push(`step ${run.step ?? 0} of ${run.steps}`);
  if (run.edges) parts.push(run.edges === 1 ? "1 edge" : `${run.edges} edges`);
  if (!stopping) at("now").textContent = parts.join(", ");
  // A bar that does not know its end would move all the time, and take the time from the run where there are few cores.
  at("bar").hidden = !run.steps;
  if (run.steps) Object.assign(at("bar"), { max: run.steps, value: run.step ?? 0 });
}

async function learn() {
  const { name, file } = table;
  const args = settings();
  at("said").textContent = "";
  at("go").disabled = true;
  stopping = at("stop").hidden = false;
  at("stop").textContent = "Stop";
  at("now").textContent = "reading…";
  const begun = performance.now();
  told = progress;
  const outputs = ["--output", "result.json", "--report", "report.html", "--export", "graph.svg", "--progress-file", "run.progress.json", "--quiet"];
  const answer = await polydag(["learn", name, ...args, ...outputs], { [name]: file }, "run.progress.json");
  at("go").disabled = false;
  at("stop").hidden = at("bar").hidden = true;
  // The last state, with the time: done, failed or stopped.
  const took = `${((performance.now() - begun) / 1000).toFixed(1)} s`;
  at("now").textContent = stopping ? `stopped after ${took}` : answer.wrote["result.json"] ? `done in ${took}` : `failed after ${took}`;
  at("said").textContent = plain(answer.err);
  if (!answer.wrote["result.json"]) return;
  for (const u of urls) URL.revokeObjectURL(u);
  urls = [];
  const stem = name.replace(/\.[^.]*$/, "");
  const link = (path, title, type) => answer.wrote[path] ? [element("a", { href: blob(answer.wrote[path], type), download: `${stem}.${path.split(".").at(-1)}`, textContent: title })] : [];
  at("downloads").replaceChildren(
    ...link("result.json", "Result (JSON)", "application/json"), ...link("report.html", "This page (HTML)", "text/html"), ...link("graph.svg", "Picture (SVG)", "image/svg+xml"));
  at("command").textContent = ["polydag", "learn", name, ...args, "--output", `${stem}.json`, "--report", `${stem}.html`].map(word).join(" ");
  at("graph").hidden = !answer.wrote["report.html"];
  if (answer.wrote["report.html"]) at("graph").src = blob(answer.wrote["report.html"], "text/html");
  at("result").hidden = false;
  at("result").scrollIntoView({ block: "start" });
}

at("file").addEventListener("change", () => at("file").files[0] && take(at("file").files[0]));
at("demo").addEventListener("click", async () => {
  const answer = await polydag(["demo", "--save", "demo.csv"]);
  take(new File([answer.wrote["demo.csv"]], "demo.csv"));
});
for (const id of ["encode", "missing", "leave"]) at(id).addEventListener("change", () => table && look());
at("form").addEventListener("submit", e => { e.preventDefault(); if (table) learn(); });
at("stop").addEventListener("click", interrupt);
for (const kind of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, e => {
    e.preventDefault();
    at("drop").classList.toggle("over", kind === "dragover");
    if (kind === "drop" && e.dataTransfer.files[0]) take(e.dataTransfer.files[0]);
  });
}

(async () => {
  start();
  await send({ text: at("wasm").textContent.trim() });
  at("wasm").remove();
  const answer = await polydag(["methods", "--json"]);
  if (answer.code !== 0) return void (at("state").textContent = plain(answer.err));
  at("method").replaceChildren(...JSON.parse(answer.out).map(m => element("option", { value: m.name, textContent: m.name, title: m.title })));
  at("state").textContent = `ready after ${(performance.now() / 1000).toFixed(1)} s`;
  document.documentElement.dataset.ready = "";
})();
