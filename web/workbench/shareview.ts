import type { Bench } from './bench'
import type { Setting } from './backend'
import { save } from './knowledgeview'
import { h } from '../src/dom'

const word = (w: string) => (/^[\w./:=+-]+$/.test(w) ? w : `'${w.replaceAll("'", `'\\''`)}'`)
const text = (s: string) => JSON.stringify(s)

// command is the command line that repeats the run.
export function command(table: string, settings: Setting[], knowledge: boolean): string {
  const stem = table.replace(/\.[^.]*$/, '')
  const words = ['polydag', 'learn', table, ...settings.flatMap(([f, v]) => (v === 'true' ? [`--${f}`] : [`--${f}`, v]))]
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

// shareView has the files of the result and what repeats the run elsewhere.
export function shareView(bench: Bench): Node[] {
  const { learned, table, used } = bench
  if (!learned || !table || !used) return [h('h2', { id: 'h-share' }, 'Share'), h('p', {}, 'Learn a graph first.')]
  const { knowledge, settings } = used
  const snippet = (title: string, id: string, content: string) => [
    h('h3', {}, title),
    h('pre', { tabindex: 0, 'aria-label': title }, h('code', { id }, content)),
    h('p', {}, h('button', { type: 'button', 'aria-label': `Copy: ${title}`, click: (e: Event) => void copy(e.currentTarget as HTMLElement, content, id) }, 'Copy')),
  ]
  const known = knowledge !== ''
  return [
    h('h2', { id: 'h-share' }, 'Share'),
    h('p', { id: 'downloads', class: 'row' }, learned.downloads.map((d) => h('a', { href: d.url, download: d.name }, d.label)),
      known && h('button', { type: 'button', click: () => save(knowledge, 'knowledge.json', 'application/json') }, 'Knowledge (JSON)')),
    h('p', { class: 'dim' }, 'The report is one file that opens in any browser, without a network. It does not contain the rows of the table.'),
    ...snippet('In a terminal', 'command', command(table.name, settings, known)),
    ...snippet('In Python', 'python', python(table.name, settings, known)),
    ...snippet('In R', 'r', rCode(table.name, settings, known)),
  ]
}

async function copy(button: HTMLElement, content: string, id: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(content)
    button.textContent = 'Copied'
  } catch {
    getSelection()?.selectAllChildren(document.getElementById(id)!) // a page on a disk may not write to the clipboard
    button.textContent = 'Selected; press Ctrl+C'
  }
}
