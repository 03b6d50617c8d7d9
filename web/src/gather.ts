import type { Graph } from './graph'

// arrange places a few variables by themselves: layers by the longest way down, so that every directed edge between them points down,
// and rows of at most `wide` within a layer. It returns places of the middles around (0, 0), and the layer of each.
export function arrange(g: Graph, vs: number[], width: (v: number) => number, wide = 900): Map<number, { x: number; y: number; layer: number }> {
  const inside = new Set(vs)
  const parents = new Map(vs.map((v) => [v, g.parents[v]!.filter((p) => inside.has(p))]))
  const layer = new Map<number, number>()
  for (const v of g.order) if (inside.has(v)) layer.set(v, Math.max(-1, ...parents.get(v)!.map((p) => layer.get(p)!)) + 1)
  for (const v of vs) if (!layer.has(v)) layer.set(v, 0) // on a cycle, which an average of graphs may have
  // A variable without parents here stands right above its first child instead of on top of all.
  for (const v of vs) {
    const below = g.children[v]!.filter((c) => inside.has(c)).map((c) => layer.get(c)!)
    if (parents.get(v)!.length === 0 && below.length > 0) layer.set(v, Math.max(0, Math.min(...below) - 1))
  }
  const layers: number[][] = []
  for (const v of vs) (layers[layer.get(v)!] ??= []).push(v)

  const out = new Map<number, { x: number; y: number; layer: number }>()
  const gap = 40
  const long = layers.length > 8 // and so nearly every layer has one variable
  let y = 0
  layers.forEach((list, k) => {
    const wish = (v: number) => {
      const above = parents.get(v)!.flatMap((p) => out.get(p)?.x ?? [])
      return above.length === 0 ? 0 : above.reduce((a, b) => a + b, 0) / above.length
    }
    list.sort((a, b) => wish(a) - wish(b) || a - b)
    let row: number[] = []
    const flush = () => {
      // Single variables under each other step aside, so that lines past them stay visible.
      const aside = list.length > 1 ? 0 : long ? 420 * Math.sin(2.4 * k) : k % 2 === 0 ? -50 : 50
      let x = -row.reduce((sum, v) => sum + width(v) + gap, -gap) / 2 + aside
      for (const v of row) {
        out.set(v, { x: x + width(v) / 2, y, layer: k })
        x += width(v) + gap
      }
      row = []
    }
    for (const v of list) {
      if (row.length > 0 && [...row, v].reduce((sum, u) => sum + width(u) + gap, 0) > wide) {
        flush()
        y += 48
      }
      row.push(v)
    }
    flush()
    y += long ? 46 : 90
  })
  return out
}
