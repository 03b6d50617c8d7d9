import { graphOf, resultOf, type App } from '../app'
import { plane } from '../chart'
import type { Finding } from '../data'
import { capital, h, num, plural, short, svg } from '../dom'

// Plots of what a failed check found, from a sample of the rows: residuals, their order in the file, a curve, or a pair of categories.

export interface Doubt {
  text: string
  finding: Finding
}

// doubts are the checks that failed at a column.
export function doubts(app: App, name: string): Doubt[] {
  const r = resultOf(app)
  const found = [...(r.assumptions ?? []).flatMap((a) => a.evidence ?? []), ...(r.data_checks ?? [])].filter((f) => f.severity !== 'note' && f.columns?.includes(name))
  const seen = new Set<string>()
  return found.flatMap((finding) => {
    const text = `${capital(finding.sentence)}${/[.!?]$/.test(finding.sentence) ? '' : '.'}`
    return seen.has(text) ? [] : (seen.add(text), [{ text, finding }])
  })
}

// doubt is a failed check at a column with its plot.
export function doubt(app: App, name: string, { text, finding }: Doubt): HTMLElement {
  const drawn = plot(app, name, finding)
  return h('div', { class: 'doubt' }, h('div', { class: 'caveat' }, text), drawn)
}

function plot(app: App, name: string, f: Finding): HTMLElement | null {
  const rows = app.session?.check?.preview?.sample
  if (!rows || rows.length < 20) return null
  const other = f.columns?.length === 2 ? f.columns.find((c) => c !== name) : undefined
  if (f.code === 'curvature' && other !== undefined) return f.columns![0] === name ? scatter(app, name, other) : scatter(app, other, name)
  if (['alike_neighbours', 'time_order', 'repeated_rows'].includes(f.code)) return inOrder(app, name)
  if (other !== undefined && !numeric(app, name) && !numeric(app, other)) return pairs(app, name, other)
  if (['heavy_tails', 'skewed'].includes(f.code) && numeric(app, name)) return spread(app, name)
  return null
}

const numeric = (app: App, name: string) => {
  const n = resultOf(app).nodes.find((x) => x.name === name)
  return n !== undefined && n.kind !== 'categorical' && !n.nominal
}

// words are the cells of a column in the sample.
function words(app: App, name: string): string[] {
  const { sample, columns } = app.session!.check!.preview!
  const j = columns.findIndex((c) => c.name === name)
  return j < 0 ? [] : sample!.map((row) => row[j] ?? '')
}

// values are numbers, and codes of categories; a missing value is NaN.
function values(app: App, name: string): number[] {
  const cells = words(app, name)
  const list = cells.map((c) => (c.trim() === '' ? NaN : Number(c)))
  if (list.some((v, i) => !Number.isNaN(v) || cells[i] === '') && list.filter(Number.isNaN).length <= cells.filter((c) => c.trim() === '').length) return list
  const levels = [...new Set(cells)].sort()
  return cells.map((c) => (c === '' ? NaN : levels.indexOf(c)))
}

// residuals are what least squares on the parents of a column leave, with an indicator for each category. Rows with missing values are NaN.
export function residuals(y: number[], causes: number[][]): number[] {
  const x = [y.map(() => 1), ...causes]
  const rows = y.flatMap((v, i) => (Number.isFinite(v) && causes.every((c) => Number.isFinite(c[i]!)) ? [i] : []))
  const a = x.map((p, s) => [...x.map((q, t) => rows.reduce((sum, i) => sum + p[i]! * q[i]!, 0) + (s === t && s > 0 ? 1e-9 : 0)), rows.reduce((sum, i) => sum + p[i]! * y[i]!, 0)])
  for (let k = 0; k < a.length; k++) { // Gauss and Jordan; a column without a pivot gets no weight
    const pivot = a.slice(k).reduce((best, row, i) => (Math.abs(row[k]!) > Math.abs(a[best]![k]!) ? i + k : best), k)
    ;[a[k], a[pivot]] = [a[pivot]!, a[k]!]
    if (Math.abs(a[k]![k]!) < 1e-12) continue
    for (let i = 0; i < a.length; i++) {
      if (i === k) continue
      const by = a[i]![k]! / a[k]![k]!
      for (let j = k; j <= a.length; j++) a[i]![j]! -= by * a[k]![j]!
    }
  }
  const weight = a.map((row, k) => (Math.abs(row[k]!) < 1e-12 ? 0 : row[a.length]! / row[k]!))
  const used = new Set(rows)
  return y.map((v, i) => (used.has(i) ? v - x.reduce((sum, p, k) => sum + weight[k]! * p[i]!, 0) : NaN))
}

function left(app: App, name: string): { list: number[]; what: string } {
  const g = graphOf(app)
  const v = app.model.index.get(name)!
  const parents = g.parents[v]!.map((u) => app.model.page.names[u]!)
  const causes = parents.flatMap((p) => {
    const x = values(app, p)
    const levels = numeric(app, p) ? [] : [...new Set(x.filter(Number.isFinite))].slice(1, 12)
    return levels.length > 0 ? levels.map((l) => x.map((t) => (Number.isNaN(t) ? NaN : Number(t === l)))) : [x]
  })
  return { list: residuals(values(app, name), causes), what: parents.length > 0 ? `What ${plural(parents.length, 'cause')} ${parents.length === 1 ? 'leaves' : 'leave'} of ${short(name, 20)}` : `Values of ${short(name, 26)}` }
}

const figure = (chart: SVGElement, caption: string) => h('figure', { class: 'chart' }, chart, h('figcaption', {}, caption))

// spread is a histogram of the residuals with the normal curve of the same mean and standard deviation.
function spread(app: App, name: string): HTMLElement {
  const { list, what } = left(app, name)
  const kept = list.filter(Number.isFinite)
  const mean = kept.reduce((s, v) => s + v, 0) / kept.length
  const sd = Math.sqrt(kept.reduce((s, v) => s + (v - mean) ** 2, 0) / kept.length) || 1
  const [low, high] = [Math.min(...kept), Math.max(...kept)]
  const n = 24
  const wide = (high - low) / n || 1
  const counts = Array.from({ length: n }, () => 0)
  for (const v of kept) counts[Math.min(n - 1, Math.floor((v - low) / wide))]! += 1
  const bell = (v: number) => (kept.length * wide * Math.exp(-(((v - mean) / sd) ** 2) / 2)) / (sd * Math.sqrt(2 * Math.PI))
  const p = plane(low, low + n * wide, 0, Math.max(...counts, bell(mean)), '', 150, { left: 12, values: false })
  const points = Array.from({ length: 81 }, (_, k) => low + (k * n * wide) / 80)
  return figure(svg('svg', { viewBox: `0 0 ${p.W} ${p.H}`, role: 'img', 'aria-label': `${what}: histogram from ${num(low, 3)} to ${num(high, 3)}, with a normal curve` },
    counts.map((c, k) => svg('rect', { class: 'bar', x: p.x(low + k * wide) + 0.5, y: p.y(c), width: Math.max(p.x(low + wide) - p.x(low) - 1, 1), height: p.y(0) - p.y(c) })),
    svg('path', { class: 'curve', d: `M${points.map((v) => `${p.x(v).toFixed(1)} ${p.y(bell(v)).toFixed(1)}`).join('L')}` }), ...p.axes),
  `${what}: ${plural(kept.length, 'row')}. Line: a normal distribution with the same spread.`)
}

// inOrder has the residuals in the order of the rows, with the mean of their neighbours.
function inOrder(app: App, name: string): HTMLElement {
  const { list, what } = left(app, name)
  return dots(list.map((_, i) => i), list, `${what}, in the order of the rows. Line: mean of neighbouring rows; if it wanders, neighbours are alike.`, 'row')
}

function scatter(app: App, a: string, b: string): HTMLElement {
  return dots(values(app, a), values(app, b), `Up: ${short(b, 20)}. Right: ${short(a, 20)}. Line: mean of the nearest rows.`, short(a, 26))
}

// dots draws points and the running mean of a tenth of them.
function dots(x: number[], y: number[], caption: string, name: string): HTMLElement {
  const rows = x.flatMap((v, i): [number, number][] => (Number.isFinite(v) && Number.isFinite(y[i]!) ? [[v, y[i]!]] : [])).sort((p, q) => p[0] - q[0])
  const p = plane(rows[0]![0], rows.at(-1)![0], Math.min(...rows.map((r) => r[1])), Math.max(...rows.map((r) => r[1])), name, 170)
  const half = Math.max(3, Math.round(rows.length / 20))
  const line = rows.map((_, i) => {
    const near = rows.slice(Math.max(0, i - half), i + half + 1)
    return near.reduce<[number, number]>((s, r) => [s[0] + r[0] / near.length, s[1] + r[1] / near.length], [0, 0])
  })
  return figure(svg('svg', { viewBox: `0 0 ${p.W} ${p.H}`, role: 'img', 'aria-label': caption }, ...p.axes,
    rows.map(([u, v]) => svg('circle', { class: 'point', cx: p.x(u).toFixed(1), cy: p.y(v).toFixed(1), r: 1.8 })),
    svg('path', { class: 'curve', d: `M${line.map(([u, v]) => `${p.x(u).toFixed(1)} ${p.y(v).toFixed(1)}`).join('L')}` })), caption)
}

// pairs has the share of each category of one column within each of the other, darker where it is larger.
function pairs(app: App, a: string, b: string): HTMLElement {
  const [x, y] = [words(app, a), words(app, b)]
  const most = (list: string[]) => [...new Set(list)].filter((t) => t !== '').map((t) => ({ t, n: list.filter((s) => s === t).length })).sort((p, q) => q.n - p.n).slice(0, 6).map((p) => p.t).sort()
  const [rows, columns] = [most(x), most(y)]
  const count = (r: string, c?: string) => x.filter((t, i) => t === r && (c === undefined || y[i] === c)).length
  return h('table', { class: 'cells' }, h('caption', {}, `Share of ${short(b, 20)} within each ${short(a, 20)}`), h('thead', {}, h('tr', {}, h('td', {}), columns.map((c) => h('th', { scope: 'col' }, short(c, 10))))),
    h('tbody', {}, rows.map((r) => h('tr', {}, h('th', { scope: 'row' }, short(r, 14)), columns.map((c) => {
      const share = count(r, c) / Math.max(1, count(r))
      const cell = h('td', { class: 'n' }, `${Math.round(100 * share)} %`)
      cell.style.setProperty('--share', `${Math.round(60 * share)}%`)
      return cell
    })))))
}
