import type { Graph } from './graph'

// Paths between two variables, by the definitions of polydag explain (Pearl 2009, sections 1.2 and 3.3). The same cases are
// checked in both languages against one file, test/explain.json.

export type Kind = 'directed' | 'open' | 'blocked'

export interface Path {
  nodes: number[]
  forward: boolean[] // arrow k is nodes[k] → nodes[k+1]
  colliders: number[]
  effect?: number // of a directed path: the product of its weights
}

export interface Paths {
  count: number
  atLeast: boolean // the search was cut short: count is a lower bound
  listed: Path[] // shortest first
}

export interface Query {
  from: number
  to: number
  relation: 'ancestor' | 'descendant' | 'unrelated'
  total: number
  direct: number
  directed: Paths
  open: Paths
  blocked: Paths
  mediators: number[]
  confounders: number[]
  colliders: number[]
  // A minimal set of parents of from that blocks every back-door path; absent where to is a parent of from.
  adjust?: number[]
}

export interface Limits {
  list: number // paths of a kind to list
  steps: number // edges that the search for a kind may try
}

export const defaultLimits: Limits = { list: 20, steps: 1_000_000 }

export function query(g: Graph, from: number, to: number, limits: Limits = defaultLimits): Query {
  const after = g.descendants(from)
  const before = g.ancestors(to)
  const directed = find(g, 'directed', from, to, limits)
  directed.count = countDirected(g, from, to)
  directed.atLeast = directed.count > Number.MAX_SAFE_INTEGER
  const open = find(g, 'open', from, to, limits)
  const blocked = find(g, 'blocked', from, to, limits)
  const adjust = backDoorSet(g, from, to)
  return {
    from,
    to,
    relation: after[to] ? 'ancestor' : g.descendants(to)[from] ? 'descendant' : 'unrelated',
    total: effect(g, from, to, () => false),
    direct: g.edge(from, to)?.weight ?? 0,
    directed,
    open,
    blocked,
    mediators: g.order.filter((v) => v !== from && v !== to && after[v] && before[v]).sort((a, b) => a - b),
    confounders: confounders(g, from, to),
    colliders: [...new Set(blocked.listed.flatMap((p) => p.colliders))],
    ...(adjust && { adjust }),
  }
}

// effect is the sum over directed paths of the products of their weights, without paths that have an inner node to skip.
export function effect(g: Graph, from: number, to: number, skip: (v: number) => boolean): number {
  const total = new Float64Array(g.names.length)
  total[from] = 1
  for (const v of g.order) {
    if (v === from || (v !== to && skip(v))) continue
    for (const p of g.parents[v]!) total[v]! += total[p]! * g.edge(p, v)!.weight
  }
  return total[to]!
}

function countDirected(g: Graph, from: number, to: number): number {
  const ways = new Float64Array(g.names.length)
  ways[from] = 1
  for (const v of g.order) {
    if (v !== from) for (const p of g.parents[v]!) ways[v]! += ways[p]!
  }
  return ways[to]!
}

// find deepens: for every length it walks the prefixes that can still end in time by a lower bound on the way left. The
// number of paths can grow exponentially, hence the limit on steps.
export function find(g: Graph, kind: Kind, from: number, to: number, limits: Limits): Paths {
  const { down, up } = bounds(g, kind, from, to)
  const path = [from]
  const forward: boolean[] = []
  const on = g.names.map(() => false)
  on[from] = true
  let steps = limits.steps
  let length = 1
  let pruned = false
  let count = 0
  const listed: Path[] = []

  const step = (v: number, ahead: boolean, left: number, colliders: number) => {
    if (on[v] || left === Infinity || steps < 0) return
    if (path.length + left > length) {
      pruned = true
      return
    }
    steps--
    path.push(v)
    forward.push(ahead)
    if (v !== to) {
      on[v] = true
      extend(colliders)
      on[v] = false
    } else if (forward.length === length && (kind !== 'blocked' || colliders > 0)) {
      count++
      if (listed.length < limits.list) listed.push(describe(g, kind, path, forward))
    }
    path.pop()
    forward.pop()
  }
  const extend = (colliders: number) => {
    const at = path[path.length - 1]!
    const first = path.length === 1
    const fell = !first && forward[forward.length - 1]!
    if (kind !== 'directed' && !(fell && kind === 'open')) {
      for (const p of g.parents[at]!) step(p, false, up[p]!, colliders + (fell ? 1 : 0))
    }
    if (kind === 'directed' || !first) {
      for (const c of g.children[at]!) step(c, true, down[c]!, colliders)
    }
  }
  for (; length < g.names.length; length++) {
    pruned = false
    extend(0)
    if (steps < 0) return { count, atLeast: true, listed }
    if (!pruned) break
  }
  return { count, atLeast: false, listed }
}

// bounds gives the least number of edges to the end after a step along an arrow (down) and against one (up), not through from.
function bounds(g: Graph, kind: Kind, from: number, to: number): { down: number[]; up: number[] } {
  const down = g.names.map(() => Infinity)
  if (kind === 'blocked') {
    down[to] = 0
    const queue = [to]
    for (let k = 0; k < queue.length; k++) {
      const v = queue[k]!
      for (const u of [...g.parents[v]!, ...g.children[v]!]) {
        if (u !== from && down[u] === Infinity) {
          down[u] = down[v]! + 1
          queue.push(u)
        }
      }
    }
    return { down, up: down }
  }
  for (const v of g.order.toReversed()) {
    if (v === to) down[v] = 0
    for (const c of g.children[v]!) if (c !== from) down[v] = Math.min(down[v]!, down[c]! + 1)
  }
  const up = down.slice()
  for (const v of g.order) {
    for (const p of g.parents[v]!) if (p !== from) up[v] = Math.min(up[v]!, up[p]! + 1)
  }
  return { down, up }
}

function describe(g: Graph, kind: Kind, path: number[], forward: boolean[]): Path {
  const p: Path = { nodes: path.slice(), forward: forward.slice(), colliders: [] }
  for (let i = 1; i < path.length - 1; i++) {
    if (forward[i - 1] && !forward[i]) p.colliders.push(path[i]!)
  }
  if (kind === 'directed') {
    p.effect = 1
    for (let i = 1; i < path.length; i++) p.effect *= g.edge(path[i - 1]!, path[i]!)!.weight
  }
  return p
}

// confounders are the nodes at which an open back-door path turns: those with a directed path to each end that share no other
// node. Two walkers find out; always the one that is earlier in topological order moves, so neither can step where the
// other has been.
export function confounders(g: Graph, a: number, b: number): number[] {
  const n = g.names.length
  const place = new Int32Array(n)
  g.order.forEach((v, k) => (place[v] = k))
  const toA = g.ancestors(a)
  const toB = g.ancestors(b)
  const memo = new Map<number, boolean>()
  const apart = (u: number, v: number): boolean => {
    if (u === v || !toA[u] || !toB[v]) return false
    if (u === a && v === b) return true
    const key = u * n + v
    const known = memo.get(key)
    if (known !== undefined) return known
    const yes =
      v === b || (u !== a && place[u]! < place[v]!)
        ? g.children[u]!.some((c) => apart(c, v))
        : g.children[v]!.some((c) => apart(u, c))
    memo.set(key, yes)
    return yes
  }
  const out: number[] = []
  for (let v = 0; v < n; v++) {
    if (v === a || v === b || !toA[v] || !toB[v]) continue
    if (g.children[v]!.some((u) => g.children[v]!.some((w) => apart(u, w)))) out.push(v)
  }
  return out
}

// backDoorSet drops parents of a one by one, the last column first, as long as the rest still blocks every back-door path.
export function backDoorSet(g: Graph, a: number, b: number): number[] | undefined {
  let z = g.parents[a]!.slice()
  if (z.includes(b)) return undefined
  for (let k = z.length - 1; k >= 0; k--) {
    const less = z.toSpliced(k, 1)
    if (blocksBackDoor(g, a, b, less)) z = less
  }
  return z
}

// blocksBackDoor walks the ball game of d-separation (Shachter 1998) from a to b given z, on the graph without the edges out of a.
function blocksBackDoor(g: Graph, a: number, b: number, z: number[]): boolean {
  const given = g.names.map(() => false)
  const opened = g.names.map(() => false) // has a descendant in z, or is in z
  for (const v of z) given[v] = true
  const stack = z.slice()
  while (stack.length > 0) {
    const v = stack.pop()!
    if (opened[v]) continue
    opened[v] = true
    for (const p of g.parents[v]!) if (p !== a) stack.push(p)
  }
  const seen = new Set<number>()
  const balls: [v: number, fromChild: boolean][] = [[a, true]]
  while (balls.length > 0) {
    const [v, fromChild] = balls.pop()!
    const key = v * 2 + (fromChild ? 1 : 0)
    if (seen.has(key)) continue
    seen.add(key)
    if (v === b) return false
    const children = v === a ? [] : g.children[v]!
    if (fromChild && !given[v]) {
      for (const p of g.parents[v]!) if (p !== a) balls.push([p, true])
      for (const c of children) balls.push([c, false])
    }
    if (!fromChild) {
      if (!given[v]) for (const c of children) balls.push([c, false])
      if (opened[v]) for (const p of g.parents[v]!) if (p !== a) balls.push([p, true])
    }
  }
  return true
}
