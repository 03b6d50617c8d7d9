import './pictures.css'
import type { App } from '../app'
import { bdi, h, plural, short, visible } from '../dom'

// Pictures that show a variable or an edge, chosen by package pictures. They are part of the page or, where it says so, files
// beside it.

export interface Pictures {
  size: number // pixels of the longer side of a thumbnail
  linked: boolean
  blurred: boolean
  pictures: { name?: string; source: string }[] // source: a JPEG image in base64, or a relative URL of a linked one
  variables: { name: string; groups: Cell[] }[]
  edges: Grid[]
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

const few = 4 // pictures of a cell that are shown at first

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
  return box.section(`Pictures of ${short(name, 30)}`, h('table', { class: 'pictures' }, h('tbody', {}, rows)))
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
  return box.section('Pictures of this edge', table,
    h('p', {}, h('small', {}, 'Share of the rows in each cell, and the share expected if the two variables were independent. Cells with fewer rows than expected contradict the edge.')))
}

// gallery makes the strips of one selection. All of them enlarge a picture in the same place.
function gallery(p: Pictures) {
  const large = h('figure', { class: 'enlarged', hidden: true, 'aria-live': 'polite' })
  const hidden: HTMLElement[] = []
  const image = (k: number, alt: string) =>
    h('img', { loading: 'lazy', decoding: 'async', alt, src: p.linked ? p.pictures[k]!.source : `data:image/jpeg;base64,${p.pictures[k]!.source}` }) // loading has to precede src

  // strip shows the pictures of a cell. It is one stop of the Tab key; arrow keys move within it.
  const strip = (cell: Cell, values: [name: string, value: string][]): Node => {
    if (cell.pictures.length === 0) return h('small', {}, cell.share > 0 ? 'no picture' : 'no rows')
    const said = values.map(([name, value]) => `${short(name, 30)}: ${short(value, 30)}`).join(', ')
    const list = h('ul', { class: 'strip' }, cell.pictures.map((k, i) => {
      const alt = `${visible(p.pictures[k]!.name ?? (p.blurred ? 'blurred picture' : 'picture'))} (${said})`
      const item = h('li', { hidden: i >= few }, h('button', {
        type: 'button', class: 'thumb', tabindex: i === 0 ? 0 : -1,
        click: () => {
          large.replaceChildren(image(k, ''), h('figcaption', {}, alt))
          large.hidden = false
          large.scrollIntoView({ block: 'nearest' })
        },
      }, image(k, alt)))
      if (i >= few) hidden.push(item)
      return item
    }))
    list.addEventListener('keydown', (e) => {
      const buttons = [...list.querySelectorAll<HTMLElement>('li:not([hidden]) button')]
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[e.key]
      const next = buttons[buttons.indexOf(e.target as HTMLElement) + (step ?? 0)]
      if (step === undefined || !next) return
      e.preventDefault()
      for (const b of buttons) b.tabIndex = b === next ? 0 : -1
      next.focus()
    })
    return list
  }

  const section = (title: string, table: HTMLElement, ...after: Node[]): Node[] => {
    const more = h('button', { type: 'button', 'aria-expanded': 'false', click: () => {
      const open = more.getAttribute('aria-expanded') === 'false'
      more.setAttribute('aria-expanded', String(open))
      more.textContent = open ? 'Fewer pictures' : 'More pictures'
      for (const item of hidden) item.hidden = !open
    } }, 'More pictures')
    return [h('section', { class: 'gallery', 'aria-label': title }, h('h3', {}, title), h('div', { class: 'scroll' }, table), hidden.length > 0 && more, large, ...after,
      ...notes(p).map((text) => h('p', {}, h('small', {}, text))))]
  }
  return { strip, section }
}

// notes says what the pictures leave out.
function notes(p: Pictures): string[] {
  return [
    'The most typical pictures come first: their rows agree with most of the modal values of the cell in the other columns.',
    ...(p.missing + p.refused > 0 ? [`${plural(p.missing, 'image')} missing, ${p.refused} refused.`] : []),
    ...(p.full ? ['The number of pictures is limited by --picture-budget.'] : []),
    ...(p.every > 1 ? [`The shares count one of ${p.every} rows.`] : []),
  ]
}
