import { h } from './dom'

export interface Column<T> {
  title: string
  about?: string // what a short title stands for
  number?: boolean
  key: (row: T) => number | string | undefined // rows without one stand last
  cell: (row: T) => Node | string
  up?: boolean // the least one first when the header is pressed
}

// sortable is a table whose headers sort it. first is the column by which it stands when it opens, largest on top.
export function sortable<T>(caption: string, columns: Column<T>[], rows: T[], dim: (row: T) => boolean, first = -1): HTMLElement {
  const body = h('tbody')
  let by = first
  let down = first >= 0
  const fill = () => {
    const list = [...rows]
    if (by >= 0) {
      const { key } = columns[by]!
      list.sort((a, b) => {
        const [x, y] = [key(a), key(b)]
        if (x === undefined || y === undefined) return Number(x === undefined) - Number(y === undefined)
        const c = typeof x === 'number' && typeof y === 'number' ? x - y : String(x).localeCompare(String(y))
        return down ? -c : c
      })
    }
    body.replaceChildren(
      ...list.map((row) => h('tr', { class: dim(row) ? 'off' : '' }, columns.map((c) => h('td', { class: c.number ? 'n' : '' }, c.cell(row))))),
    )
  }
  const heads = columns.map((c, k) =>
    h('th', { class: c.number ? 'n' : '', scope: 'col', 'aria-sort': k === first ? 'descending' : 'none' },
      h('button', { type: 'button', title: c.about, click: () => {
        down = by === k ? !down : c.number === true && !c.up
        by = k
        heads.forEach((th, i) => th.setAttribute('aria-sort', i !== k ? 'none' : down ? 'descending' : 'ascending'))
        fill()
      } }, c.title)),
  )
  fill()
  return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption },
    h('table', {}, h('caption', {}, caption), h('thead', {}, h('tr', {}, heads)), body))
}
