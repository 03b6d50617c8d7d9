import { graphOf, resultOf, variable, type App } from '../app'
import { arrow, basisOf, bothProbabilities, directed, judgement, probability, reverse, sure, symbol } from '../certainty'
import { definition, terms } from '../terms'
import { bdi, fact, h, num, plural, short, signed } from '../dom'
import { bits, signClass, size, sloped } from '../gain'
import type { Edge, Result } from '../data'
import { edgeEffect } from './effect'
import { impulse } from './impulse'
import { matchedPairs } from './pairs'
import { edgePictures, variablePictures } from './pictures'
import { sloping, unsloped } from './setting'
import { effect, type Path, type Paths, type Query } from '../paths'

// What the graph says about one column and about two, in lists and tables: the part of the panel that opens under the sentences.

export function edgeList(app: App, edges: Edge[]): HTMLElement {
  const index = (name: string) => app.model.index.get(name)!
  return h('ul', { class: 'edges' }, edges.map((e) =>
    h('li', {}, h('span', {}, variable(app, index(e.from), 26), arrow(e), variable(app, index(e.to), 26), e.lag !== undefined && ` lag ${e.lag}`), directed(e) ? number(e) : h('span'),
      e.confidence !== undefined && h('small', { title: terms.confidence }, `${e.verdict === 'undirected' ? 'direction open, link' : e.verdict === 'weak' ? 'may be chance,' : 'probability'} ${probability(e.confidence)}`, basisOf(e) !== '' && ` · ${{ you: 'you said so', names: 'from names', model: 'from the data', rules: 'from rules', time: 'from time' }[basisOf(e)] ?? basisOf(e)}`)),
  ))
}

// lagged lists edges with a lag. They are not part of the paths, which are between values of the same time.
function lagged(app: App, about: (from: number, to: number) => boolean): Node[] {
  const list = graphOf(app).lines.filter(({ from, to }) => about(from, to)).flatMap(({ edges }) => edges)
  if (list.length === 0) return []
  return [h('h3', { title: terms.lag }, `With a lag (${list.length})`), edgeList(app, list.sort((a, b) => size(b) - size(a)))]
}

function number(e: Edge): HTMLElement {
  return h('span', { class: `n ${signClass(e)}` }, e.standardized === 0 ? '' : signed(e.standardized, 2))
}

// columnDetails lists the neighbours of a column and its figures.
export function columnDetails(app: App, v: number): Node[] {
  const g = graphOf(app)
  const r = resultOf(app)
  const { names } = app.model.page
  const node = r.nodes.find((n) => n.name === names[v])
  const own: Neighbour[] = [...g.parents[v]!.map((u) => ({ v: u, edge: g.edge(u, v)!, parent: true })), ...g.children[v]!.map((u) => ({ v: u, edge: g.edge(v, u)!, parent: false }))]
  const slopes = own.some(({ edge }) => edge.weight !== 0)
  const list = (title: string, rows: Neighbour[], open = false) => (rows.length === 0 ? [] : [h('h3', {}, `${title} (${rows.length})`), neighbours(app, rows, slopes, open)])
  const open = own.filter(({ edge }) => !sure(edge))
  const weak = open.filter(({ edge }) => edge.verdict === 'weak')
  const flag = h('input', { type: 'checkbox', id: 'flag', checked: app.store.now.sensitive.has(v), change: () => app.store.mark(v, flag.checked) })
  return [
    ...list('Parents', own.filter((n) => n.parent && sure(n.edge))),
    ...list('Children', own.filter((n) => !n.parent && sure(n.edge))),
    ...list('Direction not stated', open.filter((n) => !weak.includes(n)), true),
    ...list('Weak', weak, true),
    ...lagged(app, (from, to) => from === v || to === v),
    ...joined(app, v),
    h('h3', {}, 'The column'),
    ...(node
      ? [h('dl', { class: 'facts' },
          node.levels && fact('Categories', node.levels.slice(0, 12).map((l) => short(l, 24)).join(', ') + (node.levels.length > 12 ? ', …' : '')),
          node.kind !== 'categorical' && !node.nominal && r.model !== 'discrete' && fact('Residual variance', `${num(node.residual_variance)} (given ${sloped(r) ? 'its parents' : 'linear effects'})`, terms.residual),
          fact(open.length > 0 ? 'Explained in the learned graph' : 'Explained by parents', `${(100 * (node.explained ?? node.r2)).toFixed(1)} % of its ${uncertain(r)}`, terms.explained))]
      : []),
    h('label', { class: 'row', for: 'flag', title: terms.sensitive }, flag, 'Sensitive: highlight the paths through it'),
  ]
}

// picturesOf are those of a column.
export const picturesOf = variablePictures

// A Neighbour is a variable that shares a directed edge of the graph with the chosen one. Whether it is the parent is stated, or not.
interface Neighbour {
  v: number
  edge: Edge
  parent: boolean
}

// neighbours is a table of them. Where the direction is not stated it has the probability that the neighbour is a parent.
function neighbours(app: App, rows: Neighbour[], slopes: boolean, open: boolean): HTMLElement {
  const flat = (e: Edge) => e.weight === 0 && e.effect !== undefined
  const parental = ({ edge, parent }: Neighbour) => (edge.p_direction === undefined ? undefined : (edge.p_adjacent ?? 1) * (parent ? edge.p_direction : reverse(edge)))
  const head = (text: string, title?: string) => h('th', { class: 'n', title }, text)
  return h('div', { class: 'scroll' },
    h('table', { class: 'near' },
      h('thead', {}, h('tr', {}, h('th', {}, 'variable'), head('conf.', terms.confidence), open && head('P(parent)', terms.parent), head('gain', terms.gain), !open && slopes && head('weight', terms.weight), slopes && head('std.', terms.standardized))),
      h('tbody', {}, rows.sort((a, b) => size(b.edge) - size(a.edge)).map((n) =>
        h('tr', {},
          h('td', {}, h('span', { title: n.edge.verdict && definition[n.edge.verdict] }, arrow(n.edge, !n.parent).trim()), ' ', variable(app, n.v, 28)),
          h('td', { class: 'n', title: bothProbabilities(n.edge) }, probability(n.edge.confidence)),
          open && h('td', { class: 'n' }, probability(parental(n))),
          h('td', { class: 'n' }, num(bits(n.edge), 2)),
          !open && slopes && h('td', { class: 'n' }, flat(n.edge) ? '–' : num(n.edge.weight)),
          slopes && h('td', { class: 'n' }, flat(n.edge) ? '–' : h('span', { class: signClass(n.edge) }, signed(n.edge.standardized))))))))
}

// uncertain names the quantity of which the parents explain a share.
const uncertain = (r: Result) => (r.model === 'discrete' ? 'entropy' : 'variance')

// joined lists the edges of a variable that have no direction.
function joined(app: App, v: number): Node[] {
  const list = graphOf(app).others[v]!
  if (list.length === 0) return []
  return [
    h('h3', {}, `Other edges (${list.length})`),
    h('ul', {}, list.map(({ edge, from, to }) =>
      h('li', {}, variable(app, from, 28), symbol(edge.mark), variable(app, to, 28), h('br'), h('small', {}, app.model.page.marks[edge.mark])),
    )),
    h('p', {}, h('small', {}, 'They have no weight and are not part of any path.')),
  ]
}

// sentence summarizes the parents and children of a variable.
export function sentence(app: App, v: number): (Node | string)[] {
  const g = graphOf(app)
  const { names } = app.model.page
  const say = (list: number[]): (Node | string)[] => {
    const some = list.slice(0, 4)
    const out: (Node | string)[] = []
    some.forEach((u, k) => {
      if (k > 0) out.push(k === some.length - 1 && list.length === some.length ? ' and ' : ', ')
      out.push(bdi(names[u]!, 28))
    })
    if (list.length > some.length) out.push(` and ${list.length - some.length} more`)
    return out
  }
  const name = bdi(names[v]!, 28)
  const r = resultOf(app)
  const node = r.nodes.find((n) => n.name === names[v])
  if (!r.names.includes(names[v]!)) return [name, ' is not a column of this result.']
  const out: (Node | string)[] = [name]
  const [p, c] = [g.parents[v]!.filter((u) => sure(g.edge(u, v)!)), g.children[v]!.filter((u) => sure(g.edge(v, u)!))]
  const open = [...g.parents[v]!.filter((u) => !p.includes(u)), ...g.children[v]!.filter((u) => !c.includes(u))]
  const late = g.lines.filter(({ from, to, edges }) => from !== to && to === v && edges.some(sure)).map(({ from }) => from)
  if (p.length + c.length + open.length + late.length === 0 && g.others[v]!.length > 0) return [...out, ' has only edges without a direction, listed below.']
  if (p.length + c.length + open.length + late.length === 0) return [...out, ' is linked to no other column.']
  if (p.length > 0) out.push(' is driven by ', ...say(p))
  else if (c.length > 0) out.push(' acts on ', ...say(c))
  else out.push(` is related to other columns, but no direction is settled`)
  if (c.length > 0 && p.length > 0) out.push(' and acts on ', ...say(c))
  out.push('.')
  if (late.length > 0) out.push(' Earlier values of ', ...say(late), ' drive it.')
  if (open.length > 0) out.push(' Direction open: ', ...say(open), '.')
  if (node && p.length > 0 && p.length === g.parents[v]!.length) {
    out.push(` These explain ${(100 * (node.explained ?? node.r2)).toFixed(0)} % of its ${uncertain(r)}`)
    out.push(sloped(r) ? `; the residual variance is ${num(node.residual_variance, 3)}.` : '.')
  }
  return out
}

// pairDetails has the evidence, the effect and the paths between two columns.
export function pairDetails(app: App, q: Query): Node[] {
  const { sensitive } = app.store.now
  const g = graphOf(app)
  const out: Node[] = []
  const evidence = [...rests(app, q.from, q.to), ...edgePictures(app, q.from, q.to)]
  if (g.lines.length > 0) { // paths through earlier values are not drawn
    const inPair = (from: number, to: number) => from !== to && [from, to].every((v) => v === q.from || v === q.to)
    return [...impulse(app, q.from, q.to), ...lagged(app, inPair), ...edgeEffect(app, q.from, q.to), ...evidence, h('p', { class: 'dim' }, 'Paths may lead through earlier values. polydag explain lists them with what to adjust for.')]
  }
  out.push(...edgeEffect(app, q.from, q.to))
  if (q.relation === 'ancestor' && !sloped(resultOf(app))) out.push(...unsloped(app, q))
  else if (q.relation === 'ancestor') {
    const lines = [...fact('Total effect', num(q.total), terms.total), ...fact('Direct', num(q.direct), terms.direct)]
    if (sensitive.size > 0) lines.push(...fact('Through sensitive', num(q.total - effect(g, q.from, q.to, (v) => sensitive.has(v)))))
    out.push(h('h3', {}, 'In units of the columns'), h('dl', { class: 'facts' }, lines), ...sloping(app, q))
  }
  if (q.relation === 'ancestor') out.push(...matchedPairs(app, q.from, q.to))
  out.push(
    ...evidence,
    ...paths(app, 'Directed paths', 'They carry the effect.', q.directed),
    ...paths(app, 'Open back-door paths', 'They carry association that is not the effect of the first variable.', q.open),
    ...paths(app, 'Blocked back-door paths', 'They carry no association unless the collider in [ ] is adjusted for or rows are selected by it.', q.blocked),
    h('h3', {}, 'Roles'),
    h('dl', { class: 'facts' },
      ...fact('Confounders', some(app, q.confounders), terms.confounder),
      ...fact('Mediators', some(app, q.mediators), terms.mediator),
      ...fact('Colliders (common effects)', some(app, q.colliders), terms.collider),
      ...fact('Adjust for', adjust(app, q), terms.adjustment)),
    h('p', {}, h('small', {}, 'These statements assume that the learned graph is true, hidden edges included.', g.others.some((o) => o.length > 0) && ' Edges without a direction are not part of any path.')),
  )
  return out
}

// rests has the verdict on the edge between two variables, with the evidence.
function rests(app: App, a: number, b: number): Node[] {
  const g = graphOf(app)
  const { names } = app.model.page
  const forward = g.edge(a, b)
  const edge = forward ?? g.edge(b, a)
  if (!edge) return []
  const [from, to] = forward ? [a, b] : [b, a]
  if (!edge.verdict) return []
  return [h('div', { class: 'rests' }, h('h3', {}, 'Edge ', bdi(names[from]!, 26), arrow(edge), bdi(names[to]!, 26)), ...judgement(edge, app.session !== undefined))]
}

function some(app: App, list: number[]): Node {
  if (list.length === 0) return h('span', { class: 'dim' }, 'none')
  return h('ul', { class: 'names' }, list.map((v) => h('li', {}, variable(app, v, 28))))
}

function adjust(app: App, q: Query): Node {
  const { names } = app.model.page
  if (!q.adjust) return h('span', {}, 'no set works: ', bdi(names[q.to]!, 28), ' is a parent of ', bdi(names[q.from]!, 28))
  if (q.adjust.length === 0) return h('span', {}, 'no variable: no back-door path is open')
  return h(
    'div',
    {},
    some(app, q.adjust),
    h('small', {}, q.relation === 'ancestor' ? 'minimal set that blocks every back-door path' : 'given this set the two are independent in this graph; other data can test that'),
  )
}

function paths(app: App, title: string, what: string, list: Paths): Node[] {
  const count = `${list.atLeast ? 'at least ' : ''}${list.count > 1e6 ? num(list.count, 3) : list.count}`
  const out: Node[] = [h('h3', {}, `${title}: ${list.count === 0 && !list.atLeast ? 'none' : count}`)]
  if (list.listed.length === 0) return out
  out.push(h('p', { class: 'dim' }, what), h('ol', { class: 'paths' }, list.listed.map((p) => path(app, p))))
  const more = list.count - list.listed.length
  if (more > 0) out.push(h('p', { class: 'dim' }, `… and ${num(more, 6)} more, none shorter`))
  return out
}

function path(app: App, p: Path): HTMLElement {
  const { names } = app.model.page
  const { sensitive, path: chosen } = app.store.now
  const g = graphOf(app)
  const open: string[] = []
  const line: (Node | string)[] = []
  p.nodes.forEach((v, k) => {
    if (k > 0) {
      const ahead = p.forward[k - 1]!
      const [from, to] = ahead ? [p.nodes[k - 1]!, v] : [v, p.nodes[k - 1]!]
      const edge = g.edge(from, to)!
      if (!sure(edge)) open.push(`${short(names[from]!, 28)}${arrow(edge)}${short(names[to]!, 28)}`)
      line.push(arrow(edge, ahead))
    }
    const name = bdi(names[v]!, 28)
    line.push(p.colliders.includes(v) ? h('span', {}, '[', name, ']') : name)
  })
  if (p.effect !== undefined && sloped(resultOf(app))) line.push(h('span', { class: p.effect < 0 ? 'minus' : 'plus' }, `  ${signed(p.effect, 4)}`))
  const pass = through(p, sensitive)
  const pressed = chosen?.nodes === p.nodes
  const flags = p.nodes.slice(1, -1).filter((v) => sensitive.has(v))
  return h(
    'li',
    { class: pass ? 'through' : '' },
    h(
      'button',
      {
        type: 'button',
        'aria-pressed': String(pressed),
        'data-path': p.nodes.join('-'),
        click: () => {
          app.store.set({ path: pressed ? undefined : p })
          document.querySelector<HTMLElement>(`[data-path="${p.nodes.join('-')}"]`)?.focus()
        },
      },
      line,
    ),
    pass && h('small', { class: 'flag' }, 'through sensitive ', flags.map((v, k) => [k > 0 && ', ', bdi(names[v]!, 28)])),
    open.length > 0 && h('small', { title: open.join(', ') }, `depends on ${plural(open.length, 'undirected or weak edge')}`),
  )
}

// through says whether a sensitive variable is an inner node of the path.
function through(p: Pick<Path, 'nodes'>, sensitive: Set<number>): boolean {
  return p.nodes.slice(1, -1).some((v) => sensitive.has(v))
}
