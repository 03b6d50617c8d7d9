import type { App } from './app'
import type { Canvas } from './canvas'
import { h, replace } from './dom'
import { icon } from './icons'
import { ownPanel, type Own } from './own'
import { answer } from './panel/answer'
import { certificate } from './panel/certificate'
import { column } from './panel/column'
import { compare } from './panel/compare'
import { data } from './panel/data'
import { drivers, leave, units } from './panel/drivers'
import { bundleEdges } from './panel/groups'
import { methods } from './panel/methods'
import { pair } from './panel/pair'
import { reading } from './panel/reading'
import { results } from './panel/results'
import { run } from './panel/run'
import { said } from './panel/said'
import { settings } from './panel/settings'
import { share } from './panel/share'
import { whatIf } from './panel/whatif'
import type { Query } from './paths'
import type { Snapshot } from './program/http'
import type { Session } from './program/session'
import type { Tab } from './state'

interface Parts {
  app: App | undefined
  canvas: Canvas
  answer: Query | undefined
  own: Own
  title: HTMLElement
  body: HTMLElement
  snapshot: Snapshot | undefined
  chosen: string[]
  session: Session | undefined
  notes: (notes: Map<number, string>) => void
  act: { load: () => void; estimate: () => void; leave: () => void; open: (name: string) => void; choose: (name: string) => void; compare: () => void; redraw: () => void }
}

const titles: Record<Tab, string> = { explore: '', drivers: 'Drivers', whatif: 'What if', check: 'Checks', compare: 'Comparison', methods: 'Methods', details: 'Details', share: 'Share', said: 'What you said', own: 'Your own graph', results: 'Results', guide: 'Guide', settings: 'Settings' }

// show fills the panel at the right with what is about the selection, or with what was asked for.
export function show(p: Parts): void {
  const { app } = p
  if (!app) {
    replace(p.title)
    return replace(p.body, ...results(p.snapshot, p.chosen, p.act))
  }
  const { store } = app
  const s = store.now
  const v = s.picked[0]
  const tab = (s.tab === 'drivers' || s.tab === 'whatif') && v === undefined ? 'explore' : s.tab
  if (tab !== 'drivers') leave()
  replace(p.title, tab === 'explore' && s.picked.length === 0 && s.bundle === undefined
    ? [h('h2', { class: 'label' }, 'The answer'), units(app)]
    : [h('button', { type: 'button', class: 'back', id: 'back', click: () => (tab === 'own' ? p.act.leave() : tab === 'explore' || s.picked.length === 0 ? store.clear() : store.set({ tab: 'explore' })) }, icon('back'), tab === 'explore' ? 'The answer' : s.picked.length === 1 && (tab === 'drivers' || tab === 'whatif') ? 'The column' : 'Back'),
      tab === 'drivers' ? null : h('span', { class: 'label' }, titles[tab])])
  const make: Record<Tab, () => Node[]> = {
    explore: () => (s.bundle !== undefined ? bundleEdges(app, s.bundle) : s.picked.length === 0 ? answer(app) : s.picked.length === 1 ? column(app, v!) : s.picked.length === 2 ? pair(app, p.answer) : several(app)),
    drivers: () => drivers(app, v!),
    whatif: () => [h('h2', { class: 'title' }, `What if ${app.model.page.names[v!]} changes?`), ...whatIf(app, v!, p.notes)],
    check: () => data(app),
    compare: () => compare(app),
    methods: () => methods(app),
    details: () => [...run(app), ...certificate(app)],
    share: () => share(app, p.canvas),
    said: () => said(app, p.act.load),
    own: () => ownPanel(app, p.own, p.act),
    results: () => results(p.snapshot, p.chosen, p.act),
    guide: () => reading(),
    settings: () => settings(app),
  }
  replace(p.body, ...make[tab]())
}

// several is what is said about a set of columns.
function several(app: App): Node[] {
  const { names } = app.model.page
  const picked = new Set(app.store.now.picked)
  const inside = app.edges.filter((e) => picked.has(e.from) && picked.has(e.to))
  return [h('h2', { class: 'title' }, `${picked.size} columns`), h('p', { class: 'say' }, `${inside.length} edges among them. Drag one of them to move all to a band of time, or right-click for what you know about all.`),
    h('ul', { class: 'names' }, [...picked].map((v) => h('li', {}, h('button', { type: 'button', class: 'link', click: () => app.store.only(v) }, names[v]!))))]
}
