import { graphOf, resultOf, type App } from './app'
import { Asker } from './ask'
import { Canvas } from './canvas'
import type { Page } from './data'
import { bdi, h, num, plural, replace, short, visible } from './dom'
import { searchBox } from './find'
import { Handle } from './handle'
import { below, menu } from './menu'
import { aboutLine, legend } from './legend'
import { left } from './left'
import { Matrix } from './matrix'
import { Own, readGraph } from './own'
import { palette } from './palette'
import { show as panelFor } from './panelfor'
import { columnMenu } from './panel/roles'
import { failedChecks } from './panel/column'
import { query, type Query } from './paths'
import type { Backend, Setting } from './program/backend'
import { changes, summary } from './program/changes'
import type { Snapshot, Server } from './program/http'
import { pageOf, Session } from './program/session'
import { progressWords } from './program/pace'
import { plain, remediesIn, remedyLabel } from './program/words'
import { cluster, drawn, emphasis, keyOf, manyColumns, nodeKey, scene } from './scene'
import { shell } from './shell'
import { start } from './start'
import { begin, Store, type How, type State } from './state'
import { table } from './panel/table'
import { theme, toggleTheme } from './theme'
import { largest, Timeline } from './timeline'
import { follow } from './route'
import { judge, Model } from './view'

export interface Boot {
  page?: Page // of a report
  server?: (show: (s: Snapshot) => void, connected: (yes: boolean) => void) => Server
  program?: () => Backend
  local?: boolean // the program is inside the page
}

// boot builds the page and joins its parts: what the reader does changes the store or the session, and what is on screen follows.
export function boot(root: HTMLElement, how: Boot): void {
  let app: App | undefined
  let session: Session | undefined
  let answer: Query | undefined
  let snapshot: Snapshot | undefined
  let chosen: string[] = []
  let linking: { from: string; what: 'causes' | 'cannot' } | undefined
  let listing = false // the list of results is shown without a graph
  const store = new Store({ ...begin })
  const search = searchBox(() => app?.model.page.names ?? [], (v, drives) => {
    store.set({ picked: [v], path: undefined, tab: drives ? 'drivers' : 'explore' })
    openSheet('side')
  })
  const ui = shell(search)
  replace(root, ui.header, ui.left, ui.stage, ui.side, ui.sheets, ui.file, ui.said, ui.over)

  const canvas = new Canvas(ui.graph, {
    node: (key, e) => {
      if (key.startsWith('g')) return store.toggle(Number(key.slice(1)))
      const v = Number(key.slice(1))
      if (linking) return linkTo(v)
      if ((e.target as Element).classList.contains('warn')) { // the mark of a failed check opens its plot
        store.only(v)
        openSheet('side', true)
        return void ui.body.querySelector('.doubt')?.scrollIntoView({ block: 'start' })
      }
      store.pick(v, e instanceof MouseEvent && (e.shiftKey || e.ctrlKey || e.metaKey))
      if (store.now.picked.length > 0) openSheet('side', true)
    },
    line: (key) => {
      if (key.startsWith('b')) return store.set({ picked: [], bundle: key, tab: 'explore' })
      store.set({ picked: ends(key), path: undefined, bundle: undefined, tab: store.now.tab === 'own' ? 'own' : 'explore' })
      openSheet('side', true)
    },
    ground: () => {
      linking = undefined
      say('')
      store.clear()
      closeSheets()
    },
    menu: (what, at) => contextMenu(what, at),
    over: (what, at) => tipFor(what, at),
    drop: (key, at) => drop(key, at),
    dragging: (key, at) => dragging(key, at),
    drawn: (from, to) => drawnEdge(nameOf(from), nameOf(to)),
    moved: () => handle.move(),
    rename: (band) => renameBand(band),
  })
  const handle = new Handle(ui.handle, canvas)
  const asker = new Asker(ui.question)
  const own = new Own(() => own.on && showOwn())
  const matrix = new Matrix(ui.grid, [], palette(theme()), {
    edge: (e) => store.set({ picked: [e.from, e.to].filter((v, i, l) => l.indexOf(v) === i), path: undefined, tab: 'explore' }),
    variable: (v) => store.only(v), nothing: () => store.clear(),
    hover: (what, x, y) => (what && 'standing' in what && app ? showTip(aboutLine(what, app.model.page.names, app.model.page.marks), { x, y }) : (ui.tip.hidden = true)),
  })
  const timeline = new Timeline(ui.time, [], palette(theme()), { edge: (e) => store.set({ picked: [e.from, e.to], path: undefined, tab: 'explore' }), variable: (v) => store.pick(v) })

  const nameOf = (key: string) => app!.model.page.names[Number(key.slice(1))]!
  const ends = (key: string) => [...new Set(key.replace('@', '').split('>').map(Number))]
  const say = (text: string) => (ui.said.textContent = text)

  // load shows a page: a result, or several.
  function load(page: Page, fresh: boolean): void {
    const before = app
    const names = store.now.picked.map((v) => before?.model.page.names[v])
    const marked = [...store.now.sensitive].map((v) => before?.model.page.names[v])
    if (session?.truth && page.results.length === 1 && !own.on) page = { ...page, truth: { edges: session.truth.length, verdicts: [judge(page.results[0]!.result, session.truth, new Map(page.names.map((n, i) => [n, i])))] } }
    const model = new Model(page)
    app = { model, store, edges: [], clusters: [], titles: [], session }
    const index = (list: (string | undefined)[]) => list.flatMap((n) => (n === undefined ? [] : model.index.get(n) ?? []))
    const views = model.views()
    const view = page.truth && session ? views.find((v) => v.kind === 'result')! : views[0]!
    matrix.names = timeline.names = page.names
    app.edges = model.edges(view)
    cluster(app)
    store.set({
      view, picked: fresh ? [] : index(names), sensitive: new Set(fresh && page.sensitive.length ? index(page.sensitive) : index(marked)), path: undefined, bundle: undefined, every: false, lag: undefined,
      grouped: page.names.length > manyColumns, opened: new Set(), ...(fresh && { tab: page.methods ? 'methods' : page.truth && !session ? 'compare' : page.comparison ? 'compare' : own.on ? 'own' : 'explore', how: 'graph' as How }),
    })
    document.title = `${model.title().map((t) => short(t, 40)).join(' and ')} · polydag`
    if (fresh && !session) follow(app)
    redraw(fresh)
    document.documentElement.dataset.graph = ''
  }

  function ask(): void {
    const s = store.now
    answer = app && s.picked.length === 2 && graphOf(app).acyclic ? query(graphOf(app), s.picked[0]!, s.picked[1]!) : undefined
  }

  // redraw draws the view anew.
  function redraw(refit: boolean): void {
    if (!app) return
    ask()
    const s = store.now
    const k = session?.knowledge
    const bands = own.on ? [] : k?.bands() ?? []
    const order = new Map(bands.map(({ band }, i) => [band, i]))
    const warn = new Map<string, string>()
    for (const n of app.model.page.names) {
      const list = own.on ? [] : failedChecks(app, n)
      if (list.length > 0) warn.set(n, `${plural(list.length, 'check')} failed`)
    }
    frame()
    canvas.insets = insets()
    if (s.how === 'graph') {
      canvas.show(scene(app, { warn, ...(bands.length > 0 && { band: (n: string) => order.get(k!.band.get(n) ?? 0), bands: bands.map((b) => b.title) }), ...(own.on && { own: own.classes() }) }), refit)
      canvas.emphasise(emphasis(app, answer))
      flow()
    }
    const { order: sorted } = resultOf(app).certificate
    if (s.how === 'matrix') {
      matrix.show(app.edges, sorted, s.rows, s.lag)
      matrix.sift(s, s.picked)
    }
    if (s.how === 'time') {
      timeline.show(app.edges, sorted)
      timeline.sift(s, s.picked)
    }
    if (s.how === 'list') replace(ui.list, ...table(app))
    panel()
    leftPanel()
  }

  // flow shows along which lines a change of the selected column runs.
  const flow = () => canvas.flow(store.now.tab === 'whatif' && store.now.picked.length === 1 ? emphasis(app!, answer).lines : undefined)

  const insets = () => {
    // The room of a question is there before the question, so that the graph does not move when it comes.
    const top = ui.question.hidden ? (session?.learned && !own.on ? (innerWidth < 700 ? 105 : 68) : 0) : ui.question.offsetTop + ui.question.offsetHeight
    return innerWidth < 700 ? { top: top + 14, right: 12, bottom: 122, left: 12 } : { top: top + 26, right: 36, bottom: 74, left: 36 }
  }

  // frame is everything around the drawing.
  function frame(): void {
    const s = store.now
    const begun = app !== undefined && !listing
    document.body.classList.toggle('begun', begun)
    ui.welcome.hidden = begun || session?.table !== undefined
    ui.tools.hidden = !begun
    ui.graph.hidden = !begun || s.how !== 'graph'
    ui.grid.hidden = !begun || s.how !== 'matrix'
    ui.time.hidden = !begun || s.how !== 'time'
    ui.list.hidden = !begun || s.how !== 'list'
    if (!ui.welcome.hidden) start(session, how.local ?? false, { open: (f, t, given) => void open(f, t, given), choose: () => pickFile('table'), own: () => pickFile('table', true), results: () => showResults() }, ui.welcome, snapshot?.results?.length ?? 0)
    if (app) {
      const r = resultOf(app)
      replace(ui.crumb, bdi(session?.table?.name ?? app.model.title()[0]!, 34), h('span', {}, ` · ${num(r.rows, 9)} rows, ${plural(r.names.length, 'column')}${app.model.page.results.length > 1 && s.view.kind !== 'compare' ? ` · ${short(app.model.label(s.view.result), 30)}` : ''}`))
      const lags = largest(app.edges)
      for (const b of ui.hows) {
        const one = b.dataset.how as How
        b.setAttribute('aria-pressed', String(one === s.how))
        b.hidden = one === 'time' && lags === 0
      }
      const shown = s.grouped ? app.edges.length : drawn(app).length
      replace(ui.edges, h('span', {}, shown < app.edges.length ? `${shown} of ${plural(app.edges.length, 'edge')}` : plural(app.edges.length, 'edge')))
      const checks = r.assumptions ?? []
      const failed = checks.filter((a) => a.outcome === 'failed').length
      replace(ui.check, 'Checks ', checks.length === 0 ? '' : failed > 0 ? h('b', { class: 'bad' }, `${failed} failed`) : h('b', { class: 'good' }, `✓ ${checks.filter((a) => a.outcome === 'passed').length}`))
      if (!ui.legend.hidden) replace(ui.legend, legend(s.view, app.edges, app.model.page))
    } else replace(ui.crumb, session?.table ? bdi(session.table.name, 40) : '')
    ui.crumb.hidden = !app && !session?.table
    search.hidden = app === undefined
    ui.check.hidden = ui.share.hidden = !begun
    ui.undo.hidden = ui.redo.hidden = !session?.table
    ui.undo.disabled = !session?.past.length
    ui.redo.disabled = !session?.future.length
    ui.undo.title = session?.past.length ? `Undo: ${session.past.at(-1)!.said}` : 'Undo'
    ui.redo.title = session?.future.length ? `Redo: ${session.future[0]!.said}` : 'Redo'
  }

  function panel(): void {
    if (listing || (!app && store.now.tab === 'results')) return
    if (!app) return replace(ui.body, waiting())
    panelFor({ app, canvas, answer, own, title: ui.title, body: ui.body, snapshot, chosen, session, notes: (notes) => canvas.note(new Map([...notes].map(([v, t]) => [nodeKey(v), t]))),
      act: { load: () => pickFile(own.on ? 'graph' : 'knowledge'), estimate, leave: () => leaveOwn(), open: (n) => void openResult(n), choose: chooseResult, compare: () => void compareResults(), redraw: () => redraw(false) } })
    const { tab, picked, how: shown } = store.now
    handle.hold(tab === 'whatif' && picked.length === 1 && shown === 'graph' ? nodeKey(picked[0]!) : undefined, ui.body)
  }

  // waiting is what the panel says while there is no graph.
  function waiting(): Node {
    if (!session?.table) return h('p')
    if (session.fault) return problem(session.fault)
    return h('p', { class: 'say' }, 'The table is being read; the graph appears as soon as it is learned.')
  }

  // problem is why there is no graph, with what can be done about it as buttons.
  function problem(text: string): HTMLElement {
    const s = session!
    const list = [...(s.check?.findings.filter((f) => f.severity === 'error').flatMap((f) => f.remedies ?? []) ?? []), ...remediesIn(text)].filter((r) => r.setting !== 'columns' && (r.columns !== undefined || (r.value ?? '') !== '')).slice(0, 6)
    return h('div', { class: 'caveat bad', role: 'alert', id: 'problem' }, h('p', {}, plain(text)), h('div', { class: 'chips' }, list.map((r) => h('button', { type: 'button', class: 'btn', click: () => s.change(remedyLabel(r), () => s.settings.apply(r)) }, remedyLabel(r)))))
  }

  function leftPanel(): void {
    left(own.on || !app ? (own.on ? app : undefined) : app, session, ui.left)
  }

  // Changes of what the reader chose.
  store.listen((s, changed) => {
    if (!app) return
    ui.tip.hidden = true
    const has = (...keys: (keyof State)[]) => keys.some((k) => changed.has(k))
    if (has('view')) {
      app.edges = app.model.edges(s.view)
      cluster(app)
    }
    if (has('tab') && s.tab !== 'whatif') canvas.note(new Map())
    if (has('picked') && s.grouped) {
      const need = app.clusters.flatMap((c, k) => (!s.opened.has(k) && c.members.some((v) => s.picked.includes(v)) ? [k] : []))
      if (need.length > 0) return store.set({ opened: new Set([...s.opened, ...need]) })
    }
    const limited = app.edges.length > drawn(app).length || s.every
    if (has('view', 'how', 'opened', 'grouped', 'every', 'least', 'which', 'weights', 'raw', 'sensitive', 'rows', 'lag') || (has('picked') && limited)) redraw(has('view', 'how', 'opened', 'grouped', 'every'))
    else {
      ask()
      canvas.emphasise(emphasis(app, answer))
      flow()
      if (has('picked')) {
        matrix.sift(s, s.picked)
        timeline.sift(s, s.picked)
      }
      frame()
      panel()
      if (has('picked', 'tab')) leftPanel()
    }
    if (has('picked')) {
      ui.side.scrollTop = 0
      if (s.how === 'graph' && s.picked.length > 0) canvas.reveal(s.picked.map(nodeKey))
      say(s.picked.length === 0 ? '' : `${s.picked.map((v) => short(app!.model.page.names[v]!)).join(' and ')} selected`)
    }
    if (has('tab') && s.tab !== 'explore') openSheet('side', true)
  })

  // The program.
  const changed = () => {
    const s = session
    if (!s) return
    const busy = s.busy
    ui.progress.hidden = !busy
    if (busy && s.progress) replace(ui.progress, h('span', { class: 'spin', 'aria-hidden': 'true' }), h('span', {}, s.stopped ? 'Stopping; the best graph so far is kept…' : progressWords(s.progress, s.check !== undefined)), h('button', { type: 'button', class: 'btn quiet', click: () => s.stop() }, s.stopped ? 'Stop now' : 'Stop'))
    if (!busy && app && !own.on) void asker.show(app).then(() => canvas.inset(insets()))
    else asker.hide()
    if (!busy && s.fault && app) toast(h('div', {}, problem(s.fault)), 0)
    frame()
    leftPanel()
    if (!app) panel()
    else if (!busy && ['said', 'settings', 'share'].includes(store.now.tab)) panel()
    document.documentElement.dataset.busy = String(busy)
  }

  function showPage(page: Page, fresh: boolean): void {
    if (own.on) own.on = false
    const before = session?.earlier
    load(page, fresh)
    ui.toast.hidden = true
    if (before && !fresh) {
      const c = changes(before.results[0]!.result, page.results[0]!.result)
      const n = c.gone.length + c.fresh.length + c.turned.length
      const text = `Drawn again: ${summary(c)}.`
      toast(h('div', { class: 'row' }, h('span', {}, text), n > 0 ? h('button', { type: 'button', class: 'link', click: () => compareWith(before, page) }, 'Compare') : null), 6000)
    }
  }

  // compareWith shows what differs between the result before and the present one.
  function compareWith(before: Page, now: Page): void {
    const names = [...new Set([...before.names, ...now.names])]
    load({ ...now, names, results: [{ ...before.results[0]!, label: 'before' }, { ...now.results[0]!, label: 'now' }], comparison: undefined as never }, true)
    delete (app!.model.page as Partial<Page>).comparison
    store.set({ view: { kind: 'compare', result: 0, other: 1 }, tab: 'compare' })
  }

  async function open(file: File | undefined, truth?: { from: string; to: string }[], given: Setting[] = []): Promise<void> {
    if (!file || !session) return
    app = undefined
    delete document.documentElement.dataset.graph
    listing = false
    own.on = false
    own.edges = []
    own.tested = undefined
    store.set({ ...begin, picked: [] })
    history.replaceState(null, '', location.pathname + location.search)
    document.body.classList.add('has-table')
    canvas.show({ nodes: [], lines: [], bands: [] })
    await session.take(file, truth, given)
    if (drawAfter && session.page) enterOwn()
    drawAfter = false
  }
  let drawAfter = false

  let picking: 'table' | 'knowledge' | 'graph' = 'table'
  function pickFile(what: typeof picking, draw = false): void {
    picking = what
    drawAfter = draw
    ui.file.value = ''
    ui.file.click()
  }
  ui.file.addEventListener('change', async () => {
    const f = ui.file.files?.[0]
    if (!f) return
    if (picking === 'table') return open(f)
    const text = await f.text()
    try {
      if (picking === 'knowledge') {
        const next = session!.knowledge.copy()
        next.load(text, session!.variables())
        session!.change(`knowledge of ${f.name}`, () => (session!.knowledge = next))
      } else {
        own.edges = readGraph(text, session!.variables())
        own.tested = undefined
        showOwn()
      }
    } catch (e) {
      toast(h('div', { class: 'caveat bad', role: 'alert' }, (e as Error).message), 0)
    }
  })

  function toast(content: Node, ms: number): void {
    replace(ui.toast, content, h('button', { type: 'button', class: 'icon', 'aria-label': 'Close', click: () => (ui.toast.hidden = true) }, '×'))
    ui.toast.hidden = false
    clearTimeout(timer)
    if (ms > 0) timer = window.setTimeout(() => (ui.toast.hidden = true), ms)
  }
  let timer = 0

  // renameBand lets the reader write the title of a band in its place. It changes no run.
  function renameBand(index: number): void {
    const k = session?.knowledge
    const b = k?.bands()[index]
    const el = ui.graph.querySelector(`[data-title="${index}"]`)
    if (!k || !b || !el) return
    const [at, stage] = [el.getBoundingClientRect(), ui.stage.getBoundingClientRect()]
    const done = (keep: boolean) => {
      if (!field.isConnected) return
      const name = field.value.trim()
      field.remove()
      if (!keep || name === b.title) return
      session!.note('the name of a band', () => (name === '' ? k.named.delete(b.band) : k.named.set(b.band, name.slice(0, 60))))
      redraw(false)
    }
    const field = h('input', { class: 'field rename', 'aria-label': 'Name of the band', value: b.title, blur: () => done(true), keydown: (e: KeyboardEvent) => {
      e.stopPropagation()
      if (e.key === 'Enter' || e.key === 'Escape') done(e.key === 'Enter')
    } })
    field.style.left = `${at.left - stage.left - 8}px`
    field.style.top = `${at.top - stage.top - 8}px`
    ui.stage.append(field)
    field.select()
  }

  // Knowledge on the canvas.
  function state(from: string, to: string, what: 'causes' | 'cannot'): void {
    session!.change(`${visible(from)} ${what === 'causes' ? 'causes' : 'cannot cause'} ${visible(to)}`, () => session!.knowledge.state(from, to, what))
  }
  function drawnEdge(from: string, to: string): void {
    if (own.on) own.toggle(from, to)
    else if (session) state(from, to, 'causes')
  }
  function linkTo(v: number): void {
    const l = linking!
    linking = undefined
    ui.toast.hidden = true
    document.body.classList.remove('linking')
    const to = app!.model.page.names[v]!
    if (l.from !== to) own.on ? own.toggle(l.from, to) : state(l.from, to, l.what)
  }
  function drop(key: string, at: { x: number; y: number }): void {
    if (!session || own.on || key.startsWith('g')) return
    const name = nameOf(key)
    const names = store.now.picked.includes(Number(key.slice(1))) && store.now.picked.length > 1 ? store.now.picked.map((v) => app!.model.page.names[v]!) : [name]
    const k = session.knowledge
    const bands = k.bands()
    const zone = zoneAt(at)
    const inside = canvas.bandAt(at.y - ui.graph.getBoundingClientRect().top)
    const band = zone === 'first' ? Math.min(-1, ...[...k.band.values()].map((b) => (bands.length > 0 && bands[0]!.band < 0 ? b - 1 : b))) : zone === 'last' ? Math.max(1, ...[...k.band.values()].map((b) => (bands.length > 0 && bands.at(-1)!.band > 0 ? b + 1 : b))) : inside !== undefined ? bands[inside]!.band : undefined
    if (band === undefined || names.every((n) => (k.band.get(n) ?? 0) === band)) return
    session.change(`${names.map(visible).join(', ')}: ${band < 0 ? 'earlier' : band > 0 ? 'later' : 'in between'}`, () => names.forEach((n) => session!.knowledge.move(n, band)))
  }
  const zoneAt = (at: { x: number; y: number }) => [...ui.zones.children].find((z) => {
    const r = z.getBoundingClientRect()
    return at.y >= r.top && at.y <= r.bottom && at.x >= r.left && at.x <= r.right
  })?.getAttribute('data-zone')
  function dragging(key: string | undefined, at?: { x: number; y: number }): void {
    const show = key !== undefined && !key.startsWith('g') && session !== undefined && !own.on
    ui.zones.hidden = !show
    if (!show || !at) return
    const zone = zoneAt(at)
    for (const z of ui.zones.children) z.classList.toggle('on', z.getAttribute('data-zone') === zone)
  }
  function contextMenu(what: { node?: string; line?: string }, at: { x: number; y: number }): void {
    if (!app) return
    if (what.node?.startsWith('g')) return
    if (what.node !== undefined) {
      const name = nameOf(what.node)
      const v = Number(what.node.slice(1))
      if (session && !own.on) return columnMenu(app, name, at, store.now.picked.includes(v) && store.now.picked.length > 1 ? store.now.picked.map((p) => app!.model.page.names[p]!) : [name])
      return menu(visible(short(name, 30)), [{ text: 'What drives it?', act: () => store.set({ picked: [v], tab: 'drivers' }) }, { text: 'What if it changes?', act: () => store.set({ picked: [v], tab: 'whatif' }) }, ...(own.on ? [{ text: 'It acts on …', act: () => beginLink(name, 'causes') }] : [])], at)
    }
    if (what.line === undefined || what.line.startsWith('b') || !session) return
    const [a, b] = ends(what.line).map((v) => app!.model.page.names[v]!)
    if (a === undefined || b === undefined) return
    const [x, y] = [short(a, 20), short(b, 20)]
    if (own.on) return menu('Edge', [{ text: 'Take the edge away', act: () => own.toggle(a, b) }, { text: `Turn it: ${y} → ${x}`, act: () => own.toggle(b, a) }], at)
    menu(`${x} and ${y}`, [
      { text: `${x} causes ${y}`, act: () => state(a, b, 'causes') }, { text: `${y} causes ${x}`, act: () => state(b, a, 'causes') },
      { text: `${x} cannot cause ${y}`, separate: true, act: () => state(a, b, 'cannot') }, { text: `${y} cannot cause ${x}`, act: () => state(b, a, 'cannot') },
      { text: 'Cross it out: neither causes the other', act: () => session!.change(`no edge between ${x} and ${y}`, () => (session!.knowledge.state(a, b, 'cannot'), session!.knowledge.state(b, a, 'cannot'))) },
    ], at)
  }
  function beginLink(from: string, what: 'causes' | 'cannot'): void {
    linking = { from, what }
    document.body.classList.add('linking')
    toast(h('span', {}, `Select the column that ${visible(from)} ${what === 'causes' ? 'causes' : 'cannot cause'}.`), 0)
    canvas.focus(nodeKey(app!.model.index.get(from)!))
  }

  // The reader's own graph.
  function showOwn(): void {
    const like = session?.page
    const names = like?.names ?? session?.variables() ?? []
    const picked = store.now.picked
    load(own.page(names, like), false)
    store.set({ tab: 'own', picked })
    panel()
  }
  function enterOwn(edges?: { from: string; to: string }[]): void {
    own.on = true
    if (edges) own.edges = edges
    asker.hide()
    store.set({ picked: [], how: 'graph' })
    showOwn()
  }
  function leaveOwn(): void {
    own.on = false
    store.set({ tab: 'explore', picked: [] })
    if (session?.page) load(session.page, false)
  }
  function estimate(): void {
    const s = session!
    const names = s.page?.names ?? s.variables()
    const drawnEdges = own.edges
    own.on = false
    store.set({ tab: 'explore' })
    s.change('your own graph', () => {
      const k = s.knowledge.copy()
      k.band.clear()
      k.pin.clear()
      k.require = [...drawnEdges]
      k.forbid = names.flatMap((a) => names.filter((b) => a !== b && !drawnEdges.some((e) => e.from === a && e.to === b)).map((b) => ({ from: a, to: b })))
      s.knowledge = k
    })
  }

  // Results of the folder.
  function showResults(): void {
    listing = app === undefined
    store.set({ tab: 'results' })
    document.body.classList.toggle('listing', listing)
    panelResults()
    openSheet('side')
  }
  function panelResults(): void {
    if (store.now.tab !== 'results' && !listing) return
    panelFor({ app, canvas, answer, own, title: ui.title, body: ui.body, snapshot, chosen, session, notes: () => {}, act: { load: () => {}, estimate: () => {}, leave: () => {}, open: (n) => void openResult(n), choose: chooseResult, compare: () => void compareResults(), redraw: () => {} } })
  }
  const chooseResult = (name: string) => {
    chosen = chosen.includes(name) ? chosen.filter((n) => n !== name) : [...chosen, name].slice(-2)
    panelResults()
  }
  async function fetchPage(address: string): Promise<void> {
    try {
      const page = await pageOf(await (await fetch(address)).text())
      listing = false
      document.body.classList.remove('listing')
      load(page, true)
    } catch (e) {
      toast(h('div', { class: 'caveat bad', role: 'alert' }, (e as Error).message), 0)
    }
  }
  async function openResult(name: string): Promise<void> {
    if (session) {
      session.table = session.check = undefined as never
      session.previews = session.past = session.future = []
      delete session.truth
      session.learned = await (session.backend as Server).learned(name)
      session.page = undefined
    }
    asker.hide()
    own.on = false
    const keep = session
    session = undefined
    await fetchPage(`/results/${encodeURIComponent(name)}?alone=true`)
    session = keep
    frame()
    leftPanel()
  }
  async function compareResults(): Promise<void> {
    const [a, b] = chosen
    const keep = session
    session = undefined
    await fetchPage(`/compare?${new URLSearchParams({ a: a!, b: b! })}`)
    session = keep
  }

  // What stands under the pointer.
  function tipFor(what: { node?: string; line?: string } | undefined, at: { x: number; y: number }): void {
    if (!app || !what) return void (ui.tip.hidden = true)
    if (what.line !== undefined) {
      const e = app.edges.find((x) => keyOf(x) === what.line)
      if (what.line.startsWith('b')) return showTip([h('span', {}, 'Edges between two groups. Click to list them.')], at)
      return e ? showTip(own.on ? [h('b', {}, bdi(app.model.page.names[e.from]!, 24), ' → ', bdi(app.model.page.names[e.to]!, 24)), h('span', {}, own.classes().get(`${app.model.page.names[e.from]}>${app.model.page.names[e.to]}`)?.includes('refuted') ? 'the table does not support this edge' : own.tested ? '' : 'not tested yet')] : aboutLine(e, app.model.page.names, app.model.page.marks), at) : undefined
    }
    const key = what.node!
    const name = key.startsWith('g') ? app.titles[Number(key.slice(1))]! : nameOf(key)
    const list = key.startsWith('g') || own.on ? [] : failedChecks(app, name)
    if (name.length < 24 && list.length === 0 && !key.startsWith('g')) return void (ui.tip.hidden = true)
    showTip([h('b', {}, visible(name)), ...list.slice(0, 2).map((t) => h('span', {}, t)), ...(key.startsWith('g') ? [h('span', {}, 'A group of columns that are linked more with each other than with others. Click to open it.')] : [])], at)
  }
  function showTip(content: Node[], at: { x: number; y: number }): void {
    replace(ui.tip, ...content)
    ui.tip.hidden = false
    const [w, hh] = [ui.stage.clientWidth, ui.stage.clientHeight]
    ui.tip.style.left = `${Math.max(8, Math.min(at.x + 16, w - ui.tip.offsetWidth - 8))}px`
    ui.tip.style.top = `${at.y + 20 + ui.tip.offsetHeight > hh - 8 ? Math.max(8, at.y - ui.tip.offsetHeight - 14) : at.y + 20}px`
  }

  // Sheets of a phone, and hiding the sides of a window.
  function openSheet(which: 'left' | 'side', peek = false): void {
    if (innerWidth >= 700) return
    document.body.dataset.sheet = which
    document.body.classList.toggle('peek', peek)
    ui.sheetLeft.setAttribute('aria-expanded', String(which === 'left'))
    ui.sheetSide.setAttribute('aria-expanded', String(which === 'side'))
  }
  function closeSheets(): void {
    delete document.body.dataset.sheet
    ui.sheetLeft.setAttribute('aria-expanded', 'false')
    ui.sheetSide.setAttribute('aria-expanded', 'false')
  }
  for (const [b, which] of [[ui.sheetLeft, 'left'], [ui.sheetSide, 'side']] as const) b.addEventListener('click', () => (document.body.dataset.sheet === which && !document.body.classList.contains('peek') ? closeSheets() : openSheet(which)))
  for (const [b, which, what] of [[ui.hideLeft, 'no-left', 'table'], [ui.hideSide, 'no-side', 'panel']] as const) {
    b.addEventListener('click', () => {
      const off = document.body.classList.toggle(which)
      b.setAttribute('aria-expanded', String(!off))
      b.setAttribute('aria-label', `${off ? 'Show' : 'Hide'} the ${what}`)
    })
  }

  // Buttons.
  ui.undo.addEventListener('click', () => session?.undo())
  ui.redo.addEventListener('click', () => session?.redo())
  ui.check.addEventListener('click', () => store.set({ tab: 'check' }))
  ui.share.addEventListener('click', () => store.set({ tab: 'share' }))
  ui.plus.addEventListener('click', () => (store.now.how === 'graph' ? canvas.zoom(1.25) : store.now.how === 'matrix' ? matrix.zoom(1.25) : timeline.zoom(1.25)))
  ui.minus.addEventListener('click', () => (store.now.how === 'graph' ? canvas.zoom(0.8) : store.now.how === 'matrix' ? matrix.zoom(0.8) : timeline.zoom(0.8)))
  ui.fit.addEventListener('click', () => (store.now.how === 'graph' ? canvas.fit() : store.now.how === 'matrix' ? matrix.fit() : timeline.fit()))
  for (const b of ui.hows) b.addEventListener('click', () => store.set({ how: b.dataset.how as How }))
  ui.legendKey.addEventListener('click', () => {
    ui.legend.hidden = !ui.legend.hidden
    ui.legendKey.setAttribute('aria-expanded', String(!ui.legend.hidden))
    frame()
  })
  ui.edges.addEventListener('click', () => {
    const s = store.now
    const which = (text: string, w: State['which']) => ({ text, on: s.which === w, act: () => store.set({ which: w }) })
    menu('Edges', [
      which('All edges', 'all'), which('Without those that may be chance', 'stated'), which('Only those with a direction', 'directed'),
      { text: s.every ? 'Draw the strongest only' : 'Draw every edge', separate: true, act: () => store.set({ every: !s.every }) },
      { text: s.weights ? 'Hide the numbers' : 'Show the numbers', act: () => store.set({ weights: !s.weights }) },
      { text: s.raw ? 'Numbers in standard deviations' : 'Numbers in units of the columns', act: () => store.set({ raw: !s.raw }) },
      ...(app && app.clusters.length > 1 ? [{ text: s.grouped ? 'Show every column' : 'Show groups of columns', separate: true, act: () => store.set({ grouped: !s.grouped, opened: new Set<number>() }) }] : []),
      ...(s.how === 'matrix' ? [{ text: s.rows === 'groups' ? 'Rows in the order of the graph' : 'Rows by groups', separate: true, act: () => store.set({ rows: s.rows === 'groups' ? 'order' : 'groups' }) }] : []),
    ], below(ui.edges))
  })
  ui.more.addEventListener('click', () => {
    const views = app?.model.views() ?? []
    menu('polydag', [
      ...(session ? [{ text: 'Open a table', act: () => pickFile('table') }] : []),
      ...(how.server ? [{ text: 'Results in this folder', act: () => showResults() }] : []),
      ...(session?.table && app ? [{ text: own.on ? 'Back to the learned graph' : 'Draw your own graph', separate: true, act: () => (own.on ? leaveOwn() : enterOwn()) }, { text: 'Start from the learned graph', act: () => enterOwn(resultOf(app!).edges.filter((e) => e.mark === '-->').map(({ from, to }) => ({ from, to }))) },
        { text: 'What you said', act: () => store.set({ tab: 'said' }) }, { text: 'Settings', act: () => store.set({ tab: 'settings' }) }] : []),
      ...(views.length > 1 && views.length < 12 ? views.map((v, i) => ({ text: app!.model.viewName(v), on: JSON.stringify(v) === JSON.stringify(store.now.view), separate: i === 0, act: () => store.set({ view: v, tab: v.kind === 'result' ? 'explore' : 'compare' }) })) : []),
      ...(app ? [{ text: 'Details of the run', separate: true, act: () => store.set({ tab: 'details' }) }] : []),
      { text: 'How to read this', act: () => store.set({ tab: 'guide' }), disabled: !app },
      { text: theme() === 'dark' ? 'Light colours' : 'Dark colours', act: () => toggleTheme() },
    ], below(ui.more))
  })
  ui.home.addEventListener('click', () => {
    if (!session) return store.clear()
    if (session.busy) session.stop()
    session.table = undefined as never
    session.learned = session.page = undefined
    app = undefined
    delete document.documentElement.dataset.graph
    listing = false
    closeSheets()
    document.body.classList.remove('has-table', 'listing')
    asker.hide()
    store.set({ ...begin })
    frame()
    ui.toast.hidden = true
  })
  addEventListener('keydown', (e) => {
    const typing = (e.target as HTMLElement).matches?.('input:not([type=range], [type=checkbox]), textarea')
    if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === 'z' && !typing && session) {
      e.shiftKey ? session.redo() : session.undo()
      e.preventDefault()
    } else if (e.key === '/' && !typing) {
      document.getElementById('search')?.focus()
      e.preventDefault()
    } else if (e.key === 'Escape' && !typing) {
      linking = undefined
      document.body.classList.remove('linking')
      ui.toast.hidden = true
      store.clear()
      closeSheets()
    }
  })
  for (const kind of ['dragover', 'dragleave', 'drop'] as const) {
    addEventListener(kind, (e) => {
      if (!e.dataTransfer?.types.includes('Files')) return
      e.preventDefault()
      ui.over.hidden = kind !== 'dragover' || !session
      if (kind === 'drop') {
        const f = e.dataTransfer.files[0]
        if (session) void open(f)
        else if (opening) void opening.then(() => open(f))
      }
    })
  }
  addEventListener('themechange', () => {
    matrix.colours(palette(theme()))
    timeline.colours(palette(theme()))
  })

  // The beginning: a report is there, a program has to come.
  let opening: Promise<void> | undefined
  if (how.page) load(how.page, true)
  else {
    frame()
    const backend = how.server ? how.server((s) => {
      snapshot = s
      if (!ui.welcome.hidden) frame()
      panelResults()
    }, (yes) => (document.documentElement.dataset.connected = String(yes))) : how.program!()
    opening = backend.methods().then((methods) => {
      session = new Session(backend, methods, { changed, page: showPage, more: () => app && panel() })
      session.link = beginLink
      frame()
      document.documentElement.dataset.ready = ''
      const result = new URLSearchParams(location.hash.slice(1)).get('result')
      if (result && how.server) void openResult(`${result}.json`).then(() => app && follow(app))
    }, (e: Error) => toast(h('div', { class: 'caveat bad', role: 'alert' }, plain(e.message)), 0))
    return
  }
  requestAnimationFrame(() => setTimeout(() => {
    performance.mark('ready')
    document.documentElement.dataset.ready = ''
  }))
}

