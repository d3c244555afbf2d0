/**
 * Keeps what is typed into a form until the write is accepted: through a reload, a lost connection, a closed tab. A
 * draft is named after its form, and deleted when the next page says that the write was accepted.
 */
import { made } from "./page.ts"
import { drawn, takeFields } from "./forms.ts"

const PREFIX = "draft "
const SENT = "draft-sent"

type Saved = readonly (readonly [string, string])[]

/** The text typed into a form. Hidden inputs (ids, expectations) come fresh from the page, so they are left out. */
function typed(form: HTMLFormElement): Saved {
  const hidden = new Set(
    [...form.querySelectorAll<HTMLInputElement>("input[type=hidden]:not([name^='#'])")].map(({ name }) => name),
  )
  return [...new FormData(form)].flatMap(
    ([name, value]): Saved =>
      typeof value === "string" && value !== "" && !hidden.has(name) && !name.startsWith("#") ? [[name, value]] : [],
  )
}

const counts = (form: HTMLFormElement): string =>
  new URLSearchParams(
    [...form.querySelectorAll<HTMLInputElement>("input[type=hidden][name^='#']")].map(({ name, value }) => [
      name,
      value,
    ]),
  ).toString()

function restore(form: HTMLFormElement, saved: Saved): number {
  let restored = 0
  for (const [name, value] of saved) {
    const inputs = form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>(
      `[name="${CSS.escape(name)}"]`,
    )
    for (const input of inputs) {
      if (input instanceof HTMLInputElement && (input.type === "checkbox" || input.type === "radio")) {
        if (input.type === "radio" && input.value !== value) continue
        if (input.value === value) input.checked = true
      } else if (input.value === "" || input instanceof HTMLSelectElement || input.value === input.defaultValue)
        input.value = value
      else continue
      restored += 1
      break
    }
  }
  return restored
}

/** Shows that a draft was restored, with a button to discard it. */
function showRestored(form: HTMLFormElement, key: string): void {
  const drop = made("button", { type: "button", className: "plain" }, "Throw it away")
  const note = made("p", { className: "saved-draft", role: "status" }, "Your draft was kept. ", drop)
  drop.addEventListener("click", () => {
    localStorage.removeItem(key)
    form.reset()
    note.remove()
  })
  form.prepend(note)
}

/** Restores the draft of a form, and saves what is typed from now on. */
export function keepDraft(form: HTMLFormElement): void {
  const key = `${PREFIX}${location.pathname.replace(/\/(do|web)\/.*/, "")}${form.dataset.draft}`
  const saved = localStorage.getItem(key)
  if (saved !== null && form.dataset.state !== "refused") {
    const { values, shown }: { values: Saved; shown: string } = JSON.parse(saved)
    const refill = () => {
      if (restore(form, values) > 0) showRestored(form, key)
      for (const select of form.querySelectorAll("[data-variant], select")) select.dispatchEvent(new Event("change"))
    }
    // If the draft had other rows, the form with those rows is fetched first.
    if (shown === counts(form)) refill()
    else
      drawn(form, [...new URLSearchParams(shown), ["_preview", "1"]]).then(
        (page) => {
          takeFields(form, page)
          refill()
        },
        () => {},
      )
  }
  const save = () => {
    const values = typed(form)
    if (values.length === 0) localStorage.removeItem(key)
    else localStorage.setItem(key, JSON.stringify({ values, shown: counts(form) }))
  }
  form.addEventListener("input", save)
  form.addEventListener("submit", () => {
    save()
    sessionStorage.setItem(SENT, key)
  })
}

export function keepDrafts(): void {
  const sent = sessionStorage.getItem(SENT)
  sessionStorage.removeItem(SENT)
  // The page says that the write was accepted.
  if (
    sent !== null &&
    (document.getElementById("main")?.dataset.done !== undefined || document.querySelector("[data-stored]") !== null)
  )
    localStorage.removeItem(sent)
  for (const form of document.querySelectorAll<HTMLFormElement>("form[data-draft]")) keepDraft(form)
}
