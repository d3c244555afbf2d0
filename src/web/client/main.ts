/** The entry point of the pages' script. Every page works without it. */
import { awaitRequest, follow } from "./live.ts"
import { markCut, traceArguments, countTicks } from "./tables.ts"
import { keepDrafts } from "./drafts.ts"
import { readFiles, takeUploads, workForms, recogniseAsTyped, showChosenCases } from "./forms.ts"
import { listenForKeys } from "./keys.ts"
import { linkToUnseen, markUnseen, openMenus, writeInPlace } from "./thread.ts"

// Copying a digest, commit or command.

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

function copyOnClick(): void {
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

// What a page begins with.

showChosenCases(document)
keepDrafts()
workForms()
copyOnClick()
writeInPlace()
openMenus()
readFiles()
takeUploads()
recogniseAsTyped()
traceArguments()
markUnseen()
linkToUnseen()
listenForKeys()
countTicks()
void awaitRequest()
// Only pages with curves load their script.
if (document.querySelector("[data-curves]") !== null) void import("./curves.ts").then(({ readCurves }) => readCurves())
if (document.querySelector(".copies") !== null) void import("./pictures.ts").then(({ copyPictures }) => copyPictures())
const wrong = document.querySelector<HTMLElement>("form [aria-invalid=true]") ?? document.getElementById("refused")
wrong?.focus()

// On a phone the sections of a Room are one row that scrolls: the one that is shown comes into sight.
const here = document.querySelector<HTMLElement>(".rail [aria-current]")
const row = here?.closest("ul")
if (row != null && here !== null) row.scrollLeft = here.offsetLeft - (row.clientWidth - here.offsetWidth) / 2

const main = document.getElementById("main")
if (main?.dataset.room !== undefined) void follow(main)
markCut()
