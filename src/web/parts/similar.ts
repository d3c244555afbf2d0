/** Shows similar questions, claims and attempts beside a form. */
import type { AnswerOf } from "../../contract/reads/index.ts"
import { limits } from "../../contract/limits.ts"
import { type Html, html } from "../html.ts"
import type { Visit } from "../visit.ts"
import { words } from "../words.ts"
import { stateBadge } from "./marks.ts"
import { label, person, time } from "./parts.ts"

const TEXTS = ["/question", "/assertion/wording"] as const
const OPERATIONS: readonly string[] = [
  "propose_experiment",
  "publish_hypothesis",
  "publish_finding",
  "publish_cited_claim",
]

export const showsSimilar = (operation: string): boolean => OPERATIONS.includes(operation)

const item = ({
  kind,
  id,
  label: named,
  says,
  author,
  at,
  status,
  cameOfIt,
}: AnswerOf<"room_similar">["similar"][number]): Html =>
  html`<li data-entry><p class="meta">${label(kind, id, named)}<span>${words(kind)}</span>\
<span>${stateBadge(status)}</span><span>${person(author)}</span><span>${time(at)}</span></p>
  <p class="said" dir="auto">${says}</p>${cameOfIt === null ? null : html`<p class="hint">${cameOfIt}</p>`}</li>`

/** Renders the records of the Room that are similar to a draft. Null if the draft is empty. */
export function similarTo(visit: Visit, roomId: string, draft: URLSearchParams): Html | null {
  const text = TEXTS.map((name) => draft.get(name)?.trim()).find((value) => value !== undefined && value !== "")
  if (text === undefined) return null
  const { similar } = visit.ask("room_similar", { roomId }, { text: text.slice(0, limits.similarText) })
  return html`<section aria-labelledby="similar"><h2 id="similar">Already tried?</h2>${
    similar.length === 0
      ? html`<p class="quiet">Nothing in this Room is similar to it.</p>`
      : html`<ul class="cards">${similar.map(item)}</ul>`
  }</section>`
}
