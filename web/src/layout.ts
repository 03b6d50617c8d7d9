// A layered drawing (Sugiyama, Tagawa and Toda 1981): causes above effects, each box in its band of time, and lines only through the room
// between boxes. It knows sizes and joins, and nothing of columns and edges.

export interface Item {
  w: number
  h: number
  band?: number // from 0, the earliest; boxes of a later band are below those of an earlier one
}

export interface Join {
  from: number
  to: number
  weight: number
}

export type Point = [x: number, y: number]

export interface Layout {
  at: Point[] // the middle of each box
  routes: Point[][] // of each join: first point, then two handles and a point for each curve; empty for a loop
  bands: { band: number; top: number; bottom: number }[]
  left: number
  right: number
  top: number
  bottom: number
}

const gapX = 34 // between boxes of a layer
const lineGap = 14 // beside a line that passes a layer
const bandGap = 30 // of room above and below the boxes of a band
const sweeps = 10

interface Slot {
  item: number // -1 for a line that passes
  w: number
  x: number
  up: number[] // slots of the layer above that it is joined with
  down: number[]
  pull: number // weight of its place
}

// arrange places items of a graph. aspect is the width of the window divided by its height.
export function arrange(items: Item[], joins: Join[], aspect: number): Layout {
  const n = items.length
  const down = acyclic(n, joins, items)
  const joined = new Array<boolean>(n).fill(false)
  for (const j of joins) if (j.from !== j.to) joined[j.from] = joined[j.to] = true
  const banded = items.some((i) => i.band !== undefined)
  // Boxes without a line stand below the others, unless they have a band.
  const alone = items.flatMap((it, v) => (!joined[v] && it.band === undefined ? [v] : []))
  const lonely = new Set(alone)
  const area = items.reduce((sum, it) => sum + (it.w + gapX) * (it.h + 74), 0)
  const widest = Math.max(520, Math.sqrt(area * aspect) * 1.1)
  const { layer, count } = layers(items, joins, down, lonely, widest)

  const rows: Slot[][] = Array.from({ length: count }, () => [])
  const own: Slot[] = items.map((it, v) => ({ item: v, w: it.w, x: 0, up: [], down: [], pull: 1 }))
  const place = new Map<Slot, number>()
  const push = (k: number, s: Slot) => {
    place.set(s, rows[k]!.length)
    rows[k]!.push(s)
  }
  items.forEach((_, v) => !lonely.has(v) && push(layer[v]!, own[v]!))
  const ways: Slot[][] = joins.map((j, k) => {
    if (j.from === j.to) return []
    const [a, b] = down[k] ? [j.from, j.to] : [j.to, j.from]
    const way = [own[a]!]
    for (let l = layer[a]! + 1; l < layer[b]!; l++) {
      const s: Slot = { item: -1, w: lineGap, x: 0, up: [], down: [], pull: 3 }
      push(l, s)
      way.push(s)
    }
    return [...way, own[b]!]
  })
  const links = () => {
    for (const row of rows) for (const s of row) s.up = s.down = []
    for (const row of rows) for (const s of row) [s.up, s.down] = [[], []]
    for (const way of ways) for (let i = 0; i + 1 < way.length; i++) {
      way[i]!.down.push(place.get(way[i + 1]!)!)
      way[i + 1]!.up.push(place.get(way[i]!)!)
    }
  }
  links()
  order(rows, place, links)
  coordinates(rows)

  // Heights: a layer is as high as its highest box, with more room between layers that many lines join.
  const at: Point[] = items.map(() => [0, 0])
  const middle: number[] = []
  const tall: number[] = rows.map((row) => Math.max(24, ...row.map((s) => (s.item < 0 ? 0 : items[s.item]!.h))))
  const bandOf = rows.map((row) => row.find((s) => s.item >= 0 && items[s.item]!.band !== undefined)?.item)
  let y = 0
  rows.forEach((row, k) => {
    if (k > 0) {
      const lines = row.reduce((sum, s) => sum + s.up.length, 0)
      const turn = banded && items[bandOf[k] ?? -1]?.band !== items[bandOf[k - 1] ?? -1]?.band
      y += tall[k - 1]! / 2 + tall[k]! / 2 + Math.min(58 + 2.2 * lines, 110) + (turn ? bandGap : 0)
    }
    middle.push(y)
    for (const s of row) if (s.item >= 0) at[s.item] = [s.x, y]
  })
  const routes = joins.map((j, k) => (j.from === j.to ? [] : route(ways[k]!, items, layer, middle, tall, down[k]!, j)))
  fan(routes, joins, items, at)

  let [left, right] = [Infinity, -Infinity]
  rows.forEach((row) => row.forEach((s) => ([left, right] = [Math.min(left, s.x - s.w / 2), Math.max(right, s.x + s.w / 2)])))
  if (left > right) [left, right] = [-widest / 2, widest / 2]
  let bottom = rows.length > 0 ? middle.at(-1)! + tall.at(-1)! / 2 : 0
  if (alone.length > 0) bottom = below(alone, items, at, left, right, rows.length > 0 ? bottom + 60 : 0)
  for (const v of alone) [left, right] = [Math.min(left, at[v]![0] - items[v]!.w / 2), Math.max(right, at[v]![0] + items[v]!.w / 2)]

  const bands = new Map<number, { band: number; top: number; bottom: number }>()
  items.forEach(({ band, h }, v) => {
    if (band === undefined) return
    const b = bands.get(band) ?? { band, top: Infinity, bottom: -Infinity }
    bands.set(band, { band, top: Math.min(b.top, at[v]![1] - h / 2), bottom: Math.max(b.bottom, at[v]![1] + h / 2) })
  })
  return { at, routes, bands: [...bands.values()].sort((a, b) => a.band - b.band), left, right, top: rows.length > 0 ? -tall[0]! / 2 : 0, bottom }
}

// acyclic says of each join whether it goes down. Those that close a cycle, or that go to an earlier band, go up.
function acyclic(n: number, joins: Join[], items: Item[]): boolean[] {
  const out: { to: number; k: number }[][] = Array.from({ length: n }, () => [])
  const down = joins.map(() => true)
  joins.forEach((j, k) => {
    const [a, b] = [items[j.from]!.band, items[j.to]!.band]
    if (a !== undefined && b !== undefined && a > b) {
      down[k] = false
      out[j.to]!.push({ to: j.from, k })
    } else if (j.from !== j.to) out[j.from]!.push({ to: j.to, k })
  })
  const state = new Uint8Array(n)
  const stack: { v: number; i: number }[] = []
  const begin = [...Array(n).keys()].sort((a, b) => (items[a]!.band ?? 0) - (items[b]!.band ?? 0))
  for (const v of begin) {
    if (state[v]) continue
    stack.push({ v, i: 0 })
    state[v] = 1
    while (stack.length > 0) {
      const top = stack.at(-1)!
      const next = out[top.v]![top.i++]
      if (!next) {
        state[top.v] = 2
        stack.pop()
      } else if (state[next.to] === 1) down[next.k] = !down[next.k]
      else if (state[next.to] === 0) {
        state[next.to] = 1
        stack.push({ v: next.to, i: 0 })
      }
    }
  }
  return down
}

// layers numbers the layer of each item, the bands in their order, and divides layers that are too wide.
function layers(items: Item[], joins: Join[], down: boolean[], lonely: Set<number>, widest: number): { layer: number[]; count: number } {
  const n = items.length
  const ins: number[][] = Array.from({ length: n }, () => [])
  const outs: number[][] = Array.from({ length: n }, () => [])
  joins.forEach((j, k) => {
    if (j.from === j.to) return
    const [a, b] = down[k] ? [j.from, j.to] : [j.to, j.from]
    outs[a]!.push(b)
    ins[b]!.push(a)
  })
  const bandOf = (v: number) => items[v]!.band ?? 0
  const rank = new Array<number>(n).fill(0)
  const left = ins.map((l) => l.length)
  const sorted = [...Array(n).keys()].filter((v) => left[v] === 0)
  for (let k = 0; k < sorted.length; k++) {
    const v = sorted[k]!
    for (const u of outs[v]!) {
      if (bandOf(u) === bandOf(v)) rank[u] = Math.max(rank[u]!, rank[v]! + 1)
      if (--left[u]! === 0) sorted.push(u)
    }
  }
  // A box without causes stands right above its first effect.
  for (const v of [...sorted].reverse()) {
    const near = outs[v]!.filter((u) => bandOf(u) === bandOf(v))
    if (ins[v]!.every((u) => bandOf(u) !== bandOf(v)) && near.length > 0) rank[v] = Math.min(...near.map((u) => rank[u]!)) - 1
  }
  const groups = new Map<string, number[]>()
  const keys: [number, number][] = []
  for (let v = 0; v < n; v++) {
    if (lonely.has(v)) continue
    const key = `${bandOf(v)} ${rank[v]}`
    if (!groups.has(key)) {
      groups.set(key, [])
      keys.push([bandOf(v), rank[v]!])
    }
    groups.get(key)!.push(v)
  }
  keys.sort((a, b) => a[0] - b[0] || a[1] - b[1])
  const layer = new Array<number>(n).fill(-1)
  let count = 0
  for (const [b, r] of keys) {
    const list = groups.get(`${b} ${r}`)!
    const total = list.reduce((sum, v) => sum + items[v]!.w + gapX, 0)
    const parts = Math.max(1, Math.ceil(total / widest))
    // Those with more effects than causes come first.
    list.sort((a, c) => (ins[a]!.length - outs[a]!.length) - (ins[c]!.length - outs[c]!.length) || a - c)
    list.forEach((v, i) => (layer[v] = count + Math.min(parts - 1, Math.floor((i * parts) / list.length))))
    count += parts
  }
  return { layer, count }
}

// order reduces crossings: each slot goes to the mean place of its neighbours, down and up in turns; the best order found is kept.
function order(rows: Slot[][], place: Map<Slot, number>, links: () => void): void {
  const large = rows.reduce((n, r) => n + r.length, 0) > 4000
  const settle = (row: Slot[]) => row.forEach((s, i) => place.set(s, i))
  let best = Infinity
  let kept = rows.map((r) => [...r])
  for (let k = 0; k < (large ? 4 : sweeps); k++) {
    const downward = k % 2 === 0
    const list = downward ? rows.slice(1) : rows.slice(0, -1).reverse()
    for (const row of list) {
      const key = new Map(row.map((s, i) => {
        const near = downward ? s.up : s.down
        return [s, near.length === 0 ? i : near.reduce((a, b) => a + b, 0) / near.length + i * 1e-6] as const
      }))
      row.sort((a, b) => key.get(a)! - key.get(b)!)
      settle(row)
      links()
    }
    const crossings = rows.reduce((sum, row) => sum + crossed(row), 0)
    if (crossings < best) {
      best = crossings
      kept = rows.map((r) => [...r])
    }
    if (best === 0) break
  }
  rows.forEach((row, k) => {
    row.splice(0, row.length, ...kept[k]!)
    settle(row)
  })
  links()
}

function crossed(row: Slot[]): number {
  const ends = row.flatMap((s) => [...s.up].sort((a, b) => a - b))
  if (ends.length > 600) return 0
  let n = 0
  for (let i = 0; i < ends.length; i++) for (let j = i + 1; j < ends.length; j++) if (ends[i]! > ends[j]!) n++
  return n
}

// coordinates places slots near their neighbours, in their order and with the gaps between them: the least squares of each row is found
// exactly by pooling slots that would overlap.
function coordinates(rows: Slot[][]): void {
  const half = (a: Slot, b: Slot) => a.w / 2 + b.w / 2 + (a.item < 0 || b.item < 0 ? lineGap : gapX)
  for (const row of rows) {
    let x = 0
    row.forEach((s, i) => {
      x += i > 0 ? half(row[i - 1]!, s) : 0
      s.x = x
    })
    row.forEach((s) => (s.x -= x / 2))
  }
  const passes = 16
  for (let k = 0; k < passes; k++) {
    const downward = k % 2 === 0
    const both = k >= passes - 4
    for (const [i, row] of downward ? rows.entries() : [...rows.entries()].reverse()) {
      const want = row.map((s) => {
        const up = rows[i - 1] ? s.up.map((p) => rows[i - 1]![p]!.x) : []
        const dn = rows[i + 1] ? s.down.map((p) => rows[i + 1]![p]!.x) : []
        const near = both ? [...up, ...dn] : downward ? (up.length > 0 ? up : dn) : dn.length > 0 ? dn : up
        return near.length === 0 ? s.x : near.reduce((a, b) => a + b, 0) / near.length
      })
      pool(row, want, half)
    }
  }
}

function pool(row: Slot[], want: number[], half: (a: Slot, b: Slot) => number): void {
  const offset: number[] = []
  const blocks: { sum: number; weight: number; from: number }[] = []
  row.forEach((s, i) => {
    offset.push(i === 0 ? 0 : offset[i - 1]! + half(row[i - 1]!, s))
    let b = { sum: (want[i]! - offset[i]!) * s.pull, weight: s.pull, from: i }
    for (let last = blocks.at(-1); last && last.sum / last.weight > b.sum / b.weight; last = blocks.at(-1)) {
      b = { sum: b.sum + last.sum, weight: b.weight + last.weight, from: last.from }
      blocks.pop()
    }
    blocks.push(b)
  })
  blocks.forEach((b, k) => {
    for (let i = b.from; i < (blocks[k + 1]?.from ?? row.length); i++) row[i]!.x = b.sum / b.weight + offset[i]!
  })
}

// route goes from the lower side of the upper box to the upper side of the lower one, straight down where it passes a layer.
function route(way: Slot[], items: Item[], layer: number[], middle: number[], tall: number[], ahead: boolean, j: Join): Point[] {
  const [a, b] = ahead ? [j.from, j.to] : [j.to, j.from]
  const first: Point = [way[0]!.x, middle[layer[a]!]! + items[a]!.h / 2]
  const points: Point[] = [first]
  const curve = (to: Point) => {
    const from = points.at(-1)!
    const bend = (to[1] - from[1]) * 0.5
    points.push([from[0], from[1] + bend], [to[0], to[1] - bend], to)
  }
  way.slice(1, -1).forEach((s, i) => {
    const l = layer[a]! + 1 + i
    const [top, bottom] = [middle[l]! - tall[l]! / 2 - 4, middle[l]! + tall[l]! / 2 + 4]
    curve([s.x, top])
    points.push([s.x, (2 * top + bottom) / 3], [s.x, (top + 2 * bottom) / 3], [s.x, bottom])
  })
  curve([way.at(-1)!.x, middle[layer[b]!]! - items[b]!.h / 2])
  return ahead ? points : points.reverse()
}

// fan spreads the ends of lines along the sides of boxes, in the order in which they come.
function fan(routes: Point[][], joins: Join[], items: Item[], at: Point[]): void {
  const sides = new Map<string, { r: Point[]; start: boolean; key: number; v: number }[]>()
  routes.forEach((r, k) => {
    if (r.length === 0) return
    for (const start of [true, false]) {
      const v = start ? joins[k]!.from : joins[k]!.to
      const end = start ? r[0]! : r.at(-1)!
      const next = start ? r[3]! : r.at(-4)!
      const side = `${v} ${end[1] > at[v]![1] ? 'low' : 'high'}`
      sides.set(side, [...(sides.get(side) ?? []), { r, start, key: Math.atan2(next[0] - end[0], Math.abs(next[1] - end[1])), v }])
    }
  })
  for (const list of sides.values()) {
    if (list.length < 2) continue
    list.sort((a, b) => a.key - b.key)
    const room = items[list[0]!.v]!.w - 20
    const step = Math.min(22, room / (list.length - 1))
    list.forEach(({ r, start }, i) => {
      const dx = (i - (list.length - 1) / 2) * step
      const [end, handle] = start ? [0, 1] : [r.length - 1, r.length - 2]
      r[end] = [r[end]![0] + dx, r[end]![1]]
      r[handle] = [r[handle]![0] + dx, r[handle]![1]]
    })
  }
}

// below stands boxes in rows under the drawing, and returns its new lower end.
function below(list: number[], items: Item[], at: Point[], left: number, right: number, top: number): number {
  const wide = Math.max(right - left, 640)
  const middle = (left + right) / 2
  let row: number[] = []
  let y = top
  const flush = () => {
    let x = middle - row.reduce((sum, v) => sum + items[v]!.w + 16, -16) / 2
    for (const v of row) {
      at[v] = [x + items[v]!.w / 2, y + items[v]!.h / 2]
      x += items[v]!.w + 16
    }
    y += Math.max(0, ...row.map((v) => items[v]!.h)) + 14
    row = []
  }
  for (const v of list) {
    if (row.reduce((sum, u) => sum + items[u]!.w + 16, items[v]!.w) > wide) flush()
    row.push(v)
  }
  flush()
  return y - 14
}

// sample returns points of a route, some for each of its curves.
export function sample(r: Point[], pieces = 8): Point[] {
  const out: Point[] = r.length > 0 ? [r[0]!] : []
  for (let k = 0; k + 3 < r.length; k += 3) {
    const [p, a, b, q] = [r[k]!, r[k + 1]!, r[k + 2]!, r[k + 3]!]
    for (let i = 1; i <= pieces; i++) {
      const t = i / pieces
      const u = 1 - t
      out.push([0, 1].map((d) => u * u * u * p[d]! + 3 * u * u * t * a[d]! + 3 * u * t * t * b[d]! + t * t * t * q[d]!) as Point)
    }
  }
  return out
}
