import type { View, Which } from './view'

// In which order the matrix has its rows and columns.
export type Rows = 'order' | 'groups' | 'names'

// How the result is drawn: as a graph, as a matrix, unrolled over the lags, or as a list.
export type How = 'graph' | 'matrix' | 'time' | 'list'

// What the panel at the right shows. explore is about what is selected.
export type Tab = 'explore' | 'drivers' | 'whatif' | 'check' | 'compare' | 'methods' | 'details' | 'share' | 'said' | 'own' | 'results' | 'guide' | 'settings'

export interface State {
  view: View
  how: How
  grouped: boolean // large graphs open as groups of columns
  opened: ReadonlySet<number> // groups that are shown as their columns
  rows: Rows // of the matrix
  lag: number | undefined // that the matrix shows; undefined: all
  every: boolean // all edges are drawn, and not the strongest alone
  least: number // edges of a smaller size are hidden
  which: Which // edges are shown, by verdict
  weights: boolean // numbers on lines
  raw: boolean // numbers in units of the columns, and not standardized
  picked: number[] // none, one or several variables
  bundle: string | undefined // line between groups whose edges are listed
  sensitive: Set<number>
  path: PathMark | undefined // one path of the list, lit alone
  tab: Tab
}

export interface PathMark {
  nodes: number[]
  forward: boolean[]
}

export const begin: State = {
  view: { kind: 'result', result: 0 }, how: 'graph', grouped: false, opened: new Set(), rows: 'order', lag: undefined, every: false, least: 0, which: 'all', weights: true, raw: false,
  picked: [], bundle: undefined, sensitive: new Set(), path: undefined, tab: 'explore',
}

type Listener = (now: State, changed: Set<keyof State>) => void

// Store holds what the reader chose. Whoever shows something listens.
export class Store {
  private listeners: Listener[] = []

  constructor(private state: State) {}

  get now(): Readonly<State> {
    return this.state
  }

  set(patch: Partial<State>): void {
    const changed = new Set<keyof State>()
    for (const key of Object.keys(patch) as (keyof State)[]) {
      if (this.state[key] !== patch[key]) changed.add(key)
    }
    if (changed.size === 0) return
    this.state = { ...this.state, ...patch }
    for (const f of this.listeners) f(this.state, changed)
  }

  listen(f: Listener): void {
    this.listeners.push(f)
  }

  // pick is a click: it selects one variable. With more it adds to the selection, or takes away.
  pick(v: number, more = false): void {
    const { picked, tab } = this.state
    const next = more ? (picked.includes(v) ? picked.filter((p) => p !== v) : [...picked, v]) : picked.length === 1 && picked[0] === v ? [] : [v]
    this.set({ picked: next, path: undefined, bundle: undefined, tab: tab === 'own' || (!more && (tab === 'whatif' || tab === 'drivers') && next.length === 1) ? tab : 'explore' })
  }

  clear(): void {
    this.set({ picked: [], path: undefined, bundle: undefined, tab: this.state.tab === 'own' ? 'own' : 'explore' })
  }

  // toggle opens or closes a group.
  toggle(k: number): void {
    const opened = new Set(this.state.opened)
    if (!opened.delete(k)) opened.add(k)
    this.set({ opened, bundle: undefined })
  }

  only(v: number): void {
    this.set({ picked: [v], path: undefined, bundle: undefined, tab: 'explore' })
  }

  mark(v: number, sensitive: boolean): void {
    const next = new Set(this.state.sensitive)
    if (sensitive) next.add(v)
    else next.delete(v)
    this.set({ sensitive: next })
  }
}
