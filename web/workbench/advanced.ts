import type { MethodSetting } from './backend'
import type { Bench } from './bench'
import { choice } from './tableview'
import { fields } from './words'
import { terms } from '../src/terms'
import { h } from '../src/dom'

// advanced has the method, the bootstrap, and a field for each setting of the method. The fields are made from polydag describe.
export function advanced(bench: Bench): Node[] {
  const now = bench.method()
  const select = h('select', { id: 'method', change: () => bench.choose(select.value) }, bench.methods.map((m) => h('option', { value: m.name, title: m.title, selected: m === now }, m.name)))
  return [
    h('div', { class: 'row' },
      h('span', { class: 'field' }, h('label', { for: 'method', title: terms.method }, fields.method!), ' ', select),
      choice(bench, 'bootstrap', terms.bootstrap, bench.changed)),
    h('p', { class: 'dim', id: 'about-method' }, h('strong', {}, now.title), `. ${now.about}`),
    h('div', { class: 'settings', role: 'group', 'aria-label': `Settings of ${now.name}` }, now.settings.map((s) => field(bench, s))),
  ]
}

const text = (v: MethodSetting['default']) => (v === null ? '' : String(v))

// field is one setting: its name, its input and its help. A value that is not valid is not taken.
function field(bench: Bench, s: MethodSetting): Node {
  const id = `setting-${s.name}`
  const given = bench.settings.get(s.name)
  const take = (value: string) => {
    bench.settings.set(s.name, value === text(s.default) ? '' : value)
    bench.changed()
  }
  const about = { id, 'aria-describedby': `${id}-help`, title: s.want }
  let input: HTMLElement
  if (s.type === 'bool') {
    const box = h('input', { ...about, type: 'checkbox', checked: (given ?? text(s.default)) === 'true', change: () => take(String(box.checked)) })
    input = box
  } else if (s.type === 'string' && s.choices?.length) {
    const select = h('select', { ...about, change: () => take(select.value) }, s.choices.map((c) => h('option', { value: c, selected: c === (given ?? text(s.default)) }, c)))
    input = select
  } else {
    const box = h('input', { ...about, type: 'text', size: 8, value: given ?? '', placeholder: text(s.default), inputmode: s.type === 'string' ? 'text' : 'decimal', change: () => {
      const value = box.value.trim()
      const fault = value === '' ? '' : wrong(s, value)
      box.setCustomValidity(fault)
      if (fault === '') take(value)
      else box.reportValidity()
    } })
    input = box
  }
  return h('div', { class: `setting${given === undefined ? '' : ' given'}` }, h('label', { for: id }, s.name), ' ', input, h('small', { id: `${id}-help`, class: 'dim' }, `${s.help} (default ${text(s.default) || 'none'})`))
}

// wrong says what a value should be, or nothing if it is valid. The range is that of the description.
export function wrong(s: MethodSetting, value: string): string {
  if (s.choices?.includes(value) || s.type === 'string') return s.type === 'string' && s.choices?.length && !s.choices.includes(value) ? `Want ${s.want}.` : ''
  const x = Number(value)
  const end = (word: string) => Number(new RegExp(`${word} (-?[0-9.e+-]+)`).exec(s.want)?.[1] ?? NaN)
  const fits = Number.isFinite(x) && !(x < end('at least')) && !(x > end('at most')) && !(x <= end('more than')) && !(x >= end('less than')) && (s.type !== 'int' || Number.isInteger(x))
  return fits ? '' : `Want ${s.want}.`
}
