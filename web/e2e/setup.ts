import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hostileNames } from './names'
import { curvedTable, levelTable, mixedTable } from './tables'
import { files, out, polydag } from './paths'

// The pages under test are made by the real command, into a folder that is not committed.
export default function setup(): void {
  mkdirSync(files, { recursive: true })
  mkdirSync(out, { recursive: true })
  const run = (...args: string[]) => execFileSync(polydag, args, { cwd: files, stdio: ['ignore', 'pipe', 'inherit'] })
  run('demo', '--save', 'demo.csv')
  run('learn', 'demo.csv', '--output', 'demo.json', '--quiet')
  writeFileSync(`${files}/truth8.csv`, truth8())
  writeFileSync(`${files}/binary.csv`, binary())
  run('learn', 'binary.csv', '--model', 'linear', '--set', 'variance=unequal', '--output', 'binary.json', '--quiet')
  run('report', 'binary.json', '--output', 'binary.html')
  run('learn', 'demo.csv', '--set', 'variance=unequal', '--output', 'open.json', '--quiet')
  run('learn', 'demo.csv', '--method', 'polydag-geo', '--output', 'geo.json', '--quiet')
  for (const [d, edges] of [[40, 80], [100, 200], [300, 600]] as const) {
    run('simulate', '--nodes', String(d), '--edges', String(edges), '--rows', '1000', '--set', 'noise-high=2', '--output', `d${d}.csv`, '--truth', `truth${d}.csv`)
    run('learn', `d${d}.csv`, '--set', 'restarts=0', '--output', `d${d}.json`, '--quiet')
    run('report', `d${d}.json`, '--output', `d${d}.html`)
  }
  // mixed300 has numbers and categories, with effects in its report.
  run('simulate', '--model', 'mixed', '--nodes', '300', '--edges', '450', '--rows', '500', '--output', 'mixed300.csv', '--truth', 'mixed300-truth.csv')
  run('learn', 'mixed300.csv', '--set', 'restarts=0', '--output', 'mixed300.json', '--report', 'mixed300.html', '--quiet')
  dense()
  run('report', 'dense.json', '--output', 'dense.html')
  rich()
  run('report', 'demo.json', '--output', 'demo.html')
  verdicts()
  run('report', 'verdicts.json', '--output', 'verdicts.html')
  run('report', 'rich.json', '--output', 'rich.html', '--sensitive', 'mist')
  run('report', 'geo.json', '--output', 'truth.html', '--truth', 'truth8.csv')
  run('report', 'demo.json', 'geo.json', '--output', 'compare.html')
  run('report', 'd40.json', '--output', 'truth40.html', '--truth', 'truth40.csv')
  series(run)
  effects(run)
  several(run)
  bounds(run)
  marked()
  hostile()
  run('report', 'hostile.json', '--output', 'hostile.html', '--sensitive', hostileNames[1]!)
}

// rich has every optional part: the course of the run, findings, the scale check, confidence.
function rich(): void {
  const r = JSON.parse(readFileSync(`${files}/demo.json`, 'utf8'))
  const steps = Array.from({ length: 60 }, (_, k) => k * 50)
  r.trace = [
    { stage: 'polydag', step: steps, score: steps.map((s) => 900 + 400 * Math.exp(-s / 500)), h: steps.map((s) => 3 * Math.exp(-s / 150)), rho: steps.map((s) => 2 ** Math.floor(s / 300)) },
    { stage: 'order', step: [1, 2, 3, 4], score: [905, 901, 900, 900], edges: [12, 10, 9, 9] },
  ]
  r.data_checks = [
    { code: 'skewed', severity: 'warning', columns: ['moss'], sentence: 'moss has skewness 4.1.', way_out: 'Consider --set log=moss.' },
    { code: 'rows', severity: 'note', sentence: '500 rows for 8 columns.', way_out: '' },
  ]
  r.scale_check = { raw_edges: 9, standardized_edges: 8, same: 6, reversed: 2, agreement: 0.67, only_raw: [{ from: 'mist', to: 'moss' }], sentence: 'Of 9 joined pairs 6 are the same on raw and on standardized columns.' }
  r.nodes = r.names.map((name: string, k: number) => ({ name, mean: k, std: 1 + k / 10, residual_variance: 0.8 + k / 100, r2: k / 10 }))
  r.edges.forEach((e: { confidence: number }, k: number) => (e.confidence = 1 - k / 12))
  writeFileSync(`${files}/rich.json`, JSON.stringify(r))
}

// verdicts is the demo's result with edges of each verdict in turn.
function verdicts(): void {
  const r = JSON.parse(readFileSync(`${files}/demo.json`, 'utf8'))
  r.edges.forEach((e: object, k: number) => {
    const verdict = ['directed', 'undirected', 'weak'][k % 3]!
    const p = { directed: [0.98, 0.95], undirected: [0.95, 0.6], weak: [0.5, 0.5] }[verdict]!
    Object.assign(e, {
      verdict, p_adjacent: p[0], p_direction: p[1], confidence: verdict === 'directed' ? p[0]! * p[1]! : p[0], basis: 'names',
      evidence: [
        { source: 'names', log_odds: 3.5, text: 'age comes first by its name' },
        { source: 'class', log_odds: 0.6, weight: 0.25, text: 'reversing the edge increases the score by 12 (ΔBIC)' },
        { source: 'failed_checks', text: 'failed checks at these variables: curvature (x)' },
      ],
    })
  })
  writeFileSync(`${files}/verdicts.json`, JSON.stringify(r))
}

// dense is a DAG of 40 variables in which three of four pairs have an edge, some of them strong.
function dense(): void {
  const r = JSON.parse(readFileSync(`${files}/d40.json`, 'utf8'))
  const order = r.names.map((_: string, k: number) => `x${(7 * k) % 40}`)
  r.edges = order.flatMap((from: string, i: number) =>
    order.slice(i + 1).flatMap((to: string, k: number) => {
      const h = (i * 31 + (i + k + 1) * 17) % 101
      const w = (h % 2 ? 1 : -1) * (0.02 + (h / 101) ** 6)
      return h % 4 === 0 ? [] : [{ from, to, mark: '-->', weight: w, standardized: w, compelled: true, verdict: 'directed', confidence: 0.9, p_adjacent: 0.95, p_direction: 0.95 }]
    }))
  r.certificate = { kind: 'dag', holds: true, order }
  writeFileSync(`${files}/dense.json`, JSON.stringify({ ...r, nodes: [], stages: [], trace: [], data_checks: [] }))
}

// series is a time series. One of its pairs gets a second lag.
function series(run: (...args: string[]) => unknown): void {
  run('simulate', '--lags', '2', '--nodes', '6', '--rows', '500', '--output', 'series.csv', '--truth', 'series-truth.csv')
  run('learn', 'series.csv', '--time', 'time', '--output', 'series.json', '--quiet')
  const r = JSON.parse(readFileSync(`${files}/series.json`, 'utf8'))
  const first = r.lagged.find((e: { from: string; to: string }) => e.from !== e.to)
  r.lagged.push({ ...first, lag: 3 - first.lag, gain: first.gain / 2 })
  writeFileSync(`${files}/series.json`, JSON.stringify(r))
  run('report', 'series.json', '--output', 'series.html', '--data', 'series.csv')
}

// effects learns three tables whose edges are no slopes: levels, levels and numbers, and curves.
function effects(run: (...args: string[]) => unknown): void {
  for (const [name, table, model] of [['levels', levelTable(), 'auto'], ['mixed', mixedTable(), 'auto'], ['curved', curvedTable(), 'smooth']] as const) {
    writeFileSync(`${files}/${name}.csv`, table)
    run('learn', `${name}.csv`, '--model', model, '--output', `${name}.json`, '--quiet')
    run('report', `${name}.json`, '--output', `${name}.html`, '--data', `${name}.csv`)
  }
  run('report', 'levels.json', '--output', 'bare.html')
}

// several compares methods of each kind of graph, one of which is refused for its memory.
function several(run: (...args: string[]) => unknown): void {
  run('compare', 'demo.csv', '--methods', 'polydag-geo,order,ges,fci,lingam', '--truth', 'truth8.csv', '--report', 'methods.html', '--quiet')
  const html = readFileSync(`${files}/methods.html`, 'utf8')
  const [head, rest] = html.split('json" id="data">')
  const [data, tail] = rest!.split('</script>')
  const page = JSON.parse(data!)
  const last = page.methods.rows.at(-1)
  page.results.pop() // what a page has of a method without a result
  for (const square of ['skeleton', 'marks']) page.methods[square] = page.methods[square].slice(0, -1).map((r: number[]) => r.slice(0, -1))
  page.truth.verdicts.pop()
  Object.assign(last, { result: -1, why: 'there is no room for it', values: last.values.map(() => null) })
  writeFileSync(`${files}/methods.html`, [head, 'json" id="data">', JSON.stringify(page).replaceAll('<', '\\u003c'), '</script>', tail].join(''))
}

// bounds has a budget of edges, a table of three environments, the levels with every edge undirected, and under names of faces.
function bounds(run: (...args: string[]) => unknown): void {
  run('learn', 'demo.csv', '--max-edges', '3', '--output', 'budget.json', '--quiet')
  run('simulate', '--nodes', '8', '--edges', '10', '--environments', '3', '--rows', '3000', '--output', 'environments.csv', '--truth', 'environments-truth.csv')
  run('learn', 'environments.csv', '--environments', 'environment', '--output', 'environments.json', '--quiet')
  const levels = readFileSync(`${files}/levels.json`, 'utf8')
  const r = JSON.parse(levels)
  for (const e of r.edges) Object.assign(e, { compelled: true, verdict: 'undirected', confidence: 0.95, p_adjacent: 0.95, p_direction: 0.5, basis: 'model', evidence: [{ source: 'class', weight: 1, text: 'both directions fit equally well (Markov equivalence)' }] })
  writeFileSync(`${files}/undirected.json`, JSON.stringify(r))
  writeFileSync(`${files}/long.json`, levels.replaceAll('"street"', '"High_Cheekbones"').replaceAll('"rain"', '"Smiling"'))
  for (const name of ['budget', 'environments', 'undirected', 'long']) run('report', `${name}.json`, '--output', `${name}.html`)
}

// marked writes a CPDAG, and a PAG with every mark, and their pages.
function marked(): void {
  const demo = JSON.parse(readFileSync(`${files}/demo.json`, 'utf8'))
  const write = (kind: string, names: string[], edges: [string, string, string][]) => {
    const r = {
      ...demo, kind, names,
      edges: edges.map(([from, mark, to]) => ({ from, to, mark, weight: mark === '-->' ? 0.5 : 0, standardized: mark === '-->' ? 0.5 : 0, compelled: mark === '-->' })),
      nodes: [], stages: [], assumptions: [], trace: [], data_checks: [], certificate: { kind, holds: true, order: names },
    }
    for (const key of ['scale_check', 'sortability', 'continuous', 'choices']) delete r[key]
    writeFileSync(`${files}/${kind}.json`, JSON.stringify(r))
    execFileSync(polydag, ['report', `${kind}.json`, '--output', `${kind}.html`], { cwd: files, stdio: ['ignore', 'pipe', 'inherit'] })
  }
  write('cpdag', ['a', 'b', 'c', 'd', 'e'], [['a', '-->', 'c'], ['b', '-->', 'c'], ['d', '---', 'e']])
  write('pag', ['a', 'b', 'c', 'd', 'e', 'f'], [['a', 'o->', 'b'], ['b', '-->', 'c'], ['c', '<->', 'd'], ['e', 'o--', 'd'], ['e', 'o-o', 'f'], ['a', '---', 'f']])
}

// hostile is the demo's result under names that try to be markup, to break lines and to turn text round.
function hostile(): void {
  const r = JSON.parse(readFileSync(`${files}/demo.json`, 'utf8'))
  const to = new Map<string, string>(r.names.map((n: string, k: number) => [n, hostileNames[k]!]))
  const rename = (v: unknown): unknown => {
    if (typeof v === 'string') return to.get(v) ?? v
    if (Array.isArray(v)) return v.map(rename)
    if (v && typeof v === 'object') return Object.fromEntries(Object.entries(v).map(([k, x]) => [k, rename(x)]))
    return v
  }
  writeFileSync(`${files}/hostile.json`, JSON.stringify(rename(r)))
}

// binary is the demo's table with the signs of its values for values: the linear Gaussian model does not suit it.
function binary(): string {
  const [head, ...rows] = readFileSync(`${files}/demo.csv`, 'utf8').trim().split('\n')
  return [head, ...rows.map((r) => r.split(',').map((v) => (Number(v) > 0 ? 1 : 0)).join(',')), ''].join('\n')
}

// truth8 is the demo's graph, but for two edges, so that no kind of mistake is absent.
function truth8(): string {
  const r = JSON.parse(readFileSync(`${files}/demo.json`, 'utf8')) as { edges: { from: string; to: string }[] }
  const lines = r.edges.slice(1).map((e) => `${e.from},${e.to}`)
  return ['from,to', ...lines, 'lamps_lit,mushroom', ''].join('\n')
}
