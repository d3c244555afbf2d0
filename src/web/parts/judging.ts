/**
 * Helps an outside reader judge a record or a conclusion: its strength, failures, doubts and reviews, what rests on it,
 * and what changed since.
 */
import type { Origins } from "../../contract/nouns/judging.ts"
import {
  type Reviewed,
  withoutEvidence,
  type Review,
  reviewedInWords,
  reviewerDid,
  reviewerIs,
} from "../../contract/nouns/reviews.ts"
import { enumerations } from "../../contract/schema/enumerations.ts"
import { linkKinds } from "../../contract/nouns/links.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { withQuery, entryPath, type Content, type Html, html, joined, to } from "../html.ts"
import { beginning, phrase, inlineMarkdown } from "../markdown.ts"
import { counted, title, words } from "../words.ts"
import { tallied, tally, verdictCount, struckIf, takeBack, takenBack } from "./evidence.ts"
import { glyph, stateBadge } from "./marks.ts"
import {
  exactTime,
  fold,
  fromOther,
  heading,
  label,
  live,
  person,
  recordChip,
  time,
  writerOf,
  named,
  table,
} from "./parts.ts"
import { staleBecause, type StaleReason } from "../../contract/nouns/checkpoints.ts"
import { keysOf } from "../../contract/typed.ts"
import type { Visit } from "../visit.ts"
import { act, forMembers, type RoomLike } from "./actions.ts"
import {
  type ChangedRecord,
  changeInWords,
  codesInWords,
  type ReproductionKind,
  reproducersInWords,
  type WhatChanged,
} from "../../contract/answers/changed.ts"

// The reviews of a finding, a checkpoint or a plan, and the link to write one.

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

type Case = AnswerOf<"record_case">
type Around = Pick<Case, "work" | "failed" | "doubts">
type Failed = Case["failed"]["items"][number]

/** The people behind some verdicts: "2 people, 1 of them independent of its author". */
function saidBy({ people, independentPeople, otherAgents }: Origins): string {
  if (independentPeople === 0)
    return otherAgents === 0 ? "its author alone" : `${counted(otherAgents, "other agent")} of its author`
  if (independentPeople === people)
    return people === 1 ? "1 person, independent of its author" : `${people} people, all independent of its author`
  return `${people} people, ${independentPeople} of them independent of its author`
}
const ranBy = ({ commits }: Origins): string =>
  commits === 0 ? "no run behind it" : `runs of ${counted(commits, "commit")}`

const sumOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)

/** How many attempts there were, and how they ended. */
function triedIn({ experiments, attempts }: Case["work"]): Content {
  const [lines, all] = [sumOf(experiments), sumOf(attempts)]
  if (lines === 0) return "No experiment addresses it yet."
  const ended = (["registered", ...enumerations.attemptOutcome] as const).filter((outcome) => attempts[outcome] > 0)
  const badges = ended.map((outcome) => stateBadge(outcome, `${attempts[outcome]} ${words(outcome)}`))
  return html`${counted(all, "attempt")} in ${counted(lines, "experiment")}\
${all === 0 ? "." : html`: <span>${joined(badges)}</span>`}`
}

const bearings: { readonly [B in Exclude<Case["bearing"], "untested">]: string } = {
  supported: "Supported so far",
  contradicted: "Contradicted so far",
  inconclusive: "Inconclusive so far",
  contested: "Contested",
}

/**
 * Renders how much counts for and against a record, by how many people and from how many commits.
 * @param verdict who the verdict comes from, in a sentence @param reviewed its reviews @param countsAttempts whether it
 * counts the attempts of its experiments; beside the denominator of a finding they would be a second number
 */
export function strength(
  { bearing, weight, work, evidenceTally }: Case,
  verdict?: Html,
  reviewed?: Reviewed | null,
  countsAttempts = true,
): Html {
  const bears = bearing === "untested" ? title(withoutEvidence(reviewed)) : bearings[bearing]
  const rows = tallied.filter((name) => weight[name].words > 0)
  // Who the verdict comes from says so too.
  const isDecided = weight.supports.words > 0 && weight.contradicts.words > 0 && bearing !== "contested"
  const decided = verdict === undefined && isDecided && html`<p>Only evidence with measured effects decides.</p>`
  return html`<section aria-labelledby="strength">${heading(2, "strength", "How strong")}\
<div id="live-strength" data-live><p class="bearing">${stateBadge(bearing, bears)}</p>${verdict}${decided}${
    rows.length === 0
      ? null
      : html`<ul class="weight">\
${rows.map(
  (name) =>
    html`<li>${verdictCount(name, evidenceTally[name])} <span>by ${saidBy(weight[name])}; ${ranBy(weight[name])}</span>\
</li>`,
)}</ul>`
  }${countsAttempts && html`<p class="meta">${triedIn(work)}</p>`}</div></section>`
}

/** Whether there is no attempt, no verdict and no use of it yet. */
export const isUntried = ({ bearing, work, failed, doubts, restingOnIt, citedIn }: Case): boolean =>
  bearing === "untested" &&
  sumOf(work.attempts) === 0 &&
  [failed, doubts, restingOnIt, citedIn].every(({ items }) => items.length === 0)

/** Renders one sentence for an untried record, in place of several empty sections. */
export function untried({ work }: Case): Html {
  const lines = sumOf(work.experiments)
  const experiments =
    lines === 0
      ? "no experiment addresses it"
      : `${counted(lines, "experiment")} ${lines === 1 ? "addresses" : "address"} it, with no attempt so far`
  return html`<section aria-labelledby="strength">${heading(2, "strength", "How strong")}<p class="bearing">\
${stateBadge("untested", "Untested")}</p><p>Nothing has been tried yet: ${experiments}, nothing is said for or against \
it, and nothing rests on it.</p></section>`
}

/** A key for grouping failures whose reasons differ only in numbers. */
const alike = ({ kind, experiment, why }: Failed): string =>
  `${kind} ${experiment.experimentId} ${(why ?? "").replace(/[0-9]+/g, "0")}`

function failure(same: readonly Failed[]): Html | null {
  const [first, ...others] = same
  if (first === undefined) return null
  const { kind, why, author, at, experiment } = first
  const cancelled = kind === "experiment_cancelled"
  const named = ({ id, label: text, ...origin }: Failed) =>
    html`${label(cancelled ? "experiment" : "attempt", id, text)}${fromOther(origin)}`
  return html`<li>${stateBadge(
    cancelled ? "cancelled" : "failed",
    cancelled ? "given up" : kind === "attempt_diverged" ? "diverged" : "failed",
  )}<div>${named(first)}${
    cancelled ? null : html` of ${label("experiment", experiment.experimentId, experiment.label)}`
  }${why === null ? null : html`: ${beginning(why, 300)}`}${
    others.length > 0 && html` <span class="quiet">The same apart from numbers: ${joined(others.map(named))}.</span>`
  }<p class="meta"><span>${person(author)}</span><span>${exactTime(at)}</span></p></div></li>`
}

/** Renders failed and diverged attempts, and cancelled experiments. */
export function failures({ failed: { items, more } }: Around): Html | null {
  if (items.length === 0) return null
  const groups = [...Map.groupBy(items, alike).values()]
  const all = html`<ul class="evidence">${groups.map(failure)}</ul>\
${more ? html`<p class="meta">The newest ${items.length}; there are more.</p>` : null}`
  return fold("failed", "What failed", `${items.length}${more ? "+" : ""}`, live("failed", all))
}

const places: { readonly [P in Case["doubts"]["items"][number]["of"]]: string } = {
  itself: "it",
  bears_on_it: "which bears on it",
  it_rests_on: "which it rests on",
}

/** Renders what is disputed or withdrawn, with reasons: of the record, of what bears on it, and of what it rests on. */
export function doubts({ doubts: { items, more } }: Around, itself = "it"): Html | null {
  if (items.length === 0) return null
  return html`<section aria-labelledby="doubts">${heading(2, "doubts", "What is disputed or withdrawn, and why")}\
<div id="live-doubts" data-live><ul class="evidence">${items.map(
    ({ linkId, attemptId, answered, label: text, kind, of, target, explanation, author, at, ...origin }) =>
      html`<li>${stateBadge(kind)}\
<div>${
        of === "itself" && itself === "it"
          ? "it"
          : html`${label(target.kind, target.versionId, target.label)}\
${fromOther(target)}, ${of === "itself" ? itself : places[of]}`
      }: ${phrase(explanation)}<p class="meta"><span>\
<a class="label" href="${to(linkId === null ? `/attempts/${attemptId}` : `/links/${linkId}`)}">${text}</a>\
${fromOther(origin)}</span>\
<span>${person(author)} ${kind === "does_not_reproduce" ? "did not reproduce" : linkKinds[kind].status} \
it${answered === undefined ? "" : "; its author has answered"}</span><span>${exactTime(at)}</span></p></div></li>`,
  )}</ul>${more ? html`<p class="meta">The newest ${items.length}; there are more.</p>` : null}</div></section>`
}

/** Renders the records and checkpoints that would come into doubt if this record fell. */
export function downstream({ restingOnIt, citedIn, versionId, roomId }: Case): Html | null {
  const { items: records } = restingOnIt
  const { items: checkpoints } = citedIn
  if (records.length + checkpoints.length === 0) return null
  const count = `${records.length + checkpoints.length}${restingOnIt.more || citedIn.more ? "+" : ""}`
  const all = html`<ul class="uses">${checkpoints.map(
    ({ checkpointId, state, says, title, cites }) =>
      html`<li>${glyph(state)} <a href="${to(`/checkpoints/${checkpointId}`)}">\
${state === "concluded" ? "The answer" : "The synthesis"} of “${title}”</a>\
${
  cites.versionId === versionId
    ? null
    : html` <span class="quiet">through ${label("record", cites.versionId, cites.label)}</span>`
}: ${beginning(says, 200)}</li>`,
  )}${records.map(
    (record) =>
      html`<li>${recordChip(record)}\
${
  record.through === null
    ? null
    : html` <span class="quiet">through ${label("record", record.through.versionId, record.through.label)}</span>`
}</li>`,
  )}</ul>${
    restingOnIt.more || citedIn.more
      ? html`<p class="meta"><a \
href="${to(withQuery(`/rooms/${roomId}/graph`, { focus: versionId, depth: 5 }))}">There is more: its relations</a></p>`
      : null
  }`
  return fold("downstream", "What would fall with it", count, live("downstream", all))
}

/** One line in place of sections that would be empty. */
export const nothingOf = (sentences: readonly (string | null | false)[]): Html | null => {
  const shown = sentences.filter((sentence) => typeof sentence === "string")
  return shown.length === 0 ? null : html`<p class="quiet nothing">${shown.join(" ")}</p>`
}

/** Sentences for the sections around a record or conclusion that would be empty. */
export const absent = ({ failed, doubts: doubted, work: { attempts } }: Around): (string | false)[] => [
  failed.items.length === 0 && (sumOf(attempts) > 0 ? "No attempt failed." : "Nothing was tried yet."),
  doubted.items.length === 0 && "Nothing is disputed or withdrawn.",
]

/** Renders the records that a conclusion cites, each with its status and what counts for and against it. */
export const restsOn = ({ citations }: AnswerOf<"checkpoint_case">): Html =>
  html`<section aria-labelledby="rests">${heading(2, "rests", "What it rests on")}<div id="live-rests" data-live>${
    citations.length === 0
      ? html`<p class="quiet">It cites no record.</p>`
      : html`<ul class="evidence">${citations.map(
          ({ versionId, kind, label: text, wording, status, author, outcome, evidenceTally, ...origin }) =>
            html`<li>${stateBadge(
              status === "current" ? (outcome ?? status) : status,
              status === "current" && outcome === null ? "stands" : undefined,
            )}<div>${label(kind, versionId, text)}${fromOther(origin)} ${phrase(wording)}<p class="meta">\
<span>${words(kind)} of ${person(author)}</span><span>${tally(evidenceTally, author.username)}</span></p></div></li>`,
        )}</ul>`
  }</div></section>`

// Checkpoints of Threads, and why they are stale.

const namesOf = (reason: StaleReason): Html =>
  html`${reason.versionId === undefined ? "A record" : label("record", reason.versionId, reason.label ?? "a record")}\
${fromOther(reason)}`

/** Lists the reasons why a checkpoint is stale. Null if there are none. */
export const whyStale = (reasons: readonly StaleReason[]): Html | null =>
  reasons.length === 0
    ? null
    : html`<ul class="stale" aria-label="What has come since">\
${reasons.map(
  (reason) => html`<li>${glyph(reason.status ?? "open")} ${namesOf(reason)}${staleBecause(reason)}</li>`,
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

// What changed in a Room, or among the records that a checkpoint cites: one table, and who reproduced what.

/** Records that the folded line names, and characters of each text in the table. */
const SHOWN = { named: 3, characters: 240 }

const changeState = (record: ChangedRecord): Html =>
  stateBadge(record.change === "not_reproduced" ? "does_not_reproduce" : record.change, changeInWords(record))

/** "4: F6 not reproduced, F7 disputed, not answered, and 2 more": what the folded line says. */
function changeLine(changed: readonly ChangedRecord[], all: number): Html {
  const rest = all - Math.min(changed.length, SHOWN.named)
  const first = changed.slice(0, SHOWN.named).map((record) => html`${record.label} ${changeInWords(record)}`)
  return html`${all}: ${joined(first, "; ")}${rest > 0 && html`; and ${rest} more`}`
}

const changeRow = (record: ChangedRecord): Html =>
  html`<tr><th scope="row">${label("record", record.versionId, record.label)}${fromOther(record)}</th>\
<td>${changeState(record)}</td>\
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
      : html`${table("What changed", head, changed.map(changeRow), "stacked")}${
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
  return html`${fold("changed", "What changed", changeLine(changed, changed.length + moreChanged), list)}\
${fold("reproductions", "Reproductions by kind", `${others} of ${count} by others, ${own} with their own code`, kinds)}`
}
