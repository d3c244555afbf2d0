/** What is pasted to be saved: it may be pasted anywhere on the page, and is recognised by the service before anything is stored. */

/** Milliseconds without a change after which a text is looked at. */
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
  let asking: AbortController | undefined

  async function look({ signal }: AbortController, action: string, body: URLSearchParams): Promise<void> {
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
    asking?.abort()
    // What was said of another text is said no more.
    place.replaceChildren()
    if (box.value.trim() === "") return
    timer = setTimeout(() => {
      const body = new URLSearchParams([...new FormData(form)].map(([name, value]): [string, string] => [name, String(value)]))
      body.set("preview", "1")
      asking = new AbortController()
      // Out of reach, the text is shown for what it is when it is sent.
      void look(asking, form.action, body).catch(() => undefined)
    }, QUIET)
  })
}
