/** Copies a digest, commit or command on click, or on Enter or c while it has the focus. */
async function copy(from: HTMLElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(from.dataset.copy ?? "")
  } catch {
    // The browser does not allow it: select the text, so that the person can copy it.
    getSelection()?.selectAllChildren(from)
    return
  }
  from.classList.add("copied")
  const said = from.hasAttribute("data-copier") ? from.innerHTML : undefined
  if (said !== undefined) from.textContent = "Copied"
  setTimeout(() => {
    from.classList.remove("copied")
    if (said !== undefined) from.innerHTML = said
  }, 1_500)
}

export function copyOnClick(): void {
  for (const button of document.querySelectorAll<HTMLElement>("[data-copier]")) button.hidden = false
  document.addEventListener("click", ({ target }) => {
    const from = target instanceof Element ? target.closest<HTMLElement>("[data-copy]") : null
    if (from !== null && getSelection()?.isCollapsed !== false) void copy(from)
  })
  document.addEventListener("keydown", (event) => {
    const { target, key } = event
    // A button is clicked by the keyboard too; a block of commands is not.
    if (
      (key === "Enter" || key === "c") &&
      !(target instanceof HTMLButtonElement) &&
      target instanceof HTMLElement &&
      target.dataset.copy !== undefined &&
      !event.ctrlKey &&
      !event.metaKey
    )
      void copy(target)
  })
}
