import type { Backend, Check, ColumnPreview, Learned, Method, Progress, Setting, Table } from './backend'
import { Knowledge } from './knowledge'
import { roles, Settings } from './settings'
import { decode, type Page } from '../data'
import { sloped } from '../gain'
import { unpack } from '../unpack'

interface Moment {
  settings: Setting[]
  knowledge: Knowledge
  said: string
}

// Session is a table in the hands of the program: what is known about it, the result, and everything that can be taken back. A change learns
// the graph again; a result that came too late is not shown.
export class Session {
  table?: Table
  settings = new Settings()
  knowledge = new Knowledge()
  check?: Check | undefined // with the current settings
  previews: ColumnPreview[] = []
  fault = '' // why there is no graph with the current settings
  progress?: Progress | undefined // of the run
  learned?: Learned | undefined
  page?: Page | undefined
  earlier?: Page | undefined // the result before, of the same table
  used: { settings: Setting[]; knowledge: string } = { settings: [], knowledge: '' }
  past: Moment[] = []
  future: Moment[] = []
  truth?: { from: string; to: string }[] | undefined // of an example
  stopped = false
  computing = false // the effects of interventions, after the graph
  refused = new Set<string>() // suggestions that the reader does not want
  link?: (name: string, what: 'causes' | 'cannot') => void // lets the reader choose the other column on the canvas
  private turn = 0
  private running = false
  private again = false

  constructor(
    readonly backend: Backend,
    readonly methods: Method[],
    private readonly on: { changed: () => void; page: (p: Page, fresh: boolean) => void; more: () => void },
  ) {}

  get busy(): boolean {
    return this.running
  }

  // take starts with another table.
  async take(file: File, truth?: { from: string; to: string }[], given: Setting[] = []): Promise<void> {
    // In command lines a name has no folder and does not look like a flag.
    this.table = { name: file.name.replaceAll('/', '_').replace(/^-/, '_'), file }
    this.settings = new Settings()
    this.settings.list = given
    this.knowledge = new Knowledge()
    this.check = this.learned = this.page = this.earlier = undefined
    this.previews = this.past = this.future = []
    this.truth = truth
    this.refused = new Set()
    this.fault = ''
    await this.update()
  }

  // sheet chooses another sheet of the workbook: another table, with columns of its own.
  sheet(name: string): void {
    this.change(`the sheet ${name}`, () => {
      this.settings = new Settings()
      this.settings.set('sheet', name)
      this.knowledge = new Knowledge()
      this.page = this.earlier = undefined
    })
  }

  // change is one step that undo takes back. It learns again.
  change(said: string, step: () => void): void {
    this.note(said, step)
    void this.update()
  }

  // note is a step that undo takes back and that changes no run.
  note(said: string, step: () => void): void {
    this.past = [...this.past, this.moment(said)]
    this.future = []
    step()
  }

  private moment(said: string): Moment {
    return { settings: [...this.settings.list], knowledge: this.knowledge.copy(), said }
  }

  undo(): void {
    const last = this.past.at(-1)
    if (!last) return
    this.past = this.past.slice(0, -1)
    this.future = [this.moment(last.said), ...this.future]
    this.restore(last)
  }

  redo(): void {
    const next = this.future[0]
    if (!next) return
    this.future = this.future.slice(1)
    this.past = [...this.past, this.moment(next.said)]
    this.restore(next)
  }

  private restore(m: Moment): void {
    this.settings.list = [...m.settings]
    this.knowledge = m.knowledge.copy()
    void this.update()
  }

  // update checks the table and learns. While a run goes on it is stopped first, and the last change counts.
  async update(): Promise<void> {
    if (this.running) {
      this.again = true
      this.backend.stop()
      return this.on.changed()
    }
    this.later?.abort()
    const table = this.table
    if (!table) return
    const turn = ++this.turn
    this.running = true
    this.stopped = false
    this.again = false
    this.fault = ''
    this.progress = { seconds: 0 }
    this.on.changed()
    try {
      await this.once(table, turn)
    } catch (e) {
      this.fault = (e as Error).message
    }
    this.running = false
    this.progress = undefined
    if (this.again) return this.update()
    this.on.changed()
  }

  private async once(table: Table, turn: number): Promise<void> {
    const reading = this.settings.checked(ofReading)
    if (!this.check || this.looked !== JSON.stringify(reading)) {
      const check = await this.backend.check(table, reading)
      if (turn !== this.turn) return
      if (check.sheet !== undefined && this.settings.get('sheet') === undefined) this.settings.set('sheet', check.sheet)
      this.looked = JSON.stringify(this.settings.checked(ofReading))
      this.check = check
      // Dates in text are integers to the checks, with a note.
      const dates = new Set([...check.columns.filter((c) => c.kind === 'time').map((c) => c.name), ...(check.notes ?? []).flatMap((n) => /^Column (.+): dates such as /.exec(n)?.[1] ?? [])])
      if (check.preview) this.previews = check.preview.columns.map((p) => ({ ...p, dates: dates.has(p.name) }))
      this.on.changed()
    }
    const worst = this.check.findings.find((f) => f.severity === 'error')
    if (worst) throw new Error(worst.sentence)
    if (this.again) return
    const used = { settings: this.settings.run(), knowledge: this.knowledge.file(this.variables()) }
    const outcome = await this.backend.learn(table, used.settings, used.knowledge, (p) => {
      this.progress = p
      this.on.changed()
    })
    if (this.again || turn !== this.turn) return
    if (!outcome.learned) throw new Error(outcome.error || 'The run was stopped before there was a graph.')
    const page = await pageOf(await outcome.learned.report())
    if (this.table !== table) return
    this.earlier = this.page
    this.learned = outcome.learned
    this.page = page
    this.used = used
    this.on.page(page, this.earlier === undefined)
    void this.complete(outcome.learned, page)
  }

  // complete adds the effects of interventions, where the page does not compute them itself.
  private async complete(learned: Learned, page: Page): Promise<void> {
    const r = page.results[0]!
    if (!learned.effects || r.effects || (sloped(r.result) && !r.result.time)) return
    const later = (this.later = new AbortController())
    this.computing = true
    try {
      await learned.effects(later.signal)
      const { effects } = (await pageOf(await learned.report())).results[0]!
      if (effects) r.effects = effects
    } catch {
      // The page says that they are missing.
    }
    if (this.later !== later) return
    this.computing = false
    this.on.more()
  }

  private later: AbortController | undefined

  private looked = ''

  // stop ends the run with its best graph so far.
  stop(): void {
    this.stopped = true
    this.backend.stop()
    this.on.changed()
  }

  // method returns the chosen method.
  method(): Method {
    const name = this.settings.get('method')
    return this.methods.find((m) => m.name === name) ?? this.methods[0]!
  }

  // variables returns the columns that the graph will have.
  variables(): string[] {
    const columns = this.check?.columns.filter((c) => !c.dropped && !this.settings.role(c.name)).map((c) => c.name) ?? []
    const excluded = new Set(this.check?.excluded?.map((x) => x.name))
    return columns.filter((c) => !excluded.has(c))
  }
}

// pageOf reads the data of a report.
export async function pageOf(html: string): Promise<Page> {
  const open = html.lastIndexOf('id="data">')
  return decode(await unpack(html.slice(open + 'id="data">'.length, html.indexOf('</script>', open))))
}

// Settings of polydag check; the others are those of a run.
const ofReading = new Set([...Object.keys(roles), 'keep', 'kind', 'na', 'log', 'normal-scores', 'discretize', 'columns', 'encode', 'missing', 'rows', 'delimiter', 'decimal', 'no-header', 'encoding', 'date-order', 'sheet', 'table'])
