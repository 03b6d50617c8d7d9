import type { Bench } from './bench'
import type { Download, Setting } from './backend'
import { save } from './knowledgeview'
import { typed } from './settings'
import { plain } from './words'
import { press } from '../src/copy'
import { h } from '../src/dom'

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

// shareView has the files of the result, a paragraph for a paper, and what repeats the run elsewhere.
export function shareView(bench: Bench): Node[] {
  const { learned, table, used } = bench
  if (!learned || !table || !used) return [h('h2', { id: 'h-share' }, 'Share'), h('p', {}, 'Learn a graph first.')]
  const { knowledge, settings } = used
  const snippet = (title: string, id: string, content: string) => {
    const code = h('code', { id }, content)
    return [
      h('div', { class: 'row titled' }, h('h3', {}, title), h('button', { type: 'button', 'aria-label': `Copy: ${title}`, click: (e: Event) => void press(e.currentTarget as Element, code.textContent!, code) }, 'Copy')),
      h('pre', { tabindex: 0, 'aria-label': title }, code),
    ] as const
  }
  const known = knowledge !== ''
  const methods = snippet('Methods paragraph for a paper', 'methods', '…')
  const text = methods[1].firstElementChild!
  methods[1].classList.add('prose')
  void learned.methods().then((t) => (text.textContent = t), (e: Error) => (text.textContent = plain(e.message)))
  return [
    h('h2', { id: 'h-share' }, 'Share'),
    h('h3', {}, 'Files'),
    h('p', { id: 'downloads', class: 'row' }, learned.downloads.map(file),
      known && h('button', { type: 'button', click: () => save(new Blob([knowledge], { type: 'application/json' }), 'knowledge.json') }, 'Knowledge (JSON)')),
    h('p', { class: 'dim' }, 'The report is one file that opens in any browser, without a network. It does not contain the rows of the table. SVG and PDF can be scaled to any size.'),
    ...methods,
    ...snippet('In a terminal', 'command', command(table.name, settings, known)),
    ...snippet('In Python', 'python', python(table.name, settings, known)),
    ...snippet('In R', 'r', rCode(table.name, settings, known)),
  ]
}

// file is a link, or a button for a file that is made when it is asked for.
function file({ label, name, from }: Download): Node {
  if (typeof from === 'string') return h('a', { class: 'button', href: from, download: name }, label)
  const button = h('button', { type: 'button', click: async () => {
    button.disabled = true
    button.textContent = `${label}: drawing…`
    try {
      save(await from(), name)
      button.textContent = label
    } catch (e) {
      button.textContent = `${label}: ${plain((e as Error).message)}`
    }
    button.disabled = false
  } }, label)
  return button
}
