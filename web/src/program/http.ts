import { type Backend, type Check, Fault, type Learned, type Method, type Drivers, type Outcome, type Progress, type Setting, type Table, type Tested } from './backend'

export interface Entry {
  name: string
  bytes: number
  modified: string
  too_large?: boolean
}

export interface Run extends Progress {
  id?: string
  name: string
  method: string
  state: string
  result?: string
  error?: string
}

export interface Snapshot {
  results: Entry[] | null
  runs: Run[]
  elsewhere: Run[] | null
  methods: string[]
  max_result: number
}

// Server is polydag serve. Its events have the results, the runs and their progress.
export class Server implements Backend {
  private known?: { table: Table; upload: string }
  private running = ''
  private sheet: Setting[] = [] // of a workbook; a result records the other settings of its table
  private last?: Snapshot
  private waiting: ((s: Snapshot) => void)[] = []

  constructor(private show: (s: Snapshot) => void, private connected: (yes: boolean) => void) {
    const events = new EventSource('/events')
    events.onmessage = (e) => {
      this.last = JSON.parse(e.data as string) as Snapshot
      this.connected(true)
      this.show(this.last)
      for (const tell of this.waiting) tell(this.last)
    }
    events.onerror = () => this.connected(false)
  }

  // follow calls tell at once and at each change, until it returns a value.
  private follow<T>(tell: (s: Snapshot) => T | undefined): Promise<T> {
    return new Promise((resolve) => {
      const each = (s: Snapshot) => {
        const value = tell(s)
        if (value === undefined) return
        this.waiting = this.waiting.filter((w) => w !== each)
        resolve(value)
      }
      this.waiting.push(each)
      if (this.last) each(this.last)
    })
  }

  async methods(): Promise<Method[]> {
    await this.follow((s) => s.methods) // the server is there
    const answer = await fetch('/methods')
    if (!answer.ok) throw new Fault((await answer.text()).trim())
    return (await answer.json()) as Method[]
  }

  // post sends the settings of a table, with the table itself only if the server does not have it.
  private async post(path: string, table: Table, settings: Setting[], signal?: AbortSignal): Promise<Response> {
    let answer: Response | undefined
    try {
      if (this.known?.table === table) {
        answer = await fetch(`${path}?upload=${this.known.upload}`, { method: 'POST', body: new URLSearchParams(settings), signal: signal ?? null })
      }
      if (!answer || answer.status === 410) {
        answer = await fetch(`${path}?${new URLSearchParams([['name', table.name], ...settings])}`, { method: 'POST', body: table.file, signal: signal ?? null })
      }
    } catch (e) {
      throw new Fault(`The table could not be sent: ${(e as Error).message}`)
    }
    if (!answer.ok) throw new Fault((await answer.text()).trim())
    return answer
  }

  async check(table: Table, settings: Setting[]): Promise<Check> {
    const answer = (await (await this.post('/check', table, settings)).json()) as { upload: string; check: Check; sheets?: string[]; sheet?: string }
    this.known = { table, upload: answer.upload }
    return { ...answer.check, ...(answer.sheets && { sheets: answer.sheets, sheet: answer.sheet ?? answer.sheets[0]! }) }
  }

  async learn(table: Table, settings: Setting[], knowledge: string, watch: (p: Progress) => void): Promise<Outcome> {
    this.sheet = settings.filter(([flag]) => flag === 'sheet')
    let id: string
    try {
      id = ((await (await this.post('/runs', table, knowledge ? [...settings, ['knowledge', knowledge]] : settings)).json()) as { id: string }).id
    } catch (e) {
      return { state: 'failed', seconds: 0, error: (e as Error).message }
    }
    this.running = id
    const run = await this.follow((s) => {
      const r = s.runs.find((r) => r.id === id)
      if (r) watch(r)
      return r && ['done', 'failed', 'stopped'].includes(r.state) ? r : undefined
    })
    this.running = ''
    const out: Outcome = { state: run.state as Outcome['state'], seconds: run.seconds, error: run.error ?? '' }
    if (run.result) out.learned = await this.learned(run.result)
    return out
  }

  // learned is a result of the folder, with what can be asked about it while the server has its table.
  async learned(result: string): Promise<Learned> {
    const name = encodeURIComponent(result)
    const stem = result.replace(/\.json$/, '')
    const picture = (to: string) => ({ label: to.toUpperCase(), from: `/exports/${name}?to=${to}`, name: `${stem}.${to}` })
    const table = this.known?.table
    const { sheet } = this
    return {
      name: stem,
      report: async () => text(await fetch(`/results/${name}?alone=true`)),
      downloads: [
        { label: 'Report', from: `/results/${name}?alone=true&embed=true`, name: `${stem}.html` },
        picture('svg'), picture('png'), picture('pdf'),
        { label: 'Result (JSON)', from: `/files/${name}`, name: result },
      ],
      questions: async () => {
        const answer = await fetch(`/questions/${name}`)
        return answer.ok ? (((await answer.json()) as { questions?: [] }).questions ?? []) : []
      },
      methods: async () => {
        return (await text(await fetch(`/exports/${name}?to=methods`))).trim()
      },
      ...(table && {
        drivers: async (of: string, by: string, intervals: boolean, signal?: AbortSignal) => {
          const answer = await this.post(`/drivers/${name}`, table, [...sheet, ['of', of], ...(by ? [['by', by] as Setting] : []), ...(intervals ? [] : [['intervals', 'false'] as Setting])], signal)
          return (await answer.json()) as Drivers
        },
        effects: async (signal: AbortSignal) => void (await this.post(`/effects/${name}`, table, sheet, signal)),
      }),
    }
  }

  async test(table: Table, settings: Setting[], graph: string): Promise<Tested> {
    return (await (await this.post('/test', table, [...settings, ['graph', graph]])).json()) as Tested
  }

  async example(name: string): Promise<File> {
    const answer = await fetch(`/examples/${name}.csv`)
    if (!answer.ok) throw new Fault((await answer.text()).trim())
    return new File([await answer.blob()], `${name}.csv`)
  }

  stop(): void {
    if (this.running) stopRun(this.running)
  }
}

// text is the text of an answer. It throws what the server says of a request that it refuses.
async function text(answer: Response): Promise<string> {
  if (!answer.ok) throw new Fault((await answer.text()).trim())
  return answer.text()
}

export function stopRun(id: string): void {
  void fetch(`/runs/${id}/stop`, { method: 'POST' })
}
