/** Helps an outside reader judge a record or a conclusion: its strength, failures, doubts, and what rests on it. */
import type { Origins } from "../../contract/answers/judging.ts"
import { type Reviewed, withoutEvidence } from "../../contract/answers/reviews.ts"
import { enumerations } from "../../contract/schema/enumerations.ts"
import { linkKinds } from "../../contract/operations/link-kinds.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { withQuery } from "../addresses.ts"
import { type Content, type Html, html, joined, to } from "../html.ts"
import { beginning, phrase, inlineMarkdown } from "../markdown.ts"
import { counted, title, words } from "../words.ts"
import { tallied, tally, verdictCount } from "./evidence.ts"
import { glyph, stateBadge } from "./marks.ts"
import { exactTime, fold, fromOther, heading, label, live, person, recordChip, time } from "./parts.ts"
import { staleBecause, type StaleReason } from "../../contract/answers/evidence.ts"
import { reviewLine } from "./reviews.ts"

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
      html`<li>${recordChip(record, 160)}\
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
