import type { Node } from './data'
import type { Graph } from './graph'

// The effect of an intervention under a linear model, from the weights and variances of the result alone, with the formulas of polydag
// effect without a table. The graph is assumed to be known. A browser test compares this file with polydag effect.

export interface Setting {
  low: number // of the interval of the total effect
  high: number
  std: number // of the other variable where the one is set
  mean: (x: number) => number
  wide: (x: number) => number // half of the width of the 90 % interval of that mean
  through: { v: number; effect: number }[]
}

// mostVariables bounds the size of the covariance matrix, so that a click takes less than a second.
const mostVariables = 300

// z of an interval of 90 %.
const z = 1.6448536269514722

// setting is undefined if the result has no means and variances, or too few rows.
// known is the covariance matrix of the model, where it was computed before.
export function setting(g: Graph, nodes: Node[], rows: number, from: number, to: number, mediators: number[], known?: Float64Array[]): Setting | undefined {
  if (nodes.length !== g.names.length || g.names.length > mostVariables) return undefined
  const s = known ?? covariance(g, nodes)
  const reach = totals(g, from)
  const on = onto(g, to, from)
  const total = reach[to]!
  let variance = 0
  for (const v of g.order) {
    const parents = g.parents[v]!
    const slope = parents.map((p) => reach[p]! * on[v]!)
    if (v === from || slope.every((x) => x === 0)) continue
    const free = rows - parents.length - 1
    const y = solve(parents.map((p) => parents.map((q) => s[p]![q]!)), slope)
    if (free < 1 || !y) return undefined
    variance += (nodes[v]!.residual_variance / free) * slope.reduce((sum, x, k) => sum + x * y[k]!, 0)
  }
  variance = Math.max(0, variance)
  const wide = z * Math.sqrt(variance)
  const around = Math.max(0, s[to]![to]! - 2 * total * s[from]![to]! + total * total * s[from]![from]!) // of to - total · from
  let spread = 0
  for (const v of g.order) if (v !== from) spread += on[v]! ** 2 * nodes[v]!.residual_variance
  return {
    low: total - wide,
    high: total + wide,
    std: Math.sqrt(spread),
    mean: (x) => nodes[to]!.mean + total * (x - nodes[from]!.mean),
    wide: (x) => z * Math.sqrt(around / rows + variance * (x - nodes[from]!.mean) ** 2),
    through: mediators.map((v) => ({ v, effect: reach[v]! * totals(g, v)[to]! })),
  }
}

// totals has the total effect of a on every variable, 1 on itself.
function totals(g: Graph, a: number): Float64Array {
  const t = new Float64Array(g.names.length)
  t[a] = 1
  for (const v of g.order) if (v !== a) for (const p of g.parents[v]!) t[v]! += t[p]! * g.edge(p, v)!.weight
  return t
}

// onto has the effect of every variable on b along paths that do not pass the blocked one.
function onto(g: Graph, b: number, blocked: number): Float64Array {
  const t = new Float64Array(g.names.length)
  t[b] = 1
  for (const v of [...g.order].reverse()) if (v !== blocked) for (const p of g.parents[v]!) t[p]! += g.edge(p, v)!.weight * t[v]!
  return t
}

// settings has the effect of one variable on each of its descendants.
export function settings(g: Graph, nodes: Node[], rows: number, from: number): Map<number, Setting> {
  const out = new Map<number, Setting>()
  if (nodes.length !== g.names.length || g.names.length > mostVariables) return out
  const s = covariance(g, nodes)
  g.descendants(from).forEach((yes, to) => {
    const one = yes && to !== from ? setting(g, nodes, rows, from, to, [], s) : undefined
    if (one) out.set(to, one)
  })
  return out
}

// covariance is the covariance matrix that the model implies, computed in topological order.
function covariance(g: Graph, nodes: Node[]): Float64Array[] {
  const s = g.names.map(() => new Float64Array(g.names.length))
  g.order.forEach((v, k) => {
    for (const u of g.order.slice(0, k)) {
      for (const p of g.parents[v]!) s[u]![v]! += s[u]![p]! * g.edge(p, v)!.weight
      s[v]![u] = s[u]![v]!
    }
    s[v]![v] = nodes[v]!.residual_variance
    for (const p of g.parents[v]!) s[v]![v]! += s[v]![p]! * g.edge(p, v)!.weight
  })
  return s
}

// solve returns x with a·x = b by elimination with pivots; absent where a is singular. It changes a.
function solve(a: number[][], b: number[]): number[] | undefined {
  const n = b.length
  const x = [...b]
  for (let k = 0; k < n; k++) {
    let best = k
    for (let i = k + 1; i < n; i++) if (Math.abs(a[i]![k]!) > Math.abs(a[best]![k]!)) best = i
    if (!(Math.abs(a[best]![k]!) > 0)) return undefined
    ;[a[k], a[best]] = [a[best]!, a[k]!]
    ;[x[k], x[best]] = [x[best]!, x[k]!]
    for (let i = k + 1; i < n; i++) {
      const f = a[i]![k]! / a[k]![k]!
      for (let j = k; j < n; j++) a[i]![j]! -= f * a[k]![j]!
      x[i]! -= f * x[k]!
    }
  }
  for (let k = n - 1; k >= 0; k--) {
    for (let j = k + 1; j < n; j++) x[k]! -= a[k]![j]! * x[j]!
    x[k]! /= a[k]![k]!
  }
  return x.every(Number.isFinite) ? x : undefined
}
