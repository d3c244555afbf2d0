/** Checkpoints of Threads, and why they are stale. */
import { staleBecause, type StaleReason } from "../../contract/answers/evidence.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { type Html, html, to } from "../html.ts"
import { beginning, inlineMarkdown } from "../markdown.ts"
import { glyph, stateBadge } from "./marks.ts"
import { reviewLine } from "./reviews.ts"
import { fromOther, label, person, time } from "./parts.ts"

const named = (reason: StaleReason): Html =>
  html`${reason.versionId === undefined ? "A record" : label("record", reason.versionId, reason.label ?? "a record")}\
${fromOther(reason)}`

/** Lists the reasons why a checkpoint is stale. Null if there are none. */
export const whyStale = (reasons: readonly StaleReason[]): Html | null =>
  reasons.length === 0
    ? null
    : html`<ul class="stale" aria-label="What has come since">\
${reasons.map(
  (reason) => html`<li>${glyph(reason.status ?? "open")} ${named(reason)}${staleBecause(reason)}</li>`,
)}</ul>`

type Checkpoint = AnswerOf<"room_context">["conclusions"][number]

/** A selected checkpoint on the Room's page. @param threads the titles of Threads, by id */
export function selectedCheckpoint(checkpoint: Checkpoint, threads: ReadonlyMap<string, string>): Html {
  const { state, stale, staleReasons, conclusion, synthesis, author, at, checkpointId, threadId } = checkpoint
  const concluded = state === "concluded"
  return html`<li class="banner ${concluded ? (stale ? "warn" : "good") : "quiet"}">\
${stateBadge(state, concluded ? "Concluded" : "So far")}${
  stale ? html` <span class="state warn">${glyph("disputed")}stale</span>` : null
} ${reviewLine(checkpoint.reviewed)}<div class="said" dir="auto">\
${conclusion === null ? beginning(synthesis, 600) : inlineMarkdown(conclusion)}</div>${whyStale(staleReasons)}
<p class="meta"><span>in <a href="${to(`/threads/${threadId}`)}">${threads.get(threadId) ?? "its Thread"}</a></span>\
<span>${person(author)}</span><span>${time(at)}</span><span><a href="${to(`/checkpoints/${checkpointId}`)}">\
${concluded ? "what it rests on" : "the whole synthesis, and what it rests on"}</a></span></p></li>`
}
