import { directed } from './certainty'
import type { Edge } from './data'

// A Graph is one result's graph by index. Parents, children and paths are of its directed edges; others has the rest.
export class Graph {
  readonly others: { v: number; edge: Edge; from: number; to: number }[][]
  readonly acyclic: boolean // an average of graphs need not be; then there is no saying what a path does
  readonly parents: number[][]
  readonly children: number[][]
  readonly order: number[] // topological
  readonly lines: { from: number; to: number; edges: Edge[] }[] = [] // edges with a lag by pair, in the order of their lags
  private readonly byPair = new Map<number, Edge>()

  constructor(
    readonly names: string[],
    edges: Edge[],
    lagged: Edge[] = [],
  ) {
    const index = new Map(names.map((name, i) => [name, i]))
    this.parents = names.map(() => [])
    this.children = names.map(() => [])
    this.others = names.map(() => [])
    for (const e of edges) {
      const i = index.get(e.from)!
      const j = index.get(e.to)!
      if (directed(e)) {
        this.children[i]!.push(j)
        this.parents[j]!.push(i)
      } else {
        this.others[i]!.push({ v: j, edge: e, from: i, to: j })
        this.others[j]!.push({ v: i, edge: e, from: i, to: j })
      }
      this.byPair.set(i * names.length + j, e)
    }
    const lines = new Map<string, Edge[]>()
    for (const e of lagged) {
      const key = `${index.get(e.from)} ${index.get(e.to)}`
      if (!lines.has(key)) {
        lines.set(key, [])
        this.lines.push({ from: index.get(e.from)!, to: index.get(e.to)!, edges: lines.get(key)! })
      }
      lines.get(key)!.push(e)
    }
    for (const { edges: list } of this.lines) list.sort((a, b) => a.lag! - b.lag!)
    // Paths are listed in the order of the columns, as polydag explain does.
    for (const list of [...this.parents, ...this.children]) list.sort((a, b) => a - b)
    this.order = this.sort()
    this.acyclic = this.order.length === names.length
  }

  edge(i: number, j: number): Edge | undefined {
    return this.byPair.get(i * this.names.length + j)
  }

  // Kahn's algorithm. Nodes of a cycle are left out.
  private sort(): number[] {
    const left = this.parents.map((p) => p.length)
    const order = left.flatMap((n, v) => (n === 0 ? [v] : []))
    for (let k = 0; k < order.length; k++) {
      for (const c of this.children[order[k]!]!) if (--left[c]! === 0) order.push(c)
    }
    return order
  }

  // reach marks the node itself and everything that next leads to.
  private reach(from: number, next: number[][]): boolean[] {
    const seen = this.names.map(() => false)
    const stack = [from]
    seen[from] = true
    while (stack.length > 0) {
      for (const v of next[stack.pop()!]!) {
        if (!seen[v]) {
          seen[v] = true
          stack.push(v)
        }
      }
    }
    return seen
  }

  descendants(v: number): boolean[] {
    return this.reach(v, this.children)
  }

  ancestors(v: number): boolean[] {
    return this.reach(v, this.parents)
  }
}
