/** What pages do once a script runs; each of them works without. */
import { copyOnClick } from "./copy.ts"
import { keepDrafts } from "./drafts.ts"
import { traceGraphs } from "./graph.ts"
import { listenForKeys } from "./keys.ts"
import { workForms } from "./forms.ts"
import { follow } from "./live.ts"
import { leadToUnseen, markUnseen } from "./seen.ts"
import { writeInPlace } from "./writing.ts"
import { showChosenCases } from "./variants.ts"

showChosenCases(document)
keepDrafts()
workForms()
copyOnClick()
writeInPlace()
traceGraphs()
markUnseen()
leadToUnseen()
listenForKeys()
;(document.querySelector<HTMLElement>("form [aria-invalid=true]") ?? document.getElementById("refused"))?.focus()

const main = document.getElementById("main")
if (main?.dataset.room !== undefined) void follow(main)
