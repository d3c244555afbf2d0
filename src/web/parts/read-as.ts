/** What a table of values was read as, and the faults in it. */
import { createHash } from "node:crypto"
import type { ReadAs } from "../../contract/answers/parts.ts"
import { readAsLine, type TableFault } from "../../research/measurements/read-table.ts"
import { type Html, html } from "../html.ts"

/** A mark of what was shown to a person before it is reported. */
export const markOf = (...shown: readonly unknown[]): string =>
  createHash("sha256").update(JSON.stringify(shown)).digest("hex").slice(0, 32)

export const asRead = (readAs: ReadAs): Html =>
  html`<ul>${readAsLine(readAs)
    .split("; ")
    .map((part) => html`<li>${part}</li>`)}</ul>`
export const listOfFaults = (faults: readonly TableFault[]): Html | null =>
  faults.length === 0
    ? null
    : html`<ul>${faults.map(({ line, message }) => html`<li>Line ${line} ${message}.</li>`)}</ul>`
