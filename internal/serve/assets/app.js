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
  if (run.edges) parts.push(`${run.edges} edges`);
  else if (run.h !== undefined) parts.push("h " + Number(run.h).toPrecision(3));
  return parts.join(", ");
}

function runRow(run, ours) {
  const what = element("td", { className: "now" });
  if (run.state === "running" && run.steps) what.append(element("progress", { max: run.steps, value: run.step, ariaLabel: "progress of " + run.name }), " ");
  if (run.state === "running") what.append(step(run));
  if (run.error) what.append(element("span", { className: "bad", textContent: run.error }));
  if (run.result) what.append(link(run.result));
  const act = element("td");
  if (ours && (run.state === "running" || run.state === "waiting")) {
    const b = element("button", { type: "button", textContent: "Stop", ariaLabel: "Stop " + run.name });
    b.addEventListener("click", () => fetch(`/runs/${run.id}/stop`, { method: "POST" }));
    act.append(b);
  }
  return element("tr", {}, cell(element("bdi", { textContent: run.name }), "name"), cell(run.method), cell(run.state), cell(seconds(run.seconds || 0), "number"), what, act);
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
  at("runs").replaceChildren(runs.length ? table("Runs, newest first", ["Table", "Method", "State", "Time", "Now", ""], runs) : element("p", { textContent: "None yet." }));
  if (focused) [...document.querySelectorAll("#runs button")].find(b => b.ariaLabel === focused)?.focus();
  const shown = r => !r.too_large ? link(r.name) : element("span", {}, element("bdi", { textContent: r.name }),
    element("span", { className: "mute", textContent: ` too large to show: more than ${s.max_result / 2 ** 20} MiB` }));
  const results = (s.results || []).map(r => element("tr", {}, cell(shown(r), "name"), cell(new Date(r.modified).toLocaleString(), "number"), cell(size(r.bytes), "number"),
    cell(element("a", { href: "/files/" + encodeURIComponent(r.name), download: r.name, textContent: "JSON", ariaLabel: "JSON of " + r.name }))));
  at("results").replaceChildren(results.length ? table("Results in the folder, newest first", ["Result", "Written", "Size", ""], results) : element("p", { textContent: "None yet." }));
}

const events = new EventSource("/events");
events.onmessage = e => { at("link").textContent = "live"; show(JSON.parse(e.data)); };
events.onerror = () => { at("link").textContent = "not connected; trying again…"; };

async function send(file) {
  at("said").textContent = `sending ${file.name}…`;
  const query = new URLSearchParams({ name: file.name, method: at("method").value, encode: at("encode").value, missing: at("missing").value });
  try {
    const answer = await fetch("/runs?" + query, { method: "POST", body: file });
    at("said").textContent = answer.ok ? `${file.name} is in line.` : await answer.text();
  } catch (err) {
    at("said").textContent = "could not send: " + err.message;
  }
}

at("form").addEventListener("submit", e => {
  e.preventDefault();
  const file = at("file").files[0];
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
  if (file) send(file);
});
