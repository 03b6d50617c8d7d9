import { type Backend, type Check, Fault, type Learned, type Method, type Drivers, type Outcome, type Progress, type Setting, type Table, type Tested } from './backend'
import { flagNames } from './settings'

interface Answer {
  code: number
  out: string
  err: string
  wrote: Record<string, Uint8Array<ArrayBuffer>>
}

const failed = (err: string): Answer => ({ code: 1, out: '', err, wrote: {} })

// Tab runs the program inside this page, in a worker, one command line at a time.
export class Tab implements Backend {
  private worker!: Worker
  private module: unknown // the program, for the next worker
  private finish: (a: Answer) => void = () => {}
  private told: (p: Progress) => void = () => {}
  private last: Promise<unknown> = Promise.resolve()
  private stopping = false
  private urls: string[] = []
  private checked: File | undefined
  private sheets: string[] = [] // of the workbook that was checked last
  private code: string
  private policy

  constructor(worker: string, private program: string) {
    // The policy of the page allows no script but its own, and a worker from the text that the page holds.
    this.code = URL.createObjectURL(new Blob([worker], { type: 'text/javascript' }))
    type Policies = { createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string } }
    this.policy = (globalThis as { trustedTypes?: Policies }).trustedTypes?.createPolicy('polydag-worker', { createScriptURL: (url) => (url === this.code ? url : '') })
    this.start()
  }

  private start(): void {
    this.worker = new Worker(this.policy ? this.policy.createScriptURL(this.code) : this.code)
    this.worker.onmessage = ({ data }) => {
      if (data.module) {
        this.module = data.module
        this.finish(failed(''))
      }
      if (data.progress) this.told(data.progress as Progress)
      if (data.done) this.finish(data.done as Answer)
      if (data.broken) this.end(`the program crashed: ${data.broken}`)
    }
    this.worker.onerror = (e) => {
      e.preventDefault()
      this.end(`the program crashed: ${e.message || 'out of memory?'}`)
    }
  }

  // end gives up the worker and starts another one.
  private end(why: string): void {
    this.worker.terminate()
    this.start()
    if (this.module) this.worker.postMessage({ module: this.module })
    this.finish(failed(why))
  }

  private send(message: unknown): Promise<Answer> {
    return new Promise((resolve) => {
      this.finish = resolve
      this.worker.postMessage(message)
    })
  }

  // run runs a command line over files. Commands wait for each other.
  private run(args: string[], files: Record<string, Blob | Uint8Array> = {}, watch = ''): Promise<Answer> {
    const next = this.last.then(() => this.send({ args, tables: files, watch }))
    this.last = next.catch(() => {})
    return next
  }

  async methods(): Promise<Method[]> {
    await this.send({ text: this.program })
    this.program = ''
    const answer = await this.run(['methods', '--json'])
    if (answer.code !== 0) throw new Fault(answer.err)
    return JSON.parse(answer.out) as Method[]
  }

  async example(name: 'diabetes' | 'demo'): Promise<File> {
    const answer = await this.run(['demo', ...(name === 'diabetes' ? ['--real'] : []), '--save', `${name}.csv`])
    return new File([answer.wrote[`${name}.csv`]!], `${name}.csv`)
  }

  async test({ name, file }: Table, settings: Setting[], graph: string): Promise<Tested> {
    const answer = await this.run(['test', 'graph.csv', '--data', name, '--json', ...flags(settings)], { [name]: file, 'graph.csv': new TextEncoder().encode(graph) })
    return parsed<Tested>(answer)
  }

  async check({ name, file }: Table, settings: Setting[]): Promise<Check> {
    if (this.checked !== file) [this.checked, this.sheets] = [file, []]
    const answer = await this.run(['check', name, '--json', '--quiet', '--set', 'sample=400', ...flags(settings)], { [name]: file })
    try {
      const check = JSON.parse(answer.out) as Check // also if a finding is an error
      return { ...check, ...(this.sheets.length > 0 && { sheets: this.sheets, sheet: settings.find(([flag]) => flag === 'sheet')?.[1] ?? this.sheets[0]! }) }
    } catch {
      const sheets = / its sheets are ([^;\n]+)/.exec(answer.err)?.[1]?.split(', ')
      if (!sheets || settings.some(([flag]) => flag === 'sheet')) throw new Fault(answer.err)
      this.sheets = sheets
      return this.check({ name, file }, [...settings, ['sheet', sheets[0]!]])
    }
  }

  async learn({ name, file }: Table, settings: Setting[], knowledge: string, watch: (p: Progress) => void): Promise<Outcome> {
    const files: Record<string, Blob | Uint8Array> = { [name]: file }
    const args = ['learn', name, ...flags(settings)]
    if (knowledge) {
      files['knowledge.json'] = new TextEncoder().encode(knowledge)
      args.push('--knowledge', 'knowledge.json')
    }
    this.stopping = false
    this.told = watch
    const begun = performance.now()
    const answer = await this.run([...args, '--output', 'result.json', '--report', 'report.html', '--export', 'graph.svg', '--export', 'graph.methods.txt', '--progress-file', 'run.progress.json', '--quiet'], files, 'run.progress.json')
    const result = answer.wrote['result.json']
    const out: Outcome = { state: this.stopping ? 'stopped' : result ? 'done' : 'failed', seconds: (performance.now() - begun) / 1000, error: answer.err.trim() }
    if (result) out.learned = this.learned({ name, file }, result, answer.wrote)
    return out
  }

  private learned(table: Table, result: Uint8Array<ArrayBuffer>, wrote: Answer['wrote']): Learned {
    for (const u of this.urls) URL.revokeObjectURL(u)
    this.urls = []
    const stem = table.name.replace(/\.[^.]*$/, '')
    const blob = (path: string, type: string) => {
      const url = URL.createObjectURL(new Blob([wrote[path]!], { type }))
      this.urls.push(url)
      return url
    }
    const written = (label: string, path: string, type: string) => (wrote[path] ? [{ label, from: blob(path, type), name: `${stem}.${path.split('.').at(-1)}` }] : [])
    // A picture in print takes time, so it is drawn when it is asked for.
    const drawn = (to: string, type: string) => ({ label: to.toUpperCase(), name: `${stem}.${to}`, from: async () => {
      const answer = await this.run(['convert', 'result.json', `graph.${to}`], { 'result.json': result })
      if (answer.code !== 0) throw new Fault(answer.err)
      return new Blob([answer.wrote[`graph.${to}`]!], { type })
    } })
    return {
      name: stem,
      report: async () => new TextDecoder().decode(wrote['report.html']),
      downloads: [
        ...written('Report', 'report.html', 'text/html'), ...written('SVG', 'graph.svg', 'image/svg+xml'),
        drawn('png', 'image/png'), drawn('pdf', 'application/pdf'), ...written('Result (JSON)', 'result.json', 'application/json'),
      ],
      methods: async () => new TextDecoder().decode(wrote['graph.methods.txt']).trim(),
      questions: async () => {
        const answer = await this.run(['questions', 'result.json', '--json'], { 'result.json': result })
        return answer.code === 0 ? ((JSON.parse(answer.out) as { questions?: [] }).questions ?? []) : []
      },
      drivers: async (of, by, intervals) => parsed<Drivers>(await this.run(['effect', 'result.json', '--on', of, ...(by ? ['--by', by] : []), '--data', table.name, '--set', `replicates=${intervals ? 50 : 0}`, '--json'], { 'result.json': result, [table.name]: table.file })),
    }
  }

  // stop is Ctrl-C: the first ends the run in order, the second at once.
  stop(): void {
    if (this.stopping) return this.end('stopped before there was a result')
    this.stopping = true
    this.worker.postMessage({ stop: true })
  }
}

const parsed = <T>(answer: Answer): T => {
  if (answer.out.trim() === '') throw new Fault(answer.err)
  return JSON.parse(answer.out) as T
}

const flags = (settings: Setting[]) => settings.map(([name, value]) => `--${flagNames.has(name) ? '' : 'set='}${name}=${value}`)
