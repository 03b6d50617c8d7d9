import { short } from './dom'
import { groups } from './groups'

// A Cluster is a group of variables that the overview shows as one box.
export interface Cluster {
  members: number[] // the best connected one first
  alone: boolean // the members have no edge
}

export interface Tie {
  from: number
  to: number
  weight: number
}

const most = 30 // groups in an overview
const large = 40 // members above which a group is divided further
const small = 4 // members below which a group joins another one

// clusters divides the variables into groups of those that are connected more with each other than with others. Variables without an edge
// are one group. The groups depend on neither the order of the columns nor that of the edges: both are taken in the order of the names.
export function clusters(names: string[], ties: Tie[]): Cluster[] {
  const sorted = names.map((_, v) => v).sort((a, b) => (names[a]! < names[b]! ? -1 : 1))
  const at = new Map(sorted.map((v, k) => [v, k]))
  const sums = new Map<number, number>()
  for (const { from, to, weight } of ties) {
    if (from === to) continue
    const [a, b] = [at.get(from)!, at.get(to)!].sort((x, y) => x - y) as [number, number]
    sums.set(a * names.length + b, Math.max(sums.get(a * names.length + b) ?? 0, weight))
  }
  const near: Map<number, number>[] = names.map(() => new Map())
  for (const [key, weight] of [...sums].sort((x, y) => x[0] - y[0])) {
    const [a, b] = [Math.floor(key / names.length), key % names.length]
    near[a]!.set(b, weight)
    near[b]!.set(a, weight)
  }
  const degree = near.map((n) => [...n.values()].reduce((a, b) => a + b, 0))
  const joined = sorted.map((_, k) => k).filter((k) => near[k]!.size > 0)
  const parts = joinSmall(divide(joined, near, 0), near)
  const lonely = sorted.map((_, k) => k).filter((k) => near[k]!.size === 0)
  const cluster = (list: number[], alone: boolean): Cluster => ({ members: list.toSorted((a, b) => degree[b]! - degree[a]! || a - b).map((k) => sorted[k]!), alone })
  return [...parts.toSorted((a, b) => Math.min(...a) - Math.min(...b)).map((p) => cluster(p, false)), ...(lonely.length > 0 ? [cluster(lonely, true)] : [])]
}

// divide returns the groups of some nodes, those that are too large divided again.
function divide(list: number[], near: Map<number, number>[], least: number): number[][] {
  if (list.length <= least) return list.length > 0 ? [list] : []
  const at = new Map(list.map((k, i) => [k, i]))
  const edges = list.flatMap((k, from) => [...near[k]!].flatMap(([u, weight]) => (u > k && at.has(u) ? [{ from, to: at.get(u)!, weight }] : [])))
  const of = groups(list.length, edges)
  const parts: number[][] = []
  of.forEach((c, i) => (parts[c] ??= []).push(list[i]!))
  return parts.length < 2 ? parts : parts.flatMap((p) => divide(p, near, large))
}

// joinSmall adds each group that is too small to the one it is connected with most, and the small ones without any connection to each other.
// Above the largest number of groups it goes on with the smallest.
function joinSmall(parts: number[][], near: Map<number, number>[]): number[][] {
  const of = new Map<number, number[]>()
  const left = new Set(parts)
  for (const p of parts) for (const k of p) of.set(k, p)
  const settled = new Set<number[]>()
  for (;;) {
    const open = [...left].filter((p) => !settled.has(p)).sort((a, b) => a.length - b.length || a[0]! - b[0]!)
    const p = open[0]
    if (!p || (p.length >= small && left.size <= most)) return [...left]
    const weight = new Map<number[], number>()
    for (const k of p) for (const [u, w] of near[k]!) if (of.get(u) !== p) weight.set(of.get(u)!, (weight.get(of.get(u)!) ?? 0) + w)
    const tied = [...weight].sort((a, b) => b[1] - a[1] || a[0].length - b[0].length || a[0][0]! - b[0][0]!)[0]?.[0]
    const other = tied ?? open.slice(1).find((q) => left.size > most || q.every((k) => [...near[k]!.keys()].every((u) => of.get(u) === q)) && q.length < small)
    if (!other) {
      settled.add(p)
      continue
    }
    left.delete(p)
    for (const k of p) of.set(k, other)
    other.push(...p)
    other.sort((a, b) => a - b)
  }
}

// title names a group after its best connected members.
export function title(names: string[], c: Cluster): string {
  if (c.alone) return 'Without an edge'
  let text = short(names[c.members[0]!]!, 24)
  for (const v of c.members.slice(1, 3)) {
    const next = `${text}, ${short(names[v]!, 24)}`
    if (next.length > 26) break
    text = next
  }
  return text
}
