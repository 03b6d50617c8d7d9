import { resultOf, type App } from './app'
import { bdi, h, num, plural, replace, short, visible } from './dom'
import { histogram } from './histogram'
import { icon } from './icons'
import { columnMenu } from './panel/roles'
import { kindWords } from './panel/column'
import { suggestions } from './program/suggest'
import { roles } from './program/settings'
import type { Column, ColumnPreview } from './program/backend'

let filter = ''
const many = 14

// left is the table: suggestions from the names, the columns with their distributions, and what was set aside.
export function left(app: App | undefined, session: App['session'], host: HTMLElement): void {
  const focused = document.activeElement?.id
  const out: Node[] = []
  if (app && session) {
    const list = suggestions(resultOf(app), session.knowledge).filter((s) => !session.refused.has(s.key))
    if (list.length > 0) {
      out.push(h('section', { class: 'sec' }, h('h2', { class: 'label' }, 'Suggested from the names'), h('div', { class: 'chips' }, list.map((s) => {
        const text = `${listed(s.names)} ${s.names.length === 1 ? 'comes' : 'come'} ${s.band < 0 ? 'first' : 'last'}`
        return h('span', { class: 'chip ask' }, text,
          h('button', { type: 'button', class: 'mini', 'aria-label': `Yes: ${text}`, title: 'Yes', click: () => session.change(text, () => s.names.forEach((n) => session.knowledge.move(n, s.band))) }, icon('check')),
          h('button', { type: 'button', class: 'mini', 'aria-label': `No: ${text}`, title: 'No', click: () => {
            session.refused.add(s.key)
            left(app, session, host)
          } }, icon('close')))
      }))))
    }
  }
  const columns = session?.check?.columns
  const names = session?.previews.length ? session.previews.map((p) => p.name) : columns ? columns.map((c) => c.name) : app ? app.model.page.names : []
  const search = names.length > many ? h('input', { type: 'search', id: 'filter', class: 'field', placeholder: 'Filter columns', 'aria-label': 'Filter columns', value: filter, input: (e: Event) => {
    filter = (e.target as HTMLInputElement).value
    left(app, session, host)
  } }) : undefined
  const shown = names.filter((n) => names.length <= many || n.toLowerCase().includes(filter.toLowerCase()))
  const facts = new Map(app ? resultOf(app).nodes.map((n) => [n.name, n]) : [])
  const previews = new Map(session?.previews.map((p) => [p.name, p]) ?? [])
  const excluded = new Map<string, string>((session?.check?.excluded ?? []).map((x) => [x.name, x.reason]))
  const used = new Set(app ? app.model.page.names : names)
  const inGraph = shown.filter((n) => (app && session?.page ? used.has(n) : !excluded.has(n) && !session?.settings.role(n)))
  const aside = shown.filter((n) => !inGraph.includes(n))
  out.push(h('section', { class: 'sec grow' }, h('h2', { class: 'label' }, `Columns (${inGraph.length})`), search,
    h('ul', { class: 'columns' }, inGraph.slice(0, 400).map((n) => row(app, session, n, columns?.find((c) => c.name === n), previews.get(n), facts.get(n))))))
  if (aside.length > 0 && session) {
    out.push(h('section', { class: 'sec' }, h('details', { open: aside.length < 4 }, h('summary', { class: 'label' }, `Set aside (${aside.length})`), h('ul', { class: 'columns aside' }, aside.map((n) => {
      const role = session.settings.role(n)
      const why = role ? roles[role] : excluded.get(n) ?? ''
      return h('li', {}, h('div', { class: 'col' }, h('span', {}, bdi(n, 26), h('small', {}, visible(why))),
        h('button', { type: 'button', class: 'chip', click: () => session.change(`use ${visible(n)}`, () => (role ? session.settings.setRole(n, '') : session.settings.keep(n))) }, 'Use')))
    })))))
  }
  replace(host, ...out)
  if (focused === 'filter') document.getElementById('filter')?.focus()
}

const listed = (names: string[]) => (names.length > 3 ? `${names.slice(0, 2).map((n) => short(n, 18)).join(', ')} and ${names.length - 2} more` : names.map((n) => short(n, 20)).join(', '))

function row(app: App | undefined, session: App['session'], name: string, c: Column | undefined, p: ColumnPreview | undefined, fact: { kind?: string; nominal?: boolean } | undefined): HTMLElement {
  const v = app?.model.index.get(name)
  const picked = app !== undefined && v !== undefined && app.store.now.picked.includes(v)
  const about = [c ? words(c, p) : kindWords(fact?.kind, fact?.nominal), session?.knowledge.pin.get(name) === 'outcome' ? 'causes nothing' : '', (c?.missing ?? 0) > 0 ? `${plural(c!.missing, 'value')} missing` : ''].filter((t) => t !== '').join(' · ')
  return h('li', {}, h('button', {
    type: 'button', class: picked ? 'col sel' : 'col', 'aria-pressed': String(picked), disabled: v === undefined,
    click: (e: MouseEvent) => v !== undefined && app!.store.pick(v, e.shiftKey || e.ctrlKey || e.metaKey),
    contextmenu: (e: MouseEvent) => {
      if (!session || v === undefined) return
      e.preventDefault()
      columnMenu(app!, name, { x: e.clientX, y: e.clientY })
    },
  }, h('span', {}, bdi(name, 30), h('small', {}, about)), p ? histogram(p) : null))
}

function words(c: Column, p: ColumnPreview | undefined): string {
  const kind = c.taken_as ?? c.kind
  if (kind === 'categorical' || kind === 'binary' || kind === 'ordinal') return kind === 'ordinal' ? `ordered, ${c.distinct} values` : plural(c.distinct, 'category', 'categories')
  if (p?.low !== undefined && p.high !== undefined && p.counts?.length) return `${num(p.low, 3)} to ${num(p.high, 3)}`
  return kindWords(kind)
}
