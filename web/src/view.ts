import { directed, drawnMark, sure } from './certainty'
import type { Comparison, Edge, Mark, Page, Pair, Score } from './data'
import { Graph } from './graph'
import { size } from './gain'

// What the graph can be drawn as. result is the one that statements about variables and paths are made of.
export type View =
  | { kind: 'result'; result: number }
  | { kind: 'truth'; result: number }
  | { kind: 'compare'; result: number; other: number }

// How an edge stands to the truth, or to the other result; plain where only one graph is looked at.
export type Standing = 'plain' | 'right' | 'reversed' | 'missing' | 'extra' | 'unoriented' | 'both' | 'turned' | 'only_first' | 'only_second'

export interface EdgeView {
  from: number
  to: number
  standing: Standing
  edge?: Edge // absent for a missing edge
  other?: Edge // the second result's, where it has one for the same pair
  lagged?: Edge[] // the edges with a lag that the line stands for; edge is the strongest of them
  size: number // the larger of the two; 0 for a missing edge
}

// weighed reports whether an edge has a score gain, which sets its width and which the slider filters.
export function weighed(e: EdgeView): boolean {
  return e.standing !== 'missing' && (directed(e.edge) || directed(e.other))
}

// endMarks are the marks to draw: in a comparison with the truth those of the graph, else only what is stated. An edge has two heads if
// two results state opposite directions.
export function endMarks(e: EdgeView): Mark {
  if (!e.edge) return '-->'
  if (e.standing === 'turned' && sure(e.edge) && e.other && sure(e.other)) return '<->'
  return ofTruth.has(e.standing) ? e.edge.mark : drawnMark(e.edge)
}

const ofTruth: ReadonlySet<Standing> = new Set(['right', 'reversed', 'missing', 'extra', 'unoriented'])

// Which edges are shown, by verdict: all, all but the weak ones, or the directed ones.
export type Which = 'all' | 'stated' | 'directed'

// hides says that the reader's filters hide an edge: the slider of the score gain, or the choice of verdicts.
export function hides(e: EdgeView, { least, which }: { least: number; which: Which }): boolean {
  const verdict = e.edge?.verdict
  return (weighed(e) && e.size < least) || (verdict === 'weak' && which !== 'all') || (verdict === 'undirected' && which === 'directed')
}

// Model is a page read once: indices, graphs of all results, and their edges by view.
export class Model {
  readonly index: Map<string, number>
  readonly graphs: Graph[]

  constructor(readonly page: Page) {
    this.index = new Map(page.names.map((name, i) => [name, i]))
    this.graphs = page.results.map(({ result }) => new Graph(page.names, result.edges, result.lagged))
  }

  // views lists what can be shown, the first one to start with.
  views(): View[] {
    const { results, truth, comparison } = this.page
    const out: View[] = []
    if (this.page.methods) {
      results.forEach((_, result) => out.push({ kind: 'result', result }))
      return out
    }
    if (comparison) out.push({ kind: 'compare', result: 0, other: 1 })
    if (truth) results.forEach((_, result) => out.push({ kind: 'truth', result }))
    results.forEach((_, result) => out.push({ kind: 'result', result }))
    return out
  }

  // title is the table that the results are about, or what the results are called where they do not say.
  title(): string[] {
    return [...new Set(this.page.results.map(({ label, result }) => result.table.name ?? label))]
  }

  // label is what a result is called where A and B are spoken of.
  label(k: number): string {
    const { results, methods } = this.page
    return results.length > 1 && !methods ? `${'AB'[k]}: ${results[k]!.label}` : results[k]!.label
  }

  viewName(v: View): string {
    const label = (k: number) => this.label(k)
    switch (v.kind) {
      case 'compare':
        return this.page.methods ? `A: ${label(v.result)}, B: ${label(v.other)}` : 'A and B compared'
      case 'truth':
        return `${label(v.result)}, compared with the truth`
      case 'result':
        return label(v.result)
    }
  }

  // comparison sorts the edges of two results. Those of a page of two were sorted by whoever wrote it.
  comparison(a: number, b: number): Comparison {
    const { comparison, names } = this.page
    if (comparison && a === 0 && b === 1) return comparison
    return between(this.page.results[a]!.result.edges, this.page.results[b]!.result.edges, new Map(names.map((n, i) => [n, i])))
  }

  // edges are all of a view.
  edges(v: View): EdgeView[] {
    const { truth } = this.page
    const mine = this.graphs[v.result]
    if (!mine) return []
    const make = (pairs: Pair[], standing: Standing, g: Graph = mine, other?: Graph): EdgeView[] =>
      pairs.map(([from, to]) => {
        const edge = g.edge(from, to)
        const second = other?.edge(from, to) ?? other?.edge(to, from)
        return {
          from,
          to,
          standing,
          ...(edge && { edge }),
          ...(second && { other: second }),
          size: Math.max(size(edge), size(second)),
        }
      })
    if (v.kind === 'truth' && truth) {
      const verdict = truth.verdicts[v.result]!
      return [
        ...make(verdict.right, 'right'),
        ...make(verdict.reversed, 'reversed'),
        ...make(verdict.missing, 'missing'),
        ...make(verdict.extra, 'extra'),
        ...make(verdict.unoriented, 'unoriented'),
      ]
    }
    if (v.kind === 'compare') {
      const second = this.graphs[v.other]!
      const comparison = this.comparison(v.result, v.other)
      return [
        ...make(comparison.both, 'both', mine, second),
        ...make(comparison.turned, 'turned', mine, second),
        ...make(comparison.only_first, 'only_first'),
        ...make(comparison.only_second, 'only_second', second),
      ]
    }
    const pairs = this.page.results[v.result]!.result.edges.map((e): Pair => [this.index.get(e.from)!, this.index.get(e.to)!])
    const lines = mine.lines.map(({ from, to, edges }): EdgeView => {
      const edge = edges.reduce((a, b) => (size(b) > size(a) ? b : a))
      return { from, to, standing: 'plain', edge, lagged: edges, size: size(edge) }
    })
    return [...make(pairs, 'plain'), ...lines]
  }
}

// between sorts the edges of two results by what both state. Marks are read from the side of the first: a → b and b ← a are the same.
export function between(first: Edge[], second: Edge[], index: Map<string, number>): Comparison {
  const pair = (e: Edge): Pair => [index.get(e.from)!, index.get(e.to)!]
  const key = ([i, j]: Pair) => `${Math.min(i, j)} ${Math.max(i, j)}`
  const backwards = (mark: string) => [...mark].reverse().map((c) => (c === '>' ? '<' : c === '<' ? '>' : c)).join('')
  const read = (e: Edge) => (pair(e)[0] < pair(e)[1] ? drawnMark(e) : backwards(drawnMark(e)))
  const theirs = new Map(second.map((e) => [key(pair(e)), read(e)]))
  const mine = new Set(first.map((e) => key(pair(e))))
  const out: Comparison = { both: [], turned: [], only_first: [], only_second: [] }
  for (const e of first) {
    const other = theirs.get(key(pair(e)))
    out[other === undefined ? 'only_first' : other === read(e) ? 'both' : 'turned'].push(pair(e))
  }
  for (const e of second) if (!mine.has(key(pair(e)))) out.only_second.push(pair(e))
  return out
}

// separate has an edge for each lag in the place of a line that stands for several.
export const separate = (edges: EdgeView[]): EdgeView[] =>
  edges.flatMap((e) => e.lagged?.map((edge): EdgeView => ({ ...e, edge, size: size(edge), lagged: [edge] })) ?? [e])

// atLag are the edges with one lag, 0 for values of the same time; undefined: all.
export const atLag = (edges: EdgeView[], lag: number | undefined): EdgeView[] => (lag === undefined ? edges : separate(edges).filter((e) => (e.edge?.lag ?? 0) === lag))

// lagsOf are the lags of a line in words, empty without any.
export function lagsOf(e: EdgeView): string {
  const lags = e.lagged?.map((x) => x.lag) ?? []
  return lags.length === 0 ? '' : `lag${lags.length > 1 ? 's' : ''} ${lags.join(', ')}`
}

// The word for a standing, on arrows and in tables.
export const word: Record<Standing, string> = {
  plain: '',
  right: 'right',
  reversed: 'reversed',
  missing: 'missing',
  extra: 'extra',
  unoriented: 'no direction',
  both: 'in both',
  turned: 'differs',
  only_first: 'only in A',
  only_second: 'only in B',
}

// judge sorts the edges of a result against a known graph.
export function judge(r: { names: string[]; edges: Edge[] }, truth: { from: string; to: string }[], index: Map<string, number>): Score {
  const pair = (e: { from: string; to: string }): Pair => [index.get(e.from)!, index.get(e.to)!]
  const has = (a: string, b: string) => truth.some((t) => t.from === a && t.to === b)
  const joined = (a: string, b: string) => r.edges.some((e) => (e.from === a && e.to === b) || (e.from === b && e.to === a))
  const out: Score = { metrics: {} as Score['metrics'], right: [], reversed: [], missing: [], extra: [], unoriented: [] }
  for (const e of r.edges) {
    const list = !has(e.from, e.to) && !has(e.to, e.from) ? out.extra : !directed(e) || !sure(e) ? out.unoriented : has(e.from, e.to) ? out.right : out.reversed
    list.push(pair(e))
  }
  for (const t of truth) if (!joined(t.from, t.to) && index.has(t.from) && index.has(t.to)) out.missing.push(pair(t))
  const [n, m, hit] = [truth.length, r.edges.length, out.right.length]
  const near = hit + out.reversed.length + out.unoriented.length
  const f = (p: number, q: number) => (p + q === 0 ? 0 : (2 * p * q) / (p + q))
  const pairs = (r.names.length * (r.names.length - 1)) / 2
  out.metrics = {
    edges_true: n, edges_estimated: m, shd: out.missing.length + out.extra.length + out.reversed.length + out.unoriented.length, missing: out.missing.length, extra: out.extra.length, reversed: out.reversed.length,
    precision: m === 0 ? 0 : hit / m, tpr: n === 0 ? 0 : hit / n, f1: f(m === 0 ? 0 : hit / m, n === 0 ? 0 : hit / n), fpr: pairs > n ? (out.extra.length + out.reversed.length) / (pairs - n) : 0,
    skeleton_f1: f(m === 0 ? 0 : near / m, n === 0 ? 0 : near / n),
  }
  return out
}
