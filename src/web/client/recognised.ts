/**
 * Previews pasted papers. Text pasted anywhere on the page goes into the box, and the service recognises the papers in
 * it.
 */

import { after } from "./page.ts"
import { drawn } from "./rows.ts"

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
  const afterPause = after(QUIET)
  const preview = (signal: AbortSignal) =>
    drawn(form, [["preview", "1"]], signal).then(
      (page) => place.replaceChildren(...(page.getElementById("recognised")?.childNodes ?? [])),
      // If the service cannot be reached, the result is shown when the form is sent.
      () => {},
    )
  document.addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text/plain") ?? ""
    if (
      text === "" ||
      (event.target instanceof Element && event.target.closest("input, textarea, select, dialog") !== null)
    )
      return
    event.preventDefault()
    box.value = box.value === "" ? text : `${box.value}\n${text}`
    box.dispatchEvent(new Event("input", { bubbles: true }))
    box.focus()
  })
  box.addEventListener("input", () => {
    // The preview of the earlier text no longer applies.
    place.replaceChildren()
    afterPause(box.value.trim() === "" ? undefined : preview)
  })
}
