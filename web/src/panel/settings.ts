import type { App } from '../app'
import { bdi, h } from '../dom'
import { fields as methodFields } from '../program/fields'
import { rowOrder } from '../program/settings'
import { choices, fields, phrase, tips } from '../program/words'
import { terms } from '../terms'

// settings is everything about a run that can be chosen: how the table is read, time, the model, and bootstrap samples.
export function settings(app: App): Node[] {
  const s = app.session!
  const set = (flag: string, value: string) => s.change(value === '' ? `${fields[flag] ?? flag}: default` : phrase([flag, value]), () => s.settings.set(flag, value))
  const chips = (flag: string, title: string, list: [string, string][], about?: string) => {
    const now = s.settings.get(flag) ?? list[0]![0]
    return h('section', {}, h('h3', { title: about }, title), h('div', { class: 'chips', role: 'group', 'aria-label': title }, list.map(([v, w]) => h('button', { type: 'button', class: 'chip', 'aria-pressed': String(v === now), click: () => set(flag, v === list[0]![0] ? '' : v) }, w))))
  }
  const text = (flag: string, hint: string) => h('label', { class: 'setting', for: `set-${flag}`, title: tips[flag as keyof typeof tips] }, h('span', {}, fields[flag]!), h('input', { id: `set-${flag}`, type: 'text', class: 'field', value: s.settings.get(flag) ?? '', placeholder: hint, change: (e: Event) => set(flag, (e.target as HTMLInputElement).value.trim()) }))
  const of = (flag: string) => Object.entries(choices[flag]!) as [string, string][]
  const time = s.settings.get('time')
  const used = s.settings.list
  return [
    h('h2', { class: 'title' }, 'Settings'),
    h('p', { class: 'dim' }, 'Every change draws the graph again, and undo takes it back.'),
    chips('bootstrap', 'Bootstrap samples', [['0', 'none'], ['100', '100'], ['200', '200']], terms.bootstrap),
    chips('missing', 'Missing values', of('missing'), terms.missing),
    chips('encode', 'Text columns', of('encode'), terms.text),
    h('section', {}, h('h3', { title: tips.time }, 'Time'),
      h('p', { class: 'dim' }, time === undefined ? 'Rows are taken as independent. If they follow each other in time, give a column the role “time”, or:' : time === rowOrder ? 'The rows are in the order of time; past values may be causes.' : ['Time is ', bdi(time), '; past values may be causes.']),
      h('div', { class: 'chips' }, h('button', { type: 'button', class: 'chip', 'aria-pressed': String(time === rowOrder), click: () => set('time', time === rowOrder ? '' : rowOrder) }, 'Rows in the order of time'),
        time !== undefined && time !== rowOrder ? h('button', { type: 'button', class: 'chip', 'aria-pressed': 'true', click: () => s.change('no time', () => s.settings.setRole(time, '')) }, 'Not a time series') : null),
      time === undefined ? null : [text('lags', 'automatic'), text('season', 'none'), text('step', 'median')]),
    ...(time === undefined ? [] : [chips('gaps', 'Gaps in time', of('gaps'), tips.gaps)]),
    h('section', {}, h('h3', { title: terms.method }, 'Method'), h('div', { class: 'chips', role: 'group', 'aria-label': 'Method' }, s.methods.map((m) => h('button', { type: 'button', class: 'chip', title: m.title, 'aria-pressed': String(m === s.method()), click: () => s.change(`method ${m.name}`, () => {
      s.settings.set('method', m.name === s.methods[0]!.name ? '' : m.name)
      const own = new Set(m.settings.map((x) => x.name))
      const others = new Set(s.methods.flatMap((x) => x.settings.map((y) => y.name)))
      s.settings.list = s.settings.list.filter(([flag]) => own.has(flag) || !others.has(flag))
    }) }, m.name))), h('p', { class: 'dim', id: 'about-method' }, s.method().about),
      h('details', {}, h('summary', {}, 'Settings of the method'), h('div', { class: 'settings' }, ...methodFields(s)))),
    ...(used.length === 0 ? [] : [h('section', {}, h('h3', {}, 'Changed so far'), h('ul', { class: 'names' }, used.map(([f, v]) => h('li', {}, h('button', { type: 'button', class: 'chip', title: 'Take it back', click: () => s.change(`undo ${phrase([f, v])}`, () => s.settings.remove(f, v)) }, `${phrase([f, v])} ×`))))) ]),
  ]
}
