/** Renders the reviews of a finding, a checkpoint or a plan, and the link to write one. */
import { type Review, type Reviewed, reviewedInWords, reviewerDid, reviewerIs } from "../../contract/answers/reviews.ts"
import { keysOf } from "../../contract/typed.ts"
import { entryPath } from "../addresses.ts"
import { type Content, type Html, html, to } from "../html.ts"
import { phrase } from "../markdown.ts"
import type { Visit } from "../visit.ts"
import { act, forMembers, type RoomLike } from "./actions.ts"
import { verdictCount, struckIf, takeBack, takenBack } from "./evidence.ts"
import { stateBadge } from "./marks.ts"
import { fold, live, person, time, writerOf } from "./parts.ts"

const counts = { objects: "objects", agreesWithReservations: "agrees_with_reservations", agrees: "agrees" } as const

/** The reviews in one line: "1 agrees, 1 objects". The tooltip names the reviewers. */
export const reviewLine = (all: Reviewed | null | undefined): Html =>
  all == null
    ? stateBadge("unreviewed", "not reviewed")
    : html`<span class="tally" title="${reviewedInWords(all)}">\
${keysOf(counts).map((name) => (all[name] === 0 ? null : html`${verdictCount(counts[name], all[name])} `))}</span>`

const checkedIn = ({ checked }: Review): Content =>
  checked.length > 0 &&
  html`<span>${keysOf(reviewerDid)
    .filter((each) => checked.includes(each))
    .map((each) => reviewerDid[each])
    .join(", ")}</span>`

/** What was done to check something, and by whom, as a list of marks: what nobody did is said too. */
function checklist(all: readonly Review[]): Html | null {
  const counting = all.filter(({ counts }) => counts)
  if (counting.length === 0) return null
  const marks = keysOf(reviewerDid).map((each) => {
    const by = counting.filter(({ checked }) => checked.includes(each))
    const names = [...new Map(by.map(({ author }) => [`${author.username} ${writerOf(author)}`, author])).values()]
    return html`<li>${stateBadge(by.length > 0 ? "succeeded" : "unreviewed", reviewerDid[each])} ${
      names.length === 0 ? html`<span class="quiet">nobody yet</span>` : names.map((one) => html`${person(one)} `)
    }</li>`
  })
  return html`<ul class="checklist" aria-label="What reviewers did">${marks}</ul>`
}

const answeredIn = ({ threadId, answered }: Review): Content =>
  answered === null
    ? null
    : html`<span><a href="${to(
        answered.linkId === undefined ? entryPath(threadId, answered.entryId ?? "") : `/links/${answered.linkId}`,
      )}">answered by its author</a></span>`

/** Renders a review: its explanation, author and state. @param own whether it is shown on its own page */
export function reviewBody(visit: Visit, review: Review, own = false): Html {
  const way = takeBack(visit, review)
  const replaced = !review.counts && review.withdrawn === null
  return html`<p class="explained" dir="auto">${struckIf(review.withdrawn, phrase(review.explanation))}</p>\
${takenBack(review.withdrawn)}
<p class="meta">${checkedIn(review)}<span>${person(review.author)}, ${reviewerIs(review)}</span>\
<span>${time(review.at)}</span>\
${replaced ? html`<span><em>a newer review by the same author counts</em></span>` : null}${answeredIn(review)}\
${own ? null : html`<span><a href="${to(entryPath(review.threadId, review.entryId))}">in the Thread</a></span>`}\
${way === null ? null : html`<span>${way}</span>`}</p>`
}

/** Renders the section of reviews, newest first, and the link to add one. */
export function reviewSection(
  visit: Visit,
  room: RoomLike,
  target: string,
  all: readonly Review[],
  reviewed: Reviewed | null,
): Html {
  const shown = all.map(
    (review) =>
      html`<li class="${review.counts ? "" : "uncounted"}">${struckIf(review.withdrawn, stateBadge(review.verdict))}\
<div>${reviewBody(visit, review)}</div></li>`,
  )
  const said =
    shown.length === 0
      ? html`<p class="quiet">Nobody else has reviewed it yet. A review says what was checked; it is not evidence.</p>`
      : html`${checklist(all)}<ul class="evidence">${shown}</ul>`
  return html`${fold(
    "reviews",
    "Reviews",
    reviewLine(reviewed),
    html`${live("reviews", said)}${
      visit.canAct ? forMembers(visit, room, act("submit_review", { target }, "Review it")) : null
    }`,
  )}`
}
