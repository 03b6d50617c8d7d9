import type { Progress } from './backend'
import { stageSaid } from './words'
import { plural } from '../dom'

let stage = ''
let first = { step: 0, seconds: 0 }

// left estimates the seconds left in a stage from its steps so far.
function left(p: Progress): number | undefined {
  const now = { step: p.step ?? 0, seconds: p.seconds }
  if (p.stage !== stage || now.step < first.step) {
    stage = p.stage ?? ''
    first = now
  }
  if (!p.steps || now.step - first.step < 2 || now.seconds - first.seconds < 1) return undefined
  return ((p.steps - now.step) * (now.seconds - first.seconds)) / (now.step - first.step)
}

// progressWords says what is done and what is left.
export function progressWords(p: Progress, checked: boolean): string {
  if (p.state === 'waiting') return 'Waiting for another run'
  if (!p.stage) return checked ? 'Learning the graph…' : 'Reading the table…'
  const rest = left(p)
  return [`Learning, ${p.seconds.toFixed(0)} s`, stageSaid(p.stage), p.steps ? `step ${p.step ?? 0} of ${p.steps}` : '', p.edges ? plural(p.edges, 'edge') : '', rest === undefined ? '' : `about ${rest < 90 ? `${Math.max(1, Math.round(rest))} s` : `${Math.round(rest / 60)} min`} left`].filter((t) => t !== '').join(', ')
}
