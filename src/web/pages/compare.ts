/** The comparison of several attempts: by group with means and intervals, or each attempt. */
import { limits } from "../../contract/limits.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { readPath, withQuery } from "../addresses.ts"
import { type Html, attributes, html, to } from "../html.ts"
import { outcome } from "../parts/attempt-table.ts"
import { label, ways } from "../parts/parts.ts"
import { roomRail } from "../parts/room-frame.ts"
import type { Shown, Visit } from "../visit.ts"
import { counted } from "../words.ts"
import { eachAttempt } from "./compare-attempts.ts"
import { groupsView } from "./compare-groups.ts"
import { type Compared, comparedIn, questionOf } from "./compare-question.ts"
import { curvesFigure, legend, viewOf } from "./curves.ts"

/** Maximum number of attempts listed without folding. */
const NAMED = 12

function attemptList({ table: { items } }: Compared): Html {
  const each = items.map((row) => html`<li>${label("attempt", row.attemptId, row.label)} ${outcome(row)}</li>`)
  const list = html`<ul class="legend" aria-label="Attempts">${each}</ul>`
  return items.length <= NAMED ? list : html`<details class="left-out"><summary>Which attempts</summary>${list}</details>`
}

export function comparePage(visit: Visit): Shown {
  const compared = comparedIn(visit)
  const { named, ids, table, room } = compared
  const question = questionOf(visit, compared)
  const view = visit.url.searchParams.get("view")
  const isByGroup = question !== null && (view === null ? question.isFolded : view === "groups")
  const viewPath = (name: string) => withQuery("/attempts/compare", { ids: ids.join(","), view: name })
  const tab = (name: string, text: string, isHere: boolean) =>
    html`<a href="${to(viewPath(name))}"${attributes({ "aria-current": isHere ? "page" : null })}>${text}</a>`
  return {
    title: `Comparing ${table.items.map(({ label: text }) => text).join(", ")}`,
    rail: roomRail(room),
    wide: true,
    json: readPath("attempt_table", {}, { attemptIds: ids.join(",") }),
    body: html`<h1>Comparing ${ids.length === 1 ? "an attempt" : `${ids.length} attempts`}</h1>
${named.length > ids.length ? html`<div class="banner warn" role="note"><p>${ids.length} of the ${named.length} attempts you chose are shown. A comparison takes at most ${limits.comparedAttempts}.</p></div>` : null}
${attemptList(compared)}
${question === null ? null : html`<nav class="views" aria-label="Views">${tab("groups", "By group", isByGroup)}${tab("attempts", "Each attempt", !isByGroup)}</nav>`}
${isByGroup ? groupsView(visit, compared, question) : eachAttempt(visit, compared)}
<p class="meta"><a href="${to(`/rooms/${room.roomId}/attempts`)}">Choose attempts</a></p>
${ways([["Table as JSON", readPath("attempt_table", {}, { attemptIds: ids.join(",") })]])}`,
  }
}

/** The curves of one metric of several attempts, in any range. */
export function curvesPage(visit: Visit): Shown {
  const { ids, table, room, drawn } = comparedIn(visit)
  const key = visit.url.searchParams.get("metric")
  const metric = table.columns.metrics.find((each) => each.key === key)
  if (metric === undefined) throw new Refusal("unknown_attempt", "None of these attempts reported that metric.")
  return {
    title: `${metric.key} of ${table.items.map(({ label: text }) => text).join(", ")}`,
    rail: roomRail(room),
    wide: true,
    body: html`<h1>${metric.key} over steps</h1><p class="meta"><a href="${to(withQuery("/attempts/compare", { ids: ids.join(","), view: "attempts", baseline: drawn.baseline }))}">Everything of ${counted(ids.length, "this attempt", "these attempts").replace(/^\d+ /, "")}</a></p>
${legend(drawn.attempts)}${curvesFigure(visit, metric, drawn, viewOf(visit.url), 0, true)}`,
  }
}
