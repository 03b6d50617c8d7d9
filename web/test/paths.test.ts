import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Edge } from '../src/data'
import { Graph } from '../src/graph'
import { defaultLimits, effect, find, query, type Paths } from '../src/paths'

interface Said {
  from: string
  to: string
  relation: string
  total: number
  direct: number
  directed: string[]
  open: string[]
  blocked: string[]
  mediators: string[]
  confounders: string[]
  colliders: string[]
  adjust: string[] | null
}

// Written by package explain: go test ./internal/page -update.
const cases = JSON.parse(readFileSync(new URL('explain.json', import.meta.url), 'utf8')) as { names: string[]; edges: Edge[]; pairs: Said[] }[]

const drawn = (g: Graph, p: Paths) =>
  p.listed.map((path) => path.nodes.map((v, k) => (k > 0 ? (path.forward[k - 1] ? '→ ' : '← ') : '') + g.names[v]).join(' '))

describe('what package explain says, the page says', () => {
  cases.forEach(({ names, edges, pairs }, k) => {
    const g = new Graph(names, edges)
    const name = (list: number[]) => list.map((v) => names[v])
    test(`graph ${k}: ${edges.length} edges, ${pairs.length} pairs`, () => {
      expect(pairs.length).toBe(names.length * (names.length - 1))
      for (const p of pairs) {
        const q = query(g, names.indexOf(p.from), names.indexOf(p.to), { list: 1000, steps: 1e6 })
        const { total, adjust, ...rest } = p
        expect({
          from: p.from,
          to: p.to,
          relation: q.relation,
          direct: q.direct,
          directed: drawn(g, q.directed),
          open: drawn(g, q.open),
          blocked: drawn(g, q.blocked),
          mediators: name(q.mediators),
          confounders: name(q.confounders),
          colliders: name(q.colliders),
        }).toEqual(rest)
        expect(q.adjust ? name(q.adjust).sort() : null).toEqual(adjust && [...adjust].sort())
        expect(q.total).toBeCloseTo(total, 6)
        expect(q.directed.count).toBe(p.directed.length)
      }
    })
  })
})

const edge = (from: string, to: string, weight = 1): Edge => ({ from, to, mark: '-->', weight, standardized: weight, compelled: true })

test('a search is cut short and says so', () => {
  const names = Array.from({ length: 24 }, (_, i) => `v${i}`)
  const edges: Edge[] = []
  for (let i = 0; i < 24; i++) for (let j = i + 1; j < 24; j++) edges.push(edge(names[i]!, names[j]!))
  const g = new Graph(names, edges)
  const p = find(g, 'blocked', 12, 13, { list: 5, steps: 20_000 })
  expect(p.atLeast).toBe(true)
  expect(p.listed.length).toBe(5)
  const q = query(g, 0, 23, { list: 5, steps: 20_000 })
  expect(q.directed.count).toBe(2 ** 22)
  expect(q.directed.atLeast).toBe(false)
})

test('the part of an effect through sensitive variables', () => {
  const g = new Graph(['A', 'S', 'B'], [edge('A', 'S', 2), edge('S', 'B', 3), edge('A', 'B', 5)])
  expect(effect(g, 0, 2, () => false)).toBe(11)
  expect(effect(g, 0, 2, (v) => v === 1)).toBe(5)
  expect(query(g, 0, 2, defaultLimits).directed.listed.map((p) => p.effect)).toEqual([5, 6])
})
