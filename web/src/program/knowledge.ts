// Prior knowledge as the command's knowledge file has it: bands of time, roots, outcomes, and required and forbidden edges.

export interface Edge {
  from: string
  to: string
}

export type Pin = 'root' | 'outcome'

export class Knowledge {
  // The band of a column: 0 is where columns are that nobody moved, smaller bands are earlier, larger ones later.
  band = new Map<string, number>()
  named = new Map<number, string>() // titles that the reader gave to bands
  pin = new Map<string, Pin>()
  require: Edge[] = []
  forbid: Edge[] = []
  // Columns of band 0 have no order with the others. A file may list some columns only.
  loose = false
  // Entries that the canvas does not show, such as patterns, groups and prior probabilities; they stay in the file.
  private rest: { require: string[]; forbid: string[]; kept: Record<string, unknown> } = { require: [], forbid: [], kept: {} }

  get others(): string[] {
    return [...this.rest.require, ...this.rest.forbid, ...(Array.isArray(this.rest.kept.prior) ? this.rest.kept.prior.map(String) : [])]
  }

  get empty(): boolean {
    return this.band.size === 0 && this.pin.size === 0 && this.require.length === 0 && this.forbid.length === 0 && this.others.length === 0
  }

  // copy is what undo goes back to.
  copy(): Knowledge {
    const k = new Knowledge()
    k.band = new Map(this.band)
    k.named = new Map(this.named)
    k.pin = new Map(this.pin)
    k.require = [...this.require]
    k.forbid = [...this.forbid]
    k.loose = this.loose
    k.rest = this.rest
    return k
  }

  // bands are those in use, from the earliest, with their titles. There are none while every column is where it was.
  bands(): { band: number; title: string }[] {
    const used = [...new Set([0, ...this.band.values()])].sort((a, b) => a - b)
    if (used.length < 2) return []
    const [before, after] = [used.filter((b) => b < 0), used.filter((b) => b > 0)]
    const title = (b: number) => {
      if (b === 0) return this.loose ? 'At any time' : before.length > 0 && after.length > 0 ? 'In between' : after.length > 0 ? 'Before' : 'After'
      if (b < 0) return before.indexOf(b) === 0 ? 'First' : before.indexOf(b) === 1 ? 'Then' : 'Later'
      return after.indexOf(b) === after.length - 1 ? 'Last' : 'Later'
    }
    return used.map((b) => ({ band: b, title: this.named.get(b) ?? title(b) }))
  }

  move(name: string, band: number): void {
    if (band === 0) this.band.delete(name)
    else this.band.set(name, band)
  }

  // state requires an edge, forbids it, or takes back what was said about it.
  state(from: string, to: string, what: 'causes' | 'cannot' | 'unknown'): void {
    const other = (e: Edge) => e.from !== from || e.to !== to
    this.require = this.require.filter(other)
    this.forbid = this.forbid.filter(other)
    if (what === 'causes') {
      this.require = this.require.filter((e) => e.from !== to || e.to !== from)
      this.require.push({ from, to })
    }
    if (what === 'cannot') this.forbid.push({ from, to })
  }

  // file returns the knowledge about these variables as the text of a knowledge file, or nothing if there is none.
  file(variables: string[]): string {
    const used = new Set(variables)
    const known = (e: Edge) => used.has(e.from) && used.has(e.to)
    const edge = (e: Edge) => `${exact(e.from)}->${exact(e.to)}`
    const pinned = (pin: Pin) => variables.filter((v) => this.pin.get(v) === pin)
    const require = [...this.require.filter(known).map(edge), ...this.rest.require]
    const forbid = [...pinned('root').map((v) => `*->${exact(v)}`), ...pinned('outcome').map((v) => `${exact(v)}->*`), ...this.forbid.filter(known).map(edge), ...this.rest.forbid]
    const tiers = this.bands().filter(({ band }) => band !== 0 || !this.loose).map(({ band }) => variables.filter((v) => (this.band.get(v) ?? 0) === band).map(exact)).filter((t) => t.length > 0)
    const spec = {
      ...(require.length && { require }), ...(forbid.length && { forbid }), ...(tiers.length > 1 && { tiers }),
      ...this.rest.kept,
    }
    return require.length || forbid.length || tiers.length > 1 || this.rest.kept.prior ? JSON.stringify(spec, undefined, 2) + '\n' : ''
  }

  // load reads a knowledge file. It throws an Error with a sentence if the text is none.
  load(text: string, variables: string[]): void {
    let spec: { require?: unknown; forbid?: unknown; tiers?: unknown; groups?: unknown; prior?: unknown; tier_odds?: unknown }
    try {
      spec = JSON.parse(text) as typeof spec
    } catch {
      throw new Error('This is not a knowledge file: it is not JSON.')
    }
    if (Array.isArray(spec)) spec = { tiers: spec }
    const texts = (v: unknown): string[] => (Array.isArray(v) ? v.filter((x): x is string => typeof x === 'string') : [])
    const next = new Knowledge()
    const names = new Set(variables)
    const tiers = (Array.isArray(spec.tiers) ? spec.tiers : []).map((t) => texts(t).map(bare).filter((n) => names.has(n)))
    // The largest tier becomes the band of the columns that nobody moved, unless the file leaves columns out.
    const listed = new Set(tiers.flat())
    next.loose = tiers.length > 0 && variables.some((v) => !listed.has(v))
    const zero = next.loose ? tiers.length - 0.5 : tiers.reduce((best, t, k) => (t.length > tiers[best]!.length ? k : best), 0)
    tiers.forEach((tier, k) => {
      const band = next.loose ? (k < tiers.length - 1 || tiers.length === 1 ? k - tiers.length + (tiers.length === 1 ? 0 : 1) : 1) : k - zero
      for (const name of tier) if (band !== 0) next.band.set(name, band)
    })
    for (const [list, edges, rest] of [[texts(spec.require), next.require, next.rest.require], [texts(spec.forbid), next.forbid, next.rest.forbid]] as const) {
      for (const entry of list) {
        const [from, to, more] = ends(entry)
        if (edges === next.forbid && more === undefined && from === '*' && names.has(bare(to ?? ''))) next.pin.set(bare(to!), 'root')
        else if (edges === next.forbid && more === undefined && to === '*' && names.has(bare(from ?? ''))) next.pin.set(bare(from!), 'outcome')
        else if (from && to && more === undefined && names.has(bare(from)) && names.has(bare(to))) edges.push({ from: bare(from), to: bare(to) })
        else rest.push(entry)
      }
    }
    for (const key of ['groups', 'prior', 'tier_odds'] as const) if (spec[key]) next.rest.kept[key] = spec[key]
    if (next.empty && tiers.length === 0) throw new Error('This file has no knowledge: it needs require, forbid or tiers.')
    Object.assign(this, next)
  }
}

// exact quotes a name unless it can be read only as itself.
export function exact(name: string): string {
  return /^[\p{L}\p{N}_][\p{L}\p{N}_ .%()-]*$/u.test(name) && name.trim() === name && !/-[->]|[<>]-/.test(name) ? name : `"${name.replaceAll('"', '""')}"`
}

function bare(term: string): string {
  const t = term.trim()
  return t.startsWith('"') && t.endsWith('"') && t.length > 1 ? t.slice(1, -1).replaceAll('""', '"') : t
}

// ends splits an entry at the arrows outside quotes.
function ends(entry: string): string[] {
  return (entry.match(/"(?:[^"]|"")*"|->|(?:(?!->)[^"])+/g) ?? []).reduce<string[]>((out, part) => {
    if (part === '->') out.push('')
    else out[out.length - 1] += part
    return out
  }, ['']).map((s) => s.trim())
}
