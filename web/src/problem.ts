import { h } from './dom'
import type { Session } from './program/session'
import { applicable } from './program/settings'
import { plain, remediesIn, remedyLabel } from './program/words'

// problem is why there is no graph, with what can be done about it as buttons.
export function problem(s: Session, text: string): HTMLElement {
  const list = [...(s.check?.findings.filter((f) => f.severity === 'error').flatMap((f) => f.remedies ?? []) ?? []), ...remediesIn(text)].filter(applicable).slice(0, 6)
  return h('div', { class: 'caveat bad', role: 'alert', id: 'problem' }, h('p', {}, plain(text)), h('div', { class: 'chips' }, list.map((r) => h('button', { type: 'button', class: 'btn', click: () => s.change(remedyLabel(r), () => s.settings.apply(r)) }, remedyLabel(r)))))
}
