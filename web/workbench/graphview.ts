import type { Bench } from './bench'
import type { Question } from './backend'
import { changes, changesView } from './changes'
import { learn } from './learnview'
import type { Assumption, Edge, Finding } from '../src/data'
import { denied } from '../src/certainty'
import { h, num, plural, replace, visible } from '../src/dom'

interface Result {
  names: string[]
  edges: Edge[]
  lagged?: Edge[]
  status?: string
  assumptions?: Assumption[]
  data_checks?: Finding[]
}

// answer is what the result says, in sentences: the edges, how sure they are, and what stands in the way.
export function answer(r: Result): string[] {
  const edges = [...r.edges, ...(r.lagged ?? [])]
  const of = (v: string) => edges.filter((e) => e.verdict === v)
  const [directed, undirected, weak] = [of('directed'), of('undirected'), of('weak')]
  if (edges.length === 0) return [`polydag found no edge among ${plural(r.names.length, 'variable')}: no relation is stronger than chance.`]
  const parts = [directed.length && `${directed.length} directed`, undirected.length && `${undirected.length} undirected`, weak.length && `${weak.length} weak`].filter((p) => p)
  const out = [`polydag found ${plural(edges.length, 'edge')} among ${plural(r.names.length, 'variable')}${parts.length ? `: ${parts.join(', ')}` : ''}.`]
  if (r.lagged?.length) out.push(r.lagged.length === edges.length ? 'All of them have a lag.' : `${r.lagged.length} of them ${r.lagged.length === 1 ? 'has' : 'have'} a lag.`)
  const sure = directed.map((e) => e.confidence).filter((c): c is number => c !== undefined)
  if (sure.length) {
    const [low, high] = [num(Math.min(...sure), 2), num(Math.max(...sure), 2)]
    out.push(low === high ? `The confidence of the directed edges is ${low}.` : `The confidence of the directed edges is ${low} to ${high}.`)
  }
  if (undirected.length) out.push(`${undirected.length === 1 ? 'One edge has' : `${undirected.length} edges have`} no stated direction: the probability of each direction is below 0.8.`)
  const failed = (r.assumptions ?? []).filter((a) => a.outcome === 'failed')
  if (failed.length) out.push(`${plural(failed.length, 'assumption check')} failed: ${failed.map((a) => denied(a.statement)).join('; ')}.`)
  const warned = (r.data_checks ?? []).filter((f) => f.severity === 'warning').length
  if (warned) out.push(`The data checks gave ${plural(warned, 'warning')}.`)
  if (r.status === 'canceled') out.push('The run was stopped: this is the best graph so far.')
  return out
}

let shown: unknown // the result in the frame, which is not loaded again
let kept: Node[] = []

// graphView shows the answer, what could make it surer, and the page of the result.
export function graphView(bench: Bench): Node[] {
  const { learned } = bench
  if (!learned) return [h('h2', { id: 'h-graph' }, 'Graph'), h('p', {}, 'Learn a graph first.')]
  if (shown === learned) return kept
  shown = learned
  const questions = h('details', { id: 'questions', class: 'options', hidden: true })
  void learned.questions().then((list) => ask(bench, questions, list.slice(0, 3)))
  const sentences = answer(learned.json as Result)
  kept = [
    h('h2', { id: 'h-graph' }, 'Graph'),
    h('p', { id: 'answer', role: 'status' }, h('strong', {}, sentences[0]!), ' ', sentences.slice(1).join(' ')),
    ...(bench.earlier ? [changesView(`Learned again${bench.told ? ' with your answers' : ''}`, changes(bench.earlier.json as Result, learned.json as Result))] : []),
    questions,
    learned.page ? h('iframe', { id: 'graph', title: 'The learned graph', src: learned.page }) : h('p', {}, 'This result has no page.'),
  ]
  return kept
}

// ask shows the questions whose answers would settle most directions. An answer becomes knowledge.
function ask(bench: Bench, box: HTMLElement, list: Question[]): void {
  if (list.length === 0) return
  box.hidden = false
  const k = bench.knowledge
  const told = h('p', { class: 'row', hidden: true }, h('button', { type: 'button', class: 'main', click: () => void learn(bench) }, 'Learn again with your answers'))
  const answered = (e: Event) => {
    const group = (e.currentTarget as Element).parentElement!
    for (const b of group.querySelectorAll('button')) b.setAttribute('aria-pressed', String(b === e.currentTarget))
    told.hidden = false
  }
  const before = (first: string, second: string) => (e: Event) => {
    k.forbid = k.forbid.filter((x) => !(x.from === first && x.to === second))
    if (!k.forbid.some((x) => x.from === second && x.to === first)) k.forbid.push({ from: second, to: first })
    answered(e)
  }
  const press = (text: string, click: (e: Event) => void) => h('button', { type: 'button', 'aria-pressed': 'false', click }, text)
  replace(box, h('summary', {}, `What you could tell polydag to make it surer: ${plural(list.length, 'question')}`),
    h('p', { class: 'dim' }, 'Answer what you know, and skip the rest.'),
    h('ol', {}, list.map((q) => h('li', {}, q.text, q.reason ? h('span', { class: 'dim' }, ` (${q.reason})`) : null,
      q.form === 'root'
        ? h('div', { class: 'row' },
          press('Yes', (e) => (k.pin.set(q.about, 'root'), answered(e))), press('No', (e) => (k.pin.delete(q.about), answered(e))))
        : h('div', { class: 'pairs' }, q.others.map((o) => h('div', { class: 'row', role: 'group', 'aria-label': `${visible(o)} and ${visible(q.about)}` }, press(`${visible(o)} comes first`, before(o, q.about)), press(`${visible(q.about)} comes first`, before(q.about, o)))))))),
    told)
}
