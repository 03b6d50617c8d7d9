import type { Desk } from './parts'
import { h } from './dom'
import { show as panelFor } from './panelfor'
import type { Server } from './program/http'
import { pageOf } from './program/session'

// folder shows and compares the results of the folder of polydag serve.
export function folder(d: Desk) {
  function showResults(): void {
    d.listing = d.app === undefined
    d.store.set({ tab: 'results' })
    document.body.classList.toggle('listing', d.listing)
    panelResults()
    d.openSheet('side')
  }
  function panelResults(): void {
    if (d.store.now.tab !== 'results' && !d.listing) return
    panelFor({ app: d.app, canvas: d.canvas, answer: d.answer, own: d.own, title: d.ui.title, body: d.ui.body, snapshot: d.snapshot, chosen: d.chosen, session: d.session, notes: () => {}, act: { load: () => {}, estimate: () => {}, leave: () => {}, open: (n) => void openResult(n), choose: chooseResult, compare: () => void compareResults(), redraw: () => {} } })
  }
  const chooseResult = (name: string) => {
    d.chosen = d.chosen.includes(name) ? d.chosen.filter((n) => n !== name) : [...d.chosen, name].slice(-2)
    panelResults()
  }
  async function fetchPage(address: string): Promise<void> {
    try {
      const page = await pageOf(await (await fetch(address)).text())
      d.listing = false
      document.body.classList.remove('listing')
      d.load(page, true)
    } catch (e) {
      d.toast(h('div', { class: 'caveat bad', role: 'alert' }, (e as Error).message), 0)
    }
  }
  async function openResult(name: string): Promise<void> {
    if (d.session) {
      d.session.table = d.session.check = undefined as never
      d.session.previews = d.session.past = d.session.future = []
      delete d.session.truth
      d.session.learned = await (d.session.backend as Server).learned(name)
      d.session.page = undefined
    }
    d.asker.hide()
    d.own.on = false
    const keep = d.session
    d.session = undefined
    await fetchPage(`/results/${encodeURIComponent(name)}?alone=true`)
    d.session = keep
    d.frame()
    d.leftPanel()
  }
  async function compareResults(): Promise<void> {
    const [a, b] = d.chosen
    const keep = d.session
    d.session = undefined
    await fetchPage(`/compare?${new URLSearchParams({ a: a!, b: b! })}`)
    d.session = keep
  }
  return { showResults, panelResults, openResult, chooseResult, compareResults }
}
