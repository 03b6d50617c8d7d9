import type { MethodSetting } from './backend'
import type { Session } from './session'
import { h } from '../dom'

// fields are inputs for the settings of the method, made from what polydag describe says of them.
export function fields(session: Session): Node[] {
  return session.method().settings.map((s) => field(session, s))
}

const text = (v: MethodSetting['default']) => (v === null ? '' : String(v))

// field is one setting: its name, its input and its help. A value that is not valid is not taken.
function field(session: Session, s: MethodSetting): Node {
  const id = `setting-${s.name}`
  const given = session.settings.get(s.name)
  const take = (value: string) => {
    session.change(`${s.name}: ${value || 'default'}`, () => session.settings.set(s.name, value === text(s.default) ? '' : value))
  }
  const about = { id, 'aria-describedby': `${id}-help`, title: s.want }
  let input: HTMLElement
  if (s.type === 'bool') {
    const box = h('input', { ...about, type: 'checkbox', checked: (given ?? text(s.default)) === 'true', change: () => take(String(box.checked)) })
    input = box
  } else if (s.type === 'string' && s.choices?.length) {
    input = h('span', { class: 'chips', role: 'group', 'aria-labelledby': `${id}-label`, 'aria-describedby': `${id}-help` }, s.choices.map((c) => h('button', { type: 'button', class: 'chip', 'aria-pressed': String(c === (given ?? text(s.default))), click: () => take(c) }, c)))
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
  return h('div', { class: `setting${given === undefined ? '' : ' given'}` }, s.type === 'string' && s.choices?.length ? h('span', { id: `${id}-label`, class: 'name' }, s.name) : h('label', { for: id }, s.name), ' ', input, h('small', { id: `${id}-help`, class: 'dim' }, `${s.help} (default ${text(s.default) || 'none'})`))
}

// wrong says what a value should be, or nothing if it is valid. The range is that of the description.
export function wrong(s: MethodSetting, value: string): string {
  if (s.choices?.includes(value) || s.type === 'string') return s.type === 'string' && s.choices?.length && !s.choices.includes(value) ? `Want ${s.want}.` : ''
  const x = Number(value)
  const end = (word: string) => Number(new RegExp(`${word} (-?[0-9.e+-]+)`).exec(s.want)?.[1] ?? NaN)
  const fits = Number.isFinite(x) && !(x < end('at least')) && !(x > end('at most')) && !(x <= end('more than')) && !(x >= end('less than')) && (s.type !== 'int' || Number.isInteger(x))
  return fits ? '' : `Want ${s.want}.`
}
