// groups finds parts of a weighted graph that are joined more among themselves than with others: each node moves to the group
// that raises the modularity most, until none does, then groups become nodes and it begins again (Blondel, Guillaume, Lambiotte and
// Lefebvre, "Fast unfolding of communities in large networks", 2008). Nodes are taken in order, so that the answer is always the
// same. It returns the group of each node, numbered by their first nodes; a node without edges is a group of its own.
export function groups(n: number, edges: { from: number; to: number; weight: number }[]): number[] {
  let group = Array.from({ length: n }, (_, v) => v)
  let size = n
  let links = edges.filter((e) => e.from !== e.to && e.weight > 0)
  const total = links.reduce((sum, e) => sum + e.weight, 0)
  if (total === 0) return group
  let within = new Array<number>(n).fill(0) // weight inside a node that was a group
  for (;;) {
    const near: Map<number, number>[] = Array.from({ length: size }, () => new Map())
    const degree = within.map((w) => 2 * w)
    for (const { from, to, weight } of links) {
      near[from]!.set(to, (near[from]!.get(to) ?? 0) + weight)
      near[to]!.set(from, (near[to]!.get(from) ?? 0) + weight)
      degree[from]! += weight
      degree[to]! += weight
    }
    const of = Array.from({ length: size }, (_, v) => v)
    const sum = [...degree]
    let moved = false
    for (let again = true; again; ) {
      again = false
      for (let v = 0; v < size; v++) {
        const to = new Map<number, number>()
        for (const [u, w] of near[v]!) to.set(of[u]!, (to.get(of[u]!) ?? 0) + w)
        const own = of[v]!
        sum[own]! -= degree[v]!
        const gain = (c: number) => (to.get(c) ?? 0) - (sum[c]! * degree[v]!) / (2 * total)
        let best = own
        for (const c of to.keys()) if (gain(c) > gain(best) + 1e-12) best = c
        sum[best]! += degree[v]!
        if (best !== own) {
          of[v] = best
          again = moved = true
        }
      }
    }
    const number = new Map<number, number>()
    for (const c of of) if (!number.has(c)) number.set(c, number.size)
    group = group.map((v) => number.get(of[v]!)!)
    if (!moved) return group
    const inside = new Array<number>(number.size).fill(0)
    within.forEach((w, v) => (inside[number.get(of[v]!)!]! += w))
    links = links.flatMap((e) => {
      const [from, to] = [number.get(of[e.from]!)!, number.get(of[e.to]!)!]
      if (from !== to) return [{ from, to, weight: e.weight }]
      inside[from]! += e.weight
      return []
    })
    ;[within, size] = [inside, number.size]
  }
}
