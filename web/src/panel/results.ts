import { bdi, h, num, seconds, visible } from '../dom'
import { stopRun, type Run, type Snapshot } from '../program/http'
import { plain, stageSaid } from '../program/words'

// results lists the runs and the results of the folder of polydag serve. Two results can be compared.
export function results(s: Snapshot | undefined, chosen: string[], on: { open: (name: string) => void; choose: (name: string) => void; compare: () => void }): Node[] {
  const list = s?.results ?? []
  const runs = [...(s?.elsewhere ?? []).map((r) => ({ r, ours: false })), ...(s?.runs ?? []).map((r) => ({ r, ours: true }))].filter(({ r }) => ['running', 'waiting', 'failed'].includes(r.state))
  return [
    h('h2', { class: 'title' }, 'Results in this folder'),
    ...(runs.length > 0 ? [h('section', {}, h('h3', {}, 'Runs'), h('ul', { class: 'runs' }, runs.map(({ r, ours }) => run(r, ours))))] : []),
    list.length === 0 ? h('p', { class: 'say' }, 'None yet. Every graph that is learned here is kept in the folder.') : h('ul', { class: 'results' }, list.map((r) => h('li', {},
      r.too_large ? h('span', {}, bdi(r.name, 60), h('small', {}, 'too large to show')) : h('button', { type: 'button', class: 'col', click: () => on.open(r.name) },
        h('span', {}, bdi(r.name.replace(/\.json$/, ''), 40), h('small', {}, `${new Date(r.modified).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })} · ${num(r.bytes / 1000, 3)} kB`)),
        h('img', { src: `/pictures/${encodeURIComponent(r.name)}?${encodeURIComponent(r.modified)}`, alt: '', loading: 'lazy' })),
      r.too_large ? null : h('button', { type: 'button', class: 'chip', 'aria-pressed': String(chosen.includes(r.name)), 'aria-label': `Compare ${visible(r.name)}`, click: () => on.choose(r.name) }, 'compare')))),
    list.length > 1 ? h('button', { type: 'button', class: 'btn', disabled: chosen.length !== 2, click: on.compare }, 'Compare the chosen two') : h('span'),
  ]
}

function run(r: Run, ours: boolean): Node {
  const parts = [r.state === 'running' ? stageSaid(r.stage ?? '') : r.state, r.steps ? `step ${r.step ?? 0} of ${r.steps}` : '', seconds(r.seconds || 0)].filter((t) => t)
  return h('li', {}, h('span', {}, bdi(r.name, 40), h('small', {}, r.error ? plain(r.error) : parts.join(', '))), ours && r.state !== 'failed' ? h('button', { type: 'button', class: 'chip', 'aria-label': `Stop ${visible(r.name)}`, click: () => stopRun(r.id!) }, 'Stop') : null)
}
