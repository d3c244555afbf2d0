/** A Room or Thread in so many bytes: what a reader would miss most, cut to fit, and what is left out counted. */
import { each } from "../../contract/each.ts"
import { type BriefList, briefLists } from "../../contract/answers/brief.ts"
import { type JsonObject, parse, parsed, stored, type Writable, writeJson } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { schemaVersions } from "../../contract/versions.ts"
import { shortened } from "../../contract/text.ts"
import type { Gathered } from "./candidates.ts"
import type { NextItem } from "./next.ts"

/** The share of a brief that each list has before the others take what is left, in parts of a hundred. */
const shares: Readonly<Record<BriefList, number>> = {
  stands: 24,
  hypotheses: 20,
  findings: 14,
  failures: 10,
  disputes: 8,
  work: 9,
  next: 10,
  openQuestions: 5,
}

export interface Head {
  /** The members before the lists, their texts cut to so many characters. */
  readonly about: (characters: number) => JsonObject
  readonly activityWatermark: number
  /** How much there is of each list where more is known than was looked at. */
  readonly totals: Partial<Record<BriefList, number>>
  readonly links: Readonly<Record<BriefList, string>>
}

const DAY = 86_400_000

/** Since when nothing was heard of work that somebody holds; null while it is alive or nobody's. */
const silentSince = ({ status, lastSign }: Gathered["work"][number], now: number): string | null =>
  status !== "open" && now - Date.parse(lastSign) > limits.silentDays * DAY ? lastSign : null

/** The items of each list, their texts cut to so many characters. */
function itemsOf(gathered: Gathered, next: readonly NextItem[], now: number, characters: number): Record<BriefList, Writable[]> {
  const cut = (text: string) => shortened(text, characters)
  const work = gathered.work.map((each) => ({ ...each, silentSince: silentSince(each, now) }))
  return {
    stands: gathered.stands.map(({ says, stale, staleReasons, timelineWatermark: _moved, ...stand }) => ({
      ...stand,
      title: shortened(stand.title, 100),
      says: shortened(says, characters * 2),
      stale: stale === 1,
      staleReasons: parse(staleReasons).slice(0, 5),
    })),
    hypotheses: gathered.hypotheses.map(({ versionId, label, says, status, tally, inDoubt }) => ({
      versionId,
      label,
      says: cut(says),
      status,
      evidence: parse(tally),
      inDoubt: inDoubt === 1,
    })),
    findings: gathered.findings.map(({ versionId, label, outcome, says, status, tally, inDoubt }) => ({
      versionId,
      label,
      outcome,
      says: cut(says),
      status,
      evidence: parse(tally),
      inDoubt: inDoubt === 1,
    })),
    failures: gathered.failures.map(({ kind, id, label, why, at }) => ({ kind, id, label, why: cut(why ?? "It gave no reason."), at })),
    disputes: gathered.disputes.map(({ threadId: _thread, part, ...dispute }) => ({
      ...dispute,
      ...(part !== null && { part: cut(part) }),
      says: cut(dispute.says),
      why: cut(dispute.why),
    })),
    work: [...work.filter(({ silentSince: silent }) => silent !== null), ...work.filter(({ silentSince: silent }) => silent === null)].map(
      ({ experimentId, label, question, status, assignee, agent, silentSince: silent }) => ({
        experimentId,
        label,
        question: cut(question),
        status,
        assignee,
        agent,
        silentSince: silent,
      }),
    ),
    next: next.map((step) => ({ ...step, why: cut(step.why), body: cutTexts(step.body, characters * 2) })),
    openQuestions: gathered.openQuestions.map(({ question, threadId }) => ({ question: cut(question), threadId })),
  }
}

/** The texts of a body begun, cut as well: whoever sends it reads the whole first. */
const cutTexts = (body: NextItem["body"], characters: number): Record<string, Writable> =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, typeof value === "string" ? shortened(value, characters) : (value as Writable)]),
  )

/** What a brief holds. */
export type Brief = AnswerOf<"room_brief"> | AnswerOf<"thread_brief">
/** A form that a brief is written in. */
export interface Form {
  readonly write: (brief: Brief) => string
  /** The bytes that one item of a list adds. */
  readonly cost: <L extends BriefList>(list: L, item: Brief[L][number]) => number
}
export const asJson: Form = { write: JSON.stringify, cost: (_list, item) => Buffer.byteLength(JSON.stringify(item)) + 1 }

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
export function briefText(head: Head, gathered: Gathered, next: readonly NextItem[], budget: number, now: number, form: Form): string {
  const most = lengths(budget)
  for (const length of most) {
    const { text, isWhole } = fitted(head, itemsOf(gathered, next, now, length), length, budget, form)
    if (isWhole || length === most.at(-1)) return text
  }
  return ""
}

/** As much of some items as fits, the rest counted, with the link that lists it. */
function fitted(head: Head, candidates: Record<BriefList, Writable[]>, length: number, budget: number, form: Form) {
  const all: Brief = parse(
    stored(
      writeJson({
        schemaVersion: schemaVersions.research,
        ...head.about(length),
        ...candidates,
        omitted: {},
        activityWatermark: head.activityWatermark,
      }),
    ),
  )
  const told = each(briefLists, (): Brief[BriefList][number][] => [])
  const omitted = (): Brief["omitted"] =>
    Object.fromEntries(
      briefLists.flatMap((list) => {
        const count = Math.max(all[list].length, head.totals[list] ?? 0) - told[list].length
        return count === 0 ? [] : [[list, { count, link: head.links[list] }]]
      }),
    )
  /** What is told so far. @param most characters of the texts before the lists */
  const written = (most: number): string =>
    form.write(parse(stored<Brief>(JSON.stringify({ ...all, ...parsed<object>(head.about(most)), ...told, omitted: omitted() }))))

  // With nothing told, everything is counted as left out: the frame only gets shorter from here on.
  const fitting = [length, 100, 40, 10].find((most) => most <= length && Buffer.byteLength(written(most)) <= budget) ?? 10
  let left = budget - Buffer.byteLength(written(fitting))
  const tell = (list: BriefList, most: number): void => {
    let allowed = most
    for (const item of all[list].slice(told[list].length)) {
      const cost = form.cost(list, item)
      if (cost > Math.min(allowed, left)) return
      told[list].push(item)
      allowed -= cost
      left -= cost
    }
  }
  const whole = left
  for (const list of briefLists) tell(list, (whole * shares[list]) / 100)
  for (const list of briefLists) tell(list, left)
  return { text: written(fitting), isWhole: Object.keys(omitted()).length === 0 }
}
