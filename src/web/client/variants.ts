/** Of the cases of a variant, shows the chosen one; the server reads no other. */
function show(variant: Element): void {
  const chosen = variant.querySelector<HTMLSelectElement>(":scope > .field > select")?.value ?? ""
  for (const one of variant.querySelectorAll<HTMLFieldSetElement>(":scope > [data-case]")) {
    one.hidden = one.dataset.case !== chosen
    // Hidden inputs must not hold up a form.
    one.disabled = one.hidden
  }
}

export function showChosenCases(within: ParentNode): void {
  for (const variant of within.querySelectorAll("[data-variant]")) {
    show(variant)
    variant.addEventListener("change", () => show(variant))
  }
}
