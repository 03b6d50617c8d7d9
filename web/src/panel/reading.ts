import type { App } from '../app'
import { bdi, h } from '../dom'

// caution is what stands under the graph: the paper's words on reading such graphs, in plain ones, longer where sensitive variables are marked.
export function caution(app: App): HTMLElement {
  const { names } = app.model.page
  const marked = [...app.store.now.sensitive]
  if (marked.length === 0) {
    return h('p', { class: 'caution' }, 'Exploratory: directed dependencies under one model and this sample, not confirmed causes, and no ground for decisions about a person.')
  }
  const list = marked.slice(0, 3).map((v, k) => [k > 0 && ', ', bdi(names[v]!, 24)])
  return h(
    'p',
    { class: 'caution marked', role: 'note' },
    h('strong', {}, 'Read with care: '),
    ...[list.flat(), marked.length > 3 ? ` and ${marked.length - 3} more` : ''].flat().filter((x) => x !== false),
    ' may show how people were labelled, who was collected and which stereotypes went into the data, rather than what anybody is. Arrows at or through ',
    marked.length === 1 ? 'it' : 'them',
    ' are no basis for claims about gender, identity or appearance, for guessing a person’s group, or for decisions about people, without further validation, uncertainty analysis and ethical review.',
  )
}

// reading is docs/reading-graphs.md in short.
export function reading(): Node[] {
  const li = (lead: string, rest: string) => h('li', {}, h('strong', {}, lead), ' ', rest)
  return [
    h('h2', {}, 'How to read this'),
    h('p', {}, 'A learned graph is a summary of one sample under one model. It tells you where to look. It does not tell you what would happen if you changed something, unless the assumptions below hold, and the data cannot show that they do.'),
    h('h3', {}, 'What an arrow says'),
    h('p', {}, 'A → B with weight w: rows that differ by one unit of A, and agree in the other parents of B, differ by w in B on average. Numbers on arrows are standardized weights: both columns scaled to unit variance. Where columns have levels, or effects are curved, there is no such number for the whole of it: click an arrow for its probabilities, means or curve.'),
    h('p', {}, 'How thick an arrow is, and which are hidden first, goes by its strength: the bits a row that the edge saves, its price taken off. That means the same for slopes, curves and levels. Of two columns it is about their mutual information.'),
    h('p', {}, 'No direction is certain: each is said of a model. A solid arrow (→ in lists) is fixed if the model holds, and what can be checked of the model held up in this table; or the noise, which is not Gaussian, tells it. A dashed one (⇢) is open: a graph which fits as well has it the other way round. A dotted one (→?) is fixed only under a model that fails its checks here, or was not checked, or a part of the rows has it the other way round: read it as an association. The tab Data has each assumption.'),
    h('p', {}, 'Some methods do not give one graph but what a class of graphs has in common. Then a line without heads can go either way, a line with two heads stands for something outside of the table that acts on both, and a hollow circle for an end of which it is open whether a head belongs there. The legend has those that occur.'),
    h('h3', {}, 'To read it as “A causes B”, all of this must be true'),
    h(
      'ul',
      {},
      li('Nothing outside the table acts on two of its columns.', 'Who chose the columns, and what is missing?'),
      li('Rows were not selected by their values.', 'Who is not in the table, and why?'),
      li('Rows are independent.', 'Are there several rows a person, a site, a day?'),
      li('Relations are as the model takes them: straight lines, curves that add up, or tables of levels.', 'Are columns labels, scores, counts?'),
      li('A column measures what its name says.', 'Who labelled it, and how often do they disagree?'),
    ),
    h('h3', {}, 'Attributes of people'),
    h('p', {}, 'Labels of faces and bodies are impressions of pictures. They carry the habits of those who labelled, who was photographed, and stereotypes. An arrow between such attributes is a fact about labels in one collection, not about people. Do not use it for claims about gender, identity or appearance, nor for decisions about a person, nor to guess a group, without audits of the data, analysis by subgroup, evidence from experiments or over time, and ethical oversight.'),
    h('h3', {}, 'Before you use the graph'),
    h(
      'ol',
      {},
      h('li', {}, 'Look at the receipt: of a DAG the order is the proof, and edges that were cut must be explained.'),
      h('li', {}, 'Read the warnings, and which method was used. With least squares the arrows follow the units.'),
      h('li', {}, 'Ask for the paths between the pairs that you care about, with every sensitive column marked.'),
      h('li', {}, 'Test the independences that the graph states on rows that were not used to learn it.'),
      h('li', {}, 'Learn again on another sample, with half the rows, with one column left out. Arrows that come and go are not findings.'),
      h('li', {}, 'Write down who is in the data, what was left out, and which statements rest on dashed and dotted arrows.'),
      h('li', {}, 'Confirm by an experiment, or by evidence over time, before you call anything a cause.'),
    ),
    h('h3', {}, 'Keys'),
    h(
      'ul',
      {},
      li('/', 'search'),
      li('On the graph:', 'arrow keys go to the strongest parent (up) or child (down) and to neighbours beside it (left, right). Enter holds the variable: the arrow keys then choose the second one. + and − zoom, 0 shows everything, Esc lets go.'),
    ),
  ]
}
