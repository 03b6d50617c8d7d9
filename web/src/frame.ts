import { resultOf } from './app'
import type { Desk } from './parts'
import { bdi, h, num, plural, replace, short } from './dom'
import { legend } from './legend'
import { drawn } from './scene'
import { start } from './start'
import type { How } from './state'
import { largest } from './timeline'

// framed draws everything around the drawing: the first screen, the bar and the tools.
export function framed(d: Desk, search: HTMLElement) {
  // frame is everything around the drawing.
  function frame(): void {
    const s = d.store.now
    const begun = d.app !== undefined && !d.listing
    document.body.classList.toggle('begun', begun)
    d.ui.welcome.hidden = begun || d.session?.table !== undefined
    d.ui.tools.hidden = !begun
    d.ui.graph.hidden = !begun || s.how !== 'graph'
    d.ui.grid.hidden = !begun || s.how !== 'matrix'
    d.ui.time.hidden = !begun || s.how !== 'time'
    d.ui.list.hidden = !begun || s.how !== 'list'
    if (!d.ui.welcome.hidden) start(d.session, d.how.local ?? false, { open: (f, t, given) => void d.open(f, t, given), choose: () => d.pickFile('table'), own: () => d.pickFile('table', true), results: () => d.showResults() }, d.ui.welcome, d.snapshot?.results?.length ?? 0)
    if (d.app) {
      const r = resultOf(d.app)
      replace(d.ui.crumb, bdi(d.session?.table?.name ?? d.app.model.title()[0]!, 34), h('span', {}, ` · ${num(r.rows, 9)} rows, ${plural(r.names.length, 'column')}${d.app.model.page.results.length > 1 && s.view.kind !== 'compare' ? ` · ${short(d.app.model.label(s.view.result), 30)}` : ''}`))
      const lags = largest(d.app.edges)
      for (const b of d.ui.hows) {
        const one = b.dataset.how as How
        b.setAttribute('aria-pressed', String(one === s.how))
        b.hidden = one === 'time' && lags === 0
      }
      const shown = s.grouped ? d.app.edges.length : drawn(d.app).length
      replace(d.ui.edges, h('span', {}, shown < d.app.edges.length ? `${shown} of ${plural(d.app.edges.length, 'edge')}` : plural(d.app.edges.length, 'edge')))
      const checks = r.assumptions ?? []
      const failed = checks.filter((a) => a.outcome === 'failed').length
      replace(d.ui.check, 'Checks ', checks.length === 0 ? '' : failed > 0 ? h('b', { class: 'bad' }, `${failed} failed`) : h('b', { class: 'good' }, `✓ ${checks.filter((a) => a.outcome === 'passed').length}`))
      if (!d.ui.legend.hidden) replace(d.ui.legend, legend(s.view, d.app.edges, d.app.model.page))
    } else replace(d.ui.crumb, d.session?.table ? bdi(d.session.table.name, 40) : '')
    d.ui.crumb.hidden = !d.app && !d.session?.table
    search.hidden = d.app === undefined
    d.ui.check.hidden = d.ui.share.hidden = !begun
    d.ui.undo.hidden = d.ui.redo.hidden = !d.session?.table
    d.ui.undo.disabled = !d.session?.past.length
    d.ui.redo.disabled = !d.session?.future.length
    d.ui.undo.title = d.session?.past.length ? `Undo: ${d.session.past.at(-1)!.said}` : 'Undo'
    d.ui.redo.title = d.session?.future.length ? `Redo: ${d.session.future[0]!.said}` : 'Redo'
  }
  return { frame }
}
