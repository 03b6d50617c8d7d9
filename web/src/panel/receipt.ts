import { resultOf, type App } from '../app'
import type { Result } from '../data'
import { bdi, h, num, plural } from '../dom'

// forward walks the edges once and looks whether each goes forward in the order, with no trust in whoever wrote it.
export function forward(r: Result): string | undefined {
  const order = r.certificate.order ?? []
  const at = new Map(order.map((name, k) => [name, k]))
  if (at.size !== order.length) return 'the order has a name twice'
  if (order.length !== r.names.length || r.names.some((n) => !at.has(n))) return 'the order does not have every name once'
  for (const e of r.edges) {
    if (!(at.get(e.from)! < at.get(e.to)!)) return `${e.from} → ${e.to} goes backwards in the order`
  }
  return undefined
}

// receipt is the certificate and the numerical checklist that the paper recommends for every run.
export function receipt(app: App): Node[] {
  const r = resultOf(app)
  const c = r.certificate
  const fault = c.dag ? forward(r) : 'the result says that it is not a DAG'
  const li = (kind: 'yes' | 'no' | 'info', ...text: (Node | string)[]) => h('li', { class: kind }, ...text)
  const solver = c.threshold !== undefined || c.h_final !== 0
  const out: Node[] = [
    h('h2', {}, 'Is it a DAG?'),
    h('p', {}, 'The paper asks for this checklist with every run, and for the final graph to be judged by the graph after the threshold, not by h before it.'),
    h(
      'ul',
      { class: 'check' },
      fault === undefined
        ? li('yes', h('strong', {}, 'A topological order exists. '), `This page walked it: each of ${plural(r.edges.length, 'edge')} goes forward in the order below. That is the proof.`)
        : li('no', h('strong', {}, 'No valid order: '), fault),
      c.cyclic_components === 0
        ? li('yes', h('strong', {}, 'Cyclic components: 0. '), 'No strongly connected component with a cycle was left before anything was cut.')
        : li('info', h('strong', {}, `Cyclic components: ${c.cyclic_components}. `), 'The threshold left cycles; edges were cut to break them, see below.'),
      solver
        ? li('info', h('strong', {}, `h before the threshold: ${num(c.h_final)}. `), 'How nearly the solver met its constraint. It proves nothing.')
        : li('info', h('strong', {}, 'h before the threshold: 0. '), 'The method searches over orders, so that no cycle can arise.'),
      solver &&
        li('info', h('strong', {}, `h after the threshold: ${c.h_threshold === undefined ? 'not available' : num(c.h_threshold)}. `), c.threshold === undefined ? '' : `Weights were held against ${num(c.threshold)}.`),
    ),
  ]
  if (c.cycle && c.cycle.length > 0) {
    out.push(h('h3', {}, 'One of the cycles that the threshold left'), h('p', {}, join([...c.cycle, c.cycle[0]!], ' → ')))
  }
  if (c.cut && c.cut.length > 0) {
    out.push(
      h('h3', {}, `Edges cut to break all cycles (${c.cut.length})`),
      h('ul', {}, c.cut.map((e) => h('li', {}, bdi(e.from, 28), ' → ', bdi(e.to, 28), `  ${num(e.weight)}`))),
    )
    if (c.cut_cost !== undefined) out.push(h('p', {}, `Cutting added ${num(c.cut_cost)} to the score.`))
  }
  if (c.order) {
    out.push(h('h3', {}, 'The order'), h('p', {}, 'Every edge goes from left to right in it:'), h('p', { class: 'order' }, join(c.order, ', ')))
  }
  return out
}

function join(names: string[], by: string): (Node | string)[] {
  return names.flatMap((name, k) => (k === 0 ? [bdi(name, 28)] : [by, bdi(name, 28)]))
}
