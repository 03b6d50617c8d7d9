import type { Cluster } from './clusters'
import type { Result } from './data'
import { bdi, h } from './dom'
import type { Graph } from './graph'
import type { Session } from './program/session'
import type { State, Store } from './state'
import type { EdgeView, Model } from './view'

// App is what the parts of the page share. The model is replaced when another result is shown.
export interface App {
  model: Model
  store: Store
  edges: EdgeView[] // of the view on screen
  clusters: Cluster[]
  titles: string[] // of clusters
  session?: Session | undefined // the program behind the page; a report has none
}

export const resultOf = (app: App, s: State = app.store.now): Result => app.model.page.results[s.view.result]!.result
export const graphOf = (app: App, s: State = app.store.now): Graph => app.model.graphs[s.view.result]!

// variable is a button that shows the variable on its own.
export function variable(app: App, v: number, most = 40): HTMLElement {
  const name = app.model.page.names[v]!
  const button = h('button', { class: 'link', type: 'button', click: () => app.store.only(v) }, bdi(name, most))
  return app.store.now.sensitive.has(v) ? h('span', {}, button, ' ', h('span', { class: 'flag' }, '(sensitive)')) : button
}
