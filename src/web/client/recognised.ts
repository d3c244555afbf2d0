/** Previews pasted papers. Text pasted anywhere on the page goes into the box, and the service recognises the papers in it. */

/** Milliseconds after the last change before the text is sent for a preview. */
const QUIET = 400

export function recogniseAsTyped(): void {
  const form = document.querySelector<HTMLFormElement>("form[data-recognised]")
  const [box, place, button] = [
    form?.querySelector("textarea"),
    document.getElementById("recognised"),
    form?.querySelector<HTMLButtonElement>("button[name=preview]"),
  ]
  if (form == null || box == null || place === null || button == null) return
  button.hidden = true
  let timer: ReturnType<typeof setTimeout> | undefined
  let request: AbortController | undefined

  async function preview({ signal }: AbortController, action: string, body: URLSearchParams): Promise<void> {
    const response = await fetch(action, { method: "POST", body, signal })
    const shown = new DOMParser().parseFromString(await response.text(), "text/html").getElementById("recognised")
    place?.replaceChildren(...[...(shown?.childNodes ?? [])].map((child) => document.importNode(child, true)))
  }
  document.addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text/plain") ?? ""
    if (text === "" || (event.target instanceof Element && event.target.closest("input, textarea, select, dialog") !== null)) return
    event.preventDefault()
    box.value = box.value === "" ? text : `${box.value}\n${text}`
    box.dispatchEvent(new Event("input", { bubbles: true }))
    box.focus()
  })
  box.addEventListener("input", () => {
    clearTimeout(timer)
    request?.abort()
    // The preview of the earlier text no longer applies.
    place.replaceChildren()
    if (box.value.trim() === "") return
    timer = setTimeout(() => {
      const body = new URLSearchParams([...new FormData(form)].map(([name, value]): [string, string] => [name, String(value)]))
      body.set("preview", "1")
      request = new AbortController()
      // If the service cannot be reached, the result is shown when the form is sent.
      void preview(request, form.action, body).catch(() => undefined)
    }, QUIET)
  })
}
