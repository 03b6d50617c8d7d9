import type { Backend, Check, ColumnPreview, Learned, Method, Setting, Table } from './backend'
import { Knowledge } from './knowledge'
import { roles, Settings } from './settings'

export type Step = 'table' | 'knowledge' | 'learn' | 'graph' | 'share'

// Bench is the state of the page. The views read it, change it and call changed.
export class Bench {
  table?: Table
  settings = new Settings()
  knowledge = new Knowledge()
  check?: Check | undefined // with the current settings
  previews: ColumnPreview[] = [] // of all columns of the file
  fault = '' // why the table cannot be read with the current settings
  checking = false
  learned?: Learned | undefined
  earlier?: Learned | undefined // the result before it, of the same table
  used?: { settings: Setting[]; knowledge: string } // of the result
  told = false // the knowledge differs from that of the result before
  running = false

  constructor(readonly backend: Backend, readonly methods: Method[], readonly go: (step: Step) => void, readonly changed: () => void) {}

  // take starts with another table.
  async take(file: File): Promise<void> {
    // In command lines a name has no folder and does not look like a flag.
    this.table = { name: file.name.replaceAll('/', '_').replace(/^-/, '_'), file }
    this.settings = new Settings()
    this.knowledge = new Knowledge()
    this.check = undefined
    this.learned = undefined
    this.earlier = undefined
    this.previews = []
    this.go('table')
    await this.recheck()
  }

  private checks = 0

  // recheck runs the data checks with the current settings. The last request counts.
  async recheck(): Promise<void> {
    const table = this.table
    if (!table) return
    const turn = ++this.checks
    this.checking = true
    this.changed()
    let check: Check | undefined
    let fault = ''
    try {
      check = await this.backend.check(table, this.reading())
    } catch (e) {
      fault = (e as Error).message
    }
    if (turn !== this.checks) return
    this.checking = false
    this.fault = fault
    if (check) {
      this.check = check
      if (check.preview) this.previews = check.preview.columns
    }
    this.changed()
  }

  // reading returns the settings of polydag check.
  private reading(): Setting[] {
    return this.settings.checked(ofReading)
  }

  // method returns the chosen method.
  method(): Method {
    const name = this.settings.get('method')
    return this.methods.find((m) => m.name === name) ?? this.methods[0]!
  }

  // choose sets the method and forgets the settings that it does not have.
  choose(name: string): void {
    this.settings.set('method', name === this.methods[0]!.name ? '' : name)
    const own = new Set(this.method().settings.map((s) => s.name))
    const others = new Set(this.methods.flatMap((m) => m.settings.map((s) => s.name)))
    this.settings.list = this.settings.list.filter(([flag]) => own.has(flag) || !others.has(flag))
    this.changed()
  }

  // variables returns the columns that the graph will have.
  variables(): string[] {
    const columns = this.check?.columns.filter((c) => !c.dropped && !this.settings.role(c.name)).map((c) => c.name) ?? []
    const excluded = new Set(this.check?.excluded?.map((x) => x.name))
    return columns.filter((c) => !excluded.has(c))
  }
}

// Settings of polydag check; the others are those of a run.
const ofReading = new Set([...Object.keys(roles), 'keep', 'kind', 'na', 'log', 'normal-scores', 'discretize', 'columns', 'encode', 'missing', 'rows', 'delimiter', 'decimal', 'no-header', 'encoding', 'date-order'])
