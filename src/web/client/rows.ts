/**
 * Adds and removes rows of a form in place, and shows the inputs of the chosen options. The server renders the form, as
 * it does without the script.
 */
import { made, pageIn } from "./page.ts"

type Values = readonly (readonly [string, string])[]

/**
 * Sends the form and returns its page as the server renders it. @param instead values that replace the form's @throws
 * if the answer is no such page
 */
export async function drawn(form: HTMLFormElement, instead: Values, signal?: AbortSignal): Promise<Document> {
  const body = new URLSearchParams()
  for (const [name, value] of new FormData(form)) if (typeof value === "string") body.append(name, value)
  for (const [name] of instead) body.delete(name)
  for (const [name, value] of instead) body.append(name, value)
  const response = await fetch(form.action, {
    method: "POST",
    body,
    headers: { accept: "text/html" },
    signal: signal ?? null,
  })
  if (!response.ok || response.redirected) throw new Error(`status ${response.status}`)
  return pageIn(response)
}

/** Replaces the fields of a form with those of another page. */
export function takeFields(form: HTMLFormElement, page: Document): void {
  const fresh = page.querySelector("form[data-draft]")
  if (fresh === null) throw new Error("no form")
  const open = [...form.querySelectorAll("details")].map(({ open }) => open)
  form.replaceChildren(...fresh.childNodes)
  for (const [index, details] of [...form.querySelectorAll("details")].entries())
    if (open[index] === true) details.open = true
  showChosenCases(form)
}

const countOf = (form: HTMLFormElement, path: string): number =>
  Number(form.querySelector<HTMLInputElement>(`input[name="${CSS.escape(`#${path}`)}"]`)?.value ?? 0)

const firstIn = (form: HTMLFormElement, path: string, row: number): HTMLElement | null =>
  form.querySelector(`:is(input:not([type=hidden]), textarea, select)[name^="${CSS.escape(`${path}/${row}`)}"]`)

/** Adds a row at the end of a list. @returns its first input */
export async function addRow(form: HTMLFormElement, path: string): Promise<HTMLElement | null> {
  takeFields(form, await drawn(form, [["_add", path]]))
  form.dispatchEvent(new Event("input"))
  return firstIn(form, path, countOf(form, path) - 1)
}

async function removeRow(form: HTMLFormElement, at: string): Promise<HTMLElement | null> {
  takeFields(form, await drawn(form, [["_remove", at]]))
  form.dispatchEvent(new Event("input"))
  return form.querySelector<HTMLElement>(`button[name=_add][value="${CSS.escape(at.slice(0, at.lastIndexOf("/")))}"]`)
}

/** Lets the buttons of rows work without leaving the page. */
export function workRows(form: HTMLFormElement): void {
  form.addEventListener("click", (event) => {
    const button = event.target instanceof HTMLButtonElement ? event.target : null
    if (button === null || (button.name !== "_add" && button.name !== "_remove")) return
    event.preventDefault()
    const done = button.name === "_add" ? addRow(form, button.value) : removeRow(form, button.value)
    done.then(
      (next) => next?.focus(),
      () => {
        // Send the form as it would be sent without the script.
        form.append(made("input", { type: "hidden", name: button.name, value: button.value }))
        form.submit()
      },
    )
  })
}

/** Shows only the chosen case of a variant. The server reads no other. */
function show(variant: Element): void {
  const chosen = variant.querySelector<HTMLSelectElement>(":scope > .field > select")?.value ?? ""
  for (const one of variant.querySelectorAll<HTMLFieldSetElement>(":scope > [data-case]")) {
    one.hidden = one.dataset.case !== chosen
    // A required input that is hidden would block the form.
    one.disabled = one.hidden
  }
}

/** Shows an input only with the option it belongs to. An input with text in it stays visible. */
function showConditional(part: HTMLElement): void {
  const [name = "", wanted = ""] = (part.dataset.only ?? "").split("=")
  const form = part.closest("form")
  const choices = form?.querySelectorAll(`:is(select, input[type=radio])[name="${CSS.escape(name)}"]`) ?? []
  const input = part.querySelector<HTMLInputElement | HTMLTextAreaElement>("input, textarea")
  if (form === null || choices.length === 0) return
  const show = () => {
    delete part.dataset.idle
    part.hidden = !wanted.split(",").includes(String(new FormData(form).get(name) ?? "")) && (input?.value ?? "") === ""
  }
  show()
  for (const choice of choices) choice.addEventListener("change", show)
}

export function showChosenCases(within: ParentNode): void {
  for (const variant of within.querySelectorAll("[data-variant]")) {
    show(variant)
    variant.addEventListener("change", () => show(variant))
  }
  for (const part of within.querySelectorAll<HTMLElement>("[data-only]")) showConditional(part)
}
