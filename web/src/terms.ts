import type { Basis, Verdict } from './data'

// The dictionary of the page: one sentence for each term. Every tooltip and the guide take their text from here.

// statedLevel is the smallest probability of a stated adjacency or direction. It equals StatedLevel in Go, and a test there compares both.
export const statedLevel = 0.8

// definition explains each verdict. docs/explanation/directions.md has more.
export const definition: Record<Verdict, string> = {
  directed: `The direction is stated: the probability of the edge and its direction together is at least ${statedLevel}.`,
  undirected: `The probability that the two variables are adjacent is at least ${statedLevel}, but the direction is not stated.`,
  weak: `The probability that the two variables are adjacent is below ${statedLevel}.`,
}

const rules = 'rules about real tables: the column with fewer distinct values, and the one that predicts the other with less error, usually comes first'

// restsOn explains each basis of a direction.
export const restsOn: Record<Basis, string> = {
  knowledge: 'prior knowledge',
  prior: 'prior probabilities of edges',
  knowledge_and_model: 'prior knowledge and the other directions',
  names: 'the names of the columns',
  model: 'the model and this table',
  model_and_rule: `the model and ${rules}`,
  rule: rules,
}

// basisWord is the word of each basis in tables, that of Basis.Word in Go, and a test there compares both.
export const basisWord: Record<Basis, string> = {
  knowledge: 'you',
  prior: 'you',
  knowledge_and_model: 'model',
  names: 'names',
  model: 'model',
  model_and_rule: 'rules',
  rule: 'rules',
}

export const terms = {
  verdict: 'What polydag states about an edge: directed, undirected or weak.',
  mark: '→: the first variable is the parent, the second the child. —: undirected, so the order of the two has no meaning. ?: weak.',
  stated: 'Counts edges with a stated direction only.',
  confidence: 'Probability of what the verdict states: the edge with its direction if it is directed, else the adjacency.',
  adjacent: 'Probability that the two variables are adjacent, in either direction.',
  direction: 'Probability of the direction in the graph, if the two variables are adjacent.',
  basis: 'What a stated direction mainly rests on: you (prior knowledge), names (of the columns), model (and this table), rules (about real tables) or time (a lag).',
  parent: 'Probability that the two variables are adjacent and that this one is the parent.',
  group: 'Groups of variables that are connected more with each other than with others, found from the edges and their score gains. A click opens a group.',
  lag: 'Number of time steps from cause to effect; 0 for values of the same time.',
  unrolled: 'The graph unrolled over time: a row for each variable, a column for each time step up to the present, t.',
  impulse: 'Impulse response: change of the second variable over the next time steps after a change of the first one that lasts one step.',
  gain: 'Score gain in bits per row: how much the score gets worse without the edge, the penalty per edge subtracted.',
  penalty: 'Penalty per edge: what the score subtracts for the parameters of one more edge, so that chance associations do not become edges.',
  weight: 'Change of the child, in its units, for one unit of the parent, the other parents fixed.',
  standardized: 'Standardized effect: the weight after both columns are standardized to variance 1.',
  r2: 'Share of the variance that a linear regression on the parents explains.',
  explained: 'Share of the variance or entropy that the parents explain, the penalty for their parameters subtracted.',
  residual: 'Variance of the column that its parents do not explain.',
  score: 'Score of the whole graph (BIC unless the settings name another one); a lower score is better.',
  h: 'Value of the acyclicity constraint of the solver; 0 means no cycle.',
  certificate: 'Acyclicity certificate: a topological order of the variables, which anyone can check against the edges.',
  total: 'Change of the second variable when the first one is intervened on, along all directed paths.',
  direct: 'Part of the total effect along the edge between the two variables alone.',
  interval: '90 % confidence interval of the total effect, given that the graph is true.',
  eValue: 'E-value: the smallest association of a hidden confounder with both variables, as a risk ratio, that could explain the effect away.',
  hiddenCause: 'What tests say about a hidden common cause of the two: excluded, possible, or implied, which means that it fits better than the edge.',
  robustness: 'Robustness value: the share of the residual variance of both variables that a hidden confounder must explain to reduce the effect to 0.',
  confounder: 'A variable with directed paths to both variables.',
  mediator: 'A variable on a directed path from the first variable to the second.',
  collider: 'A variable at which two arrows of a path meet; it blocks the path unless it is adjusted for.',
  adjustment: 'Variables to adjust for so that no back-door path stays unblocked.',
  environment: 'A group of rows, named by the environment column, in which mechanisms may differ.',
  assumption: 'A property of the data that the model needs; passed, failed or untestable with these data.',
  sensitive: 'A variable such as gender, age or origin whose paths need care.',
  method: 'Learning algorithm; auto chooses the model from the kinds of the columns.',
  bootstrap: 'Number of times the graph is learned again from resampled rows, for the confidence of each edge; 200 is a good choice, and it takes that many short runs.',
  text: 'How columns of text become variables of the graph.',
  missing: 'What to do with missing values; automatic uses incomplete rows and assumes that values are missing at random.',
  columns: 'Columns that are not used are excluded from the graph.',
  required: 'Edges that the graph must contain, as cause->effect.',
  forbidden: 'Edges that the graph must not contain, as cause->effect; * stands for any column.',
  shd: 'Structural Hamming distance: missing, extra and reversed edges; 0 is perfect.',
}
