import { graphOf, resultOf, type App } from '../app'
import { sure } from '../certainty'
import { h, num, visible } from '../dom'
import { histogram } from '../histogram'
import { icon } from '../icons'
import { doubt, doubts } from './doubt'
import { columnDetails, picturesOf, sentence } from './explore'
import { roleMenu } from './roles'

// column is what the panel says about one column: what it is, what drives it and what it drives, and the two questions that people ask.
export function column(app: App, v: number): Node[] {
  const r = resultOf(app)
  const g = graphOf(app)
  const name = app.model.page.names[v]!
  const node = r.nodes.find((n) => n.name === name)
  const preview = app.session?.previews.find((p) => p.name === name)
  const act = (id: 'drivers' | 'whatif', text: string, mark: string, enabled: boolean) =>
    h('button', { type: 'button', class: 'act', disabled: !enabled, click: () => app.store.set({ tab: id }) }, icon(mark), text)
  const causes = g.acyclic && g.ancestors(v).some((yes, u) => yes && u !== v)
  return [
    h('h2', { class: 'title' }, h('bdi', {}, visible(name))),
    node ? h('p', { class: 'dim' }, kindWords(node.kind, node.nominal), preview?.dates ? '' : node.kind !== 'categorical' && !node.nominal ? ` · mean ${num(node.mean)}, standard deviation ${num(node.std)}` : '') : h('span'),
    preview ? histogram(preview, true) : h('span'),
    h('p', { class: 'say' }, ...sentence(app, v)),
    h('div', { class: 'acts' }, act('drivers', 'What drives it?', 'up', causes || g.lines.some((l) => l.to === v)), act('whatif', 'What if it changes?', 'down', true)),
    ...doubts(app, name).map((d) => doubt(app, name, d)),
    ...(app.session ? [roleMenu(app, name)] : []),
    h('details', { class: 'more', open: true }, h('summary', {}, 'Neighbours and figures'), ...columnDetails(app, v)),
    ...picturesOf(app, v),
    g.parents[v]!.some((u) => !sure(g.edge(u, v)!)) ? h('p', {}, h('small', {}, 'Conf.: probability of what the verdict states. P(parent): probability that the two are adjacent and the other one is the parent.')) : h('span'),
  ]
}

export const kindWords = (kind: string | undefined, nominal?: boolean): string => (nominal ? 'codes, not amounts' : kind === 'continuous' ? 'numeric' : kind ?? '')

// failedChecks are the sentences of checks that failed at a column.
export const failedChecks = (app: App, name: string): string[] => doubts(app, name).map((d) => d.text)
