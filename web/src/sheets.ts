import type { Desk } from './parts'

// sheets are the sides of the window: on a phone they come from below, and elsewhere they can be hidden.
export function sheets(d: Desk) {
  function openSheet(which: 'left' | 'side', peek = false): void {
    if (innerWidth >= 700) return
    document.body.dataset.sheet = which
    document.body.classList.toggle('peek', peek)
    d.ui.sheetLeft.setAttribute('aria-expanded', String(which === 'left'))
    d.ui.sheetSide.setAttribute('aria-expanded', String(which === 'side'))
  }
  function closeSheets(): void {
    delete document.body.dataset.sheet
    d.ui.sheetLeft.setAttribute('aria-expanded', 'false')
    d.ui.sheetSide.setAttribute('aria-expanded', 'false')
  }
  for (const [b, which] of [[d.ui.sheetLeft, 'left'], [d.ui.sheetSide, 'side']] as const) b.addEventListener('click', () => (document.body.dataset.sheet === which && !document.body.classList.contains('peek') ? closeSheets() : openSheet(which)))
  for (const [b, which, what] of [[d.ui.hideLeft, 'no-left', 'table'], [d.ui.hideSide, 'no-side', 'panel']] as const) {
    b.addEventListener('click', () => {
      const off = document.body.classList.toggle(which)
      b.setAttribute('aria-expanded', String(!off))
      b.setAttribute('aria-label', `${off ? 'Show' : 'Hide'} the ${what}`)
    })
  }
  return { openSheet, closeSheets }
}
