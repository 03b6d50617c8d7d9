import { expect, test } from 'vitest'
import { meets, placeLabels, type Box } from '../src/labels'
import { arrange, sample, type Item, type Join } from '../src/layout'

// random is a small generator of numbers from 0 to 1 (Park and Miller 1988).
function random(seed: number): () => number {
  let s = seed
  return () => (s = (s * 48271) % 2147483647) / 2147483647
}

function graph(n: number, m: number, seed: number, band?: (v: number) => number): { items: Item[]; joins: Join[] } {
  const r = random(seed)
  const items = Array.from({ length: n }, (_, v): Item => ({ w: 60 + Math.floor(120 * r()), h: 40, ...(band && { band: band(v) }) }))
  const joins: Join[] = []
  while (joins.length < m) {
    const [a, b] = [Math.floor(n * r()), Math.floor(n * r())]
    if (a !== b && !joins.some((j) => (j.from === a && j.to === b) || (j.from === b && j.to === a))) joins.push({ from: Math.min(a, b), to: Math.max(a, b), weight: r() })
  }
  return { items, joins }
}

const boxOf = (items: Item[], at: [number, number][], v: number): Box => [at[v]![0] - items[v]!.w / 2, at[v]![1] - items[v]!.h / 2, at[v]![0] + items[v]!.w / 2, at[v]![1] + items[v]!.h / 2]

test.each([[8, 10], [20, 40], [40, 120], [100, 200], [300, 600]])('%i boxes, %i lines: causes above effects, no box on another, no line through a box', (n, m) => {
  const { items, joins } = graph(n, m, n)
  const l = arrange(items, joins, 1.5)
  const boxes = items.map((_, v) => boxOf(items, l.at, v))
  expect(boxes.filter((a, i) => boxes.some((b, j) => j < i && meets(a, b)))).toEqual([])
  joins.forEach((j, k) => {
    expect(l.at[j.from]![1]).toBeLessThan(l.at[j.to]![1])
    const points = sample(l.routes[k]!)
    expect(boxes.flatMap((b, v) => (v !== j.from && v !== j.to && points.some(([x, y]) => x > b[0] && x < b[2] && y > b[1] && y < b[3]) ? [v] : [])), `line ${j.from}-${j.to}`).toEqual([])
    const [first, last] = [l.routes[k]![0]!, l.routes[k]!.at(-1)!]
    expect(Math.abs(first[0] - l.at[j.from]![0])).toBeLessThanOrEqual(items[j.from]!.w / 2)
    expect(Math.abs(last[0] - l.at[j.to]![0])).toBeLessThanOrEqual(items[j.to]!.w / 2)
  })
})

test('bands are in their order, also against the lines', () => {
  const { items, joins } = graph(24, 40, 5, (v) => (v * 7) % 3)
  const l = arrange(items, joins, 1.5)
  expect(l.bands.map((b) => b.band)).toEqual([0, 1, 2])
  expect(l.bands[0]!.bottom).toBeLessThan(l.bands[1]!.top)
  expect(l.bands[1]!.bottom).toBeLessThan(l.bands[2]!.top)
  items.forEach((it, v) => expect(l.at[v]![1] >= l.bands[it.band!]!.top && l.at[v]![1] <= l.bands[it.band!]!.bottom).toBe(true))
})

test('cycles, loops and boxes without a line are drawn', () => {
  const items: Item[] = Array.from({ length: 5 }, () => ({ w: 80, h: 40 }))
  const l = arrange(items, [{ from: 0, to: 1, weight: 1 }, { from: 1, to: 2, weight: 1 }, { from: 2, to: 0, weight: 1 }, { from: 1, to: 1, weight: 1 }], 1.5)
  expect(l.routes.map((r) => r.length > 0)).toEqual([true, true, true, false])
  expect(l.at.every(([x, y]) => Number.isFinite(x) && Number.isFinite(y))).toBe(true)
  expect(Math.min(l.at[3]![1], l.at[4]![1])).toBeGreaterThan(Math.max(l.at[0]![1], l.at[1]![1], l.at[2]![1]))
  expect(arrange([], [], 1.5).at).toEqual([])
})

test('labels meet neither lines nor boxes nor each other', () => {
  const { items, joins } = graph(16, 24, 3)
  const l = arrange(items, joins, 1.5)
  const lines = l.routes.map((r) => sample(r))
  const boxes = items.map((_, v) => boxOf(items, l.at, v))
  const places = placeLabels(lines, boxes, joins.map((_, line) => ({ line, w: 40, h: 16 })))
  expect(places.size).toBeGreaterThan(joins.length / 2)
  const labels = [...places.values()].map(([x, y]): Box => [x - 20, y - 8, x + 20, y + 8])
  labels.forEach((b, i) => {
    labels.slice(0, i).forEach((c) => expect(meets(b, c)).toBe(false))
    boxes.forEach((c) => expect(meets(b, c)).toBe(false))
    expect(l.routes.some((r) => sample(r, 30).some(([x, y]) => x > b[0] && x < b[2] && y > b[1] && y < b[3]))).toBe(false)
  })
})
