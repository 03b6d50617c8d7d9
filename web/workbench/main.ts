import type { Backend } from './backend'
import { Bench, type Step } from './bench'
import { graphView } from './graphview'
import { Server } from './http'
import { knowledgeView } from './knowledgeview'
import { forget, learn, learnView } from './learnview'
import { Results } from './resultsview'
import { shareView } from './shareview'
import { Tab } from './tab'
import { tableView } from './tableview'
import { plain } from './words'
import { h, replace } from '../src/dom'

// The workbench: a table, what is known about it, and the graph. polydag serve and the try page are this page with a different
// backend.

const titles: Record<Step, string> = { table: 'Table', knowledge: 'Knowledge', learn: 'Learn', graph: 'Graph', share: 'Share' }
const views: Record<Step, (b: Bench) => Node[]> = { table: tableView, knowledge: knowledgeView, learn: learnView, graph: graphView, share: shareView }
const steps = Object.keys(titles) as Step[]

const state = h('p', { id: 'state', role: 'status' }, 'loading…')
const nav = h('nav', { 'aria-label': 'Steps', hidden: true })
const panels = Object.fromEntries(steps.map((s) => [s, h('section', { id: `step-${s}`, 'aria-labelledby': `h-${s}`, hidden: true })])) as Record<Step, HTMLElement>
const home = h('div')
const onward = h('p', { class: 'row onward', hidden: true })
let step: Step = 'table'
let listing = false // the list of results is shown in the place of the steps

const worker = document.getElementById('worker')
let bench: Bench
let opened = () => {}
const opening = new Promise<void>((done) => (opened = done)) // a table that comes before the program is ready waits for it
let draw = () => {}

function backend(): Backend {
  if (worker) {
    const program = document.getElementById('wasm')!
    const text = program.textContent!.trim()
    program.remove()
    return new Tab(worker.textContent!, text)
  }
  const results = new Results()
  results.keeps = () => bench?.table !== undefined
  home.append(...results.view)
  return new Server((s) => results.show(s), (yes) => (state.textContent = yes ? 'connected' : 'not connected; trying again…'))
}

// render draws the current step anew. The element that has the focus keeps it by its id, and open parts stay open.
function render(): void {
  nav.hidden = !bench.table
  home.hidden = bench.table !== undefined && !listing
  onward.hidden = !home.hidden || !bench.table
  replace(nav, h('ol', {}, steps.map((s, i) => h('li', {}, h('button', { type: 'button', id: `nav-${s}`, 'aria-current': s === step && !listing ? 'step' : undefined, disabled: !reachable(s), click: () => go(s) }, `${i + 1} ${titles[s]}`))),
    home.childElementCount > 0 && h('li', {}, h('button', { type: 'button', id: 'nav-results', 'aria-current': listing ? 'step' : undefined, click: () => {
      listing = true
      draw()
    } }, 'All results'))))
  for (const s of steps) {
    panels[s].hidden = s !== step || !bench.table || listing
    if (!reachable(s)) panels[s].replaceChildren() // what is about another table
  }
  const panel = panels[step]
  const focused = document.activeElement?.id
  const open = [...panel.querySelectorAll('details[open]')].map((d) => d.id)
  const nodes = views[step](bench)
  if (nodes.some((n, i) => panel.childNodes[i] !== n) || panel.childNodes.length !== nodes.length) panel.replaceChildren(...nodes)
  for (const id of open) if (id) document.getElementById(id)?.setAttribute('open', '')
  document.body.classList.toggle('under-way', bench.table !== undefined && step !== 'table' && !listing)
  onward.classList.toggle('sticky', step === 'table' || step === 'knowledge')
  const at = steps.indexOf(step)
  const next = steps[at + 1]
  replace(onward,
    step === 'table' || step === 'knowledge' ? h('button', { type: 'button', id: 'learn-now', class: 'main', disabled: !bench.check || bench.checking || bench.running || bench.fault !== '' || bench.check.findings.some((f) => f.severity === 'error'), click: () => void learn(bench) }, 'Learn the graph') : null,
    next && reachable(next) && step !== 'knowledge' ? h('button', { type: 'button', id: 'next', click: () => go(next) }, step === 'table' ? 'Add what you know' : `Next: ${titles[next]}`) : null)
  if (focused) document.getElementById(focused)?.focus()
}

const reachable = (s: Step) => s === 'table' || ((s === 'graph' || s === 'share') ? bench.learned !== undefined : bench.check !== undefined)

function go(s: Step): void {
  step = s
  listing = false
  draw()
  scrollTo({ top: 0 })
}

async function take(file: File | undefined): Promise<void> {
  if (!file) return
  await opening
  forget()
  await bench.take(file)
}

async function start(): Promise<void> {
  const file = h('input', { type: 'file', id: 'file', change: () => void take(file.files?.[0]) })
  const example = h('button', { type: 'button', id: 'example', hidden: true, click: async () => void take(await bench.backend.example!()) }, 'or use the example')
  const drop = h('div', { id: 'drop', class: 'drop' },
    h('p', { id: 'formats' }, 'Drop a table here (CSV, TSV, Parquet, Arrow, Excel, NPY, NPZ, JSON lines; gzipped or not), or choose one:'),
    h('p', { class: 'row' }, h('label', { for: 'file' }, 'Table'), file, example))
  document.getElementById('app')!.append(
    h('header', {}, h('h1', {}, 'polydag'), state),
    h('main', {},
      h('p', { id: 'about' }, 'Learn which variables of a table drive which. polydag checks the table, draws a graph with a probability for each edge, and predicts what would happen if you set a variable and the graph is right.', worker ? [' ', h('strong', {}, 'Your data stay on this machine:'), ' the program is inside this file, and the policy of the page forbids every request. It also works with the network turned off.'] : ''),
      drop, nav, steps.map((s) => panels[s]), onward, home))
  for (const kind of ['dragover', 'dragleave', 'drop'] as const) {
    addEventListener(kind, (e) => {
      e.preventDefault()
      drop.classList.toggle('over', kind === 'dragover' && (e.dataTransfer?.types.includes('Files') ?? false))
      if (kind === 'drop') void take(e.dataTransfer?.files[0])
    })
  }
  const from = backend()
  try {
    bench = new Bench(from, await from.methods(), go, () => draw())
  } catch (e) {
    state.textContent = plain((e as Error).message)
    return
  }
  draw = render
  opened()
  example.hidden = !from.example
  if (worker) state.textContent = `ready after ${(performance.now() / 1000).toFixed(1)} s`
  document.documentElement.dataset.ready = ''
}

void start()
