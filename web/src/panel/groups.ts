import { variable, type App } from '../app'
import { bdi, h, plural } from '../dom'
import { size } from '../gain'
import { terms } from '../terms'
import { edgeList } from './explore'

// groupList lists the groups of the overview with their variables. Each opens and closes here as in the graph.
export function groupList(app: App): Node[] {
  const { store } = app
  if (store.now.how !== 'groups') return []
  const { clusters, titles } = app.canvas.overview
  const item = (k: number) => {
    const open = store.now.opened.has(k)
    const id = `group-${k}`
    const press = () => {
      store.toggle(k)
      document.getElementById(id)?.focus()
    }
    return h('li', {},
      h('button', { type: 'button', class: 'link', id, 'aria-expanded': String(open), click: press }, bdi(titles[k]!, 40)),
      h('small', {}, ` ${plural(clusters[k]!.members.length, 'variable')}`),
      open && h('ul', { class: 'names' }, clusters[k]!.members.map((v) => h('li', {}, variable(app, v, 28)))))
  }
  return [
    h('h3', { title: terms.group }, `Groups (${clusters.length})`),
    h('ul', { class: 'groups' }, [...clusters.keys()].sort((a, b) => Number(clusters[a]!.alone) - Number(clusters[b]!.alone) || clusters[b]!.members.length - clusters[a]!.members.length || a - b).map(item)),
  ]
}

// lineEdges lists the edges of the line that was clicked, or is undefined without one.
export function lineEdges(app: App): Node[] | undefined {
  const { overview } = app.canvas
  const bundle = overview.bundles.get(app.store.now.line ?? '')
  if (!bundle) return undefined
  const end = (id: string) => {
    const name = overview.endName(id)
    return name.charAt(0).toUpperCase() + name.slice(1)
  }
  const edges = bundle.edges.flatMap((e) => e.lagged ?? (e.edge ? [e.edge] : []))
  return [
    h('h2', {}, bdi(end(bundle.source), 60), ' and ', bdi(overview.endName(bundle.target), 60)),
    h('p', {}, `${overview.lineSaid(bundle)}.`),
    edgeList(app, edges.sort((a, b) => size(b) - size(a))),
  ]
}
