import type { Edge } from '../data'
import { arrow } from '../certainty'
import { h, plural, visible } from '../dom'
import { between } from '../view'

interface Graph {
  names: string[]
  edges: Edge[]
  lagged?: Edge[]
}

export interface Changes {
  gone: Edge[]
  fresh: Edge[]
  turned: { was: Edge; is: Edge }[]
}

// changes compares what two results of one table state about their edges. An edge with a lag is one from a variable of that lag.
export function changes(before: Graph, after: Graph): Changes {
  const edges = (r: Graph): Edge[] => [...r.edges, ...(r.lagged ?? []).map((e) => ({ ...e, from: `${e.from} (lag ${e.lag})` }))]
  const [first, second] = [edges(before), edges(after)]
  const names = [...new Set([...first, ...second].flatMap((e) => [e.from, e.to]))]
  const sorted = between(first, second, new Map(names.map((n, i) => [n, i])))
  const find = (list: Edge[], [a, b]: [number, number]) => list.find((e) => (e.from === names[a] && e.to === names[b]) || (e.from === names[b] && e.to === names[a]))!
  return {
    gone: sorted.only_first.map((p) => find(first, p)),
    fresh: sorted.only_second.map((p) => find(second, p)),
    turned: sorted.turned.map((p) => ({ was: find(first, p), is: find(second, p) })),
  }
}

// summary counts the changes in words.
export function summary({ gone, fresh, turned }: Changes): string {
  const parts = [fresh.length && `${fresh.length} new`, gone.length && `${gone.length} gone`, turned.length && `${turned.length} with another direction`].filter((p) => p)
  return parts.length === 0 ? 'no edge changed' : `${plural(gone.length + fresh.length + turned.length, 'edge')} changed (${parts.join(', ')})`
}

const said = (e: Edge) => `${visible(e.from)}${arrow(e)}${visible(e.to)}`

// changesView lists what changed since the earlier result.
export function changesView(title: string, c: Changes): HTMLElement {
  const items = [...c.turned.map(({ was, is }) => `${said(is)} (before: ${said(was)})`), ...c.fresh.map((e) => `${said(e)} is new`), ...c.gone.map((e) => `${said(e)} is gone`)]
  const text = `${title}: ${summary(c)}.`
  if (items.length === 0) return h('p', { id: 'changes' }, text)
  return h('details', { id: 'changes', class: 'options' }, h('summary', {}, text), h('ul', {}, items.map((t) => h('li', {}, t))))
}
