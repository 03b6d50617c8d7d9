// The list of results and runs. Everything shown comes from server-sent events; names are put in as text, never as markup.
const at = id => document.getElementById(id);

function element(tag, props = {}, ...children) {
  const e = Object.assign(document.createElement(tag), props);
  e.append(...children);
  return e;
}

function table(caption, head, rows) {
  const t = element("table", {},
    element("caption", { className: "mute", textContent: caption }),
    element("thead", {}, element("tr", {}, ...head.map(h => element("th", { scope: "col", textContent: h })))),
    element("tbody", {}, ...rows));
  return element("div", { className: "scroll", tabIndex: 0, role: "region", ariaLabel: caption }, t);
}

const cell = (content, className = "") => element("td", { className }, content);
const link = name => element("a", { href: "/results/" + encodeURIComponent(name) }, element("bdi", { textContent: name }));
const seconds = s => s < 100 ? s.toFixed(1) + " s" : Math.round(s / 60) + " min";
const size = b => b < 1e6 ? Math.ceil(b / 1e3) + " kB" : (b / 1e6).toFixed(1) + " MB";

function step(run) {
  const parts = [];
  if (run.stage) parts.push(run.stage);
  if (run.steps) parts.push(`step ${run.step} of ${run.steps}`);
  if (run.score !== undefined) parts.push("score " + Number(run.score).toPrecision(6));
  if (run.edges) parts.push(run.edges === 1 ? "1 edge" : `${run.edges} edges`);
  else if (run.h !== undefined) parts.push("h " + Number(run.h).toPrecision(3));
  return parts.join(", ");
}

// spark draws a course; h falls by powers of ten and has a log scale.
function spark(run) {
  const c = run.course;
  if (!c || c.step.length < 2) return "";
  const y = c.value.map(v => c.of === "h" ? Math.log10(Math.max(v, 1e-16)) : v);
  const [low, high] = [Math.min(...y), Math.max(...y)];
  const [first, last] = [c.step[0], c.step.at(-1)];
  const d = y.map((v, i) => `${i ? "L" : "M"}${(200 * (c.step[i] - first) / Math.max(last - first, 1)).toFixed(1)} ${(36 - 32 * (v - low) / Math.max(high - low, 1e-12)).toFixed(1)}`).join("");
  const ns = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(ns, "svg");
  const told = `${c.of} from ${c.value[0].toPrecision(3)} at step ${first} to ${c.value.at(-1).toPrecision(3)} at step ${last}`;
  for (const [k, v] of Object.entries({ class: "spark", viewBox: "0 0 200 40", preserveAspectRatio: "none", role: "img", "aria-label": told })) svg.setAttribute(k, v);
  const path = document.createElementNS(ns, "path");
  path.setAttribute("d", d);
  const title = document.createElementNS(ns, "title");
  title.textContent = told;
  svg.append(title, path);
  return svg;
}

// state is the word for a state, with a class for those that ended.
const state = run => element("span", { className: "state " + run.state, textContent: run.state });

function runRow(run, ours) {
  const what = element("td", { className: "now" });
  if (run.state === "running" && run.steps) what.append(element("progress", { max: run.steps, value: run.step, ariaLabel: "progress of " + run.name }), " ");
  if (run.state === "running") what.append(step(run), spark(run));
  if (run.error) what.append(element("span", { className: "bad", textContent: run.error }));
  if (run.result) what.append(link(run.result));
  const act = element("td");
  if (ours && (run.state === "running" || run.state === "waiting")) {
    const b = element("button", { type: "button", textContent: "Stop", ariaLabel: "Stop " + run.name });
    b.addEventListener("click", () => fetch(`/runs/${run.id}/stop`, { method: "POST" }));
    act.append(b);
  }
  return element("tr", {}, cell(element("bdi", { textContent: run.name }), "name"), cell(run.method), cell(state(run)), cell(seconds(run.seconds || 0), "number"), what, act);
}

let first = true;
function show(s) {
  if (first) {
    at("method").replaceChildren(...s.methods.map(m => element("option", { value: m, textContent: m })));
    first = false;
  }
  const runs = [...(s.elsewhere || []).map(r => runRow(r, false)), ...s.runs.map(r => runRow(r, true))];
  // A button that has the focus would lose it with its row.
  const focused = document.activeElement?.ariaLabel;
  at("runs").closest("section").hidden = runs.length === 0;
  at("runs").replaceChildren(runs.length ? table("Runs, newest first", ["Table", "Method", "State", "Time", "Progress", ""], runs) : element("p", { textContent: "None yet." }));
  if (focused) [...document.querySelectorAll("#runs button")].find(b => b.ariaLabel === focused)?.focus();
  showResults(s);
  follow(s.runs);
}

// Two results can be chosen; a third takes the place of the first.
let chosen = [];
let drawn = "";
function showResults(s) {
  const results = s.results || [];
  const text = JSON.stringify(results);
  if (text === drawn) return; // pictures would flicker, and checkboxes lose the focus
  drawn = text;
  chosen = chosen.filter(n => results.some(r => r.name === n));
  at("results").replaceChildren(results.length ? element("ul", { className: "cards" }, ...results.map(r => card(r, s.max_result))) : element("p", { textContent: "None yet." }));
  tell();
}

function card(r, most) {
  const name = element("bdi", { textContent: r.name });
  const open = "/results/" + encodeURIComponent(r.name);
  const about = element("div", { className: "about" });
  const out = element("li", { className: "card" });
  if (r.too_large) {
    about.append(element("span", { className: "name" }, name), element("span", { className: "mute", textContent: `too large to show: more than ${most / 2 ** 20} MiB` }));
  } else {
    const picture = element("img", { src: `/pictures/${encodeURIComponent(r.name)}?${encodeURIComponent(r.modified)}`, alt: "", loading: "lazy" });
    picture.addEventListener("error", () => picture.remove());
    out.append(element("a", { className: "picture", href: open, tabIndex: -1, ariaHidden: "true" }, picture));
    about.append(element("a", { className: "name", href: open }, name));
  }
  about.append(element("span", { className: "mute", textContent: `${new Date(r.modified).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })} · ${size(r.bytes)}` }));
  const line = element("div", { className: "line mute" },
    element("a", { href: "/files/" + encodeURIComponent(r.name), download: r.name, textContent: "JSON", ariaLabel: "JSON of " + r.name }));
  if (!r.too_large) {
    const box = element("input", { type: "checkbox", checked: chosen.includes(r.name), ariaLabel: "compare " + r.name });
    box.addEventListener("change", () => {
      chosen = box.checked ? [...chosen, r.name].slice(-2) : chosen.filter(n => n !== r.name);
      for (const b of document.querySelectorAll("#results input")) b.checked = chosen.includes(b.ariaLabel.slice("compare ".length));
      tell();
    });
    line.prepend(element("label", {}, box, " compare"));
  }
  about.append(line);
  out.append(about);
  return out;
}

function tell() {
  at("compare").disabled = chosen.length !== 2;
  at("chosen").textContent = chosen.length === 2 ? chosen.join(" and ") : chosen.length === 1 ? `${chosen[0]} and one more` : "select two results to compare";
}
at("compare").addEventListener("click", () => location.assign("/compare?" + new URLSearchParams({ a: chosen[0], b: chosen[1] })));

const events = new EventSource("/events");
events.onmessage = e => { at("link").textContent = "connected"; show(JSON.parse(e.data)); };
events.onerror = () => { at("link").textContent = "not connected; trying again…"; };

// sent is the run that the line under the form is about. Its last state is told there, with the time.
let sent = "";
let newest = []; // runs, of the last event
const ended = { done: "done in", failed: "failed after", stopped: "stopped after" };
function follow(runs) {
  newest = runs;
  const run = runs.find(r => r.id === sent);
  if (!run) return;
  const end = ended[run.state];
  if (end) {
    at("said").textContent = `${run.name}: ${end} ${seconds(run.seconds || 0)}${run.error ? ": " + run.error : ""}`;
    sent = "";
  } else if (run.state === "running") at("said").textContent = `${run.name}: learning…`;
}

async function send(file) {
  at("said").textContent = `sending ${file.name}…`;
  const query = new URLSearchParams({ name: file.name, method: at("method").value, encode: at("encode").value, missing: at("missing").value, bootstrap: at("bootstrap").value });
  const lines = id => at(id).value.split("\n").map(l => l.trim()).filter(l => l);
  const boxes = [...document.querySelectorAll("#columns input")];
  const taken = boxes.filter(b => b.checked).map(b => b.value);
  if (boxes.length && taken.length + lines("take").length === 0) {
    at("said").textContent = "No column is selected.";
    return;
  }
  // The shorter list goes: addresses have a limit.
  const left = boxes.filter(b => !b.checked).map(b => b.value);
  if (left.length && left.length < taken.length) for (const c of left) query.append("drop", c);
  else if (left.length) for (const c of taken) query.append("column", c);
  for (const c of lines("take")) query.append("column", c);
  for (const id of ["require", "forbid"]) for (const e of lines(id)) query.append(id, e);
  try {
    const answer = await fetch("/runs?" + query, { method: "POST", body: file });
    if (!answer.ok) {
      at("said").textContent = await answer.text();
      return;
    }
    sent = (await answer.json()).id;
    at("said").textContent = `${file.name} is waiting for its turn.`;
    follow(newest); // it may have ended before the answer came
  } catch (err) {
    at("said").textContent = "The table could not be sent: " + err.message;
  }
}

// head reads the names in the first line of a CSV file; quotes may hold separators. Other files have none that a browser can read.
async function head(file) {
  if (!/\.(csv|tsv|txt)$/i.test(file.name)) return [];
  const line = (await file.slice(0, 1 << 18).text()).replace(/^\ufeff/, "").split(/\r?\n/)[0];
  const by = ["\t", ";", ","].find(s => line.includes(s)) || ",";
  const names = [];
  let name = "", quoted = false;
  for (const c of line + by) {
    if (c === '"') quoted = !quoted;
    else if (c === by && !quoted) { names.push(name.trim()); name = ""; }
    else name += c;
  }
  return names.filter(n => n);
}

async function offer(file) {
  const names = await head(file);
  const boxes = names.map(n => element("label", {}, element("input", { type: "checkbox", checked: true, value: n }), " ", element("bdi", { textContent: n })));
  const all = on => { for (const b of document.querySelectorAll("#columns input")) b.checked = on; };
  const button = (text, on) => { const b = element("button", { type: "button", textContent: text }); b.addEventListener("click", () => all(on)); return b; };
  at("columns").replaceChildren(names.length > 1 && names.length <= 2000
    ? element("div", {}, element("p", { className: "choices" }, `${names.length} columns: `, button("all", true), button("none", false)), element("div", { className: "names", role: "group", ariaLabel: "Columns" }, ...boxes))
    : element("p", { className: "mute", textContent: "The columns of this file cannot be listed here; name them below." }));
}
let dropped;
at("file").addEventListener("change", () => {
  dropped = undefined;
  if (at("file").files[0]) offer(at("file").files[0]);
});

at("form").addEventListener("submit", e => {
  e.preventDefault();
  const file = dropped || at("file").files[0];
  if (file) send(file);
});
for (const kind of ["dragover", "drop"]) window.addEventListener(kind, e => e.preventDefault()); // beside the box nothing happens
const drop = at("drop");
for (const kind of ["dragenter", "dragover"]) drop.addEventListener(kind, e => { e.preventDefault(); drop.classList.add("over"); });
drop.addEventListener("dragleave", () => drop.classList.remove("over"));
drop.addEventListener("drop", e => {
  e.preventDefault();
  drop.classList.remove("over");
  const file = e.dataTransfer.files[0];
  if (!file) return;
  if (!at("form").querySelector("details").open) return send(file);
  dropped = file; // whoever opened the choices wants to make them first
  at("file").required = false;
  at("said").textContent = `${file.name} is ready: make your choices and press Learn.`;
  offer(file);
});
