import type { Bench } from './bench'
import type { Outcome, Progress } from './backend'
import { spark } from './charts'
import { advanced } from './advanced'
import { problem } from './tableview'
import { stageSaid } from './words'
import { h, plural, replace, seconds } from '../src/dom'

let last: Outcome | undefined
let stopped = false

// learnView has the button, the progress of the run and the advanced settings.
export function learnView(bench: Bench): Node[] {
  const blocked = bench.check?.findings.some((f) => f.severity === 'error') || !bench.check || bench.fault !== ''
  return [
    h('h2', { id: 'h-learn' }, 'Learn the graph'),
    !bench.table ? h('p', {}, 'Choose a table first.') : blocked && !bench.checking ? h('p', { class: 'finding error' }, 'The table has a problem that must be solved first: see step 1.') : h('p', { class: 'dim' }, `${plural(bench.variables().length, 'variable')}, ${plural(bench.check?.rows ?? 0, 'row')}.`),
    h('p', { class: 'row' },
      h('button', { type: 'button', id: 'go', class: 'main', disabled: !bench.table || blocked || bench.running || bench.checking, click: () => void learn(bench) }, 'Learn'),
      h('button', { type: 'button', id: 'stop', hidden: !bench.running, click: () => {
        bench.backend.stop()
        stopped = true
        const b = document.getElementById('stop')
        if (b) b.textContent = 'Stop now'
        say('Stopping; writing the best graph so far…')
      } }, stopped && bench.running ? 'Stop now' : 'Stop')),
    h('div', { id: 'progress' }),
    h('p', { id: 'now', role: 'status' }, last && !bench.running ? ended(last) : ''),
    last && !bench.running && last.error ? problem(bench, last.error, () => void again(bench)) : h('span'),
    h('details', { class: 'options', id: 'advanced' }, h('summary', {}, 'Advanced settings'),
      ...advanced(bench)),
  ]
}

async function again(bench: Bench): Promise<void> {
  last = undefined
  await bench.recheck()
}

// forget clears what is said about the run of another table.
export function forget(): void {
  last = undefined
}

function ended(o: Outcome): string {
  return `${{ done: 'Done in', stopped: 'Stopped after', failed: 'Failed after' }[o.state]} ${seconds(o.seconds)}.`
}

function say(text: string): void {
  const now = document.getElementById('now')
  if (now) now.textContent = text
}

export async function learn(bench: Bench): Promise<void> {
  if (!bench.table || bench.running) return
  bench.running = true
  stopped = false
  last = undefined
  bench.go('learn')
  say('Reading the table…')
  const table = bench.table
  const pace = newPace()
  const used = { settings: bench.settings.run(), knowledge: bench.knowledge.file(bench.variables()) }
  const outcome = await bench.backend.learn(table, used.settings, used.knowledge, (p) => show(p, pace))
  bench.running = false
  if (bench.table !== table) return bench.changed()
  last = outcome
  if (outcome.learned) {
    bench.earlier = bench.learned
    bench.told = bench.used !== undefined && bench.used.knowledge !== used.knowledge
  }
  bench.learned = outcome.learned
  bench.used = used
  if (outcome.learned && outcome.state === 'done') bench.go('graph')
  else bench.changed()
}

// show draws the progress without building the view anew, so that the buttons keep the focus.
function show(p: Progress, left: (p: Progress) => number | undefined): void {
  const box = document.getElementById('progress')
  if (!box || p.state === 'done' || p.state === 'failed' || p.state === 'stopped') return
  const rest = left(p)
  const parts = [p.state === 'waiting' ? 'waiting for another run' : `${p.seconds.toFixed(0)} s`]
  if (p.stage) parts.push(stageSaid(p.stage))
  if (p.steps) parts.push(`step ${p.step ?? 0} of ${p.steps}`)
  if (p.edges) parts.push(plural(p.edges, 'edge'))
  if (rest !== undefined) parts.push(`about ${rest < 90 ? `${Math.max(1, Math.round(rest))} s` : `${Math.round(rest / 60)} min`} left`)
  if (!stopped) say(parts.join(', '))
  // A bar that does not know its end would move all the time, and take processor time from the run.
  replace(box, p.steps ? h('progress', { max: p.steps, value: p.step ?? 0, 'aria-label': 'progress' }) : null, spark(p.course))
}

// newPace estimates the time left in a stage from the steps since its beginning.
function newPace(): (p: Progress) => number | undefined {
  let stage = ''
  let first = { step: 0, seconds: 0 }
  return (p) => {
    const now = { step: p.step ?? 0, seconds: p.seconds }
    if (p.stage !== stage || now.step < first.step) {
      stage = p.stage ?? ''
      first = now
    }
    if (!p.steps || now.step - first.step < 2 || now.seconds - first.seconds < 1) return undefined
    return ((p.steps - now.step) * (now.seconds - first.seconds)) / (now.step - first.step)
  }
}
