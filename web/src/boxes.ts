// Places of boxes in rows, for the overview of groups.

export interface Link {
  a: number
  b: number
  n: number
}

export const gapX = 56
export const gapY = 60

// inRows distributes boxes over rows, those of a low rank on top, and orders each row by the boxes that its own are connected with.
export function inRows(rank: number[], links: Link[], columns: number): number[][] {
  const sorted = rank.map((_, k) => k).sort((a, b) => rank[a]! - rank[b]! || a - b)
  const count = Math.ceil(sorted.length / columns)
  const rows: number[][] = []
  // Rows are about equally long, so that the last one is not a single box.
  for (let r = 0; r < count; r++) rows.push(sorted.slice(Math.round((r * sorted.length) / count), Math.round(((r + 1) * sorted.length) / count)))
  const x = new Map<number, number>()
  const set = (row: number[]) => row.forEach((k, i) => x.set(k, i - (row.length - 1) / 2))
  rows.forEach(set)
  const near = rank.map((): [number, number][] => [])
  for (const { a, b, n } of links) {
    near[a]!.push([b, n])
    near[b]!.push([a, n])
  }
  for (let sweep = 0; sweep < 6; sweep++) {
    for (const row of sweep % 2 === 0 ? rows : rows.toReversed()) {
      const inside = new Set(row)
      const wish = new Map(row.map((k) => {
        const others = near[k]!.filter(([u]) => !inside.has(u))
        const total = others.reduce((s, [, n]) => s + n, 0)
        return [k, total === 0 ? x.get(k)! : others.reduce((s, [u, n]) => s + n * x.get(u)!, 0) / total]
      }))
      row.sort((a, b) => wish.get(a)! - wish.get(b)! || a - b)
      set(row)
    }
  }
  return rows
}

// place returns the middle of each box: rows below each other, each around x = 0, as high as its highest box.
export function place(rows: number[][], size: (k: number) => [w: number, h: number]): Map<number, [x: number, y: number]> {
  const out = new Map<number, [number, number]>()
  let top = 0
  for (const row of rows) {
    const high = Math.max(...row.map((k) => size(k)[1]))
    let left = -row.reduce((sum, k) => sum + size(k)[0] + gapX, -gapX) / 2
    for (const k of row) {
      const [w] = size(k)
      out.set(k, [left + w / 2, top + high / 2])
      left += w + gapX
    }
    top += high + gapY
  }
  return out
}

// columnsFor is the number of columns at which boxes of one size are largest in a window.
export function columnsFor(count: number, [w, h]: [number, number], [W, H]: [number, number]): number {
  let [best, most] = [1, 0]
  for (let c = 1; c <= count; c++) {
    const zoom = Math.min(W / (c * (w + gapX) - gapX), H / (Math.ceil(count / c) * (h + gapY) - gapY))
    if (zoom > most) [best, most] = [c, zoom]
  }
  return best
}
