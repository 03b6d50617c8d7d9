import type { App } from '../app'
import { h, short, visible } from '../dom'
import { icon } from '../icons'
import { below, menu, type Choice } from '../menu'
import { kinds, roles, type Role } from '../program/settings'

const kindNames: Record<string, string> = { continuous: 'numeric', count: 'count', ordinal: 'ordered', binary: 'two categories', categorical: 'categories' }

// columnMenu has what can be said about a column: its place in time, its kind and its role.
export function columnMenu(app: App, name: string, at: { x: number; y: number }, selected: string[] = [name]): void {
  const s = app.session!
  const k = s.knowledge
  const title = selected.length > 1 ? `${selected.length} columns` : visible(short(name, 30))
  const bands = k.bands()
  const now = k.band.get(name) ?? 0
  const [first, last] = [Math.min(-1, ...k.band.values()), Math.max(1, ...k.band.values())]
  const move = (text: string, band: number): Choice => ({ text, on: now === band && (band !== 0 || bands.length > 0), act: () => s.change(`${title}: ${text.toLowerCase()}`, () => selected.forEach((n) => s.knowledge.move(n, band))) })
  const pin = (what: 'root' | 'outcome', text: string): Choice => ({ text, on: k.pin.get(name) === what, act: () => s.change(`${title}: ${text.toLowerCase()}`, () => (s.knowledge.pin.get(name) === what ? s.knowledge.pin.delete(name) : s.knowledge.pin.set(name, what))) })
  menu(title, [
    move('Comes first', first),
    ...bands.filter(({ band }) => band !== first && band !== last && band !== 0).map(({ band, title: t }) => move(`Band “${t}”`, band)),
    move('In between', 0),
    move('Comes last', last),
    { ...pin('root', 'Nothing in the table causes it'), separate: true },
    pin('outcome', 'It causes nothing in the table'),
    { text: 'It causes …', separate: true, act: () => app.session!.link?.(name, 'causes') },
    { text: 'It cannot cause …', act: () => app.session!.link?.(name, 'cannot') },
    { text: 'Leave it out', separate: true, act: () => s.change(`leave out ${title}`, () => selected.forEach((n) => s.settings.setRole(n, 'drop'))) },
  ], at)
}

// roleMenu has chips for the kind and the role of a column, and one for its place in time.
export function roleMenu(app: App, name: string): HTMLElement {
  const s = app.session!
  const column = s.check?.columns.find((c) => c.name === name)
  const kind = s.settings.kind(name)
  const role = s.settings.role(name)
  const chip = (text: string, title: string, open: (at: { x: number; y: number }) => void) => h('button', { type: 'button', class: 'chip', 'aria-haspopup': 'menu', title, click: (e: Event) => open(below(e.currentTarget as Element)) }, text)
  const place = s.knowledge.bands().find(({ band }) => band === (s.knowledge.band.get(name) ?? 0))
  return h('div', { class: 'chips' },
    chip(kind || column?.taken_as ? kindNames[kind || column!.taken_as!] ?? kind : 'kind', 'How the values are read', (at) => menu('Kind', [
      { text: 'As detected', on: kind === '', act: () => s.change(`${name}: kind as detected`, () => s.settings.setKind(name, '')) },
      ...kinds.map((k) => ({ text: kindNames[k]!, on: kind === k, act: () => s.change(`${name}: ${kindNames[k]}`, () => s.settings.setKind(name, k)) })),
    ], at)),
    chip(role ? roles[role] : 'in the graph', 'What the column is used as', (at) => menu('Role', [
      { text: 'a column of the graph', on: role === '', act: () => s.change(`${name}: in the graph`, () => s.settings.keep(name)) },
      ...(Object.entries(roles) as [Role, string][]).map(([r, text]) => ({ text, on: role === r, act: () => s.change(`${name}: ${text}`, () => s.settings.setRole(name, r)) })),
    ], at)),
    chip(place ? `time: ${place.title.toLowerCase()}` : 'place in time', 'Where it stands in time', (at) => columnMenu(app, name, at)),
    h('button', { type: 'button', class: 'chip', title: 'More that you know about it', 'aria-haspopup': 'menu', click: (e: Event) => columnMenu(app, name, below(e.currentTarget as Element)) }, icon('more'), h('span', { class: 'unseen' }, `What you know about ${visible(name)}`)))
}
