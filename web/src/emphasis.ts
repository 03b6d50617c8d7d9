import { edgeID, type Emphasis } from './canvas'
import type { Graph } from './graph'
import type { Path, Query } from './paths'
import type { State } from './state'

// emphasis decides what stands out: a chosen path; else the paths between two variables; else a variable and its neighbours; else
// everything, with the directed paths through sensitive variables lit.
export function emphasis(g: Graph, s: State, answer: Query | undefined): Emphasis {
  const em: Emphasis = { lit: new Set(), picked: s.picked, sensitive: s.sensitive }
  if (s.picked.length === 2 && answer) {
    const all = [...answer.directed.listed, ...answer.open.listed, ...answer.blocked.listed]
    const shown = s.path ? [s.path] : all
    em.nodes = new Set(s.picked)
    em.edges = new Set()
    for (const p of shown) {
      p.nodes.forEach((v) => em.nodes!.add(v))
      edgesOf(p).forEach((id) => em.edges!.add(id))
    }
    for (const { from, to } of g.lines) if (from !== to && s.picked.includes(from) && s.picked.includes(to)) em.edges.add(edgeID(from, to, true))
    for (const p of all.filter((p) => through(p, s.sensitive))) {
      if (!s.path || s.path.nodes === p.nodes) edgesOf(p).forEach((id) => em.lit.add(id))
    }
    return em
  }
  if (s.picked.length === 1) {
    const v = s.picked[0]!
    const others = g.others[v]!
    em.nodes = new Set([v, ...g.parents[v]!, ...g.children[v]!, ...others.map((o) => o.v)])
    em.edges = new Set([...g.parents[v]!.map((p) => edgeID(p, v)), ...g.children[v]!.map((c) => edgeID(v, c)), ...others.map((o) => edgeID(o.from, o.to))])
  }
  if (s.picked.length === 1) {
    for (const { from, to } of g.lines) {
      if (from !== s.picked[0] && to !== s.picked[0]) continue
      em.nodes!.add(from).add(to)
      em.edges!.add(edgeID(from, to, true))
    }
  }
  for (const v of s.sensitive) {
    const before = g.ancestors(v)
    const after = g.descendants(v)
    g.children.forEach((list, i) => {
      for (const j of list) if (before[j] || after[i]) em.lit.add(edgeID(i, j))
    })
  }
  return em
}

// through says whether a sensitive variable is an inner node of the path.
export function through(p: Pick<Path, 'nodes'>, sensitive: Set<number>): boolean {
  return p.nodes.slice(1, -1).some((v) => sensitive.has(v))
}

export function edgesOf(p: Pick<Path, 'nodes' | 'forward'>): string[] {
  return p.forward.map((ahead, k) => (ahead ? edgeID(p.nodes[k]!, p.nodes[k + 1]!) : edgeID(p.nodes[k + 1]!, p.nodes[k]!)))
}
