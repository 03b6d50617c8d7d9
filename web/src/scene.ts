import { resultOf, graphOf, type App } from './app'
import type { Emphasis, Scene, SceneLine, SceneNode } from './canvas'
import { basisOf, directed, inBrief } from './certainty'
import { clusters, title } from './clusters'
import { short, signed } from './dom'
import { signClass } from './gain'
import type { Query } from './paths'
import type { State } from './state'
import { endMarks, hides, lagsOf, word, type EdgeView } from './view'

export const manyColumns = 60 // from which on columns are shown in groups
const mostLines = 60 // of a first drawing; the others come with their columns or on request

export const lineKey = (from: number, to: number, lagged = false) => `${from}>${to}${lagged ? '@' : ''}`
export const keyOf = (e: EdgeView) => lineKey(e.from, e.to, e.lagged !== undefined)
export const nodeKey = (v: number) => `n${v}`

// cluster groups the columns of a large graph.
export function cluster(app: App): void {
  const { names } = app.model.page
  app.clusters = names.length > manyColumns ? clusters(names, app.edges.map((e) => ({ from: e.from, to: e.to, weight: Math.max(e.size, 1e-6) }))) : []
  app.titles = app.clusters.map((c) => title(names, c))
}

// groupOf is the closed group that stands for a variable, or -1.
function groupOf(app: App, s: State): (v: number) => number {
  if (!s.grouped || app.clusters.length < 2) return () => -1
  const of = new Map<number, number>()
  app.clusters.forEach((c, k) => !s.opened.has(k) && c.members.forEach((v) => of.set(v, k)))
  return (v) => of.get(v) ?? -1
}

// number is what stands beside a line: one kind at a time, and nothing where the effect has no slope.
export function number(e: EdgeView, raw: boolean): string {
  if (!e.edge || !directed(e.edge) || (e.lagged?.length ?? 0) > 1) return ''
  const value = raw ? e.edge.weight : e.edge.standardized
  return value === 0 ? '' : signed(value, raw ? 3 : 2)
}

export interface Extra {
  band?: (name: string) => number | undefined // of the knowledge
  bands?: string[]
  warn?: Map<string, string> // failed checks by column
  own?: Map<string, string> // classes of edges that the table contradicts, by names "a>b"
}

// scene is what the canvas shows of the present view.
export function scene(app: App, extra: Extra): Scene {
  const s = app.store.now
  const { names } = app.model.page
  const of = groupOf(app, s)
  const id = (v: number) => (of(v) < 0 ? nodeKey(v) : `g${of(v)}`)
  const nodes: SceneNode[] = []
  const index = new Map<string, number>()
  const used = new Set(resultOf(app).names)
  names.forEach((name, v) => {
    if (!used.has(name) && s.view.kind === 'result') return
    const key = id(v)
    if (index.has(key)) return
    index.set(key, nodes.length)
    if (of(v) >= 0) nodes.push({ key, name: app.titles[of(v)]!, group: app.clusters[of(v)]!.members.length })
    else {
      const band = extra.band?.(name)
      const warn = extra.warn?.get(name)
      nodes.push({ key, name, ...(band !== undefined && { band }), ...(warn !== undefined && { warn }), classes: s.sensitive.has(v) ? 'sensitive' : '' })
    }
  })
  const strongest = Math.max(...app.edges.map((e) => e.size), 1e-9)
  const shown = drawn(app)
  const lines: SceneLine[] = []
  const bundles = new Map<string, { from: number; to: number; n: number; weight: number }>()
  for (const e of shown) {
    const [a, b] = [index.get(id(e.from)), index.get(id(e.to))]
    if (a === undefined || b === undefined) continue
    if (of(e.from) >= 0 || of(e.to) >= 0) {
      if (a === b) continue
      const key = `b${nodes[a]!.key}>${nodes[b]!.key}`
      const back = `b${nodes[b]!.key}>${nodes[a]!.key}`
      const old = bundles.get(key) ?? bundles.get(back)
      if (old) {
        old.n += 1
        old.weight += e.size
      } else bundles.set(key, { from: a, to: b, n: 1, weight: e.size })
      continue
    }
    const classes = [e.standing, !e.edge || directed(e.edge) ? signClass(e.edge) : 'bare', e.edge?.verdict ?? '', extra.own?.get(`${names[e.from]}>${names[e.to]}`) ?? ''].filter((c) => c !== '').join(' ')
    const words = ['plain', 'right', 'both'].includes(e.standing) ? '' : word[e.standing]
    const label = [words, s.weights ? number(e, s.raw) : '', lagsOf(e)].filter((t) => t !== '').join(' ')
    const basis = basisOf(e.edge)
    lines.push({
      key: keyOf(e), from: a, to: b, mark: endMarks(e), classes, width: 1.6 + (3.8 * e.size) / strongest, weight: e.size, ...(basis !== '' && { basis }), label,
      about: `${short(names[e.from]!)} and ${short(names[e.to]!)}${e.edge ? `, ${inBrief(e.edge)}` : ''}`,
    })
  }
  for (const [key, b] of bundles) lines.push({ key, from: b.from, to: b.to, mark: '---', classes: 'bundle', width: Math.min(1.5 + 0.7 * b.n, 9), weight: b.weight, label: `${b.n}`, about: `${b.n} edges` })
  return { nodes, lines, bands: extra.bands ?? [] }
}

// drawn are the edges of the present view that the filters and the limit leave.
export function drawn(app: App): EdgeView[] {
  const s = app.store.now
  const list = app.edges.filter((e) => !hides(e, s) || s.picked.length === 2 && s.picked.includes(e.from) && s.picked.includes(e.to))
  if (s.every || s.grouped || list.length <= mostLines * 1.25) return list
  const strong = new Set([...list].sort((a, b) => Number(b.standing === 'missing') - Number(a.standing === 'missing') || b.size - a.size).slice(0, mostLines))
  return list.filter((e) => strong.has(e) || s.picked.includes(e.from) || s.picked.includes(e.to))
}

// emphasis decides what stands out: a path, the paths between two variables, a variable and what leads to it, or everything.
export function emphasis(app: App, answer: Query | undefined): Emphasis {
  const s = app.store.now
  const g = graphOf(app)
  const of = groupOf(app, s)
  const id = (v: number) => (of(v) < 0 ? nodeKey(v) : `g${of(v)}`)
  const picked = new Set(s.picked.map(id))
  const few = app.edges.length <= 24
  const onPath = (nodes: number[], forward: boolean[]) => forward.map((ahead, k) => (ahead ? lineKey(nodes[k]!, nodes[k + 1]!) : lineKey(nodes[k + 1]!, nodes[k]!)))
  const lit = new Set<string>()
  for (const v of s.sensitive) {
    const [before, after] = [g.ancestors(v), g.descendants(v)]
    g.children.forEach((list, i) => list.forEach((j) => (before[j] || after[i]) && lit.add(lineKey(i, j))))
  }
  // Effects over time run along edges with a lag too.
  const lagged = g.lines.length > 0
  const reached = (v: number, back: boolean): Record<number, boolean> => {
    const seen: Record<number, boolean> = { [v]: true }
    for (const list = [v]; list.length > 0;) {
      const u = list.pop()!
      for (const e of app.edges) {
        const [here, next] = back ? [e.to, e.from] : [e.from, e.to]
        if (here === u && !seen[next]) list.push(next), (seen[next] = true)
      }
    }
    return seen
  }
  if (s.path) return { picked, nodes: new Set(s.path.nodes.map(id)), lines: new Set(onPath(s.path.nodes, s.path.forward)), labels: 'lines', lit }
  if (s.picked.length === 2) {
    const nodes = new Set(picked)
    const lines = new Set<string>()
    for (const p of answer ? [...answer.directed.listed, ...answer.open.listed] : []) {
      p.nodes.forEach((v) => nodes.add(id(v)))
      onPath(p.nodes, p.forward).forEach((k) => lines.add(k))
    }
    for (const e of app.edges) if (s.picked.includes(e.from) && s.picked.includes(e.to)) lines.add(keyOf(e))
    return { picked: new Set([...picked, ...[...lines].filter((k) => s.picked.map(String).every((v) => k.replace('@', '').split('>').includes(v)))]), nodes, lines, labels: 'lines', lit }
  }
  if (s.picked.length === 1) {
    const v = s.picked[0]!
    const nodes = new Set([id(v)])
    const lines = new Set<string>()
    const up = s.tab === 'drivers' ? (lagged ? reached(v, true) : g.ancestors(v)) : undefined
    const down = s.tab === 'whatif' ? (lagged ? reached(v, false) : g.descendants(v)) : undefined
    const reach = up ?? down
    for (const e of app.edges) {
      if (reach ? reach[e.from] && reach[e.to] && (!up || directed(e.edge)) : e.from === v || e.to === v) {
        nodes.add(id(e.from)).add(id(e.to))
        lines.add(keyOf(e))
      }
    }
    return { picked, nodes, lines, labels: s.tab === 'whatif' ? 'none' : 'lines', lit }
  }
  if (s.picked.length > 2) {
    const lines = new Set(app.edges.filter((e) => s.picked.includes(e.from) && s.picked.includes(e.to)).map(keyOf))
    return { picked, nodes: picked, lines, labels: 'lines', lit }
  }
  return { picked, labels: few ? 'all' : 'none', lit }
}
