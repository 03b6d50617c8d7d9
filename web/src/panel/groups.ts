import { variable, type App } from '../app'
import { bdi, h, plural } from '../dom'
import { size } from '../gain'
import { terms } from '../terms'
import { edgeList } from './explore'

// groupList lists the groups of the overview with their variables. Each opens and closes here as in the graph.
export function groupList(app: App): Node[] {
  const { store, clusters, titles } = app
  if (!store.now.grouped || clusters.length < 2) return []
  const item = (k: number) => {
    const open = store.now.opened.has(k)
    const id = `group-${k}`
    return h('li', {},
      h('button', { type: 'button', class: 'link', id, 'aria-expanded': String(open), click: () => store.toggle(k) }, bdi(titles[k]!, 40)),
      h('small', {}, ` ${plural(clusters[k]!.members.length, 'column')}`),
      open && h('ul', { class: 'names' }, clusters[k]!.members.map((v) => h('li', {}, variable(app, v, 28)))))
  }
  return [
    h('h3', { title: terms.group }, `Groups (${clusters.length})`),
    h('ul', { class: 'groups' }, [...clusters.keys()].sort((a, b) => Number(clusters[a]!.alone) - Number(clusters[b]!.alone) || clusters[b]!.members.length - clusters[a]!.members.length || a - b).map(item)),
  ]
}

// bundleEdges lists the edges of the line between two groups that was clicked.
export function bundleEdges(app: App, key: string): Node[] {
  const [a, b] = key.slice(1).split('>') as [string, string]
  const members = (id: string) => (id.startsWith('g') ? app.clusters[Number(id.slice(1))]!.members : [Number(id.slice(1))])
  const name = (id: string) => (id.startsWith('g') ? app.titles[Number(id.slice(1))]! : app.model.page.names[Number(id.slice(1))]!)
  const [left, right] = [new Set(members(a)), new Set(members(b))]
  const edges = app.edges.filter((e) => (left.has(e.from) && right.has(e.to)) || (left.has(e.to) && right.has(e.from))).flatMap((e) => e.lagged ?? (e.edge ? [e.edge] : []))
  return [
    h('h2', {}, bdi(name(a), 40), ' and ', bdi(name(b), 40)),
    h('p', {}, `${plural(edges.length, 'edge')} between the two.`),
    edgeList(app, edges.sort((x, y) => size(y) - size(x))),
  ]
}
