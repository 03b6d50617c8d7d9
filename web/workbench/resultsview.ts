import type { Entry, Run, Snapshot } from './http'
import { stopRun } from './http'
import { spark } from './charts'
import { size } from './tableview'
import { plain, stageSaid } from './words'
import { bdi, h, replace, seconds, visible } from '../src/dom'

// Results lists the runs and the results of polydag serve. Two results can be chosen to be compared. While the reader works on a table,
// which another page would lose together with the answers, results open in a new tab.
export class Results {
  keeps = () => false // the page has a table
  private chosen: string[] = []
  private drawn = ''
  private runs = h('div', { id: 'runs' })
  private cards = h('div', { id: 'results' }, h('p', {}, 'None yet.'))
  private compare = h('button', { type: 'button', id: 'compare', disabled: true, click: () => this.visit('/compare?' + new URLSearchParams({ a: this.chosen[0]!, b: this.chosen[1]! })) }, 'Compare the selected two')
  private told = h('span', { class: 'dim' }, 'select two results to compare')
  private choice = h('p', { class: 'row', hidden: true }, this.compare, this.told)
  private running = h('section', { 'aria-labelledby': 'h-runs', hidden: true }, h('h2', { id: 'h-runs' }, 'Runs'), this.runs)
  readonly view = [
    this.running,
    h('section', { 'aria-labelledby': 'h-results' }, h('h2', { id: 'h-results' }, 'Results'), this.choice, this.cards),
  ]

  private visit(address: string): void {
    if (this.keeps()) window.open(address, '_blank', 'noopener')
    else location.assign(address)
  }

  // link opens a result in the place of this page, or beside it.
  private link(props: Record<string, string | number>, ...children: (Node | string)[]): HTMLElement {
    const a = h('a', { ...props, click: () => (a.target = this.keeps() ? '_blank' : '') }, ...children)
    return a
  }

  show(s: Snapshot): void {
    const rows = [...(s.elsewhere ?? []).map((r) => this.row(r, false)), ...s.runs.map((r) => this.row(r, true))]
    this.running.hidden = rows.length === 0
    const focused = document.activeElement?.getAttribute('aria-label') // a button that has the focus would lose it with its row
    replace(this.runs, h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Runs, newest first' }, h('table', {},
      h('thead', {}, h('tr', {}, ['Table', 'Method', 'State', 'Time', 'Progress', ''].map((t) => h('th', { scope: 'col' }, t)))), h('tbody', {}, rows))))
    if (focused) [...this.runs.querySelectorAll('button')].find((b) => b.getAttribute('aria-label') === focused)?.focus()
    const results = s.results ?? []
    const text = JSON.stringify(results)
    if (text === this.drawn) return // pictures would flicker, and checkboxes lose the focus
    this.drawn = text
    this.chosen = this.chosen.filter((n) => results.some((r) => r.name === n))
    replace(this.cards, results.length ? h('ul', { class: 'cards' }, results.map((r) => this.card(r, s.max_result))) : h('p', {}, 'None yet.'))
    this.choice.hidden = results.length < 2
    this.tell()
  }

  private row(run: Run, ours: boolean): Node {
    const parts = [stageSaid(run.stage ?? ''), run.steps ? `step ${run.step ?? 0} of ${run.steps}` : '', run.edges ? (run.edges === 1 ? '1 edge' : `${run.edges} edges`) : ''].filter((p) => p)
    return h('tr', {},
      h('td', {}, bdi(run.name)), h('td', {}, run.method), h('td', {}, h('span', { class: `state ${run.state}` }, run.state)), h('td', { class: 'n' }, seconds(run.seconds || 0)),
      h('td', { class: 'now' },
        run.state === 'running' ? [run.steps ? h('progress', { max: run.steps, value: run.step ?? 0, 'aria-label': `progress of ${visible(run.name)}` }) : null, ` ${parts.join(', ')}`, spark(run.course)] : null,
        run.error ? h('span', { class: 'bad' }, plain(run.error)) : null,
        run.result ? this.link({ href: `/results/${encodeURIComponent(run.result)}` }, bdi(run.result)) : null),
      h('td', {}, ours && ['running', 'waiting'].includes(run.state) ? h('button', { type: 'button', 'aria-label': `Stop ${visible(run.name)}`, click: () => stopRun(run.id!) }, 'Stop') : null))
  }

  private card(r: Entry, most: number): Node {
    const open = `/results/${encodeURIComponent(r.name)}`
    const when = `${new Date(r.modified).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })} · ${size(r.bytes)}`
    const json = h('a', { href: `/files/${encodeURIComponent(r.name)}`, download: r.name, 'aria-label': `JSON of ${visible(r.name)}` }, 'JSON')
    if (r.too_large) {
      return h('li', { class: 'card' }, h('div', { class: 'about' }, h('strong', {}, bdi(r.name, 80)), h('span', { class: 'dim' }, `too large to show: more than ${most / 2 ** 20} MiB`), h('span', { class: 'dim' }, when), json))
    }
    const picture = h('img', { src: `/pictures/${encodeURIComponent(r.name)}?${encodeURIComponent(r.modified)}`, alt: '', loading: 'lazy', error: (e: Event) => (e.target as Element).remove() })
    const box = h('input', { type: 'checkbox', 'aria-label': `compare ${visible(r.name)}`, 'data-name': r.name, change: () => {
      this.chosen = box.checked ? [...this.chosen, r.name].slice(-2) : this.chosen.filter((n) => n !== r.name)
      for (const b of this.cards.querySelectorAll('input')) b.checked = this.chosen.includes(b.dataset.name!)
      this.tell()
    } })
    box.checked = this.chosen.includes(r.name)
    return h('li', { class: 'card' },
      this.link({ class: 'picture', href: open, tabindex: -1, 'aria-hidden': 'true' }, picture),
      h('div', { class: 'about' }, this.link({ class: 'name', href: open }, bdi(r.name, 80)), h('span', { class: 'dim' }, when), h('div', { class: 'row dim' }, h('label', {}, box, ' compare'), json)))
  }

  private tell(): void {
    const [a, b] = this.chosen
    this.compare.disabled = this.chosen.length !== 2
    this.told.textContent = a && b ? `${a} and ${b}` : a ? `${a} and one more` : 'select two results to compare'
  }
}
