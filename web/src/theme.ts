type Theme = 'light' | 'dark'

const prefers = matchMedia('(prefers-color-scheme: dark)')
let chosen: Theme | undefined // by the reader, for as long as the page is open

export function theme(): Theme {
  return chosen ?? (prefers.matches ? 'dark' : 'light')
}

function apply(): void {
  document.documentElement.dataset.theme = theme()
  dispatchEvent(new Event('themechange'))
}

export function startTheme(): void {
  prefers.addEventListener('change', apply)
  apply()
}

export function toggleTheme(): void {
  chosen = theme() === 'dark' ? 'light' : 'dark'
  apply()
}
