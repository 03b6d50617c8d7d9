import { resultOf, type App } from '../app'
import { directed } from '../certainty'
import type { Kind, Result } from '../data'
import { bdi, h, num, plural } from '../dom'
import { terms } from '../terms'

// forward checks that each directed edge goes forward in the order. It does not rely on the program that wrote the result.
export function forward(r: Result): string | undefined {
  const order = r.certificate.order ?? []
  const at = new Map(order.map((name, k) => [name, k]))
  if (at.size !== order.length) return 'the order has a name twice'
  if (order.length !== r.names.length || r.names.some((n) => !at.has(n))) return 'the order does not have every name once'
  for (const e of r.edges) {
    if (directed(e) && !(at.get(e.from)! < at.get(e.to)!)) return `${e.from} → ${e.to} goes backwards in the order`
  }
  return undefined
}

const kinds: Record<Kind, string> = {
  dag: 'Is it free of cycles (a DAG)?',
  cpdag: 'Is it an equivalence class of DAGs (CPDAG)?',
  pdag: 'Partially directed graph (PDAG)',
  pag: 'Is it an equivalence class with hidden confounders (PAG)?',
  average: 'Averaged graph',
}

const checked: Partial<Record<Kind, string>> = {
  cpdag: 'The edges can be completed to a DAG, and every direction that the others imply is set.',
  pdag: 'The directed edges form no cycle. The graph may not be an equivalence class: the independence tests contradict each other, or the run was stopped. The warnings name the reason.',
  pag: 'No arrowhead points at an ancestor of the other end.',
}

// certificate shows the acyclicity certificate and the numerical checklist that the paper recommends for every run.
export function certificate(app: App): Node[] {
  const r = resultOf(app)
  const c = r.certificate
  const arrows = r.edges.filter(directed).length
  const fault = c.holds ? forward(r) : 'the program found that the graph violates its kind'
  const li = (kind: 'yes' | 'no' | 'info', ...text: (Node | string)[]) => h('li', { class: kind }, ...text)
  const list: Node[] = []
  if (r.kind === 'average') list.push(li('info', h('strong', {}, 'May contain cycles. '), 'The edges come from several graphs.'))
  else if (fault !== undefined) list.push(li('no', h('strong', {}, 'No valid order: '), fault))
  else if (r.kind === 'dag') list.push(li('yes', h('strong', {}, 'A topological order exists. '), `This page checked it: each of ${plural(arrows, 'edge')} goes forward in the order below, so the graph has no cycle.`))
  else {
    list.push(
      li('yes', h('strong', {}, 'The program checked it. '), checked[r.kind] ?? ''),
      li('yes', h('strong', {}, 'A topological order exists. '), `This page checked it: each of ${plural(arrows, 'directed edge')} goes forward in the order below.`),
    )
  }
  const out: Node[] = [h('h2', { title: terms.certificate }, kinds[r.kind])]
  const k = r.continuous
  if (k) {
    out.push(h('p', {}, 'Judge the final graph by the graph after the threshold, not by h before it.'))
    list.push(
      k.cyclic_components === 0
        ? li('yes', h('strong', {}, 'Cyclic components: 0. '), 'No strongly connected component with a cycle was left before anything was cut.')
        : li('info', h('strong', {}, `Cyclic components: ${k.cyclic_components}. `), 'The threshold left cycles; the edges listed below were removed to break them.'),
      li('info', h('strong', { title: terms.h }, `h before the threshold: ${num(k.h)}. `), 'How closely the solver met its constraint. It does not prove acyclicity.'),
      li('info', h('strong', { title: terms.h }, `h after the threshold: ${k.h_threshold === undefined ? 'not available' : num(k.h_threshold)}. `), `The threshold is ${num(k.threshold)}.`),
    )
  } else list.push(li('info', h('strong', {}, 'No threshold. '), 'The method does not threshold weights, so no edge was removed.'))
  out.push(h('ul', { class: 'check' }, list))
  if (k?.cycle && k.cycle.length > 0) {
    out.push(h('h3', {}, 'One cycle after the threshold'), h('p', {}, join([...k.cycle, k.cycle[0]!], ' → ')))
  }
  if (k?.cut && k.cut.length > 0) {
    out.push(
      h('h3', {}, `Edges removed to break all cycles (${k.cut.length})`),
      h('ul', {}, k.cut.map((e) => h('li', {}, bdi(e.from, 28), ' → ', bdi(e.to, 28), `  ${num(e.weight)}`))),
    )
    if (k.cut_cost !== undefined) out.push(h('p', {}, `Removing them increased the score by ${num(k.cut_cost)}.`))
  }
  if (c.order) {
    out.push(h('h3', {}, 'The order'), h('p', {}, 'Every directed edge goes from left to right in it:'), h('p', { class: 'order' }, join(c.order, ', ')))
  }
  return out
}

function join(names: string[], by: string): (Node | string)[] {
  return names.flatMap((name, k) => (k === 0 ? [bdi(name, 28)] : [by, bdi(name, 28)]))
}
