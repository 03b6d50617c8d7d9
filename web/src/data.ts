// What the page is filled with. Go writes it (package internal/page); every number on the page that is not a view of the graph
// comes from here.

import type { Pictures } from './panel/pictures'

export type Pair = [from: number, to: number] // indices into Page.names

export interface Link {
  from: string
  to: string
}

// What is stated about an edge; docs/explanation/directions.md.
export type Verdict = 'directed' | 'undirected' | 'weak'

// What the probability of a direction mainly rests on.
export type Basis = 'knowledge' | 'prior' | 'knowledge_and_model' | 'names' | 'model' | 'model_and_rule' | 'rule'

// One source of evidence about a direction. The log odds of all sources are added and include the weight of the model; without any it is
// a remark. p is the probability that neither direction is right.
export interface Reason {
  source: string
  log_odds?: number
  weight?: number
  p?: number
  text: string
}

export interface Assumption {
  name: string
  statement: string
  outcome: 'passed' | 'failed' | 'not_checked' | 'untestable'
  sentence: string
  evidence?: Finding[]
}

// What stands at the two ends of an edge: - a tail, < or > a head, o open.
export type Mark = '-->' | '---' | '<->' | 'o->' | 'o--' | 'o-o'

export interface Edge extends Link {
  lag?: number // time steps from cause to effect; absent: values of the same time
  mark: Mark
  gain?: number // score gain, bits per row
  weight: number
  standardized: number
  effect?: Effect
  compelled: boolean
  verdict?: Verdict // absent for a graph that was given and not learned
  confidence?: number
  p_adjacent?: number
  p_direction?: number
  basis?: Basis
  evidence?: Reason[]
  hidden_cause?: 'excluded' | 'possible' | 'implied' // absent if it was not tested
}

// What an edge does, the other parents averaged over; docs/reference/result.md.
export interface Effect {
  form: 'table' | 'means' | 'curve'
  from_levels?: string[]
  to_levels?: string[]
  p?: number[][]
  counts?: number[][]
  rows?: number[]
  x?: number[]
  y?: number[]
  median?: boolean
  low?: number
  high?: number
}

export interface Node {
  name: string
  kind?: string
  nominal?: boolean // the model uses the codes of an ordinal column as categories
  levels?: string[]
  explained?: number
  mean: number
  std: number
  residual_variance: number
  r2: number
}

export interface Finding {
  code: string
  severity: 'error' | 'warning' | 'note'
  columns?: string[]
  sentence: string
  way_out: string
}

// What the edges stand for.
export type Kind = 'dag' | 'cpdag' | 'pdag' | 'pag' | 'average'

export interface Certificate {
  kind: Kind
  holds: boolean
  order?: string[]
}

// What belongs to a method that thresholds weights.
export interface Continuous {
  steps: number
  h: number
  threshold: number
  h_threshold?: number
  thresholded?: Link[]
  cyclic_components: number
  cycle?: string[]
  cut?: (Link & { weight: number })[]
  cut_cost?: number
}

// A setting that was left to the method.
export interface Choice {
  setting: string
  requested: string
  chosen: string
  reason?: string
  scores?: Record<string, number>
  margin?: number
}

// The share of the fit that remains where the number or the score gain of edges was bounded; fits are in bits per row.
export interface Budget {
  max_edges?: number
  min_gain?: number
  edges_without: number
  bits: number
  bits_without: number
  share: number
}

// Which mechanisms differ between the environments that a column names.
export interface Environments {
  column: string
  rows: { environment: string; rows: number }[]
  changed: { environment: string; column: string; p: number; p_adjusted: number }[] | null
}

// Which table a result is about.
export interface Table {
  name?: string
  format?: string
  bytes?: number
  sha256?: string
  moments_sha256: string
  groups?: { effective_rows: number }
  notes?: string[]
}

export interface Program {
  version: string
  commit?: string
  go: string
}

export interface Stage {
  name: string
  skipped?: string
  score?: number
  graph?: Link[]
  h?: number
}

export interface Trace {
  stage: string
  step: number[]
  score: number[]
  h?: number[]
  rho?: number[]
  edges?: number[]
}

export interface ScaleCheck {
  raw_edges: number
  standardized_edges: number
  same: number
  reversed: number
  agreement: number
  only_raw?: Link[]
  only_standardized?: Link[]
  sentence: string
}

// How far sorting the columns by one figure gives the order of the graph: 1 all of it, 0.5 none, 0 its reverse.
export interface Sortability {
  variance: number
  r2?: number
}

export interface Result {
  schema: string
  method: string
  status: string
  cause?: string
  names: string[]
  rows: number
  table: Table
  program: Program
  model?: 'linear' | 'discrete' | 'mixed' | 'smooth'
  kind: Kind
  edges: Edge[]
  lagged?: Edge[] // edges with a lag, in a result about a time series
  time?: { column: string; step: string; lags: number; series?: string; series_count: number }
  certificate: Certificate
  nodes: Node[]
  score: number
  optimal: boolean
  choices?: Choice[]
  budget?: Budget
  environments?: Environments
  continuous?: Continuous
  stages: Stage[]
  warnings?: string[]
  data_checks?: Finding[]
  assumptions?: Assumption[]
  scale_check?: ScaleCheck
  sortability?: Sortability
  trace?: Trace[]
  settings: Record<string, unknown>
  seed: number
  timing: { read_seconds: number; solve_seconds: number; stage_seconds?: Record<string, number>; threads: number }
}

export interface Metrics {
  edges_true: number
  edges_estimated: number
  shd: number
  missing: number
  extra: number
  reversed: number
  precision: number
  tpr: number
  f1: number
  fpr: number
  skeleton_f1: number
  cpdag_shd?: number
  cpdag_f1?: number
}

// Score sorts the edges of one result against the truth. Reversed edges are as learned, missing ones as in the truth.
// Unoriented ones join two variables that the truth joins, without a direction.
export interface Score {
  metrics: Metrics
  right: Pair[]
  reversed: Pair[]
  missing: Pair[]
  extra: Pair[]
  unoriented: Pair[]
}

// Comparison sorts the edges of two results. Turned edges are in both, reversed or with other marks, and are listed as in the first.
export interface Comparison {
  both: Pair[]
  turned: Pair[]
  only_first: Pair[]
  only_second: Pair[]
}

// A comparison of several methods on one table: a table of figures and the agreement of their results.
export interface Methods {
  figures: { title: string; about: string; best?: 'less' | 'more'; decimals?: number }[]
  rows: { label: string; result: number; why?: string; values: (number | null)[] }[] // result -1: there is none
  skeleton: number[][] // by result
  marks: number[][]
  notes: string[]
}

// A number with its interval, where there is one.
export interface Quantity {
  value: number
  low?: number
  high?: number
}

// What a contrast does to one figure: the mean, or the probability of a level. docs/guides/effects.md.
export interface Outcome {
  outcome: string
  total: Quantity
  direct: Quantity
  through: ({ name: string } & Quantity)[]
}

// The distribution of a variable where another one is set.
export interface Distribution {
  do: string
  mean?: Quantity
  std?: number
  quantiles?: { p: number; value: number }[]
  levels?: ({ name: string } & Quantity)[]
  sampling_error?: number // where it was drawn
}

// What setting one variable does to another, by package effect.
export interface PairEffect {
  from: number // indices into Page.names
  to: number
  contrast: { start: string; end: string; unit?: boolean; change?: number } // change: of a time series, in the place of two values
  effects: Outcome[]
  low?: number[] // range of each total over the graphs that fit as well, where it is one
  high?: number[]
  between?: number // variables between whose parts are left out
  replicates: number
  do: Distribution[]
  hidden?: { e_value?: number; e_value_interval?: number }
  impulse?: Response[] // under a model with lags, by outcome and step
}

// The change of a number, or of the probability of an outcome, some time steps after another variable has changed.
export type Response = { step: number; outcome?: string } & Quantity

export interface Effects {
  level: number
  pairs: number // there are, of which list has some
  list: PairEffect[]
}

export interface Page {
  schema: 'polydag.page/4'
  names: string[] // columns of all results, the first one's order first
  results: { label: string; result: Result; says?: string[][]; paragraph?: string; effects?: Effects; questions?: string[] }[] // says: of each edge what it does, in sentences; paragraph: how the graph was learned, for a paper; questions: whose answers would settle most directions
  truth?: { edges: number; verdicts: Score[] } // one for each result
  comparison?: Comparison
  methods?: Methods // the results are those of several methods
  pictures?: Pictures
  sensitive: string[]
  caution: string
  back?: boolean // there is a list of results at the root of the same address
  marks: Record<Mark, string> // what each mark says, in words
}

// all has the edges of a result, those with a lag included.
export const all = (r: Result): Edge[] => [...r.edges, ...(r.lagged ?? [])]

export class DataError extends Error {}

// decode checks what the page relies on, so that a broken file says so instead of showing half a graph.
export function decode(text: string): Page {
  let v: unknown
  try {
    v = JSON.parse(text)
  } catch {
    throw new DataError('The data in this file is not JSON: the file was cut short or changed. Write it again with polydag report.')
  }
  const p = v as Page
  if (typeof v !== 'object' || v === null || p.schema !== 'polydag.page/4') {
    throw new DataError('This file is not a polydag report. Write one with polydag report RESULT.json --output report.html.')
  }
  if (!Array.isArray(p.names) || !Array.isArray(p.results) || p.results.length === 0) {
    throw new DataError('The data in this file lacks names or results. Write it again with polydag report.')
  }
  const known = new Set(p.names)
  for (const { label, result } of p.results) {
    for (const e of all(result)) {
      if (!known.has(e.from) || !known.has(e.to)) {
        throw new DataError(`${label} has the edge ${e.from} → ${e.to} between names that are not listed.`)
      }
      if (p.marks?.[e.mark] === undefined) {
        throw new DataError(`${label} has the edge ${e.from} ${e.mark} ${e.to} with an unknown mark. Write the page again with polydag report.`)
      }
    }
  }
  p.sensitive ??= []
  for (const { result } of p.results) {
    result.nodes ??= []
    result.stages ??= []
    result.settings ??= {}
  }
  return p
}
