/** What a copying element stands for; one at an entry that names nothing, the entry's permalink. */
function copiedBy(from: HTMLElement): string {
  const permalink = from.closest("[data-entry]")?.querySelector<HTMLAnchorElement>("a.permalink")
  return from.dataset.copy || permalink?.href || ""
}

/** Copies a digest, commit or command on click, or on Enter or "c" while it has the focus. */
async function copy(from: HTMLElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(copiedBy(from))
  } catch {
    // The browser does not allow it. Select the text, so that the person can copy it.
    getSelection()?.selectAllChildren(from)
    return
  }
  from.classList.add("copied")
  const label = from.hasAttribute("data-copier") ? from.innerHTML : undefined
  if (label !== undefined) from.textContent = "Copied"
  setTimeout(() => {
    from.classList.remove("copied")
    if (label !== undefined) from.innerHTML = label
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
    // The browser turns keys on a button into clicks, but not on a block of commands.
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
