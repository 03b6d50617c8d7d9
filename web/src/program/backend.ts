// What the workbench needs from the program. polydag serve answers over HTTP, and the try page runs the program in a worker.

export interface Remedy {
  setting: string
  value?: string
  columns?: string[]
}

export interface Finding {
  code: string
  severity: 'error' | 'warning' | 'note'
  columns?: string[]
  sentence: string
  way_out: string
  remedies?: Remedy[]
}

export interface Column {
  name: string
  kind: string
  missing: number
  distinct: number
  taken_as?: string
  taken_as_reason?: string
  dropped?: string
}

export interface ColumnPreview {
  name: string
  missing: number
  low?: number
  high?: number
  counts?: number[]
  dates?: boolean // its numbers are seconds since 1970
  categories?: { value: string; count: number }[]
  other?: number
}

// The data checks of a table, as polydag check --json prints them.
export interface Check {
  rows: number
  rows_read: number
  sheets?: string[] // of a workbook with several
  sheet?: string // that was read
  columns: Column[]
  findings: Finding[]
  notes?: string[]
  excluded?: { name: string; reason: string; detail: string }[]
  preview?: { rows: string[][]; sample?: string[][]; sampled: number; columns: ColumnPreview[] }
}

// A flag of polydag learn without its hyphens, and its value.
export type Setting = [flag: string, value: string]

// A setting of a method, as polydag describe prints it.
export interface MethodSetting {
  name: string
  help: string
  type: 'string' | 'int' | 'float' | 'bool'
  default: string | number | boolean | null
  choices?: string[]
  want: string
}

export interface Method {
  name: string
  title: string
  about: string
  settings: MethodSetting[]
}

export interface Table {
  name: string
  file: File
}

// The progress of a run.
export interface Progress {
  state?: string
  seconds: number
  stage?: string
  step?: number
  steps?: number
  score?: number
  h?: number
  edges?: number
  course?: { of: string; step: number[]; value: number[] }
}

export interface Question {
  form: string
  about: string
  others: string[]
  settles: number
  text: string
  reason?: string
}

// A file of a result: at an address, or made when it is asked for.
export interface Download {
  label: string
  name: string
  from: string | (() => Promise<Blob>)
}

// A result: its report, its files, and what the program can say about it with its table.
export interface Learned {
  name: string
  report: () => Promise<string> // the report as a page, of which this page takes the data
  downloads: Download[]
  questions: () => Promise<Question[]>
  // methods describes how the graph was learned, for a paper.
  methods: () => Promise<string>
  // drivers ranks all columns by their effect on one, in subgroups too where by is not empty. It needs the table.
  drivers?: (of: string, by: string, intervals: boolean, signal?: AbortSignal) => Promise<Drivers>
  // effects computes the effects of interventions, which take longer than the graph. The report has them afterwards.
  effects?: (signal: AbortSignal) => Promise<void>
}

export interface Amount {
  value: number
  low?: number
  high?: number
}

// A column by its effect on another one, as polydag drivers prints it.
export interface Driver {
  name: string
  contrast: { start: string; end: string; unit: boolean; deviation?: boolean }
  outcome: string
  total?: Amount // absent where no direction is settled
  low?: number // of the range over graphs that fit equally well
  high?: number
  if_exists?: { low: number; high: number }
  through?: string[]
  basis: string
  adjustment?: string[] | null
  depends_on?: { from: string; to: string; probability: number }[]
  settled: boolean
  by_names?: boolean
  changeable?: string
  by?: { by: string; p?: number; differs: boolean; groups: { value: string; rows: number; effect: Amount }[] }[]
}

export interface Drivers {
  on: string
  rows: number
  caveat: string
  drivers: Driver[] | null
  no_effect: string[] | null
  notes?: string[]
}

// What a table says about a graph, as polydag test prints it.
export interface Tested {
  verdict: 'refuted' | 'compatible' | 'low_power' | 'untestable'
  conditions: number
  refuted: { x: string; y: string; given: string[] | null; p: number; q: number; effect: number }[] | null
  unsupported: { from: string; to: string; p: number; effect: number }[] | null
  detectable?: number
}

export interface Outcome {
  state: 'done' | 'stopped' | 'failed'
  seconds: number
  error: string
  learned?: Learned
}

// A Fault is a message of the program, with flags in it.
export class Fault extends Error {}

export interface Backend {
  // methods returns the methods and their settings when the program is ready, the default first.
  methods(): Promise<Method[]>
  // check throws a Fault if the table cannot be read.
  check(table: Table, settings: Setting[]): Promise<Check>
  // learn reports its progress to watch. knowledge is the text of a knowledge file, or empty.
  learn(table: Table, settings: Setting[], knowledge: string, watch: (p: Progress) => void): Promise<Outcome>
  // stop ends the run with its best graph so far; the second time, at once.
  stop(): void
  // test tests a graph, as a list of edges in CSV, against a table.
  test(table: Table, settings: Setting[], graph: string): Promise<Tested>
  // example returns a table that the program has.
  example(name: 'diabetes' | 'demo'): Promise<File>
}
