/** Makes elements, reads pages of the service, and waits for the reader to pause. */

/** Makes an element. @param inside its children */
export function made<K extends keyof HTMLElementTagNameMap>(
  name: K,
  properties: Partial<HTMLElementTagNameMap[K]>,
  ...inside: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = Object.assign(document.createElement(name), properties)
  element.append(...inside)
  return element
}

/** The page that the service answered. */
export const pageIn = async (response: Response): Promise<Document> =>
  new DOMParser().parseFromString(await response.text(), "text/html")

/**
 * Returns a function that does something after a pause, in place of what it was last called with. The signal aborts
 * when it is called again. Called with nothing, it only cancels.
 */
export function after(milliseconds: number): (act?: (signal: AbortSignal) => void) => void {
  let timer = 0
  let request = new AbortController()
  return (act) => {
    clearTimeout(timer)
    request.abort()
    request = new AbortController()
    const { signal } = request
    if (act !== undefined) timer = window.setTimeout(() => act(signal), milliseconds)
  }
}
