// Elements are built here and nowhere else. Text goes in as text nodes, never as markup: names of columns come from files
// that anyone may have written.

type Child = Node | string | number | null | undefined | false | Child[]
type Props = Record<string, string | number | boolean | undefined | ((e: never) => void)>

function fill(el: Element, props: Props, children: Child[]): void {
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === false) continue
    if (typeof value === 'function') el.addEventListener(key, value as unknown as EventListener)
    else el.setAttribute(key, value === true ? '' : String(value))
  }
  append(el, children)
}

function append(el: Element, children: Child[]): void {
  for (const c of children) {
    if (Array.isArray(c)) append(el, c)
    else if (c !== null && c !== undefined && c !== false) el.append(c instanceof Node ? c : String(c))
  }
}

export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const el = document.createElement(tag)
  fill(el, props, children)
  return el
}

export function svg(tag: string, props: Props = {}, ...children: Child[]): SVGElement {
  const el = document.createElementNS('http://www.w3.org/2000/svg', tag)
  fill(el, props, children)
  return el
}

// replace puts children in the place of those before.
export function replace(el: Element, ...children: Child[]): void {
  el.replaceChildren()
  append(el, children)
}

// visible shows what would otherwise act unseen: controls, line separators, and marks that turn the direction of text.
export function visible(name: string): string {
  return name.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '\ufffd') || '(no name)'
}

// short keeps the first characters of a name, whole ones as a reader counts them.
export function short(name: string, most = 40): string {
  name = visible(name)
  const parts = [...new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(name)]
  if (parts.length <= most) return name
  return parts
    .slice(0, most - 1)
    .map((p) => p.segment)
    .join('') + '…'
}

// bdi shows a name isolated from the direction of the text around it. The whole name is its title where it was cut.
export function bdi(name: string, most = 40): HTMLElement {
  const cut = short(name, most)
  const parts = cut.split(/(?<=[_.\/])/).flatMap((part, i) => (i === 0 ? [part] : [h('wbr'), part])) // long names break at their marks
  return h('bdi', { title: cut === visible(name) ? undefined : visible(name) }, ...parts)
}

// rounding is the size below which a number is 0 but for rounding errors.
const rounding = 1e-13

// num prints four significant digits with a true minus sign. What is 0 but for rounding is 0.
export function num(v: number | undefined, digits = 4): string {
  if (v === undefined) return '–'
  if (Math.abs(v) < rounding) return '0'
  const a = Math.abs(v)
  const s = a >= 1e6 || a < 1e-4 ? v.toExponential(Math.max(digits - 2, 1)) : String(Number(v.toPrecision(digits)))
  return s.replaceAll('-', '−')
}

// day is a time in seconds since 1970 as a date, with the hour if the whole span is a few days.
export function day(v: number, span: number): string {
  const text = new Date(1000 * v).toISOString()
  return span > 3 * 86400 ? text.slice(0, 10) : text.slice(0, 16).replace('T', ' ')
}

// signed is num with a plus where it applies, so that the sign is never told by colour alone.
export function signed(v: number | undefined, digits = 3): string {
  if (v === undefined) return '–'
  return v >= rounding ? '+' + num(v, digits) : num(v, digits)
}

export const capital = (t: string): string => t.slice(0, 1).toUpperCase() + t.slice(1)

export function seconds(v: number): string {
  return v >= 100 ? `${v.toFixed(0)} s` : v >= 1 ? `${v.toFixed(1)} s` : `${(1000 * v).toFixed(v < 0.01 ? 1 : 0)} ms`
}

export function plural(n: number, one: string, many = one + 's'): string {
  return `${n} ${n === 1 ? one : many}`
}

// fact is a term and its value in a list of facts. The definition of the term is its tooltip.
export function fact(term: string, value: string | Node, title?: string): Node[] {
  return [h('dt', { title }, term), h('dd', {}, value)]
}
