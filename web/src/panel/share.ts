import { resultOf, type App } from '../app'
import type { Canvas } from '../canvas'
import { press } from '../copy'
import { h } from '../dom'
import { printPicture, save, saveSVG, savePNG } from '../export'
import type { Download } from '../program/backend'
import { command, python, rCode } from '../program/commands'
import { plain } from '../program/words'
import { link } from '../route'

// share has the link to the present view, the files, a paragraph for a paper, and what repeats the run elsewhere.
export function share(app: App, canvas: Canvas): Node[] {
  const { session } = app
  const learned = session?.learned
  const stem = (resultOf(app).table.name ?? app.model.page.results[0]!.label).replace(/\.[^.]*$/, '') || 'graph'
  const button = (text: string, act: () => void) => h('button', { type: 'button', class: 'btn', click: act }, text)
  const address = h('code', { class: 'link-text' }, link(app))
  const paragraph = app.model.page.results[app.store.now.view.result]!.paragraph ?? ''
  const out: Node[] = [
    h('h2', { class: 'title' }, 'Share'),
    h('section', {}, h('h3', {}, 'This view'),
      h('div', { class: 'chips' }, h('button', { type: 'button', class: 'btn', click: (e: Event) => void press(e.currentTarget as Element, link(app), address) }, 'Copy the link'), button('SVG', () => saveSVG(canvas, stem)), button('PNG', () => void savePNG(canvas, stem)), button('PDF', () => printPicture(canvas))), address),
  ]
  if (session && learned && session.table) {
    const { knowledge, settings } = session.used
    const known = knowledge !== ''
    out.push(
      h('section', {}, h('h3', {}, 'Files'), h('div', { class: 'chips', id: 'downloads' }, learned.downloads.map(file), known ? button('Knowledge', () => save(new Blob([knowledge], { type: 'application/json' }), 'knowledge.json')) : null),
        h('p', { class: 'dim' }, 'The report is one file that opens in any browser, without a network. It does not contain the rows of the table. These pictures have the sizes that journals ask for.')),
      ...snippet('Methods, for a paper', 'methods', paragraph, true),
      ...snippet('In a terminal', 'command', command(session.table.name, settings, known)),
      ...snippet('In Python', 'python', python(session.table.name, settings, known)),
      ...snippet('In R', 'r', rCode(session.table.name, settings, known)))
  } else out.push(...snippet('Methods, for a paper', 'methods', paragraph, true))
  return out
}

function snippet(title: string, id: string, content: string, prose = false): Node[] {
  const code = h('code', { id }, content)
  return [h('section', {}, h('div', { class: 'pair-head' }, h('h3', {}, title), h('button', { type: 'button', class: 'link', 'aria-label': `Copy: ${title}`, click: (e: Event) => void press(e.currentTarget as Element, code.textContent!, code) }, 'Copy')), h('pre', { class: prose ? 'prose' : '' }, code))]
}

// file is a link, or a button for a file that is made when it is asked for.
function file({ label, name, from }: Download): Node {
  if (typeof from === 'string') return h('a', { class: 'btn', href: from, download: name }, label)
  const button = h('button', { type: 'button', class: 'btn', click: async () => {
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
