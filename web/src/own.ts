import type { App } from './app'
import { Graph } from './graph'
import type { Edge, Page } from './data'
import { bdi, h, num, plural, short } from './dom'
import { save } from './export'
import { backDoorSet } from './paths'
import type { Tested } from './program/backend'

export interface Arrow {
  from: string
  to: string
}

// Own is a graph that the reader draws or loads, and what the table says about it.
export class Own {
  edges: Arrow[] = []
  tested: Tested | undefined
  fault = ''
  busy = false
  on = false

  constructor(private readonly changed: () => void) {}

  // toggle adds an edge, or takes it away.
  toggle(from: string, to: string): void {
    const rest = this.edges.filter((e) => !(e.from === from && e.to === to) && !(e.from === to && e.to === from))
    const had = this.edges.some((e) => e.from === from && e.to === to)
    this.edges = had ? rest : [...rest, { from, to }]
    this.tested = undefined
    this.changed()
  }

  // page is the graph as a result, so that it is drawn and asked like any other.
  page(names: string[], like: Page | undefined): Page {
    const edges: Edge[] = this.edges.map(({ from, to }) => ({ from, to, mark: '-->', weight: 0, standardized: 0, compelled: true }))
    for (const c of this.tested?.refuted ?? []) edges.push({ from: c.x, to: c.y, mark: '---', weight: 0, standardized: 0, compelled: false })
    const result = {
      schema: '', method: 'your graph', status: 'given', names, rows: like?.results[0]!.result.rows ?? 0, table: { moments_sha256: '', ...like?.results[0]!.result.table }, program: { version: '', go: '' },
      kind: 'pdag' as const, edges, certificate: { kind: 'pdag' as const, holds: true }, nodes: [], score: 0, optimal: false, stages: [], settings: {}, seed: 0, timing: { read_seconds: 0, solve_seconds: 0, threads: 1 },
    }
    return { schema: 'polydag.page/4', names, results: [{ label: 'your graph', result }], sensitive: [], caution: '', marks: like?.marks ?? { '-->': 'parent and child', '---': 'linked', '<->': 'hidden common cause', 'o->': '', 'o--': '', 'o-o': '' } }
  }

  // classes are the looks of edges by what the table says.
  classes(): Map<string, string> {
    const out = new Map<string, string>()
    for (const e of this.edges) out.set(`${e.from}>${e.to}`, this.tested ? (this.tested.unsupported?.some((u) => u.from === e.from && u.to === e.to) ? 'own refuted' : 'own fine') : 'own')
    for (const c of this.tested?.refuted ?? []) out.set(`${c.x}>${c.y}`, 'own lacking')
    return out
  }

  // text is the graph as a list of edges.
  text(): string {
    const cell = (s: string) => (/[",\n]/.test(s) ? `"${s.replaceAll('"', '""')}"` : s)
    return ['from,to', ...this.edges.map((e) => `${cell(e.from)},${cell(e.to)}`), ''].join('\n')
  }

  async test(app: App): Promise<void> {
    const s = app.session
    if (!s?.table || this.busy) return
    this.busy = true
    this.fault = ''
    this.changed()
    try {
      this.tested = await s.backend.test(s.table, s.settings.list.filter(([f]) => ['drop', 'kind', 'missing', 'columns', 'keep'].includes(f)), this.text())
    } catch (e) {
      this.fault = (e as Error).message
    }
    this.busy = false
    this.changed()
  }
}

// cyclic names a column on a cycle, if there is one.
function cyclic(names: string[], edges: Arrow[]): boolean {
  return !new Graph(names, edges.map((e) => ({ ...e, mark: '-->', weight: 0, standardized: 0, compelled: true }))).acyclic
}

// ownPanel is what the panel says about the graph that the reader draws.
export function ownPanel(app: App, own: Own, act: { load: () => void; estimate: () => void; leave: () => void }): Node[] {
  const { names } = app.model.page
  const button = (text: string, on: () => void, o: { primary?: boolean; disabled?: boolean } = {}) => h('button', { type: 'button', class: o.primary ? 'btn primary' : 'btn', disabled: o.disabled, click: on }, text)
  const cycle = cyclic(names, own.edges)
  const joined = new Set(own.edges.flatMap((e) => [e.from, e.to])).size
  const out: Node[] = [
    h('h2', { class: 'title' }, 'Your own graph'),
    own.edges.length === 0
      ? h('p', { class: 'say' }, 'Drag from the dot under a column to the column that it acts on. Or select one, and shift-click the other.')
      : h('p', { class: 'say' }, `${plural(own.edges.length, 'edge')} among ${joined} of ${plural(names.length, 'column')}.${joined < names.length ? ' A test leaves out the columns without an edge.' : ''} Draw an edge again to take it away.`),
    h('div', { class: 'chips' },
      button(own.busy ? 'Testing…' : 'Test it against the table', () => void own.test(app), { primary: true, disabled: own.edges.length === 0 || own.busy || cycle }),
      button('Estimate effects on it', act.estimate, { disabled: own.edges.length === 0 || cycle }),
      button('Load a graph', act.load), own.edges.length > 0 ? button('Save', () => save(new Blob([own.text()], { type: 'text/csv' }), 'graph.csv')) : h('span')),
  ]
  if (cycle) out.push(h('div', { class: 'caveat bad' }, 'The edges form a cycle. A test needs a graph without one: take an edge away.'))
  if (own.fault) out.push(h('div', { class: 'caveat bad', role: 'alert' }, own.fault))
  const [a, b] = app.store.now.picked
  if (a !== undefined && b !== undefined) {
    const g = new Graph(names, own.edges.map((e) => ({ ...e, mark: '-->', weight: 0, standardized: 0, compelled: true })))
    const set = cycle ? undefined : backDoorSet(g, a, b)
    out.push(h('section', {}, h('h3', {}, bdi(names[a]!, 20), ' on ', bdi(names[b]!, 20)),
      h('p', {}, set === undefined ? 'No set of columns works.' : set.length === 0 ? 'Nothing to adjust for: no back-door path is open.' : ['Adjust for ', set.map((v, k) => [k > 0 && ', ', bdi(names[v]!, 24)]), '.'].flat()),
      button(own.edges.some((e) => e.from === names[a] && e.to === names[b]) ? 'Take the edge away' : `Draw ${short(names[a]!, 14)} → ${short(names[b]!, 14)}`, () => own.toggle(names[a]!, names[b]!))))
  }
  const t = own.tested
  if (t) {
    const [bad, weak] = [t.refuted ?? [], t.unsupported ?? []]
    const verdict = t.verdict === 'refuted' ? `The table contradicts this graph at ${plural(bad.length, 'place')}.` : t.verdict === 'compatible' ? 'The table contradicts nothing that this graph implies.' : t.verdict === 'low_power' ? 'Nothing is contradicted, and random graphs of this shape would pass as well: the test says little.' : 'The edges imply no independence between their columns, so there is nothing to test.'
    out.push(h('div', { class: t.verdict === 'refuted' ? 'caveat bad' : 'caveat', role: 'status' }, verdict, t.conditions > 0 && ` ${plural(t.conditions, 'independence')} tested.`))
    if (bad.length > 0) out.push(h('section', {}, h('h3', {}, 'Linked, although the graph says independent'), h('ul', { class: 'evidence' }, bad.slice(0, 20).map((c) => h('li', {}, h('b', {}, bdi(c.x, 22), ' and ', bdi(c.y, 22)), c.given?.length ? [' given ', c.given.map((g, k) => [k > 0 && ', ', bdi(g, 18)])] : '', h('small', {}, `partial correlation ${num(c.effect, 2)}, q = ${num(c.q, 2)}`))))))
    if (weak.length > 0) out.push(h('section', {}, h('h3', {}, 'Edges that the table does not support'), h('ul', { class: 'evidence' }, weak.map((e) => h('li', {}, h('b', {}, bdi(e.from, 22), ' → ', bdi(e.to, 22)), h('small', {}, `partial correlation ${num(e.effect, 2)}, p = ${num(e.p, 2)}`))))))
  }
  out.push(h('p', {}, button('Back to the learned graph', act.leave)))
  return out
}

// readGraph reads the edges of a graph in DOT, in the language of dagitty, in BIF or as a list of edges. It throws an Error with a sentence.
export function readGraph(text: string, names: string[]): Arrow[] {
  const bare = (s: string) => s.trim().replace(/^"(.*)"$/s, '$1').replaceAll('""', '"')
  const edges: Arrow[] = []
  if (/^\s*network\b/m.test(text)) {
    for (const m of text.matchAll(/probability\s*\(\s*([^|)]+)\|([^)]+)\)/g)) for (const p of m[2]!.split(',')) edges.push({ from: bare(p), to: bare(m[1]!) })
  } else if (/->|<-/.test(text)) {
    const body = text.replace(/^[^{]*\{/s, '').replace(/\}[^}]*$/s, '').replace(/\[[^\]]*\]/g, '')
    for (const line of body.split(/[;\n]/)) {
      const parts = line.match(/"(?:[^"]|"")*"|->|<-|[^\s<>-]+(?:-(?!>)[^\s<>-]+)*/g) ?? []
      for (let k = 0; k + 2 < parts.length; k += 2) if (parts[k + 1] === '->' || parts[k + 1] === '<-') edges.push(parts[k + 1] === '->' ? { from: bare(parts[k]!), to: bare(parts[k + 2]!) } : { from: bare(parts[k + 2]!), to: bare(parts[k]!) })
    }
  } else {
    for (const line of text.trim().split(/\r?\n/).slice(/^\s*"?(from|source|cause)"?\s*[,;\t]/i.test(text) ? 1 : 0)) {
      const [from, to] = line.split(/[,;\t]/).map(bare)
      if (from && to) edges.push({ from, to })
    }
  }
  if (edges.length === 0) throw new Error('No edge was found in this file. It can be DOT, dagitty, BIF or a list of edges with the header from,to.')
  const known = new Set(names)
  const stray = edges.flatMap((e) => [e.from, e.to]).find((n) => !known.has(n))
  if (stray !== undefined) throw new Error(`The graph names “${stray}”, which is not a column of the table.`)
  return edges.filter((e, k) => e.from !== e.to && edges.findIndex((x) => x.from === e.from && x.to === e.to) === k)
}
