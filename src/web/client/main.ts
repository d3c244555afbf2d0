/** The entry point of the pages' script. Every page works without it. */
import { awaitRequest, follow } from "./live.ts"
import { copyOnClick } from "./copy.ts"
import { markCut, traceArguments, countTicks } from "./tables.ts"
import { keepDrafts } from "./drafts.ts"
import { readFiles, takeUploads } from "./files.ts"
import { listenForKeys } from "./keys.ts"
import { workForms, recogniseAsTyped, showChosenCases } from "./forms.ts"
import { linkToUnseen, markUnseen, openMenus, writeInPlace } from "./thread.ts"

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
