import type { Setting } from './backend'
import { typed } from './settings'

// What repeats a run elsewhere: the command line, and code in Python and in R.

const word = (w: string) => (/^[\w./:=+-]+$/.test(w) ? w : `'${w.replaceAll("'", `'\\''`)}'`)
const text = (s: string) => JSON.stringify(s)

// command is the command line that repeats the run.
export function command(table: string, settings: Setting[], knowledge: boolean): string {
  const stem = table.replace(/\.[^.]*$/, '')
  const words = ['polydag', 'learn', table, ...settings.flatMap(typed)]
  if (knowledge) words.push('--knowledge', 'knowledge.json')
  return [...words, '--output', `${stem}.json`, '--report', `${stem}.html`].map(word).join(' ')
}

// grouped has the values of each flag.
function grouped(settings: Setting[], knowledge: boolean): [string, string[]][] {
  const out = new Map<string, string[]>()
  for (const [f, v] of settings) out.set(f.replaceAll('-', '_'), [...(out.get(f.replaceAll('-', '_')) ?? []), v])
  if (knowledge) out.set('knowledge', ['knowledge.json'])
  return [...out]
}

const literal = (v: string, yes: string) => (v === 'true' ? yes : /^\d+$/.test(v) ? v : text(v))

export function python(table: string, settings: Setting[], knowledge: boolean): string {
  const args = grouped(settings, knowledge).map(([f, v]) => `${f}=${v.length > 1 ? `[${v.map(text).join(', ')}]` : literal(v[0]!, 'True')}`)
  return `import polydag\n\nresult = polydag.learn(${[text(table), ...args].join(', ')})\nprint(result.edges)`
}

export function rCode(table: string, settings: Setting[], knowledge: boolean): string {
  const args = grouped(settings, knowledge).map(([f, v]) => `${f} = ${v.length > 1 ? `c(${v.map(text).join(', ')})` : literal(v[0]!, 'TRUE')}`)
  return `library(polydag)\n\nresult <- learn(${[text(table), ...args].join(', ')})\nresult$edges`
}
