import type { App } from '../app'
import { definition } from '../terms'
import { bdi, h } from '../dom'

// caution is what stands under the graph: the paper's words on reading such graphs, in plain ones, longer where sensitive variables are marked.
export function caution(app: App): HTMLElement {
  const { names } = app.model.page
  const marked = [...app.store.now.sensitive]
  if (marked.length === 0) {
    return h('p', { class: 'caution' }, 'Exploratory: directed dependencies under one model and this sample, not confirmed causes, and not a basis for decisions about a person.')
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

// reading is docs/explanation/directions.md in short.
export function reading(): Node[] {
  const li = (lead: string, rest: string) => h('li', {}, h('strong', {}, lead), ' ', rest)
  return [
    h('h2', {}, 'How to read this'),
    h('p', {}, 'A learned graph is a summary of one sample under one model. It tells you where to look. What it predicts for a change of a variable is right only if the assumptions below are true, and the data cannot show that they are.'),
    h('h3', {}, 'What an edge says'),
    h('p', {}, 'A → B with weight w: rows that differ by one unit of A, and agree in the other parents of B, differ by w in B on average. Numbers on edges are standardized weights, or score gains in bits where the effect is not a slope. Click an edge for its probabilities, means or curve.'),
    h('p', {}, 'The width of an edge, and which edges are hidden first, go by its score gain: how many bits per row the score gets worse without it, the penalty per edge subtracted. It is comparable between slopes, curves and categories. For two columns it is close to their mutual information.'),
    h('p', {}, 'Each edge has one of three verdicts, and a confidence: the probability of what the verdict states.'),
    h(
      'ul',
      {},
      li('→ directed (arrow):', definition.directed),
      li('— undirected (line):', `${definition.undirected} Read it as an association.`),
      li('? weak (dotted line):', `${definition.weak} Do not build on it without more data.`),
    ),
    h('p', {}, 'Click an edge for both probabilities and the evidence for its direction. Failed assumption checks lower the probability of the directions at the columns that they name; the tab Data lists all checks.'),
    h('p', {}, 'Some methods return an equivalence class of graphs. There, a line without heads can have either direction, a line with two heads stands for a hidden confounder, and a hollow circle for an end that is not identified. The legend explains the marks that occur.'),
    h('h3', {}, 'To read it as “A causes B”, all of this must be true'),
    h(
      'ul',
      {},
      li('Nothing outside the table acts on two of its columns.', 'Who chose the columns, and what is missing?'),
      li('Rows were not selected by their values.', 'Who is not in the table, and why?'),
      li('Rows are independent.', 'Are there several rows per person, site or day?'),
      li('Effects have the form of the model: linear, additive nonlinear, or probability tables.', 'Are columns labels, scores, counts?'),
      li('A column measures what its name says.', 'Who labelled it, and how often do they disagree?'),
    ),
    h('h3', {}, 'Attributes of people'),
    h('p', {}, 'Labels of faces and bodies are impressions of pictures. They carry the habits of those who labelled, who was photographed, and stereotypes. An arrow between such attributes is a fact about labels in one collection, not about people. Do not use it for claims about gender, identity or appearance, nor for decisions about a person, nor to guess a group, without audits of the data, analysis by subgroup, evidence from experiments or over time, and ethical oversight.'),
    h('h3', {}, 'Before you use the graph'),
    h(
      'ol',
      {},
      h('li', {}, 'Look at the certificate: the order proves that a DAG has no cycle.'),
      h('li', {}, 'Read the warnings, and which method was used. With least squares the arrows follow the units.'),
      h('li', {}, 'Ask for the paths between the pairs that you care about, with every sensitive column marked.'),
      h('li', {}, 'Test the independences that the graph states on rows that were not used to learn it.'),
      h('li', {}, 'Learn again on another sample, with half the rows, with one column left out. Arrows that come and go are not findings.'),
      h('li', {}, 'Write down who is in the data, what was left out, and which statements depend on undirected and weak edges.'),
      h('li', {}, 'Confirm by an experiment, or by evidence over time, before you call anything a cause.'),
    ),
    h('h3', {}, 'Keys'),
    h(
      'ul',
      {},
      li('/', 'search'),
      li('On groups:', 'arrow keys move between groups. Enter opens or closes a group, arrow down enters an open one, Esc leaves it.'),
      li('On the graph:', 'arrow keys go to the strongest parent (up) or child (down) and to neighbours beside it (left, right). Enter selects the variable: the arrow keys then choose the second one. + and − zoom, 0 shows everything, Esc clears the selection.'),
    ),
  ]
}
