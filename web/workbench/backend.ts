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
  categories?: { value: string; count: number }[]
  other?: number
}

// The data checks of a table, as polydag check --json prints them.
export interface Check {
  rows: number
  rows_read: number
  columns: Column[]
  findings: Finding[]
  excluded?: { name: string; reason: string; detail: string }[]
  preview?: { rows: string[][]; sampled: number; columns: ColumnPreview[] }
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

// A result: its page, its JSON, and its files.
export interface Learned {
  page: string
  json: unknown
  downloads: Download[]
  questions: () => Promise<Question[]>
  // methods describes how the graph was learned, for a paper.
  methods: () => Promise<string>
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
  // example returns a table to try, where the program has one.
  example?: () => Promise<File>
}
