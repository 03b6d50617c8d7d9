import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { decode, DataError, type Mark, type Page, type Result, type Verdict } from '../src/data'
import { forward } from '../src/panel/certificate'
import { between, endMarks, hides, judge, Model, weighed, type EdgeView } from '../src/view'

const result = (edges: [string, string, number][]): Result => ({
  schema: 'polydag.result/2', method: 'some', status: 'converged', names: ['a', 'b', 'c'], rows: 10, table: { name: 't.csv', moments_sha256: '' }, program: { version: 'v1', go: 'go1' }, kind: 'dag',
  edges: edges.map(([from, to, w]) => ({ from, to, mark: '-->', weight: w, standardized: w, compelled: true })),
  certificate: { kind: 'dag', holds: true, order: ['a', 'b', 'c'] },
  nodes: [], score: 0, optimal: false, stages: [], settings: {}, seed: 1,
  timing: { read_seconds: 0, solve_seconds: 0, threads: 1 },
})

const page = (): Page => ({
  schema: 'polydag.page/4', names: ['a', 'b', 'c'],
  results: [{ label: 'one', result: result([['a', 'b', 1], ['b', 'c', -2]]) }, { label: 'two', result: result([['a', 'b', 3], ['a', 'c', 1]]) }],
  comparison: { both: [[0, 1]], turned: [], only_first: [[1, 2]], only_second: [[0, 2]] },
  truth: { edges: 2, verdicts: [{ metrics: {} as never, right: [[0, 1]], reversed: [[1, 2]], missing: [[0, 2]], extra: [], unoriented: [] }, { metrics: {} as never, right: [], reversed: [], missing: [], extra: [], unoriented: [] }] },
  sensitive: [], caution: '', marks: { '-->': 'a', '---': 'b', '<->': 'c', 'o->': 'd', 'o--': 'e', 'o-o': 'f' },
})

test('a page is read, and what a result may lack is filled in', () => {
  const p = page() as unknown as { sensitive?: string[]; results: { result: { nodes?: unknown } }[] }
  delete p.sensitive
  delete p.results[0]!.result.nodes
  const read = decode(JSON.stringify(p))
  expect(read.sensitive).toEqual([])
  expect(read.results[0]!.result.nodes).toEqual([])
})

test.each([
  ['"polydag:data"', 'is not a polydag report'],
  ['{"schema":"polydag.page/4"', 'not JSON'],
  ['null', 'is not a polydag report'],
  ['{"schema":"polydag.page/2"}', 'is not a polydag report'],
  ['{"schema":"polydag.page/4"}', 'lacks names'],
  [JSON.stringify({ ...page(), results: [{ label: 'x', result: result([['a', 'z', 1]]) }] }), 'a → z'],
  [JSON.stringify(page()).replace('-->', '<--'), 'a <-- b'],
])('broken data %# is refused in words', (text, message) => {
  expect(() => decode(text)).toThrow(DataError)
  expect(() => decode(text)).toThrow(message)
})

test('two results are sorted as whoever wrote the page sorts them', () => {
  const p = page()
  const index = new Map(p.names.map((n, i) => [n, i]))
  expect(between(p.results[0]!.result.edges, p.results[1]!.result.edges, index)).toEqual(p.comparison)
})

test('marks are compared whichever way an edge is read', () => {
  const index = new Map(['a', 'b', 'c', 'd'].map((n, i) => [n, i]))
  const edges = (...list: [string, Mark, string][]) => list.map(([from, mark, to]) => ({ from, to, mark, weight: 0, standardized: 0, compelled: false }))
  const sorted = between(
    edges(['a', '-->', 'b'], ['b', '---', 'c'], ['c', 'o->', 'd'], ['a', '<->', 'd']),
    edges(['b', '-->', 'a'], ['c', '---', 'b'], ['c', '-->', 'd'], ['d', '<->', 'a'], ['a', 'o-o', 'c']),
    index,
  )
  expect(sorted).toEqual({ both: [[1, 2], [0, 3]], turned: [[0, 1], [2, 3]], only_first: [], only_second: [[0, 2]] })
})

test('an edge is not reversed if neither result states its direction', () => {
  const index = new Map(['a', 'b', 'c', 'd'].map((n, i) => [n, i]))
  const edges = (...list: [string, string, Verdict][]) => list.map(([from, to, verdict]) => ({ from, to, mark: '-->' as const, verdict, weight: 1, standardized: 1, compelled: false }))
  const sorted = between(edges(['a', 'b', 'undirected'], ['b', 'c', 'directed'], ['c', 'd', 'weak']), edges(['b', 'a', 'undirected'], ['c', 'b', 'directed'], ['c', 'd', 'directed']), index)
  expect(sorted).toEqual({ both: [[0, 1]], turned: [[1, 2], [2, 3]], only_first: [], only_second: [] })
  const marks = (standing: EdgeView['standing'], one: Verdict, two: Verdict) =>
    endMarks({ from: 0, to: 1, standing, size: 1, edge: edges(['a', 'b', one])[0]!, other: edges(['b', 'a', two])[0]! })
  expect(marks('both', 'undirected', 'undirected')).toBe('---')
  expect(marks('turned', 'directed', 'directed')).toBe('<->')
  expect(marks('turned', 'undirected', 'directed')).toBe('---')
  expect(marks('extra', 'undirected', 'undirected')).toBe('-->') // the metrics count it as an arrow
})

test('a page of several methods begins with the first and can compare any two', () => {
  const p = page()
  delete p.comparison
  p.results.push({ label: 'three', result: result([['c', 'b', 2]]) })
  p.methods = { figures: [], rows: [], skeleton: [], marks: [], notes: [] }
  const m = new Model(p)
  expect(m.views().map((v) => v.kind)).toEqual(['result', 'result', 'result'])
  expect(m.edges({ kind: 'compare', result: 2, other: 0 }).map((e) => `${e.from}${e.to} ${e.standing}`)).toEqual(['21 turned', '01 only_second'])
  expect(m.viewName({ kind: 'compare', result: 2, other: 0 })).toBe('A: three, B: one')
})

test('views sort edges by how they stand', () => {
  const m = new Model(page())
  expect(m.views().map((v) => v.kind)).toEqual(['compare', 'truth', 'truth', 'result', 'result'])
  const standing = (k: number) => m.edges(m.views()[k]!).map((e) => `${e.from}${e.to} ${e.standing} ${e.edge?.weight} ${e.size}`)
  expect(standing(0)).toEqual(['01 both 1 1', '12 only_first -2 1', '02 only_second 1 1'])
  expect(standing(1)).toEqual(['01 right 1 1', '12 reversed -2 1', '02 missing undefined 0'])
  expect(standing(4)).toEqual(['01 plain 3 1', '02 plain 1 1'])
})

test('a graph with marks: paths go along directed edges only', () => {
  const p = page()
  const r = result([['a', 'b', 1], ['b', 'c', 0]])
  r.edges[1]!.mark = 'o-o'
  p.results = [{ label: 'one', result: r }]
  delete p.truth
  delete p.comparison
  const m = new Model(decode(JSON.stringify(p)))
  const g = m.graphs[0]!
  expect(g.children).toEqual([[1], [], []])
  expect(g.others.map((o) => o.map(({ v, from, to }) => [v, from, to]))).toEqual([[], [[2, 1, 2]], [[1, 1, 2]]])
  expect(g.acyclic).toBe(true)
  expect(m.edges(m.views()[0]!).map(weighed)).toEqual([true, false])
  expect(forward(r)).toBeUndefined()
  r.certificate.order = ['a', 'c', 'b'] // of the directed edge alone
  expect(forward(r)).toBeUndefined()
  expect(m.title()).toEqual(['t.csv'])
  delete r.table.name
  p.results.push({ label: 'two', result: result([]) })
  expect(new Model(p).title()).toEqual(['one', 't.csv'])
})

test('directed edges of an average may go round', () => {
  const p = page()
  p.results = [{ label: 'one', result: { ...result([['a', 'b', 1], ['b', 'c', 1], ['c', 'a', 1]]), kind: 'average' } }]
  expect(new Model(p).graphs[0]!.acyclic).toBe(false)
})

test('the page names no method', () => {
  // Methods are plugins: what the page shows must come from the result.
  const src = new URL('../src/', import.meta.url)
  for (const file of readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((f) => f.endsWith('.ts') && !f.startsWith('program'))) { // program has the settings of the command
    expect(readFileSync(new URL(file, src), 'utf8'), file).not.toMatch(/polydag-geo|polydag-poly|notears|method [!=]==|[`'"]auto[`'"]/)
  }
})

test('the page checks the certificate itself', () => {
  const r = result([['a', 'b', 1]])
  expect(forward(r)).toBeUndefined()
  r.certificate.order = ['b', 'a', 'c']
  expect(forward(r)).toContain('a → b')
  r.certificate.order = ['a', 'b']
  expect(forward(r)).toContain('every name once')
  r.certificate.order = ['a', 'b', 'b']
  expect(forward(r)).toContain('twice')
})

test('edges are hidden by gain and by verdict', () => {
  const edge = (verdict: 'directed' | 'undirected' | 'weak', size = 0.5): EdgeView =>
    ({ from: 0, to: 1, standing: 'plain', size, edge: { from: 'a', to: 'b', mark: '-->', weight: 1, standardized: 1, compelled: true, verdict } })
  const shown = (which: 'all' | 'stated' | 'directed', least = 0) => (['directed', 'undirected', 'weak'] as const).filter((v) => !hides(edge(v), { least, which }))
  expect(shown('all')).toEqual(['directed', 'undirected', 'weak'])
  expect(shown('stated')).toEqual(['directed', 'undirected'])
  expect(shown('directed')).toEqual(['directed'])
  expect(shown('all', 0.6)).toEqual([])
})

test('a result is sorted against a known graph', () => {
  const index = new Map(['a', 'b', 'c'].map((n, i) => [n, i]))
  const r = result([['a', 'b', 1], ['c', 'b', 1]])
  const j = judge(r, [{ from: 'a', to: 'b' }, { from: 'b', to: 'c' }, { from: 'a', to: 'c' }], index)
  expect([j.right, j.reversed, j.missing, j.extra]).toEqual([[[0, 1]], [[2, 1]], [[0, 2]], []])
  expect([j.metrics.shd, j.metrics.precision, j.metrics.tpr]).toEqual([2, 0.5, 1 / 3])
})
