import './style.css'
import type { App } from './app'
import { graphOf, resultOf } from './app'
import { about, badges, directed, symbol } from './certainty'
import { Canvas } from './canvas'
import { DataError, decode } from './data'
import { bdi, h, num, plural, replace, short, signed, visible } from './dom'
import { edgesOf, emphasis } from './emphasis'
import { downloadPNG, downloadSVG } from './export'
import { graphKeys } from './keys'
import { legend } from './legend'
import { palette } from './palette'
import { compare } from './panel/compare'
import { data } from './panel/data'
import { explore } from './panel/explore'
import { caution, reading } from './panel/reading'
import { receipt } from './panel/receipt'
import { run } from './panel/run'
import { table } from './panel/table'
import { query, type Query } from './paths'
import { searchBox } from './search'
import { Store, type State } from './state'
import { tabs } from './tabs'
import { startTheme, theme, toggleTheme } from './theme'
import { Model } from './view'

const crowded = 50 // variables from which those without an edge start hidden

function start(root: HTMLElement): void {
  const page = decode(document.getElementById('data')!.textContent ?? '')
  startTheme()
  const model = new Model(page)
  const views = model.views()
  const first = page.results[views[0]!.result]!.result
  const store = new Store({
    view: views[0]!,
    least: page.least ?? 0,
    isolated: page.names.length <= crowded,
    weights: first.edges.length <= 16,
    local: false,
    picked: [],
    sensitive: new Set(page.sensitive.flatMap((n) => model.index.get(n) ?? [])),
    path: undefined,
    tab: 'explore',
  })
  document.title = `${model.title().map((t) => short(t)).join(' and ')} · polydag`

  // The frame.
  const summary = h('p', { id: 'summary' })
  const badgeBox = h('div')
  const legendBox = h('div')
  const cautionBox = h('div')
  const count = h('output', { id: 'count', for: 'least', 'aria-live': 'polite' })
  const tip = h('div', { class: 'tip', hidden: true, 'aria-hidden': 'true' })
  const said = h('div', { class: 'unseen', 'aria-live': 'polite', id: 'said' })
  const graph = h('div', {
    id: 'graph',
    tabindex: 0,
    role: 'application',
    'aria-roledescription': 'graph',
    'aria-label': 'The learned graph, parents above children. Arrow keys walk it, Enter holds a variable to ask about two, Escape lets go. The tab Table has the same as rows.',
  })
  const slider = h('input', {
    type: 'range',
    id: 'least',
    min: 0,
    step: 0.01,
    value: 0,
    input: () => store.set({ least: Number(slider.value) }),
  })
  const check = (text: string, key: 'isolated' | 'weights') => {
    const box = h('input', { type: 'checkbox', checked: store.now[key], id: key, change: () => store.set({ [key]: box.checked }) })
    return h('label', { for: key }, box, text)
  }
  const select = h(
    'select',
    { id: 'view', change: () => store.set({ view: views[Number(select.value)]! }) },
    views.map((v, k) => h('option', { value: k }, short(model.viewName(v), 60))),
  )
  const button = (text: string, label: string | undefined, click: () => void) => h('button', { type: 'button', 'aria-label': label, click }, text)
  const search = searchBox(page.names, (v) => {
    store.only(v)
    app.canvas.near([v])
  })
  const alone = check('Variables without an edge', 'isolated')
  const exporting = { model, store, get edges() { return app.edges }, get cy() { return app.canvas.cy } }
  const bar = tabs([
    { id: 'explore', title: 'Explore' },
    ...(page.truth || page.comparison ? [{ id: 'compare', title: 'Compare' }] : []),
    { id: 'table', title: 'Table' },
    { id: 'receipt', title: 'Receipt' },
    { id: 'data', title: 'Data' },
    { id: 'run', title: 'Run' },
    { id: 'reading', title: 'Guide' },
  ], (tab) => store.set({ tab }))

  replace(
    root,
    h('a', { class: 'skip', href: '#panel' }, 'Skip to the details'),
    h(
      'header',
      {},
      h('div', { class: 'grow' }, h('h1', {}, model.title().map((t, k) => [k > 0 && ' and ', bdi(t)])), summary, badgeBox),
      h(
        'div',
        { class: 'row' },
        views.length > 1 && [h('label', { for: 'view' }, 'Show'), select],
        button('SVG', 'Save the view as SVG', () => downloadSVG(exporting, palette(theme()))),
        button('PNG', 'Save the view as PNG', () => downloadPNG(exporting, palette(theme()))),
        button('Light / dark', 'Switch between light and dark', () => toggleTheme()),
      ),
    ),
    h(
      'main',
      {},
      h(
        'section',
        { id: 'stage', 'aria-label': 'Graph' },
        h(
          'div',
          { class: 'bar' },
          search,
          h('label', { class: 'slider', for: 'least' }, 'Hide weak edges', slider),
          h('span', {}, count, h('span', { class: 'dim' }, '; this is a view, not a new fit')),
          alone,
          check('Weights', 'weights'),
        ),
        h(
          'div',
          { class: 'view' },
          graph,
          tip,
          h('div', { class: 'zoom' }, button('+', 'Zoom in', () => app.canvas.zoom(1.3)), button('−', 'Zoom out', () => app.canvas.zoom(1 / 1.3)), button('⤢', 'Show the whole graph', () => app.canvas.fit())),
        ),
        legendBox,
        cautionBox,
        said,
      ),
      h('section', { id: 'side', 'aria-label': 'Details' }, bar.list, bar.panel),
    ),
  )

  const app: App = { model, store, canvas: new Canvas(graph, model, palette(theme())), edges: [], alone: [] }
  let answer: Query | undefined

  const changeView = (s: State) => {
    app.edges = app.canvas.show(s.view)
    const top = Math.max(...app.edges.map((e) => e.strength), 0.01)
    slider.max = (Math.ceil(top * 100) / 100).toFixed(2)
    slider.value = String(store.now.least)
    const r = resultOf(app, s)
    summary.textContent = `${plural(r.names.length, 'variable')}, ${plural(r.edges.length, 'edge')}, ${plural(r.rows, 'row')}; ${r.method}, ${r.status.replace('_', ' ')}`
    replace(badgeBox, ...[badges(r)].filter((b) => b !== undefined))
  }
  const ask = (s: State) => {
    answer = s.picked.length === 2 && graphOf(app, s).acyclic ? query(graphOf(app, s), s.picked[0]!, s.picked[1]!) : undefined
  }
  const redraw = (s: State) => {
    const em = emphasis(graphOf(app, s), s, answer)
    const keep = new Set(s.path ? edgesOf(s.path) : s.picked.length === 2 ? em.edges : [])
    const { shown, of, alone: list } = app.canvas.sift(s, keep)
    app.alone = list
    app.canvas.emphasise(em, s.weights)
    count.textContent = `${shown} of ${plural(of, 'edge')} shown`
    slider.setAttribute('aria-valuetext', `${num(s.least, 3)}: ${shown} of ${of} edges shown`)
    alone.hidden = list.length === 0
  }
  const gather = (s: State) => {
    const v = s.local && s.picked.length === 1 ? s.picked[0] : undefined
    const g = graphOf(app, s)
    app.canvas.gather(v, v === undefined ? [] : g.parents[v]!, v === undefined ? [] : [...g.children[v]!, ...g.others[v]!.map((o) => o.v)])
  }
  const words = (s: State) => {
    replace(legendBox, legend(s.view, app.edges, page, s.sensitive.size, palette(theme())))
    replace(cautionBox, caution(app))
  }
  const panel = (s: State) => {
    bar.select(s.tab)
    const make: Record<string, () => Node[]> = {
      explore: () => explore(app, answer),
      compare: () => compare(app),
      table: () => table(app),
      receipt: () => receipt(app),
      data: () => data(app),
      run: () => run(app),
      reading: () => reading(),
    }
    replace(bar.panel, make[s.tab]!())
  }
  const say = (s: State) => {
    const names = s.picked.map((v) => short(page.names[v]!))
    said.textContent = names.length === 0 ? '' : names.length === 1 ? `${names[0]} chosen` : `Paths from ${names[0]} to ${names[1]}`
  }

  changeView(store.now)
  ask(store.now)
  redraw(store.now)
  words(store.now)
  panel(store.now)
  app.canvas.fit()

  store.listen((s, changed) => {
    const has = (...keys: (keyof State)[]) => keys.some((k) => changed.has(k))
    if (has('view')) changeView(s)
    if (has('view', 'picked')) ask(s)
    if (has('view', 'least', 'isolated', 'weights', 'picked', 'sensitive', 'path')) redraw(s)
    if (has('view', 'local') || (s.local && has('picked'))) gather(s)
    if (has('view', 'sensitive')) words(s)
    if (has('picked')) say(s)
    const inPanel: (keyof State)[] = s.tab === 'explore' ? ['view', 'picked', 'path', 'sensitive', 'tab', 'local'] : s.tab === 'table' ? ['view', 'least', 'tab'] : ['view', 'tab']
    if (has(...inPanel)) panel(s)
    if (has('isolated')) app.canvas.fit()
  })
  addEventListener('themechange', () => {
    app.canvas.colours(palette(theme()))
    words(store.now)
  })

  // Mouse and touch.
  const { cy } = app.canvas
  cy.on('tap', 'node', (e) => store.pick(e.target.data('v') as number))
  cy.on('tap', (e) => {
    if (e.target === cy) store.clear()
  })
  const showTip = (content: (Node | string)[], at: { x: number; y: number }) => {
    replace(tip, ...content)
    tip.hidden = false
    tip.style.left = `${Math.max(4, Math.min(at.x + 12, graph.clientWidth - tip.offsetWidth - 8))}px`
    tip.style.top = `${Math.max(4, Math.min(at.y + 14, graph.clientHeight - tip.offsetHeight - 8))}px`
  }
  cy.on('mouseover', 'node', (e) => {
    const v = e.target.data('v') as number
    showTip([h('bdi', {}, visible(page.names[v]!)), store.now.sensitive.has(v) ? ' (sensitive)' : ''], e.renderedPosition)
  })
  cy.on('mouseover', 'edge', (e) => {
    const edge = app.edges.find((x) => `${x.from}>${x.to}` === e.target.id())
    if (!edge) return
    const parts: (Node | string)[] = [bdi(page.names[edge.from]!), symbol(edge.edge?.mark ?? '-->'), bdi(page.names[edge.to]!)]
    if (edge.edge && !directed(edge.edge)) parts.push(`: ${page.marks[edge.edge.mark]}`)
    else if (edge.edge) {
      parts.push(`: weight ${num(edge.edge.weight)}, standardized ${signed(edge.edge.standardized)}`)
      parts.push(`; direction: ${about(edge.edge)}`)
      if (edge.edge.confidence !== undefined) parts.push(`; confidence ${num(edge.edge.confidence, 3)}`)
    } else parts.push(': in the truth, not found')
    showTip(parts, e.renderedPosition)
  })
  cy.on('mouseout', 'node, edge', () => (tip.hidden = true))
  cy.on('viewport', () => (tip.hidden = true))

  graphKeys(app, graph)
  addEventListener('keydown', (e) => {
    const typing = (e.target as HTMLElement).matches?.('input, select, textarea')
    if (e.key === '/' && !typing) {
      document.getElementById('search')!.focus()
      e.preventDefault()
    } else if (e.key === 'Escape' && !typing) store.clear()
  })
  let timer = 0
  let seen = graph.clientWidth
  new ResizeObserver(() => {
    clearTimeout(timer)
    timer = window.setTimeout(() => {
      if (graph.clientWidth !== seen) {
        seen = graph.clientWidth
        app.canvas.fit()
      }
    }, 120)
  }).observe(graph)
  // The first frame is on screen and the page listens: what the tests of speed measure.
  requestAnimationFrame(() =>
    setTimeout(() => {
      performance.mark('ready')
      document.documentElement.dataset.ready = 'yes'
    }),
  )
}

const root = document.getElementById('app')!
try {
  start(root)
} catch (e) {
  if (!(e instanceof DataError)) throw e
  replace(root, h('main', {}, h('p', { role: 'alert', class: 'warn' }, e.message)))
}
