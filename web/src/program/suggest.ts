import type { Result } from '../data'
import { short } from '../dom'
import type { Check, Setting } from './backend'
import type { Knowledge } from './knowledge'
import type { Settings } from './settings'

export interface Suggestion {
  key: string
  names: string[]
  band: -1 | 1 // first or last
}

// suggestions are what the names of columns say about their place in time, as far as nobody placed the columns: those that come first, and
// those that come last.
export function suggestions(r: Result, k: Knowledge): Suggestion[] {
  const [first, last] = [new Set<string>(), new Set<string>()]
  for (const e of r.edges) {
    for (const x of e.evidence ?? []) {
      if (x.source !== 'names') continue
      const ahead = (x.log_odds ?? 1) >= 0
      if (/comes? first by/.test(x.text)) first.add(ahead ? e.from : e.to)
      if (/comes? last by/.test(x.text)) last.add(ahead ? e.to : e.from)
    }
  }
  const free = (s: Set<string>) => r.names.filter((n) => s.has(n) && !k.band.has(n) && !k.pin.has(n))
  const out: Suggestion[] = []
  for (const [names, band] of [[free(first), -1], [free(last), 1]] as const) if (names.length > 0) out.push({ key: `${band} ${names.join('|')}`, names, band })
  return out
}

// A Remark is what the data checks propose about the table, as a chip with a yes and a no.
export interface Remark {
  text: string
  settings: Setting[]
}

// remarks are the proposals that change what the columns mean: codes for missing values, and rows in the order of time.
export function remarks(check: Check | undefined, s: Settings): Remark[] {
  const out: Remark[] = []
  for (const f of check?.findings ?? []) {
    if (f.code === 'sentinel') {
      const codes = new Map<string, [column: string, value: string][]>()
      for (const r of f.remedies ?? []) {
        const at = r.value?.lastIndexOf('=') ?? -1
        if (r.setting !== 'na' || at < 1 || s.has('na', r.value!)) continue
        const code = r.value!.slice(at + 1)
        codes.set(code, [...(codes.get(code) ?? []), [r.value!.slice(0, at), r.value!]])
      }
      for (const [code, columns] of codes) out.push({ text: `${code.replace('-', '−')} in ${listed(columns.map(([c]) => c))} means missing`, settings: columns.map(([, v]) => ['na', v]) })
    }
    const time = f.remedies?.find((r) => r.setting === 'time')
    if (f.code === 'time_order' && time && s.get('time') === undefined && !s.role(time.columns?.[0] ?? '')) {
      const column = time.columns?.[0]
      out.push({ text: column === undefined ? 'the rows follow each other in time' : `${short(column, 20)} is the time of the rows`, settings: [['time', column ?? time.value ?? '.']] })
    }
  }
  return out
}

// listed names a few columns.
export const listed = (names: string[]): string => (names.length > 3 ? `${names.slice(0, 2).map((n) => short(n, 18)).join(', ')} and ${names.length - 2} more` : names.map((n) => short(n, 20)).join(', '))
