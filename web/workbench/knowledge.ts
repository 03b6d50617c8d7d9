// Prior knowledge as the command's knowledge file has it: tiers, roots, outcomes, and required and forbidden edges.

export interface Edge {
  from: string
  to: string
}

export type Pin = 'root' | 'outcome' | ''

export class Knowledge {
  lanes = 2 // number of lanes shown
  tier = new Map<string, number>() // from 0, the earliest; absent for a free variable
  pin = new Map<string, Pin>()
  require: Edge[] = []
  forbid: Edge[] = []
  // Entries that this page cannot show, such as patterns, groups and prior probabilities; they stay in the file.
  private rest: { require: string[]; forbid: string[]; kept: Record<string, unknown> } = { require: [], forbid: [], kept: {} }

  get others(): string[] {
    return [...this.rest.require, ...this.rest.forbid, ...(Array.isArray(this.rest.kept.prior) ? this.rest.kept.prior.map(String) : [])]
  }

  // file returns the knowledge about these variables as the text of a knowledge file, or nothing if there is none.
  file(variables: string[]): string {
    const used = new Set(variables)
    const known = (e: Edge) => used.has(e.from) && used.has(e.to)
    const edge = (e: Edge) => `${exact(e.from)}->${exact(e.to)}`
    const pinned = (pin: Pin) => variables.filter((v) => this.pin.get(v) === pin)
    const require = [...this.require.filter(known).map(edge), ...this.rest.require]
    const forbid = [...pinned('root').map((v) => `*->${exact(v)}`), ...pinned('outcome').map((v) => `${exact(v)}->*`), ...this.forbid.filter(known).map(edge), ...this.rest.forbid]
    const tiers = Array.from({ length: this.lanes }, (_, k) => variables.filter((v) => this.tier.get(v) === k).map(exact)).filter((t) => t.length > 0)
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
      throw new Error('This is not a knowledge file: it is not JSON. Files of Tetrad can be used with polydag learn --knowledge.')
    }
    if (Array.isArray(spec)) spec = { tiers: spec }
    const texts = (v: unknown): string[] => (Array.isArray(v) ? v.filter((x): x is string => typeof x === 'string') : [])
    const next = new Knowledge()
    const names = new Set(variables)
    const tiers = Array.isArray(spec.tiers) ? spec.tiers : []
    tiers.forEach((tier, k) => {
      for (const entry of texts(tier)) next.tier.set(bare(entry), k)
    })
    next.lanes = Math.max(2, tiers.length)
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
    if (!next.tier.size && !next.pin.size && !next.require.length && !next.forbid.length && !next.others.length) throw new Error('This file has no knowledge: it needs require, forbid or tiers.')
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
