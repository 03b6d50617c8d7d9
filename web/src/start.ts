import { h, replace } from './dom'
import { icon, logo } from './icons'
import { demoTruth, series } from './program/example'
import type { Setting } from './program/backend'
import type { Session } from './program/session'

export interface Starting {
  open: (file: File, truth?: { from: string; to: string }[], given?: Setting[]) => void
  choose: () => void
  own: () => void
  results: () => void
}

// start is the first screen: drop a table, or click an example.
export function start(session: Session | undefined, local: boolean, on: Starting, host: HTMLElement, results: number): void {
  const card = (title: string, about: string, act: () => Promise<void> | void) => {
    const b = h('button', { type: 'button', class: 'card', disabled: !session, click: async () => {
      b.setAttribute('aria-busy', 'true')
      await act()
    } }, h('b', {}, title), h('span', {}, about))
    return b
  }
  const text = async (name: 'diabetes' | 'demo') => session!.backend.example(name)
  replace(host,
    h('div', { class: 'welcome' },
      logo(),
      h('h1', {}, 'What drives what in your table?'),
      h('p', {}, 'Drop a table anywhere on this page. The graph appears as soon as it is learned; everything else you can say afterwards, on the graph.'),
      h('button', { type: 'button', class: 'btn primary big', disabled: !session, click: on.choose }, icon('file'), 'Choose a table'),
      h('p', { class: 'dim' }, 'CSV, TSV, Excel, Parquet, Arrow, JSON lines, NumPy; gzipped or not', local ? '. Nothing leaves this machine: the program is inside this page.' : '.'),
      h('h2', { class: 'label' }, 'Or try one that is there'),
      h('div', { class: 'cards' },
        card('Diabetes', '442 patients: what drives the progression of the disease?', async () => on.open(await text('diabetes'))),
        card('Simulated', 'Days in a park, from a known graph: what is found again?', async () => on.open(await text('demo'), demoTruth)),
        card('Time series', '400 days of weather and power: what acts on the next day?', () => on.open(series(), undefined, [['time', 'day']]))),
      h('p', { class: 'also' }, h('button', { type: 'button', class: 'link', disabled: !session, click: on.own }, 'Draw your own graph and test it'), results > 0 && h('button', { type: 'button', class: 'link', click: on.results }, `Results in this folder (${results})`))))
}
