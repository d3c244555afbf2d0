/** What changed in a Room, or among the records that a checkpoint cites: one table, and who reproduced what. */
import {
  type ChangedRecord,
  changeInWords,
  codesInWords,
  type ReproductionKind,
  reproducersInWords,
  type WhatChanged,
} from "../../contract/answers/changed.ts"
import { type Html, html, joined } from "../html.ts"
import { beginning } from "../markdown.ts"
import { stateBadge } from "./marks.ts"
import { fold, fromOther, label, named, person, table, time } from "./parts.ts"

/** Records that the folded line names, and characters of each text in the table. */
const SHOWN = { named: 3, characters: 240 }

const state = (record: ChangedRecord): Html =>
  stateBadge(record.change === "not_reproduced" ? "does_not_reproduce" : record.change, changeInWords(record))

/** "4: F6 not reproduced, F7 disputed, not answered, and 2 more": what the folded line says. */
function line(changed: readonly ChangedRecord[], all: number): Html {
  const rest = all - Math.min(changed.length, SHOWN.named)
  const first = changed.slice(0, SHOWN.named).map((record) => html`${record.label} ${changeInWords(record)}`)
  return html`${all}: ${joined(first, "; ")}${rest > 0 && html`; and ${rest} more`}`
}

const row = (record: ChangedRecord): Html =>
  html`<tr><th scope="row">${label("record", record.versionId, record.label)}${fromOther(record)}</th>\
<td>${state(record)}</td>\
<td class="whole" data-is="before" dir="auto">${beginning(record.before, SHOWN.characters)}</td>\
<td class="whole" data-is="now" dir="auto">${
    record.now === null
      ? html`<span class="quiet">–</span>`
      : html`${record.change === "not_reproduced" && html`<span class="quiet">run again:</span> `}\
${beginning(record.now, SHOWN.characters)}`
  }</td><td class="whole" data-is="why" dir="auto">${beginning(record.why, SHOWN.characters)}</td>\
<td>${person(record.author)} <span class="meta">${named(record.source.kind, record.source.id, record.source.label)}\
${fromOther(record.source)} ${time(record.at)}</span></td></tr>`

const kindRow = ({ by, implementation, reproductions, reproduced, failed, of }: ReproductionKind): Html =>
  html`<tr><th scope="row">${reproducersInWords[by]}</th><td data-is="with">${codesInWords[implementation]}</td>\
<td data-is="reproductions">${reproductions}</td><td data-is="reproduced">${reproduced}</td>\
<td data-is="not reproduced">${failed}</td><td data-is="of">${of.join(", ")}</td></tr>`

/** Renders what changed, and the reproductions by their kind, each folded to a line; null if there is nothing. */
export function whatChanged({ changed, moreChanged, reproductionKinds }: WhatChanged): Html | null {
  if (changed.length === 0 && reproductionKinds.length === 0) return null
  const head = ["Record", "What happened", "Before", "Now", "Why", "By"]
  const list =
    changed.length === 0
      ? null
      : html`${table("What changed", head, changed.map(row), "stacked")}${
          moreChanged > 0 && html`<p class="meta">These are the newest; ${moreChanged} more changed before.</p>`
        }`
  const kindHead = ["By", "With", "Reproductions", "Reproduced", "Not reproduced", "Findings"]
  const kinds =
    reproductionKinds.length === 0
      ? null
      : table("Reproductions by kind", kindHead, reproductionKinds.map(kindRow), "stacked")
  const count = reproductionKinds.reduce((sum, { reproductions }) => sum + reproductions, 0)
  const others = reproductionKinds.reduce(
    (sum, { by, reproductions }) => sum + (by === "author" ? 0 : reproductions),
    0,
  )
  const own = reproductionKinds.reduce(
    (sum, { implementation, reproductions }) => sum + (implementation === "own" ? reproductions : 0),
    0,
  )
  return html`${fold("changed", "What changed", line(changed, changed.length + moreChanged), list)}\
${fold("reproductions", "Reproductions by kind", `${others} of ${count} by others, ${own} with their own code`, kinds)}`
}
