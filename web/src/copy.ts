// copy puts a text on the clipboard and reports whether that was allowed. A page from disk may not be allowed to: then the text in el
// is selected, and the reader copies it.
export async function copy(text: string, el: Element): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    getSelection()?.selectAllChildren(el)
    return false
  }
}

// press copies a text and says so on the button.
export async function press(button: Element, text: string, el: Element): Promise<void> {
  button.textContent = (await copy(text, el)) ? 'Copied' : 'Selected; press Ctrl+C'
}
