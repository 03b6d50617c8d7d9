import type { View, Which } from './view'

// In which order the matrix has its rows and columns.
export type Rows = 'order' | 'groups' | 'names'

export interface State {
  view: View
  drawing: number // index into Page.drawings: how many edges are drawn
  how: 'groups' | 'graph' | 'matrix' | 'time' // groups: an overview; time: unrolled over the lags
  opened: ReadonlySet<number> // groups of the overview
  box: number | undefined // group that the keyboard is at
  line: string | undefined // line between groups whose edges are listed
  rows: Rows // of the matrix
  lag: number | undefined // that the matrix shows; undefined: all
  least: number // edges of a smaller size are hidden
  which: Which // edges are shown, by verdict
  isolated: boolean // show variables without an edge
  weights: boolean // numbers on arrows
  local: boolean // only the chosen variable and its neighbours, or the paths between two, moved together
  picked: number[] // none, one or two variables
  sensitive: Set<number>
  path: PathMark | undefined // one path of the list, lit alone
  tab: string
}

export interface PathMark {
  nodes: number[]
  forward: boolean[]
}

// asGraph says that variables are drawn as boxes and edges as lines.
export const asGraph = (s: Pick<State, 'how'>): boolean => s.how === 'graph' || s.how === 'groups'

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

  // pick is a click: the first names a variable, a second on another one asks about the two, a third starts over.
  pick(v: number): void {
    const { picked, tab } = this.state
    if (tab === 'whatif') return this.set({ picked: [v], path: undefined })
    if (picked.length === 1 && picked[0] !== v) this.set({ picked: [picked[0]!, v], path: undefined, tab: 'explore' })
    else if (picked.length === 1) this.clear()
    else this.set({ picked: [v], path: undefined, tab: 'explore' })
  }

  clear(): void {
    this.set({ picked: [], path: undefined, local: false, box: undefined, line: undefined })
  }

  // toggle opens or closes a group of the overview.
  toggle(k: number): void {
    const opened = new Set(this.state.opened)
    if (!opened.delete(k)) opened.add(k)
    this.set({ opened, line: undefined })
  }

  only(v: number): void {
    this.set({ picked: [v], path: undefined, tab: 'explore' })
  }

  mark(v: number, sensitive: boolean): void {
    const next = new Set(this.state.sensitive)
    if (sensitive) next.add(v)
    else next.delete(v)
    this.set({ sensitive: next })
  }
}
