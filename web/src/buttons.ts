import { resultOf } from './app'
import type { Desk } from './parts'
import { below, menu } from './menu'
import { palette } from './palette'
import { begin, type How, type State } from './state'
import { theme, toggleTheme } from './theme'

// buttons joins the bar, the menus, the keys and files that are dropped to what they do.
export function buttons(d: Desk): void {
  d.ui.undo.addEventListener('click', () => d.session?.undo())
  d.ui.redo.addEventListener('click', () => d.session?.redo())
  d.ui.check.addEventListener('click', () => d.store.set({ tab: 'check' }))
  d.ui.share.addEventListener('click', () => d.store.set({ tab: 'share' }))
  d.ui.plus.addEventListener('click', () => (d.store.now.how === 'graph' ? d.canvas.zoom(1.25) : d.store.now.how === 'matrix' ? d.matrix.zoom(1.25) : d.timeline.zoom(1.25)))
  d.ui.minus.addEventListener('click', () => (d.store.now.how === 'graph' ? d.canvas.zoom(0.8) : d.store.now.how === 'matrix' ? d.matrix.zoom(0.8) : d.timeline.zoom(0.8)))
  d.ui.fit.addEventListener('click', () => (d.store.now.how === 'graph' ? d.canvas.fit() : d.store.now.how === 'matrix' ? d.matrix.fit() : d.timeline.fit()))
  for (const b of d.ui.hows) b.addEventListener('click', () => d.store.set({ how: b.dataset.how as How }))
  d.ui.legendKey.addEventListener('click', () => {
    d.ui.legend.hidden = !d.ui.legend.hidden
    d.ui.legendKey.setAttribute('aria-expanded', String(!d.ui.legend.hidden))
    d.frame()
  })
  d.ui.edges.addEventListener('click', () => {
    const s = d.store.now
    const which = (text: string, w: State['which']) => ({ text, on: s.which === w, act: () => d.store.set({ which: w }) })
    menu('Edges', [
      which('All edges', 'all'), which('Without those that may be chance', 'stated'), which('Only those with a direction', 'directed'),
      { text: s.every ? 'Draw the strongest only' : 'Draw every edge', separate: true, act: () => d.store.set({ every: !s.every }) },
      { text: s.weights ? 'Hide the numbers' : 'Show the numbers', act: () => d.store.set({ weights: !s.weights }) },
      { text: s.raw ? 'Numbers in standard deviations' : 'Numbers in units of the columns', act: () => d.store.set({ raw: !s.raw }) },
      ...(d.app && d.app.clusters.length > 1 ? [{ text: s.grouped ? 'Show every column' : 'Show groups of columns', separate: true, act: () => d.store.set({ grouped: !s.grouped, opened: new Set<number>() }) }] : []),
      ...(s.how === 'matrix' ? [{ text: s.rows === 'groups' ? 'Rows in the order of the graph' : 'Rows by groups', separate: true, act: () => d.store.set({ rows: s.rows === 'groups' ? 'order' : 'groups' }) }] : []),
    ], below(d.ui.edges))
  })
  d.ui.more.addEventListener('click', () => {
    const views = d.app?.model.views() ?? []
    menu('polydag', [
      ...(d.session ? [{ text: 'Open a table', act: () => d.pickFile('table') }] : []),
      ...(d.how.server ? [{ text: 'Results in this folder', act: () => d.showResults() }] : []),
      ...(d.session?.table && d.app ? [{ text: d.own.on ? 'Back to the learned graph' : 'Draw your own graph', separate: true, act: () => (d.own.on ? d.leaveOwn() : d.enterOwn()) }, { text: 'Start from the learned graph', act: () => d.enterOwn(resultOf(d.app!).edges.filter((e) => e.mark === '-->').map(({ from, to }) => ({ from, to }))) },
        { text: 'What you said', act: () => d.store.set({ tab: 'said' }) }, { text: 'Settings', act: () => d.store.set({ tab: 'settings' }) }] : []),
      ...(views.length > 1 && views.length < 12 ? views.map((v, i) => ({ text: d.app!.model.viewName(v), on: JSON.stringify(v) === JSON.stringify(d.store.now.view), separate: i === 0, act: () => d.store.set({ view: v, tab: v.kind === 'result' ? 'explore' : 'compare' }) })) : []),
      ...(d.app ? [{ text: 'Details of the run', separate: true, act: () => d.store.set({ tab: 'details' }) }] : []),
      { text: 'How to read this', act: () => d.store.set({ tab: 'guide' }), disabled: !d.app },
      { text: theme() === 'dark' ? 'Light colours' : 'Dark colours', act: () => toggleTheme() },
    ], below(d.ui.more))
  })
  d.ui.home.addEventListener('click', () => {
    if (!d.session) return d.store.clear()
    if (d.session.busy) d.session.stop()
    d.session.table = undefined as never
    d.session.learned = d.session.page = undefined
    d.app = undefined
    delete document.documentElement.dataset.graph
    d.listing = false
    d.closeSheets()
    document.body.classList.remove('has-table', 'listing')
    d.asker.hide()
    d.store.set({ ...begin })
    d.frame()
    d.ui.toast.hidden = true
  })
  addEventListener('keydown', (e) => {
    const typing = (e.target as HTMLElement).matches?.('input:not([type=range], [type=checkbox]), textarea')
    if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === 'z' && !typing && d.session) {
      e.shiftKey ? d.session.redo() : d.session.undo()
      e.preventDefault()
    } else if (e.key === '/' && !typing) {
      document.getElementById('search')?.focus()
      e.preventDefault()
    } else if (e.key === 'Escape' && !typing) {
      d.linking = undefined
      document.body.classList.remove('linking')
      d.ui.toast.hidden = true
      d.store.clear()
      d.closeSheets()
    }
  })
  for (const kind of ['dragover', 'dragleave', 'drop'] as const) {
    addEventListener(kind, (e) => {
      if (!e.dataTransfer?.types.includes('Files')) return
      e.preventDefault()
      d.ui.over.hidden = kind !== 'dragover' || !d.session
      if (kind === 'drop') {
        const f = e.dataTransfer.files[0]
        if (d.session) void d.open(f)
        else if (d.opening) void d.opening.then(() => d.open(f))
      }
    })
  }
  addEventListener('themechange', () => {
    d.matrix.colours(palette(theme()))
    d.timeline.colours(palette(theme()))
  })
}
