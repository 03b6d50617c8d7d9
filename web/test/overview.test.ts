import { expect, test } from 'vitest'
import { clusters, title, type Tie } from '../src/clusters'

// random is a small generator of numbers from 0 to 1 (Park and Miller 1988).
function random(seed: number): () => number {
  let s = seed
  return () => (s = (s * 48271) % 2147483647) / 2147483647
}

// sparse has n variables in blocks of 15, most ties within a block.
function sparse(n: number, edges: number): Tie[] {
  const r = random(5)
  return Array.from({ length: edges }, () => {
    const from = Math.floor(n * r())
    const block = 15 * Math.floor(from / 15)
    return { from, to: r() < 0.85 ? Math.min(block + Math.floor(15 * r()), n - 1) : Math.floor(n * r()), weight: 0.1 + 0.9 * r() }
  })
}

const names = Array.from({ length: 300 }, (_, v) => `v${v}`)

test('every variable is in one group, and the groups are neither many nor large', () => {
  const list = clusters(names, sparse(290, 600))
  expect(list.flatMap((c) => c.members).sort((a, b) => a - b)).toEqual(names.map((_, v) => v))
  expect(list.length).toBeGreaterThan(10)
  expect(list.length).toBeLessThanOrEqual(31)
  expect(list.filter((c) => c.alone).length).toBe(1)
  expect(list.at(-1)!.alone).toBe(true)
  for (const c of list) expect(c.members.length).toBeLessThanOrEqual(60)
})

test('groups do not depend on the order of the columns or of the edges', () => {
  const ties = sparse(300, 600)
  const named = (of: string[], list: Tie[]) => clusters(of, list).map((c) => c.members.map((v) => of[v]!))
  const turned = names.toReversed()
  expect(named(turned, ties.toReversed().map((t) => ({ from: 299 - t.to, to: 299 - t.from, weight: t.weight })))).toEqual(named(names, ties))
})

test('small groups join what they are connected with, and islands each other', () => {
  const ring = (first: number) => [0, 1, 2, 3, 4].map((k) => ({ from: first + k, to: first + ((k + 1) % 5), weight: 1 }))
  // Two rings, a pair tied to the second ring, and two pairs tied to nobody.
  const ties = [...ring(0), ...ring(5), { from: 10, to: 11, weight: 1 }, { from: 11, to: 5, weight: 0.01 }, { from: 12, to: 13, weight: 1 }, { from: 14, to: 15, weight: 1 }]
  const list = clusters(names.slice(0, 17), ties).map((c) => c.members.toSorted((a, b) => a - b))
  expect(list.toSorted((a, b) => a[0]! - b[0]!)).toEqual([[0, 1, 2, 3, 4], [5, 6, 7, 8, 9, 10, 11], [12, 13, 14, 15], [16]])
})

test('variables without any edge are one group', () => {
  expect(clusters(['a', 'b'], [])).toEqual([{ members: [0, 1], alone: true }])
  expect(clusters([], [])).toEqual([])
})

test('a group is named after its best connected members', () => {
  const star = [1, 2, 3, 4].map((to) => ({ from: 0, to, weight: to / 10 }))
  const [c] = clusters(['hub', 'a', 'b', 'c', 'd'], star)
  expect(title(['hub', 'a', 'b', 'c', 'd'], c!)).toBe('hub, d, c')
  expect(title(['a name that is far too long for a box', 'x'], { members: [0, 1], alone: false })).toBe('a name that is far too …')
  expect(title(['x'], { members: [0], alone: true })).toBe('Without an edge')
})

