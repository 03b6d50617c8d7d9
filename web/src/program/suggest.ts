import type { Result } from '../data'
import type { Knowledge } from './knowledge'

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
