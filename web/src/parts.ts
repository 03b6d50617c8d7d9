import type { App } from './app'
import type { Asker } from './ask'
import type { Canvas } from './canvas'
import type { Page } from './data'
import type { Matrix } from './matrix'
import type { Own } from './own'
import type { Query } from './paths'
import type { Backend, Setting } from './program/backend'
import type { Server, Snapshot } from './program/http'
import type { Session } from './program/session'
import type { Shell } from './shell'
import type { Store } from './state'
import type { Timeline } from './timeline'

export interface Boot {
  page?: Page // of a report
  server?: (show: (s: Snapshot) => void, connected: (yes: boolean) => void) => Server
  program?: () => Backend
  local?: boolean // the program is inside the page
}

type At = { x: number; y: number }
type Thing = { node?: string; line?: string }

// Desk is what the parts of the page share: what is shown, who shows it, and what each part does for the others.
export interface Desk {
  readonly how: Boot
  readonly ui: Shell
  readonly store: Store
  readonly canvas: Canvas
  readonly matrix: Matrix
  readonly timeline: Timeline
  readonly own: Own
  readonly asker: Asker
  app: App | undefined
  session: Session | undefined
  answer: Query | undefined // about the two selected columns
  snapshot: Snapshot | undefined // of the folder
  chosen: string[] // results to compare
  linking: { from: string; what: 'causes' | 'cannot' } | undefined // the reader selects the other column
  listing: boolean // the list of results is shown without a graph
  opening: Promise<void> | undefined // the program is being started

  // What desk.ts does.
  load(page: Page, fresh: boolean): void
  redraw(refit: boolean): void
  panel(): void
  leftPanel(): void
  toast(content: Node, ms: number): void
  say(text: string): void
  nameOf(key: string): string
  ends(key: string): number[]

  // frame.ts
  frame(): void
  // opening.ts
  open(file: File | undefined, truth?: { from: string; to: string }[], given?: Setting[]): Promise<void>
  pickFile(what: 'table' | 'knowledge' | 'graph', draw?: boolean): void
  // telling.ts
  drop(key: string, at: At): void
  dragging(key: string | undefined, at?: At): void
  drawnEdge(from: string, to: string): void
  linkTo(v: number): void
  beginLink(from: string, what: 'causes' | 'cannot'): void
  contextMenu(what: Thing, at: At): void
  renameBand(index: number): void
  // owngraph.ts
  showOwn(): void
  enterOwn(edges?: { from: string; to: string }[]): void
  leaveOwn(): void
  estimate(): void
  // folder.ts
  showResults(): void
  panelResults(): void
  chooseResult(name: string): void
  openResult(name: string): Promise<void>
  compareResults(): Promise<void>
  // tips.ts
  tipFor(what: Thing | undefined, at: At): void
  showTip(content: Node[], at: At): void
  // sheets.ts
  openSheet(which: 'left' | 'side', peek?: boolean): void
  closeSheets(): void
}
