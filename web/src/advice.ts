// The program names settings in its findings, as setting=value. The page has words for those that occur most.
const words: [string, string][] = [
  ['normal-scores=true', 'the option “normal scores”'],
  ['the setting log', 'the option “log”'],
  ['learn with time=.', 'tell polydag that the rows are in the order of time'],
  ['variance=unequal', 'the option “unequal noise variances”'],
  ['standardize=true', 'standardized columns'],
]

// worded is a finding or its remedy with the settings in words. live says that a program is behind the page.
export function worded(text: string, live = false): string {
  const list: [string, string][] = [...words, ['the setting tiers', live ? 'the bands of time on the canvas' : 'tiers (--tiers: no edge leads from a later tier to an earlier one)']]
  return list.reduce((t, [from, to]) => t.replaceAll(from, () => to), live ? text.replace(/; keep=.+? uses it/g, '; “Use” in the list of columns brings it back') : text)
}
