import type { App } from '../app'
import { bdi, h, plural, visible } from '../dom'
import { save } from '../export'

// said lists what the reader said, each with a button that takes it back, and keeps it in a knowledge file.
export function said(app: App, load: () => void): Node[] {
  const s = app.session!
  const k = s.knowledge
  const text = k.file(s.variables())
  const item = (words: (Node | string)[], name: string, remove: () => void) => h('li', {}, h('span', {}, words), h('button', { type: 'button', class: 'link', 'aria-label': `Take back: ${name}`, click: () => s.change(`take back: ${name}`, remove) }, 'take back'))
  const items: Node[] = []
  for (const { band, title } of k.bands()) {
    if (band === 0) continue
    const names = [...k.band].filter(([, b]) => b === band).map(([n]) => n)
    items.push(item([h('b', {}, `${title}: `), names.map((n, i) => [i > 0 ? ', ' : '', bdi(n, 24)])].flat(2) as (Node | string)[], `${title}: ${names.map(visible).join(', ')}`, () => names.forEach((n) => k.band.delete(n))))
  }
  for (const [n, pin] of k.pin) items.push(item(pin === 'root' ? ['Nothing acts on ', bdi(n, 28)] : [bdi(n, 28), ' causes nothing here'], visible(n), () => s.knowledge.pin.delete(n)))
  for (const e of k.require) items.push(item([bdi(e.from, 24), ' causes ', bdi(e.to, 24)], `${visible(e.from)} causes ${visible(e.to)}`, () => s.knowledge.state(e.from, e.to, 'unknown')))
  for (const e of k.forbid) items.push(item([bdi(e.from, 24), ' cannot cause ', bdi(e.to, 24)], `${visible(e.from)} cannot cause ${visible(e.to)}`, () => s.knowledge.state(e.from, e.to, 'unknown')))
  for (const o of k.others) items.push(h('li', {}, h('span', { class: 'dim' }, `${visible(o)} (from the file)`)))
  return [
    h('h2', { class: 'title' }, 'What you said'),
    items.length === 0 ? h('p', { class: 'say' }, 'Nothing yet. On the canvas: drag a column to the top edge if it comes first, to the bottom if it comes last; drag from the dot under a column to draw an edge; right-click a column or an edge for the rest. The key m does the same.')
      : h('ul', { class: 'said' }, items),
    s.past.length > 0 ? h('p', { class: 'dim' }, `${plural(s.past.length, 'change')} can be undone.`) : h('span'),
    h('section', {}, h('h3', {}, 'Knowledge file'), h('p', { class: 'dim' }, 'It can be used with the next table, and with polydag learn --knowledge.'),
      h('div', { class: 'chips' }, h('button', { type: 'button', class: 'btn', disabled: text === '', click: () => save(new Blob([text], { type: 'application/json' }), 'knowledge.json') }, 'Save'), h('button', { type: 'button', class: 'btn', click: load }, 'Load'))),
  ]
}
