/** A Room or Thread in so many bytes: what a reader would miss most, cut to fit, and what is left out counted. */
import { type BriefList, briefLists } from "../../contract/answers/brief.ts"
import { blemishesInWords } from "../../contract/answers/blemishes.ts"
import { verdictFromInWords } from "../../contract/answers/verdict.ts"
import { parse } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { schemaVersions } from "../../contract/versions.ts"
import { shortened } from "../../contract/text.ts"
import { leaseOf } from "../experiments/admission.ts"
import { reviewedSentence } from "../reviews/reviews.ts"
import type { Gathered } from "./candidates.ts"
import { type Brief, type Form, fitted, isRoomFor, itemsOf, type Lists, type Makers, nothing } from "./fitting.ts"
import type { NextItem } from "./next.ts"

export interface Head {
  /** The members before the lists, their texts cut to so many characters. */
  readonly about: (characters: number) => Pick<AnswerOf<"room_brief">, "room"> | Pick<AnswerOf<"thread_brief">, "thread">
  readonly activityWatermark: number
  /** How much there is of each list where more is known than was looked at. */
  readonly totals: Partial<Record<BriefList, number>>
  readonly links: Readonly<Record<BriefList, string>>
}

/** What is to be done next, what is claimed, and the effects of findings in a sentence each. */
interface Told extends Pick<AnswerOf<"room_next">, "items" | "claims"> {
  readonly effects: ReadonlyMap<string, readonly string[]>
}

/** Effects of a finding that are told where texts have so many characters. */
const effectsTold = (characters: number): number => (characters < 400 ? 2 : limits.effects)

const DAY = 86_400_000

/** Since when nothing was heard of work that somebody holds; null while it is alive or nobody's. */
const silentSince = ({ status, lastSign }: Gathered["work"][number], now: number): string | null =>
  status !== "open" && now - Date.parse(lastSign) > limits.silentDays * DAY ? lastSign : null

/** How to write the items of each list, their texts cut to so many characters. */
function listsOf(gathered: Gathered, { items: next, claims, effects }: Told, now: number): Makers {
  const stands = gathered.stands.map((stand) => ({ ...stand, staleReasons: parse(stand.staleReasons).slice(0, 5) }))
  const hypotheses = gathered.hypotheses.map((each) => ({
    ...each,
    evidence: parse(each.tally),
    verdictBy: each.verdictFrom === null ? null : verdictFromInWords(parse(each.verdictFrom)),
  }))
  const findings = gathered.findings.map((each) => ({
    ...each,
    evidence: parse(each.tally),
    effects: effects.get(each.versionId) ?? [],
  }))
  const work = gathered.work.map((each) => ({ ...each, lease: leaseOf(each, now), silentSince: silentSince(each, now) }))
  const isStill = ({ lease, silentSince: silent }: (typeof work)[number]) => silent !== null || lease?.lapsed === true
  return {
    stands: (most) =>
      stands.map(({ says, stale, staleReasons, reviewed, timelineWatermark: _moved, ...stand }) => ({
        ...stand,
        title: shortened(stand.title, 100),
        says: shortened(says, most * 2),
        stale: stale === 1,
        staleReasons,
        reviewed: reviewedSentence(reviewed),
      })),
    hypotheses: (most) =>
      hypotheses.map(({ versionId, label, says, verdict, verdictBy, status, evidence, inDoubt }) => ({
        versionId,
        label,
        says: shortened(says, most),
        verdict,
        verdictBy,
        status,
        evidence,
        inDoubt: inDoubt === 1,
      })),
    findings: (most) =>
      findings.map(({ versionId, label, outcome, says, effects, status, evidence, inDoubt, reviewed, blemishes, by, agent }) => ({
        versionId,
        label,
        outcome,
        says: shortened(says, most),
        ...(effects.length > 0 && { effects: effects.slice(0, effectsTold(most)) }),
        ...(effects.length > effectsTold(most) && { omittedEffects: effects.length - effectsTold(most) }),
        status,
        evidence,
        inDoubt: inDoubt === 1,
        reviewed: reviewed === null ? null : reviewedSentence(reviewed),
        blemishes: blemishes === null ? null : blemishesInWords(parse(blemishes)),
        ...{ by, agent },
      })),
    failures: (most) =>
      gathered.failures.map(({ sequence: _place, threadId: _thread, why, ...failure }) => ({
        ...failure,
        why: shortened(why ?? "It gave no reason.", most),
      })),
    disputes: (most) =>
      gathered.disputes.map(({ threadId: _thread, replyTo: _reply, part, says, ...dispute }) => ({
        ...dispute,
        ...(part !== null && { part: shortened(part, most) }),
        says: says === null ? null : shortened(says, most),
        why: shortened(dispute.why, most),
      })),
    work: (most) =>
      [...work.filter(isStill), ...work.filter((each) => !isStill(each))].map(
        ({ experimentId, label, question, status, assignee, agent, lease, silentSince: silent }) => ({
          experimentId,
          label,
          question: shortened(question, most),
          status,
          assignee,
          agent,
          ...(lease && { lease }),
          silentSince: silent,
        }),
      ),
    claims: (most) => claims.map((claim) => ({ ...claim, note: claim.note === null ? null : shortened(claim.note, most) })),
    next: (most) => next.map((step) => ({ ...step, why: shortened(step.why, most), body: cutTexts(step.body, most * 2) })),
    openQuestions: (most) => gathered.openQuestions.map(({ question, threadId }) => ({ question: shortened(question, most), threadId })),
  }
}

/** The texts of a prepared body, also cut: the agent reads the whole before it sends one. */
const cutTexts = (body: NextItem["body"], characters: number): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).map(([name, value]) => [name, typeof value === "string" ? shortened(value, characters) : value]))

/** Lengths of texts in a larger and larger brief: where nothing is left out, the longest that fit. */
const lengths = (budget: number): number[] => {
  const own = Math.max(60, Math.min(400, Math.round(budget / 60)))
  return [...new Set([2_000, 1_000, 400, 200, own])].filter((length) => length >= own)
}

/**
 * Writes a brief.
 * @param budget bytes of the text, at least `limits.briefMin`; the text is never longer
 * @param now milliseconds since 1970
 */
export function briefText(head: Head, gathered: Gathered, told: Told, budget: number, now: number, form: Form): string {
  const lists = listsOf(gathered, told, now)
  const most = lengths(budget)
  const own = Math.min(...most)
  const items = itemsOf(lists, own)
  // A longer text shows that nothing is left out; where more is known than was looked at, something is.
  const isComplete = briefLists.every((list) => items[list].length >= (head.totals[list] ?? 0))
  for (const length of isComplete ? most.filter((each) => each !== own) : []) {
    const frame = framed(head, items, length, budget, form)
    if (isRoomFor(lists, length, frame.left, form)) return frame.write(itemsOf(lists, length))
  }
  const frame = framed(head, items, own, budget, form)
  return frame.write(fitted(items, frame.left, form))
}

/** What stands around the lists, its texts as long as the budget allows, and the bytes it leaves for items. */
function framed(head: Head, items: Lists, length: number, budget: number, form: Form) {
  const brief = (most: number, told: Lists): Brief => ({
    schemaVersion: schemaVersions.research,
    ...head.about(most),
    ...told,
    omitted: Object.fromEntries(
      briefLists.flatMap((list) => {
        const count = Math.max(items[list].length, head.totals[list] ?? 0) - told[list].length
        return count === 0 ? [] : [[list, { count, link: head.links[list] }]]
      }),
    ),
    activityWatermark: head.activityWatermark,
  })
  // With nothing told, everything is counted as left out: the frame only gets shorter from here on.
  const leftBy = (most: number) => budget - Buffer.byteLength(form.write(brief(most, nothing())))
  let [most, left] = [length, leftBy(length)]
  for (const shorter of [100, 40, 10]) {
    if (left >= 0) break
    if (shorter < most) [most, left] = [shorter, leftBy(shorter)]
  }
  return { left, write: (told: Lists) => form.write(brief(most, told)) }
}
