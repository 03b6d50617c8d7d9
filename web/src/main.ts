import './style.css'
import type { App } from './app'
import { embedded, graphOf, resultOf } from './app'
import { arrow, badges, directed, inBrief, symbol } from './certainty'
import { Canvas, idOf } from './canvas'
import { all as allEdges, DataError, decode, type Page } from './data'
import { bdi, h, num, plural, replace, short, signed, visible } from './dom'
import { edgesOf, emphasis } from './emphasis'
import { downloadPNG, draw, saveSVG } from './export'
import { graphKeys } from './keys'
import { legend } from './legend'
import { Matrix } from './matrix'
import { palette } from './palette'
import { inShort } from './panel/bounds'
import { compare } from './panel/compare'
import { data } from './panel/data'
import { explore } from './panel/explore'
import { methods } from './panel/methods'
import { caution, reading } from './panel/reading'
import { certificate } from './panel/certificate'
import { run } from './panel/run'
import { table } from './panel/table'
import { whatIf } from './panel/whatif'
import { query, type Query } from './paths'
import { print } from './print'
import { searchBox } from './search'
import { asGraph, Store, type State } from './state'
import { bits, bitsOf } from './gain'
import { tabs } from './tabs'
import { largest, Timeline } from './timeline'
import { definition, terms } from './terms'
import { startTheme, theme, toggleTheme } from './theme'
import { unpack } from './unpack'
import { atLag, hides, lagsOf, Model, separate, type EdgeView, type Which } from './view'

const crowded = 50 // variables from which those without an edge start hidden
const grouped = 60 // variables from which the page starts with groups of them
const groupable = 30 // variables from which groups can be shown

// described is what a screen reader says of the graph.
const described = {
  graph: 'The learned graph, parents above children. Arrow keys move along it, Enter selects the first of two variables, Escape clears the selection.',
  groups: 'The learned graph as groups of variables. Arrow keys move between groups, Enter opens or closes one, arrow down enters an open one, Escape leaves it. The tab Explore lists the groups.',
}

// ends are the variables that a click on an edge selects: one for a loop.
const ends = (e: EdgeView): number[] => [...new Set([e.from, e.to])]

function start(root: HTMLElement, page: Page): void {
  startTheme()
  if (embedded()) document.documentElement.dataset.embedded = ''
  const model = new Model(page)
  const views = model.views()
  const first = page.results[views[0]!.result]!.result
  const store = new Store({
    view: views[0]!,
    drawing: page.open,
    how: 'graph',
    opened: new Set(),
    box: undefined,
    line: undefined,
    rows: 'order',
    lag: undefined,
    least: 0,
    which: page.names.length > crowded ? 'stated' : 'all',
    isolated: page.names.length <= crowded,
    weights: allEdges(first).length <= 16,
    local: false,
    picked: [],
    sensitive: new Set(page.sensitive.flatMap((n) => model.index.get(n) ?? [])),
    path: undefined,
    tab: page.methods ? 'methods' : 'explore',
  })
  document.title = `${model.title().map((t) => short(t)).join(' and ')} · polydag`

  // The frame.
  const summary = h('p', { id: 'summary' })
  const badgeBox = h('div')
  const legendBox = h('div', { class: page.results.length > 1 || page.truth ? 'steady' : '' }) // what is compared stays where it is
  const cautionBox = h('div')
  const count = h('output', { id: 'count', for: 'least', 'aria-live': 'polite' })
  const viewOnly = h('span', { class: 'dim' }, '; the graph is not fitted again')
  const number = h('output', { id: 'least-now', for: 'least', class: 'n' })
  const tip = h('div', { class: 'tip', hidden: true, 'aria-hidden': 'true' })
  const said = h('div', { class: 'unseen', 'aria-live': 'polite', id: 'said' })
  const graph = h('div', {
    id: 'graph',
    tabindex: 0,
    role: 'application',
    'aria-roledescription': 'graph',
  })
  const slider = h('input', {
    type: 'range',
    id: 'least',
    min: 0,
    step: 0.01,
    value: 0,
    title: terms.gain,
    input: () => store.set({ least: Number(slider.value) }),
  })
  const howMany = h(
    'select',
    { id: 'many', change: () => store.set({ drawing: Number(howMany.value) }) },
    page.drawings.map((d, k) => h('option', { value: k, selected: k === page.open }, k === page.drawings.length - 1 ? 'all' : `${d.edges} strongest`)),
  )
  const hows = { groups: 'Groups', graph: 'Graph', matrix: 'Matrix', time: 'Time' } as const
  const how = (Object.keys(hows) as State['how'][]).map((id) =>
    h('button', { type: 'button', id: `how-${id}`, title: id === 'time' ? terms.unrolled : id === 'groups' ? terms.group : undefined, 'aria-pressed': String(store.now.how === id), click: () => store.set({ how: id }) }, hows[id]),
  )
  const openAll = h('button', { type: 'button', id: 'open-all', hidden: true, click: () => {
    const { clusters } = app.canvas.overview
    store.set({ opened: new Set(store.now.opened.size < clusters.length ? clusters.keys() : []), box: undefined, line: undefined })
  } })
  const lag = h('select', { id: 'lag', title: terms.lag, change: () => store.set({ lag: lag.value === '' ? undefined : Number(lag.value) }) })
  const lagBox = h('label', { for: 'lag', hidden: true }, 'Lag', lag)
  const rows = h(
    'select',
    { id: 'rows', change: () => store.set({ rows: rows.value as State['rows'] }) },
    h('option', { value: 'order' }, 'causes first'),
    h('option', { value: 'groups' }, 'in groups'),
    h('option', { value: 'names' }, 'by name'),
  )
  const judged = page.results.some(({ result }) => result.edges.some((e) => e.verdict))
  const which = h(
    'select',
    { id: 'which', title: `${definition.weak} ${definition.undirected}`, change: () => store.set({ which: which.value as Which }) },
    ([['all', 'all verdicts'], ['stated', 'without weak'], ['directed', 'directed only']] as const).map(([value, text]) => h('option', { value, selected: store.now.which === value }, text)),
  )
  const whichBox = h('label', { for: 'which', hidden: !judged }, 'Verdicts', which)
  const rowsBox = h('label', { for: 'rows', hidden: true }, 'Rows', rows)
  const manyBox = h('label', { for: 'many', hidden: page.drawings.length < 2 }, 'Edges', howMany)
  const grid = h('canvas', {
    id: 'matrix',
    hidden: true,
    tabindex: 0,
    role: 'application',
    'aria-roledescription': 'matrix',
    'aria-label': 'The learned graph as a matrix: the row is the parent, the column the child; an edge without a stated direction is on both sides of the diagonal. Left and right keys move along its edges. The tab Table has the same data as rows.',
  })
  const unrolled = h('div', { id: 'time', hidden: true })
  const check = (text: string, key: 'isolated' | 'weights') => {
    const box = h('input', { type: 'checkbox', checked: store.now[key], id: key, change: () => store.set({ [key]: box.checked }) })
    return h('label', { for: key }, box, text)
  }
  const select = h(
    'select',
    { id: 'view', change: () => store.set({ view: views[Number(select.value)]! }) },
    views.map((v, k) => h('option', { value: k }, short(model.viewName(v), 60))),
  )
  // With several methods one is chosen, and another one or the truth to compare it with.
  const methodA = h('select', { id: 'method', change: () => choose() }, page.results.map((r, k) => h('option', { value: k }, short(r.label, 40))))
  const methodB = h('select', { id: 'against', change: () => choose() },
    h('option', { value: '' }, 'nothing'),
    page.truth && h('option', { value: 'truth' }, 'the truth'),
    page.results.map((r, k) => h('option', { value: k }, short(r.label, 40))))
  const choose = () => {
    const result = Number(methodA.value)
    const other = Number(methodB.value)
    if (methodB.value === 'truth') store.set({ view: { kind: 'truth', result } })
    else if (methodB.value === '' || other === result) store.set({ view: { kind: 'result', result } })
    else store.set({ view: { kind: 'compare', result, other } })
  }
  const chosen = (s: State) => {
    methodA.value = String(s.view.result)
    methodB.value = s.view.kind === 'compare' ? String(s.view.other) : s.view.kind === 'truth' ? 'truth' : ''
  }
  const button = (text: string, label: string | undefined, click: () => void) => h('button', { type: 'button', 'aria-label': label, click }, text)
  const search = searchBox(page.names, (v) => {
    store.only(v)
    app.canvas.near([v])
  })
  const alone = check('Variables without an edge', 'isolated')
  const weightsBox = check('Weights', 'weights')
  const exporting = { model, store, get edges() { return app.edges }, get cy() { return app.canvas.cy } }
  const picture = (colours: ReturnType<typeof theme>) => (store.now.how === 'time' ? timeline.picture() : draw(exporting, palette(colours)))
  const bar = tabs([
    ...(page.methods ? [{ id: 'methods', title: 'Methods' }] : []),
    { id: 'explore', title: 'Explore' },
    { id: 'whatif', title: 'What if' },
    ...(page.truth || page.comparison || page.methods ? [{ id: 'compare', title: 'Compare' }] : []),
    { id: 'table', title: 'Table' },
    { id: 'certificate', title: 'Certificate' },
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
      page.back && h('a', { class: 'back', href: '/' }, '← All results'),
      h('div', { class: 'grow' }, h('h1', {}, model.title().map((t, k) => [k > 0 && ' and ', bdi(t, 90)])), summary, badgeBox),
      h(
        'div',
        { class: 'row' },
        page.methods
          ? [h('label', { for: 'method' }, 'Show'), methodA, h('label', { for: 'against' }, 'compared with'), methodB]
          : views.length > 1 && [h('label', { for: 'view' }, 'Show'), select],
        button('SVG', 'Save the view as SVG', () => saveSVG(picture(theme()))),
        button('PNG', 'Save the view as PNG', () => downloadPNG(exporting, palette(theme()))),
        button('PDF', 'Print the view, or save it as PDF', () => print(picture('light'))),
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
          h('div', { class: 'switch', role: 'group', 'aria-label': 'Show as' }, how),
          openAll,
          manyBox,
          whichBox,
          rowsBox,
          lagBox,
          h('label', { class: 'slider', for: 'least', title: terms.gain }, 'Minimum gain', slider, number),
          h('span', {}, count, viewOnly),
          alone,
          weightsBox,
        ),
        h(
          'div',
          { class: 'view' },
          graph,
          grid,
          unrolled,
          tip,
          h('div', { class: 'zoom' }, button('+', 'Zoom in', () => now().zoom(1.3)), button('−', 'Zoom out', () => now().zoom(1 / 1.3)), button('⤢', 'Show the whole graph', () => now().fit())),
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
  const matrix = new Matrix(grid, page.names, palette(theme()), {
    edge: (e) => store.set({ picked: ends(e), path: undefined, tab: 'explore', local: false }),
    variable: (v) => store.only(v),
    nothing: () => store.clear(),
    hover: (what, x, y) => {
      if (!what) tip.hidden = true
      else if ('standing' in what) showTip(edgeTip(what), { x, y })
      else showTip([what.row, what.column].flatMap((v, k) => (v < 0 ? [] : [k === 0 ? 'from ' : what.row < 0 ? 'to ' : ', to ', bdi(page.names[v]!)])), { x, y })
    },
  })
  const timeline = new Timeline(unrolled, page.names, palette(theme()), {
    edge: (e) => store.set({ picked: ends(e), path: undefined, tab: 'explore', local: false }),
    variable: (v) => store.pick(v),
  })
  const now = () => ({ groups: app.canvas, graph: app.canvas, matrix, time: timeline })[store.now.how]
  const { overview } = app.canvas
  // other draws the edges in the place of the graph.
  const other = (s: State) => {
    const { order } = resultOf(app, s).certificate
    if (s.how === 'matrix') matrix.show(app.edges, order, s.rows, s.lag)
    if (s.how === 'time') timeline.show(app.edges, order)
  }

  const changeView = (s: State) => {
    app.edges = app.canvas.show(s.view, s.drawing)
    const top = Math.max(...app.edges.map((e) => e.size), 0.01)
    slider.max = (Math.ceil(top * 100) / 100).toFixed(2)
    slider.value = String(store.now.least)
    const r = resultOf(app, s)
    summary.textContent = `${plural(r.names.length, 'variable')}, ${plural(allEdges(r).length, 'edge')}, ${plural(r.rows, 'row')}; ${r.method}, ${r.status.replace('_', ' ')}${inShort(r)}`
    replace(badgeBox, badges(r, (tab) => store.set({ tab }), embedded() || page.results.length > 1))
    const lags = largest(app.edges)
    how.at(-1)!.hidden = lags === 0
    if (lags === 0 && s.how === 'time') store.set({ how: 'graph' })
    replace(lag, h('option', { value: '' }, 'all'), Array.from({ length: lags + 1 }, (_, k) => h('option', { value: k, selected: k === s.lag }, k === 0 ? '0 (same time)' : String(k))))
    other(s)
  }
  const ask = (s: State) => {
    answer = s.picked.length === 2 && graphOf(app, s).acyclic ? query(graphOf(app, s), s.picked[0]!, s.picked[1]!) : undefined
  }
  const redraw = (s: State) => {
    const em = emphasis(graphOf(app, s), s, answer)
    const keep = new Set(s.path ? edgesOf(s.path) : s.picked.length === 2 ? em.edges : [])
    const { shown, of, alone: list } = app.canvas.sift(s, keep)
    const joined = new Set(app.edges.flatMap((e) => [e.from, e.to]))
    app.alone = list.filter((v) => !joined.has(v))
    app.canvas.emphasise(em, s.weights, s.box)
    const whole = s.how !== 'graph'
    const boxes = s.how === 'groups' ? `${plural(overview.clusters.length, 'group')}, ${s.opened.size} open; ` : ''
    const all = whole || s.drawing === page.drawings.length - 1
    const away = whole || s.isolated ? 0 : list.filter((v) => !s.picked.includes(v)).length
    const listed = s.how === 'matrix' ? atLag(separate(app.edges), s.lag) : separate(app.edges)
    const total = of
    const seen = whole ? listed.filter((e) => e.standing !== 'missing' && !hides(e, s)).length : shown
    count.textContent = `${boxes}${all ? '' : 'strongest '}${seen} of ${plural(total, 'edge')} shown${seen < total ? `, ${total - seen} hidden` : ''}${away > 0 ? `; ${away} of ${plural(page.names.length, 'variable')} hidden` : ''}`
    viewOnly.hidden = seen === total
    number.textContent = `≥ ${num(bitsOf(s.least), 2)} bits`
    matrix.sift(s, s.picked)
    timeline.sift(s, s.picked)
    slider.setAttribute('aria-valuetext', `${num(bitsOf(s.least), 2)} bits per row: ${shown} of ${of} edges shown`)
    alone.hidden = list.length === 0 || whole
    weightsBox.hidden = whole
    manyBox.hidden = page.drawings.length < 2 || whole
    openAll.hidden = s.how !== 'groups' || s.local
    openAll.textContent = s.opened.size < overview.clusters.length ? 'Open all groups' : 'Close all groups'
  }
  const gather = (s: State) => {
    const g = graphOf(app, s)
    app.canvas.gather(s.local ? [...(emphasis(g, s, answer).nodes ?? [])] : [], g)
    redraw(s)
    app.canvas.fit()
  }
  const switchTo = (s: State) => {
    const asMatrix = s.how === 'matrix'
    graph.hidden = !asGraph(s)
    graph.setAttribute('aria-label', `${described[s.how === 'groups' ? 'groups' : 'graph']} The tab Table has the same data as rows.`)
    grid.hidden = !asMatrix
    unrolled.hidden = s.how !== 'time'
    rowsBox.hidden = !asMatrix
    lagBox.hidden = !asMatrix || largest(app.edges) === 0
    how.forEach((b) => b.setAttribute('aria-pressed', String(b.id === `how-${s.how}`)))
    if (!asGraph(s)) return other(s)
    app.canvas.group(s.how === 'groups')
    if (s.how === 'groups') app.canvas.open(s.opened)
  }
  // unfold opens the groups of the chosen variables.
  const unfold = (s: State): State => {
    const need = s.picked.map((v) => overview.of[v]!).filter((k) => !s.opened.has(k))
    if (need.length > 0) store.set({ opened: new Set([...s.opened, ...need]) })
    return store.now
  }
  // unpick clears the selection when the group of a chosen variable is closed.
  const unpick = (s: State): State => {
    if (s.picked.some((v) => !s.opened.has(overview.of[v]!))) store.set({ picked: [], path: undefined, local: false })
    return store.now
  }
  const words = (s: State) => {
    replace(legendBox, legend(s.view, app.edges, page, s.sensitive.size, palette(theme()), s))
    replace(cautionBox, caution(app))
  }
  const panel = (s: State) => {
    bar.select(s.tab)
    const make: Record<string, () => Node[]> = {
      methods: () => methods(app),
      explore: () => explore(app, answer),
      whatif: () => whatIf(app),
      compare: () => compare(app),
      table: () => table(app),
      certificate: () => certificate(app),
      data: () => data(app),
      run: () => run(app),
      reading: () => reading(),
    }
    replace(bar.panel, make[s.tab]!())
  }
  const say = (s: State) => {
    const names = s.picked.map((v) => short(page.names[v]!))
    said.textContent = names.length === 0 ? (s.box === undefined ? '' : overview.said(s.box)) : names.length === 1 ? `${names[0]} chosen` : `Paths from ${names[0]} to ${names[1]}`
  }

  how[0]!.hidden = page.names.length <= groupable || overview.clusters.length < 2
  if (page.names.length > grouped && !how[0]!.hidden) store.set({ how: 'groups' })
  if (store.now.how === 'groups') app.canvas.group(true)
  changeView(store.now)
  ask(store.now)
  switchTo(store.now)
  redraw(store.now)
  words(store.now)
  panel(store.now)
  app.canvas.refit()

  let before = store.now.opened
  store.listen((s, changed) => {
    tip.hidden = true // what it is about may have moved
    if (s.how === 'groups') s = changed.has('picked') || changed.has('how') ? unfold(s) : changed.has('opened') ? unpick(s) : s
    const has = (...keys: (keyof State)[]) => keys.some((k) => changed.has(k))
    if (has('view')) chosen(s)
    if (has('view', 'drawing')) changeView(s)
    if (has('view', 'picked')) ask(s)
    if (has('how', 'rows', 'lag')) switchTo(s)
    if (has('opened')) {
      const more = [...s.opened].filter((k) => !before.has(k))
      app.canvas.open(s.opened, more.length === 1 ? more[0] : undefined)
      if ((before.size === 0) !== (s.opened.size === 0)) words(s)
      before = s.opened
    }
    if (has('view', 'drawing', 'how', 'opened', 'box', 'lag', 'least', 'which', 'isolated', 'weights', 'picked', 'sensitive', 'path')) redraw(s)
    if (has('view', 'drawing', 'local') || (s.local && has('picked', 'path'))) gather(s)
    if (has('view', 'sensitive', 'how')) words(s)
    if (has('box', 'opened') && s.picked.length === 0) say(s)
    if (has('picked')) {
      say(s)
      bar.panel.scrollTop = 0
      if (s.picked.length > 0 && asGraph(s) && !s.local) app.canvas.revealAll(s.picked)
    }
    const inPanel: (keyof State)[] = s.tab === 'methods' ? ['tab'] : s.tab === 'whatif' ? ['view', 'picked', 'tab'] : s.tab === 'explore' ? ['view', 'how', 'opened', 'line', 'picked', 'path', 'sensitive', 'tab', 'local', 'drawing'] : s.tab === 'table' ? ['view', 'least', 'which', 'tab', 'drawing'] : ['view', 'tab']
    if (has(...inPanel)) panel(s)
    if (has('isolated', 'drawing', 'how') && !s.local && asGraph(s)) app.canvas.refit()
  })
  addEventListener('themechange', () => {
    app.canvas.colours(palette(theme()))
    matrix.colours(palette(theme()))
    timeline.colours(palette(theme()))
    words(store.now)
  })

  // Mouse and touch.
  const { cy } = app.canvas
  // Where the panel is below the graph, the answer about two variables is scrolled to.
  const toAnswer = () => {
    if (store.now.picked.length === 2 && matchMedia('(max-width: 860px)').matches) document.getElementById('side')!.scrollIntoView()
  }
  cy.on('tap', 'node', (e) => {
    if (e.target.hasClass('group')) return store.toggle(e.target.data('k') as number)
    store.pick(e.target.data('v') as number)
    toAnswer()
  })
  cy.on('tap', 'edge', (e) => {
    if (e.target.hasClass('bundle')) return store.set({ picked: [], line: e.target.id(), tab: 'explore' })
    const edge = app.edges.find((x) => idOf(x) === e.target.id())
    if (edge) store.set({ picked: ends(edge), path: undefined, tab: 'explore' })
    toAnswer()
  })
  cy.on('tap', (e) => {
    if (e.target === cy) store.clear()
  })
  function showTip(content: (Node | string)[], at: { x: number; y: number }): void {
    replace(tip, ...content)
    tip.hidden = false
    tip.style.left = `${Math.max(4, Math.min(at.x + 12, stage().clientWidth - tip.offsetWidth - 8))}px`
    tip.style.top = `${Math.max(4, Math.min(at.y + 14, stage().clientHeight - tip.offsetHeight - 8))}px`
  }
  cy.on('mouseover', 'node', (e) => {
    if (e.target.hasClass('group')) {
      const k = e.target.data('k') as number
      overview.point(k)
      return showTip([...listed(overview.clusters[k]!.members), store.now.opened.has(k) ? '. Click to close the group.' : '. Click to open the group.'], e.renderedPosition)
    }
    const v = e.target.data('v') as number
    showTip([h('bdi', {}, visible(page.names[v]!)), store.now.sensitive.has(v) ? ' (sensitive)' : ''], e.renderedPosition)
  })
  const listed = (vs: number[], most = 8): (Node | string)[] => [...vs.slice(0, most).flatMap((v, i) => [i > 0 ? ', ' : '', bdi(page.names[v]!, 30)]), vs.length > most ? ` and ${vs.length - most} more` : '']
  cy.on('mouseover', 'edge', (e) => {
    const bundle = overview.bundles.get(e.target.id() as string)
    if (bundle) return showTip([overview.lineSaid(bundle)], e.renderedPosition)
    const edge = app.edges.find((x) => idOf(x) === e.target.id())
    if (edge) showTip(edgeTip(edge), e.renderedPosition)
  })
  function edgeTip(edge: EdgeView): (Node | string)[] {
    const parts: (Node | string)[] = [bdi(page.names[edge.from]!), edge.edge ? arrow(edge.edge) : symbol('-->'), bdi(page.names[edge.to]!), edge.lagged ? `, ${lagsOf(edge)}${edge.lagged.length > 1 ? `; at lag ${edge.edge!.lag}` : ''}` : '']
    if (edge.edge && !directed(edge.edge)) parts.push(`: ${page.marks[edge.edge.mark]}${edge.edge.verdict ? `; ${inBrief(edge.edge)}` : ''}`)
    else if (edge.edge) {
      const e = edge.edge
      parts.push(e.verdict ? `: ${inBrief(e)}; ` : ': ', e.weight !== 0 || !e.effect ? `weight ${num(e.weight)}, standardized ${signed(e.standardized)}, ` : '', `score gain ${num(bits(e), 3)} bits per row`)
    } else parts.push(': in the truth only')
    return parts
  }
  cy.on('mouseout', 'node, edge', () => {
    tip.hidden = true
    if (overview.on) overview.point(store.now.box)
  })
  cy.on('viewport', () => (tip.hidden = true))
  graph.addEventListener('pointerleave', () => (tip.hidden = true)) // the library does not report that the pointer left its element

  graphKeys(app, graph)
  addEventListener('keydown', (e) => {
    const typing = (e.target as HTMLElement).matches?.('input, select, textarea')
    if (e.key === '/' && !typing) {
      document.getElementById('search')!.focus()
      e.preventDefault()
    } else if (e.key === 'Escape' && !typing) store.clear()
  })
  let timer = 0
  const stage = () => graph.parentElement!
  let seen = `${stage().clientWidth} ${stage().clientHeight}`
  new ResizeObserver(() => {
    clearTimeout(timer)
    timer = window.setTimeout(() => {
      const size = `${stage().clientWidth} ${stage().clientHeight}`
      if (size === seen) return
      seen = size
      if (asGraph(store.now)) app.canvas.refit()
      else now().fit()
    }, 120)
  }).observe(stage())
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
  start(root, decode(await unpack(document.getElementById('data')!.textContent ?? '')))
} catch (e) {
  if (!(e instanceof DataError)) throw e
  replace(root, h('main', {}, h('p', { role: 'alert', class: 'warn' }, e.message)))
}
