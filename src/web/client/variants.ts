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
  const choice = part.closest("form")?.querySelector<HTMLSelectElement>(`select[name="${CSS.escape(name)}"]`)
  const input = part.querySelector<HTMLInputElement | HTMLTextAreaElement>("input, textarea")
  if (choice == null) return
  const show = () => {
    delete part.dataset.idle
    part.hidden = !wanted.split(",").includes(choice.value) && (input?.value ?? "") === ""
  }
  show()
  choice.addEventListener("change", show)
}

export function showChosenCases(within: ParentNode): void {
  for (const variant of within.querySelectorAll("[data-variant]")) {
    show(variant)
    variant.addEventListener("change", () => show(variant))
  }
  for (const part of within.querySelectorAll<HTMLElement>("[data-only]")) showConditional(part)
}
