import { expect, test } from 'vitest'
import { wrong } from '../src/program/fields'
import { changes, summary } from '../src/program/changes'
import { ends } from '../src/histogram'
import { exact, Knowledge } from '../src/program/knowledge'
import { rowOrder, Settings } from '../src/program/settings'
import { command, python, rCode } from '../src/program/commands'
import { worded } from '../src/advice'
import { readGraph } from '../src/own'
import { advice, phrase, plain, remediesIn, remedyLabel, stageSaid } from '../src/program/words'

test('a column has one role, and a remedy is applied once', () => {
  const s = new Settings()
  s.keep('id')
  s.setKind('id', 'count')
  s.setRole('id', 'row-weights')
  s.setRole('w', 'row-weights')
  expect(s.list).toEqual([['row-weights', 'w']]) // a table has one column of weights
  s.setRole('w', '')
  s.apply({ setting: 'drop', columns: ['a', 'b'] })
  s.apply({ setting: 'drop', columns: ['a'] })
  s.apply({ setting: 'kind', value: 'x=y=categorical' })
  s.apply({ setting: 'missing', value: 'drop' })
  s.apply({ setting: 'missing', value: 'pairwise' })
  expect(s.list).toEqual([['drop', 'b'], ['drop', 'a'], ['kind', 'x=y=categorical'], ['missing', 'pairwise']])
  expect([s.role('a'), s.role('c'), s.kind('x=y')]).toEqual(['drop', '', 'categorical'])
})

test('messages have the words of the page and no flags', () => {
  const text = "polydag: t.csv: column id looks like an identifier; drop it with --drop id --drop 'body mass', or use --missing drop; see --set encode"
  expect(plain(text)).toBe('t.csv: column id looks like an identifier; drop it with “exclude the column id” “exclude the column body mass”, or use “Missing values: drop the rows”; see “Text columns”')
  expect(remediesIn(text)).toEqual([{ setting: 'drop', columns: ['id'] }, { setting: 'drop', columns: ['body mass'] }, { setting: 'missing', value: 'drop' }])
  expect(remediesIn('leave it out with --drop NAME')).toEqual([])
  expect(phrase(['na', 'age=-999'])).toBe('treat -999 in age as missing')
  expect(remedyLabel({ setting: 'drop', columns: ['a', 'b', 'c', 'd', 'e'] })).toBe('Exclude a, b, c and 2 more columns')
  expect(advice({ code: 'x', severity: 'warning', sentence: '', way_out: 'use drop=age,"body mass" or missing=drop', remedies: [{ setting: 'drop', columns: ['age', 'body mass'] }, { setting: 'missing', value: 'drop' }] }))
    .toBe('use “exclude age, body mass” or “Missing values: drop the rows”')
})

test('a knowledge file is written and read', () => {
  const names = ['age', 'body mass', 'a->b', '@odd', 'x']
  const k = new Knowledge()
  expect(k.file(names)).toBe('')
  k.loose = true
  k.move('age', -1)
  expect(k.file(names)).toBe('') // one tier says nothing
  k.move('a->b', 1)
  k.pin.set('@odd', 'root')
  k.pin.set('x', 'outcome')
  k.require.push({ from: 'age', to: 'a->b' })
  k.forbid.push({ from: 'body mass', to: 'gone' }, { from: 'body mass', to: '@odd' })
  const text = k.file(names)
  expect(JSON.parse(text)).toEqual({ require: ['age->"a->b"'], forbid: ['*->"@odd"', 'x->*', 'body mass->"@odd"'], tiers: [['age'], ['"a->b"']] })
  const again = new Knowledge()
  again.load(text, names)
  expect(again.file(names)).toBe(text)
  // What the page cannot show stays.
  again.load('{"forbid": ["hair_*->age", "@g->x"], "groups": {"g": ["age"]}}', names)
  expect(again.others).toEqual(['hair_*->age', '@g->x'])
  expect(JSON.parse(again.file(names))).toEqual({ forbid: ['hair_*->age', '@g->x'], groups: { g: ['age'] } })
  expect(() => again.load('/knowledge', names)).toThrow('not a knowledge file')
  expect(() => again.load('{}', names)).toThrow('no knowledge')
  expect(exact('say "hi"')).toBe('"say ""hi"""')
})

test('columns that nobody moved are a band between the others', () => {
  const k = new Knowledge()
  expect(k.bands()).toEqual([])
  k.move('age', -1)
  expect(k.bands().map((b) => b.title)).toEqual(['First', 'After'])
  expect(JSON.parse(k.file(['age', 'bmi', 'death']))).toEqual({ tiers: [['age'], ['bmi', 'death']] })
  k.move('death', 1)
  expect(k.bands().map((b) => b.title)).toEqual(['First', 'In between', 'Last'])
  const copy = k.copy()
  k.move('age', 0)
  expect(k.bands().map((b) => b.title)).toEqual(['Before', 'Last'])
  expect(JSON.parse(copy.file(['age', 'bmi', 'death']))).toEqual({ tiers: [['age'], ['bmi'], ['death']] })
  const again = new Knowledge()
  again.load(copy.file(['age', 'bmi', 'x', 'death']), ['age', 'bmi', 'x', 'death'])
  expect([again.band.get('age'), again.band.get('x'), again.band.get('death'), again.loose]).toEqual([-1, undefined, 1, false])
})

test('what is said about a pair replaces what was said before', () => {
  const k = new Knowledge()
  k.state('a', 'b', 'cannot')
  k.state('a', 'b', 'causes')
  expect([k.require, k.forbid]).toEqual([[{ from: 'a', to: 'b' }], []])
  k.state('b', 'a', 'causes')
  expect(k.require).toEqual([{ from: 'b', to: 'a' }])
  k.state('b', 'a', 'unknown')
  expect(k.empty).toBe(true)
})

test('graphs of other programs are read', () => {
  const names = ['a', 'b', 'my c']
  const edges = (text: string) => readGraph(text, names).map((e) => `${e.from} ${e.to}`)
  expect(edges('from,to\na,b\nb,my c\n')).toEqual(['a b', 'b my c'])
  expect(edges('digraph g { a -> b -> "my c" [label="x"]; }')).toEqual(['a b', 'b my c'])
  expect(edges('dag {\na [pos="0,0"]\nb <- a\nb -> "my c"\n}')).toEqual(['a b', 'b my c'])
  expect(edges('network n {}\nprobability ( b | a ) {}\nprobability ( my c | a, b ) {}')).toEqual(['a b', 'a my c', 'b my c'])
  expect(() => readGraph('a,z', names)).toThrow('not a column')
  expect(() => readGraph('', names)).toThrow('No edge')
})

test('the command and the code repeat the run', () => {
  const s: [string, string][] = [['drop', "it's"], ['drop', 'b'], ['normal-scores', 'true'], ['bootstrap', '100']]
  expect(command('my data.csv', s, true)).toBe(String.raw`polydag learn 'my data.csv' --drop 'it'\''s' --drop b --set normal-scores --bootstrap 100 --knowledge knowledge.json --output 'my data.json' --report 'my data.html'`)
  expect(python('d.csv', s, false)).toContain(`polydag.learn("d.csv", drop=["it's", "b"], normal_scores=True, bootstrap=100)`)
  expect(rCode('d.csv', s, true)).toContain(`learn("d.csv", drop = c("it's", "b"), normal_scores = TRUE, bootstrap = 100, knowledge = "knowledge.json")`)
})

test('a knowledge file keeps what the page cannot show', () => {
  const k = new Knowledge()
  k.load(JSON.stringify({ prior: ['a->b=0.8'], tiers: [['a'], ['b']], tier_odds: 4, groups: { g: ['a'] } }), ['a', 'b'])
  expect(JSON.parse(k.file(['a', 'b']))).toEqual({ tiers: [['a'], ['b']], groups: { g: ['a'] }, prior: ['a->b=0.8'], tier_odds: 4 })
  const only = new Knowledge()
  only.load('{"prior": ["a->b=0.8"]}', ['a', 'b'])
  expect(JSON.parse(only.file(['a', 'b']))).toEqual({ prior: ['a->b=0.8'] })
})

test('the columns of a time series are roles, which the data checks exclude', () => {
  const s = new Settings()
  const known = new Set(['drop', 'kind'])
  s.apply({ setting: 'time', columns: ['day'] })
  s.setRole('shop', 'series')
  s.set('gaps', 'break')
  expect(s.checked(known)).toEqual([['drop', 'day'], ['drop', 'shop']])
  expect(s.run()).toEqual([['time', 'day'], ['series', 'shop'], ['gaps', 'break'], ['lags', 'auto']])
  expect([s.role('day'), s.role('shop')]).toEqual(['time', 'series'])
  expect(phrase(['time', 'day'])).toBe('use day as time')
  expect(phrase(['time', rowOrder])).toBe('the rows are in the order of time')
  s.setRole('day', '')
  expect(s.run()).toEqual([['series', 'shop']]) // the page asks for the time
  s.set('time', rowOrder)
  expect(s.checked(known)).toEqual([['drop', 'shop']])
  expect(remediesIn('start a new segment after each gap with --set gaps=break; name the column with --series NAME')).toEqual([{ setting: 'gaps', value: 'break' }])
})

test('a value of a setting is checked by its description', () => {
  const s = (type: 'int' | 'float' | 'string', want: string, choices?: string[]) => ({ name: 'x', help: '', type, default: null, want, ...(choices && { choices }) })
  const whole = s('int', 'a whole number of at least 0, or auto', ['auto'])
  expect(['0', '12', 'auto'].map((v) => wrong(whole, v))).toEqual(['', '', ''])
  expect(['-1', '1.5', 'many'].map((v) => wrong(whole, v))).toEqual(Array(3).fill('Want a whole number of at least 0, or auto.'))
  const open = s('float', 'a number of more than 0 and less than 1')
  expect([wrong(open, '0.05'), wrong(open, '0'), wrong(open, '1')].map((w) => w === '')).toEqual([true, false, false])
  const closed = s('float', 'a number of at least 1e-06 and at most 1e+09')
  expect([wrong(closed, '1e9'), wrong(closed, '2e9')].map((w) => w === '')).toEqual([true, false])
})

test('a histogram is labelled with values of the column', () => {
  const of = (low: number, high: number, bars: number) => ends({ name: 'x', missing: 0, low, high, counts: Array(bars).fill(1) })
  expect(of(69.5, 82.5, 13)).toEqual([70, 82]) // a bar for each year
  expect(of(68, 455, 20)).toEqual([68, 455])
  expect(of(0, 13, 13)).toEqual([0, 13])
})

test('a second run of a table is compared by what is stated, lags included', () => {
  const edge = (from: string, to: string, verdict: 'directed' | 'undirected', lag?: number) => ({ from, to, mark: '-->' as const, verdict, weight: 1, standardized: 1, compelled: false, ...(lag && { lag }) })
  const names = ['a', 'b', 'c', 'd']
  const c = changes(
    { names, edges: [edge('a', 'b', 'undirected'), edge('b', 'c', 'undirected'), edge('c', 'd', 'directed')], lagged: [edge('a', 'b', 'directed', 1)] },
    { names, edges: [edge('b', 'a', 'undirected'), edge('c', 'b', 'directed')], lagged: [edge('a', 'b', 'directed', 1), edge('a', 'b', 'directed', 2)] },
  )
  expect(c.turned.map(({ was, is }) => [was.from, is.from])).toEqual([['b', 'c']])
  expect(c.gone.map((e) => e.from)).toEqual(['c'])
  expect(c.fresh.map((e) => e.from)).toEqual(['a (lag 2)'])
  expect(summary(c)).toBe('3 edges changed (1 new, 1 gone, 1 with another direction)')
  expect(summary(changes({ names, edges: [] }, { names, edges: [] }))).toBe('no edge changed')
})

test('stages and settings are in words', () => {
  expect(['order-flexible: descent', 'order/curves of the columns', 'order', ''].map(stageSaid)).toEqual(['improving the graph', 'curves of the columns', 'order', ''])
  expect(phrase(['variance', 'unequal'])).toBe('allow unequal noise variances')
  expect(worded('give an order with the setting tiers', true)).toBe('give an order with the bands of time on the canvas')
  expect(worded('the setting log for positive columns, or normal-scores=true to use ranks', false)).toBe('the option “log” for positive columns, or the option “normal scores” to use ranks')
  expect(worded('if so, learn with time=.; else', false)).toBe('if so, tell polydag that the rows are in the order of time; else')
})
