import './pictures.css'
import type { App } from '../app'
import { bdi, h, num, plural, short, visible } from '../dom'

// Pictures that show a variable, an edge or an effect, chosen by package pictures. They are part of the page or, where it says so, files
// beside it.

export interface Pictures {
  size: number // pixels of the longer side of a thumbnail
  linked: boolean
  blurred: boolean
  pictures: { name?: string; source: string }[] // source: a JPEG image in base64, or a relative URL of a linked one
  variables: { name: string; groups: Cell[] }[]
  edges: Grid[]
  matches: Match[]
  omitted?: number // effects without a match
  budget: number // bytes that the sources may have
  bytes: number
  every: number // the shares count every so many rows
  missing: number
  refused: number
  full: boolean
}

interface Cell {
  label?: string
  share: number
  expected?: number // share under independence
  pictures: number[] // the most typical first
}

interface Grid {
  from: string
  to: string
  rows: string[] // values of from
  columns: string[] // values of to
  cells: Cell[][]
}

// A Match has pairs of pictures that differ in a cause and agree on the adjustment set of its effects.
export interface Match {
  result: number
  cause: string
  set: string[]
  outcomes: string[]
  pairs: { pictures: [number, number]; differ?: string[]; values: [string[], string[]] }[] // values of the cause, the set and the outcomes
  near?: string[] // columns of the set whose numbers agree within a limit
  unread?: string[] // columns of the set that the table does not have
  rows: number
  compared: number
}

const few = 4 // pictures of a cell that are shown at first
export const fewPairs = 3 // pairs that are shown at first

const percent = (x: number) => `${(100 * x).toFixed(x < 0.0995 ? 1 : 0)} %`

// variablePictures shows examples for each value of a variable.
export function variablePictures(app: App, v: number): Node[] {
  const p = app.model.page.pictures
  const name = app.model.page.names[v]!
  const groups = p?.variables.find((x) => x.name === name)?.groups
  if (!p || !groups) return []
  const box = gallery(p)
  const rows = groups.map((cell) =>
    h('tr', {}, h('th', { scope: 'row' }, bdi(cell.label!, 24), h('small', {}, `${percent(cell.share)} of rows`)),
      h('td', {}, box.strip(cell, [[name, cell.label!]]))))
  return box.section(`Pictures of ${short(name, 30)}`, typical, h('table', { class: 'pictures' }, h('tbody', {}, rows)))
}

// edgePictures shows examples for each combination of the values of two variables that an edge joins.
export function edgePictures(app: App, a: number, b: number): Node[] {
  const p = app.model.page.pictures
  const [from, to] = [app.model.page.names[a]!, app.model.page.names[b]!]
  const grid = p?.edges.find((e) => (e.from === from && e.to === to) || (e.from === to && e.to === from))
  if (!p || !grid) return []
  const box = gallery(p)
  const cell = (c: Cell, k: number, l: number) => {
    const rarer = c.share > 0 && c.share < (c.expected ?? 0) - 1e-9
    return h('td', { class: rarer ? 'rarer' : '' },
      `${percent(c.share)} of rows`, h('small', {}, `expected: ${percent(c.expected ?? 0)}`),
      rarer && h('small', { class: 'contradicts' }, 'contradicts edge'),
      box.strip(c, [[grid.from, grid.rows[k]!], [grid.to, grid.columns[l]!]]))
  }
  const table = h('table', { class: 'pictures grid' },
    h('thead', {},
      h('tr', {}, h('td', {}), h('th', { scope: 'colgroup', colspan: grid.columns.length }, bdi(grid.to, 26))),
      h('tr', {}, h('th', { scope: 'col' }, bdi(grid.from, 14)), grid.columns.map((c) => h('th', { scope: 'col' }, bdi(c, 20))))),
    h('tbody', {}, grid.rows.map((r, k) => h('tr', {}, h('th', { scope: 'row' }, bdi(r, 16)), grid.cells[k]!.map((c, l) => cell(c, k, l))))))
  return box.section('Pictures of this edge', typical, table,
    h('p', {}, h('small', {}, 'Share of the rows in each cell, and the share expected if the two variables were independent. Cells with fewer rows than expected contradict the edge.')))
}

// gallery makes the strips of one selection. All of them enlarge a picture in the same place.
export function gallery(p: Pictures) {
  const large = h('figure', { class: 'enlarged', hidden: true, 'aria-live': 'polite' })
  const hidden: HTMLElement[] = []
  const image = (k: number, alt: string) =>
    h('img', { loading: 'lazy', decoding: 'async', alt, src: p.linked ? p.pictures[k]!.source : `data:image/jpeg;base64,${p.pictures[k]!.source}` }) // loading has to precede src

  // thumb is a button that enlarges a picture.
  const thumb = (k: number, values: [name: string, value: string][], first: boolean): HTMLElement => {
    const said = values.map(([name, value]) => `${short(name, 30)}: ${short(value, 30)}`).join(', ')
    const alt = `${visible(p.pictures[k]!.name ?? (p.blurred ? 'blurred picture' : 'picture'))} (${said})`
    return h('button', {
      type: 'button', class: 'thumb', tabindex: first ? 0 : -1,
      click: () => {
        large.replaceChildren(image(k, ''), h('figcaption', {}, alt))
        large.hidden = false
        large.scrollIntoView({ block: 'nearest' })
      },
    }, image(k, alt))
  }
  // roving lets arrow keys move within a list, which is one stop of the Tab key.
  const roving = <E extends HTMLElement>(list: E): E => {
    list.addEventListener('keydown', (e) => {
      const buttons = [...list.querySelectorAll<HTMLElement>('button.thumb')].filter((b) => !b.closest('[hidden]'))
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[e.key]
      const next = buttons[buttons.indexOf(e.target as HTMLElement) + (step ?? 0)]
      if (step === undefined || !next) return
      e.preventDefault()
      for (const b of buttons) b.tabIndex = b === next ? 0 : -1
      next.focus()
    })
    return list
  }

  // strip shows the pictures of a cell.
  const strip = (cell: Cell, values: [name: string, value: string][]): Node => {
    if (cell.pictures.length === 0) return h('small', {}, cell.share > 0 ? 'no picture' : 'no rows')
    return roving(h('ul', { class: 'strip' }, cell.pictures.map((k, i) => later(h('li', {}, thumb(k, values, i === 0)), i >= few))))
  }
  // later hides an element until the reader wants more pictures.
  const later = <E extends HTMLElement>(item: E, yes: boolean): E => {
    if (yes) hidden.push(item)
    item.hidden = yes
    return item
  }

  const section = (title: string, how: string, body: Node, ...after: Node[]): Node[] => {
    const more = h('button', { type: 'button', 'aria-expanded': 'false', click: () => {
      const open = more.getAttribute('aria-expanded') === 'false'
      more.setAttribute('aria-expanded', String(open))
      more.textContent = open ? 'Fewer pictures' : 'More pictures'
      for (const item of hidden) item.hidden = !open
    } }, 'More pictures')
    return [h('section', { class: 'gallery', 'aria-label': title }, h('h3', {}, title), h('div', { class: 'scroll' }, body), hidden.length > 0 && more, large, ...after,
      ...[how, ...notes(p)].map((text) => h('p', {}, h('small', {}, text))))]
  }
  return { thumb, roving, later, strip, section }
}

const megabytes = (bytes: number) => num(bytes / 2 ** 20, 2)

const typical = 'The most typical pictures come first: their rows agree with most of the modal values of the cell in the other columns.'

// notes says what the pictures leave out.
function notes(p: Pictures): string[] {
  return [
    ...(p.missing + p.refused > 0 ? [`${plural(p.missing, 'image')} missing, ${p.refused} refused.`] : []),
    ...(p.linked ? [] : [`The pictures of this page have ${megabytes(p.bytes)} of at most ${megabytes(p.budget)} MB (--set picture-budget)${p.full ? '; without this limit there would be more' : ''}.`]),
    ...(p.every > 1 ? [`The shares count one of ${p.every} rows.`] : []),
  ]
}
