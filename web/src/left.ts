import { resultOf, type App } from './app'
import { bdi, h, plural, replace, visible } from './dom'
import { ends, histogram, sized } from './histogram'
import { icon } from './icons'
import { columnMenu } from './panel/roles'
import { kindWords } from './panel/column'
import type { Session } from './program/session'
import { listed, remarks, suggestions } from './program/suggest'
import { roles } from './program/settings'
import type { Column, ColumnPreview } from './program/backend'

let filter = ''
const many = 14

// left is the table: suggestions from the names, the columns with their distributions, and what was set aside.
export function left(app: App | undefined, session: App['session'], host: HTMLElement): void {
  const focused = document.activeElement?.id
  const out: Node[] = []
  const { sheets, sheet } = session?.check ?? {}
  if (sheets && session) out.push(h('section', { class: 'sec' }, h('h2', { class: 'label' }, 'Sheet'), h('div', { class: 'chips', id: 'book', role: 'group', 'aria-label': 'Sheet' }, sheets.map((name) => h('button', { type: 'button', class: 'chip', 'aria-pressed': String(name === sheet), click: () => name !== sheet && session.sheet(name) }, bdi(name, 24))))))
  if (session) {
    const again = () => left(app, session, host)
    const chips = [
      ...remarks(session.check, session.settings).map((r) => proposal(session, r.text, r.text, () => r.settings.forEach(([f, v]) => session.settings.apply(f === 'time' ? { setting: f, columns: [v] } : { setting: f, value: v })), again)),
      ...(app ? suggestions(resultOf(app), session.knowledge) : []).map((s) => proposal(session, s.key, `${listed(s.names)} ${s.names.length === 1 ? 'comes' : 'come'} ${s.band < 0 ? 'first' : 'last'}`, () => s.names.forEach((n) => session.knowledge.move(n, s.band)), again)),
    ].filter((c) => c !== undefined)
    if (chips.length > 0) out.push(h('section', { class: 'sec' }, h('h2', { class: 'label' }, 'Is this so?'), h('div', { class: 'chips' }, chips)))
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

// proposal is a chip with a yes and a no, unless the reader said no before.
function proposal(session: Session, key: string, text: string, yes: () => void, again: () => void): HTMLElement | undefined {
  if (session.refused.has(key)) return undefined
  return h('span', { class: 'chip ask' }, text,
    h('button', { type: 'button', class: 'mini', 'aria-label': `Yes: ${text}`, title: 'Yes', click: () => session.change(text, yes) }, icon('check')),
    h('button', { type: 'button', class: 'mini', 'aria-label': `No: ${text}`, title: 'No', click: () => {
      session.refused.add(key)
      again()
    } }, icon('close')))
}

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
  if (p?.counts?.length) return ends(p).map((t) => sized(p, t)).join(' to ')
  return kindWords(kind)
}
