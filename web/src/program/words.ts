import type { Finding, Remedy, Setting } from './backend'
import { roles, rowOrder } from './settings'
import { capital, visible } from '../dom'

// Labels of the fields, and the words of their choices; the first choice is the default.
export const fields: Record<string, string> = {
  lags: 'Lags', gaps: 'Gaps in time', season: 'Season', step: 'Time step', aggregate: 'Rows within a step', difference: 'Changes from step to step', detrend: 'Without the linear trend',
  tiers: 'Bands of time', sheet: 'Sheet', method: 'Method', bootstrap: 'Bootstrap samples', encode: 'Text columns', missing: 'Missing values', na: 'Missing-value markers', require: 'Required edges', forbid: 'Forbidden edges',
}
export const choices: Record<string, Record<string, string>> = {
  gaps: { error: 'stop with an error', break: 'start a new segment' },
  aggregate: { '': 'one row for each', mean: 'average them' },
  encode: { levels: 'one categorical variable each', onehot: 'one-hot', ordinal: 'ordinal codes', drop: 'exclude', error: 'stop with an error' },
  missing: { auto: 'automatic', drop: 'drop the rows', pairwise: 'pairwise', error: 'stop with an error' },
  bootstrap: { '0': 'none', '100': '100', '200': '200' },
}

// Tooltips of fields that the page of a result does not have.
export const tips = {
  markers: 'Words or numbers that stand for a missing value, separated by commas.',
  lags: 'Number of past time steps whose values may be causes; empty lets the score choose.',
  gaps: 'What to do where the distance of two rows in time differs from the others.',
  step: 'Distance of two points in time, such as 15min, 1h, 7d, 1mo or 0.5; empty for the median distance of the rows.',
  aggregate: 'What to do with several rows within one time step.',
  season: 'Length of a season in steps, such as 24 for hours: the mean of each of its steps is removed; empty for none.',
  difference: 'Replace numbers by their changes from step to step, for series that drift.',
  detrend: 'Remove the linear trend of numbers.',
  time: 'The rows follow each other in time, and past values may be causes.',
  series: 'Column that identifies the series of a row, such as a person or a country.',
  position: 'A root is driven by no other variable of the table; an outcome drives none.',
}

// phrase is a setting in words, as on buttons and in the list of changes.
export function phrase([flag, value]: Setting): string {
  const name = visible(value)
  const at = value.lastIndexOf('=')
  if (flag === 'drop') return `exclude the column ${name}`
  if (flag === 'time') return value === rowOrder ? 'the rows are in the order of time' : `use ${name} as time`
  if (flag === 'series') return `${name} identifies the series`
  if (flag === 'keep') return `use ${name} anyway`
  if (flag in roles) return `${name}: ${roles[flag as keyof typeof roles]}`
  if (flag === 'kind') return `treat ${visible(value.slice(0, at))} as ${value.slice(at + 1)}`
  if (flag === 'na') return at > 0 ? `treat ${visible(value.slice(at + 1))} in ${visible(value.slice(0, at))} as missing` : `treat ${name} as missing`
  if (flag === 'log') return `take the logarithm of ${name}`
  if (flag === 'normal-scores') return 'use ranks in place of values (normal scores)'
  if (flag === 'variance' && value !== 'auto') return value === 'equal' ? 'assume equal noise variances' : 'allow unequal noise variances'
  if (flag === 'no-header') return 'the first row is data'
  if (value === 'true' && (flag === 'difference' || flag === 'detrend')) return fields[flag]!.slice(0, 1).toLowerCase() + fields[flag]!.slice(1)
  if (flag === 'standardize') return 'standardize the columns'
  const words = choices[flag]?.[value]
  if (fields[flag]) return `${fields[flag]}: ${words ?? name}`
  return value === 'true' ? flag : `${flag}: ${name}`
}

const stages: Record<string, string> = { start: 'a first graph', path: 'the strongest edges', descent: 'improving the graph', round: 'trying to leave a local optimum' }

// stageSaid is a stage of a run without the name of its method: order: descent, improving the graph.
export function stageSaid(stage: string): string {
  const part = /[:/] ?([a-z ]+)$/.exec(stage)?.[1]
  return part === undefined ? stage : (stages[part] ?? part)
}

// remedyLabel is the text of the button that applies a remedy.
export function remedyLabel(r: Remedy): string {
  const names = (r.columns ?? []).map(visible)
  if (r.setting === 'drop' && names.length > 1) return `Exclude ${listed(names)}`
  if (names.length > 1) return `${capital(phrase([r.setting, names[0]!]))} and ${names.length - 1} more`
  return capital(phrase([r.setting, r.columns?.[0] ?? r.value ?? 'true']))
}

function listed(names: string[]): string {
  return names.length > 4 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more columns` : names.join(', ')
}

// advice is what to do about a finding, with the names of settings in words.
export function advice(f: Finding): string {
  let text = f.way_out
  for (const r of f.remedies ?? []) {
    const quoted = (c: string) => (c === '' || /[ ,;"\n\t]/.test(c) ? JSON.stringify(c) : c)
    const many = (r.columns?.length ?? 0) > 10
    const said = r.columns ? `${r.setting}=${(many ? r.columns.slice(0, 3) : r.columns).map(quoted).join(',')}${many ? ` and ${r.columns.length - 3} more` : ''}` : r.value ? `${r.setting}=${r.value}` : `the setting ${r.setting}`
    text = text.replace(said, () => `“${named(r)}”`)
  }
  return text
}

const named = (r: Remedy) => (r.columns === undefined && !r.value ? (fields[r.setting] ?? (r.setting === 'drop' || r.setting === 'columns' ? 'Columns' : r.setting)) : lower(remedyLabel(r)))
const lower = (s: string) => (/^[A-Z][a-z]/.test(s) && !Object.values(fields).some((f) => s.startsWith(f)) ? s.slice(0, 1).toLowerCase() + s.slice(1) : s)

const value = String.raw`('(?:[^']|'\\'')*'|[^\s,;()'-][^\s,;()]*)`
const unquoted = (w: string) => w.replace(/^'|'$/g, '').replaceAll("'\\''", "'")
const valued = new RegExp(String.raw`--(?:set )?(drop|keep|time|series|lags|gaps|step|aggregate|season|missing|encode|bootstrap|method|kind|na|log)[ =]${value}`, 'g')

// remediesIn finds the settings that a message of the command names by flags.
export function remediesIn(text: string): Remedy[] {
  const found = new Map<string, Remedy>()
  for (const m of text.matchAll(valued)) {
    const v = unquoted(m[2]!)
    if (/^[A-Z]+$/.test(v)) continue // a placeholder such as NAME
    found.set(m[0], m[1] === 'drop' || m[1] === 'keep' || m[1] === 'time' || m[1] === 'series' ? { setting: m[1], columns: [v] } : { setting: m[1]!, value: v })
  }
  if (/--set no-header\b/.test(text)) found.set('no-header', { setting: 'no-header', value: 'true' })
  return [...found.values()].slice(0, 6)
}

// plain is a message of the command with the words of this page in the place of flags.
export function plain(text: string): string {
  return text.trim().replaceAll(/^polydag: /gm, '').replaceAll(/; run polydag check [^;\n]* to list all problems/g, '')
    .replaceAll(valued, (_, flag: string, v: string) => `“${phrase([flag, unquoted(v)])}”`)
    .replaceAll(/--(?:set )?([a-z][a-z-]*)/g, (_, flag: string) => `“${fields[flag] ?? (flag === 'drop' || flag === 'columns' ? 'Columns' : flag)}”`)
}
