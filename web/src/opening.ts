import type { Desk } from './parts'
import { h } from './dom'
import { readGraph } from './own'
import type { Setting } from './program/backend'
import { begin } from './state'

// opening takes a file: a table, a graph or what is known.
export function opening(d: Desk) {
  async function open(file: File | undefined, truth?: { from: string; to: string }[], given: Setting[] = []): Promise<void> {
    if (!file || !d.session) return
    d.app = undefined
    delete document.documentElement.dataset.graph
    d.listing = false
    d.own.on = false
    d.own.edges = []
    d.own.tested = undefined
    d.store.set({ ...begin, picked: [] })
    history.replaceState(null, '', location.pathname + location.search)
    document.body.classList.add('has-table')
    d.canvas.show({ nodes: [], lines: [], bands: [] })
    await d.session.take(file, truth, given)
    if (drawAfter && d.session.page) d.enterOwn()
    drawAfter = false
  }
  let drawAfter = false

  let picking: 'table' | 'knowledge' | 'graph' = 'table'
  function pickFile(what: typeof picking, draw = false): void {
    picking = what
    drawAfter = draw
    d.ui.file.value = ''
    d.ui.file.click()
  }
  d.ui.file.addEventListener('change', async () => {
    const f = d.ui.file.files?.[0]
    if (!f) return
    if (picking === 'table') return open(f)
    const text = await f.text()
    try {
      if (picking === 'knowledge') {
        const next = d.session!.knowledge.copy()
        next.load(text, d.session!.variables())
        d.session!.change(`knowledge of ${f.name}`, () => (d.session!.knowledge = next))
      } else {
        d.own.edges = readGraph(text, d.session!.variables())
        d.own.tested = undefined
        d.showOwn()
      }
    } catch (e) {
      d.toast(h('div', { class: 'caveat bad', role: 'alert' }, (e as Error).message), 0)
    }
  })
  return { open, pickFile }
}
