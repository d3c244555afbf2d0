/**
 * Writes a brief of a Room or Thread within a budget of bytes: the most important items, with texts cut to fit and
 * omitted items counted.
 */
import { type BriefList, briefLists } from "../../contract/answers/overview.ts"
import { mayTakeOver } from "../../contract/answers/experiments.ts"
import { each } from "../../contract/typed.ts"
import { numbersInWords, type RecordNumbers } from "../../contract/answers/numbers.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { blemishesInWords } from "../../contract/answers/judging.ts"
import { type Verdict, verdictFromInWords } from "../../contract/answers/parts.ts"
import { parse } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import { schemaVersions } from "../../contract/service.ts"
import { firstParagraph, shortened } from "../../contract/text.ts"
import { tallyInWords } from "../../contract/answers/evidence.ts"
import type { EffectSentences } from "../measurements/effects.ts"
import { withTerms } from "../experiments/holders.ts"
import { reviewedSentence } from "../reviews/reviews.ts"
import type { ChangedRecord } from "../../contract/answers/changed.ts"
import type { Gathered as Candidates } from "./candidates.ts"
import type { NextItem } from "./next.ts"

// The lists of a brief, its formats, and the choice of the items that fit into a number of bytes.

/** The share of a brief that each list gets before the rest is distributed, in percent. */
const shares: Readonly<Record<BriefList, number>> = {
  stands: 28,
  disputes: 8,
  findings: 26,
  changed: 4,
  failures: 8,
  work: 5,
  claims: 3,
  next: 7,
  hypotheses: 8,
  openQuestions: 2,
  messages: 3,
}
/** The same for the brief that agents read first: the answer with its table, and at least five findings. */
const firstShares: typeof shares = {
  ...{ stands: 42, disputes: 6, findings: 46, changed: 0, failures: 2, work: 0, claims: 0, next: 2 },
  ...{ hypotheses: 1, openQuestions: 1, messages: 0 },
}
const sharesAt = (budget: number): typeof shares => (isFirst(budget) ? firstShares : shares)
/** Whether a brief is so short that links to what it leaves out would take the place of findings. */
const isFirst = (budget: number): boolean => budget <= limits.briefFirst

export type Brief = AnswerOf<"room_brief"> | AnswerOf<"thread_brief">
type Lists = Pick<Brief, BriefList>
const emptyLists = (): Lists => each(briefLists, () => [])

export interface BriefFormat {
  readonly write: (brief: Brief) => string
  /** The bytes that one item of a list adds. */
  readonly cost: <L extends BriefList>(list: L, item: Brief[L][number]) => number
  /** The lists of a brief that agents read first, with shorter items. */
  readonly first: (lists: Lists) => Lists
}

/** A finding without what says nothing, and with its evidence in words. */
function shortFinding(finding: Lists["findings"][number]): Lists["findings"][number] {
  const { status, evidence, inDoubt, reviewed, blemishes: _blemishes, ...said } = finding
  const tally = evidence && tallyInWords(evidence)
  return {
    ...said,
    ...(status !== "current" && { status }),
    ...(tally != null && { tally }),
    ...(inDoubt === true && { inDoubt }),
    ...(reviewed != null && { reviewed }),
  }
}
export const asJson: BriefFormat = {
  write: JSON.stringify,
  cost: (_list, item) => Buffer.byteLength(JSON.stringify(item)) + 1,
  first: (lists) => ({
    ...lists,
    stands: lists.stands.map(({ knownThen: _known, numbersCheck: _counts, ...stand }) => stand),
    findings: lists.findings.map(shortFinding),
  }),
}

/** Whether all items fit into a number of bytes. */
function fits(lists: Lists, bytes: number, format: BriefFormat): boolean {
  let left = bytes
  const fit = <L extends BriefList>(list: L): boolean => {
    const items: readonly Lists[L][number][] = lists[list]
    return items.every((item) => (left -= format.cost(list, item)) >= 0)
  }
  return briefLists.every(fit)
}

/** What a Thread says, without all that may be read with its checkpoint. */
const bare = ({
  table: _table,
  numbersCheck: _counts,
  knownThen,
  ...stand
}: Lists["stands"][number]): Lists["stands"][number] => ({
  ...stand,
  staleReasons: stand.staleReasons.slice(0, 1),
  ...(knownThen && { knownThen: knownThen.slice(0, 1) }),
})

/**
 * Returns the items that fit into a number of bytes: what the first Thread says comes before anything else, then each
 * list fills its share, and the first lists get the rest.
 */
function fitted(items: Lists, bytes: number, format: BriefFormat, shares: Readonly<Record<BriefList, number>>): Lists {
  const chosen = emptyLists()
  let left = bytes
  const fill = <L extends BriefList>(list: L, most: number): void => {
    let allowed = most
    const from: Lists[L] = items[list]
    const to: Lists[L][number][] = chosen[list]
    for (const item of from.slice(to.length)) {
      const cost = format.cost(list, item)
      if (cost > Math.min(allowed, left)) return
      to.push(item)
      allowed -= cost
      left -= cost
    }
  }
  const [first] = items.stands
  const said = first && [first, bare(first)].find((each) => format.cost("stands", each) <= bytes)
  const cost = said === undefined ? 0 : format.cost("stands", said)
  if (said !== undefined) chosen.stands.push(said)
  left -= cost
  const shareOf = (list: BriefList) => (bytes * shares[list]) / 100 - (list === "stands" ? cost : 0)
  for (const list of briefLists) fill(list, shareOf(list))
  for (const list of briefLists) fill(list, left)
  return chosen
}

export interface Head {
  /** The members before the lists, with texts cut to a number of characters. */
  readonly about: (
    characters: number,
  ) => Pick<AnswerOf<"room_brief">, "room"> | Pick<AnswerOf<"thread_brief">, "thread">
  readonly activityWatermark: number
  /** The total number of items of each list, including those that were not read. */
  readonly totals: Partial<Record<BriefList, number>>
  readonly links: Readonly<Record<BriefList, string>>
  /** The table of a Room in which no checkpoint has one, within a number of bytes; undefined if there is none. */
  readonly table: (bytes: number) => string | undefined
  /** The reproductions by their kind, in a sentence; null without any. */
  readonly reproductions: string | null
}

/** The next steps, the claims, the effects of findings, one sentence each, and the tables of checkpoints. */
interface Derived extends Pick<AnswerOf<"room_next">, "items" | "claims"> {
  readonly effects: ReadonlyMap<string, EffectSentences>
  /** The effect of each finding that tells most, in a clause. */
  readonly tellingOf: ReadonlyMap<string, string>
  readonly tableOf: (checkpointId: string, bytes: number) => string | undefined
  /** How many numbers of a checkpoint are in the record. */
  readonly numbers: (checkpointId: string) => RecordNumbers
}

type Gathered = Candidates & { readonly changed: readonly ChangedRecord[] }

/** The bytes of a table, depending on the length of texts. */
const tableBytes = (characters: number): number => Math.max(700, characters * 10)

/** The effects of a finding, in few sentences where texts are short. */
const effectsAt = (effects: EffectSentences | undefined, characters: number): readonly string[] =>
  (characters < 400 ? effects?.short : effects?.whole) ?? []
/** The contrasts shown for a finding, depending on the length of texts. */
const contrastsShown = (characters: number): number => (characters < 400 ? 2 : limits.effects)

const DAY = 86_400_000

/** The last sign of work whose holder has been silent for too long; otherwise null. */
const silentSince = ({ status, lastSign }: Gathered["work"][number], now: number): string | null =>
  status !== "open" && now - Date.parse(lastSign) > limits.silentDays * DAY ? lastSign : null

/** The characters within which the first paragraph of a conclusion is told whole. */
const SAID = 600

const verdictWithEffect = (from: NonNullable<Verdict["verdictFrom"]>, telling: ReadonlyMap<string, string>): string =>
  verdictFromInWords(from, { measured: telling.get(from.newest.by.id) })

/** Makes the items of each list. @returns a function of the number of characters to which it cuts their texts */
function listsOf(
  gathered: Gathered,
  { items: next, claims, effects: effectsOf, tableOf, tellingOf, numbers }: Derived,
  now: number,
): (most: number) => Lists {
  const work = gathered.work.map((row) => {
    const { revision: _revision, lastSign: _sign, ...each } = row
    return { ...withTerms(each, now), silentSince: silentSince(row, now) }
  })
  const { idle = [], busy = [] } = Object.groupBy(work, (each) =>
    each.silentSince !== null || mayTakeOver(each) ? "idle" : "busy",
  )
  const stands = gathered.stands.map((stand) => ({ ...stand, checked: numbers(stand.checkpointId) }))
  return (most) => ({
    stands: stands.map(({ timelineWatermark: _moved, answer, keptTable: _kept, checked, ...stand }) => {
      const table = tableOf(stand.checkpointId, tableBytes(most))
      const { unresolved: _named, ...numbersCheck } = checked
      return {
        ...stand,
        title: shortened(stand.title, 100),
        says: answer ?? shortened(firstParagraph(stand.says), Math.max(most * 2, SAID)),
        ...(table !== undefined && { table }),
        stale: stand.stale === 1,
        staleReasons: parse(stand.staleReasons).slice(0, 5),
        knownThen: parse(stand.knownThen).slice(0, 5),
        reviewed: reviewedSentence(stand.reviewed, stand.checkpointId),
        numbers: numbersInWords(checked),
        numbersCheck,
      }
    }),
    hypotheses: gathered.hypotheses.map(
      ({ rank: _rank, threadId: _thread, isAddressed: _addressed, ...hypothesis }) => ({
        ...hypothesis,
        says: shortened(hypothesis.says, most),
        verdictBy: hypothesis.verdictBy === null ? null : verdictWithEffect(parse(hypothesis.verdictBy), tellingOf),
        evidence: parse(hypothesis.evidence),
        inDoubt: hypothesis.inDoubt === 1,
      }),
    ),
    findings: gathered.findings.map((row) => {
      const {
        experimentId: _experiment,
        threadId: _thread,
        isRepeated: _repeated,
        versionId,
        label,
        outcome,
        says,
        ...finding
      } = row
      const [effects, shown] = [effectsAt(effectsOf.get(versionId), most), contrastsShown(most)]
      return {
        versionId,
        label,
        outcome,
        says: shortened(says, most),
        ...(effects.length > 0 && { effects: effects.slice(0, shown) }),
        ...(effects.length > shown && { omittedEffects: effects.length - shown }),
        ...finding,
        evidence: parse(finding.evidence),
        inDoubt: finding.inDoubt === 1,
        reviewed: finding.reviewed === null ? null : reviewedSentence(finding.reviewed),
        blemishes: finding.blemishes === null ? null : blemishesInWords(parse(finding.blemishes)),
      }
    }),
    changed: gathered.changed.map(({ before, now, why, ...each }) => ({
      ...each,
      before: shortened(before, most),
      now: now === null ? null : shortened(now, most),
      why: shortened(why, most),
    })),
    failures: gathered.failures.map(({ sequence: _place, threadId: _thread, why, ...failure }) => ({
      ...failure,
      why: shortened(why ?? "It gave no reason.", most),
    })),
    disputes: gathered.disputes.map(({ threadId: _thread, replyTo: _reply, part, says, ...dispute }) => ({
      ...dispute,
      ...(part !== null && { part: shortened(part, most) }),
      says: says === null ? null : shortened(says, most),
      why: shortened(dispute.why, most),
    })),
    work: [...idle, ...busy].map((each) => ({ ...each, question: shortened(each.question, most) })),
    claims: claims.map((claim) => ({ ...claim, note: claim.note === null ? null : shortened(claim.note, most) })),
    next: next.map((step) => ({ ...step, why: shortened(step.why, most), body: cutTexts(step.body, most * 2) })),
    openQuestions: gathered.openQuestions.map(({ question, threadId }) => ({
      question: shortened(question, most),
      threadId,
    })),
    messages: gathered.messages.map((message) => ({ ...message, says: shortened(message.says, most) })),
  })
}

/** Cuts the texts of a prepared body, which an agent reads in full before it sends the body. */
const cutTexts = (body: NextItem["body"], characters: number): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      typeof value === "string" ? shortened(value, characters) : value,
    ]),
  )

/** The lengths of texts to try, longest first. If items are left out, only the shortest is used. */
const lengths = (budget: number): number[] => {
  const own = Math.max(60, Math.min(400, Math.round(budget / 60)))
  return [...new Set([2_000, 1_000, 400, 200, own])].filter((length) => length >= own)
}

/**
 * Writes a brief.
 * @param budget bytes of the text, at least `limits.briefMin`; the text is never longer
 * @param now milliseconds since 1970
 */
export function briefText(
  head: Head,
  gathered: Gathered,
  derived: Derived,
  budget: number,
  now: number,
  format: BriefFormat,
): string {
  const listsAt = listsOf(gathered, derived, now)
  const most = lengths(budget)
  const own = Math.min(...most)
  const items = isFirst(budget) ? format.first(listsAt(own)) : listsAt(own)
  // Longer texts are tried only if no item is left out, so not if there are items that were not read.
  const isComplete = briefLists.every((list) => items[list].length >= (head.totals[list] ?? 0))
  for (const length of isComplete ? most.filter((each) => each !== own || isFirst(budget)) : []) {
    const frame = framed(head, items, length, budget, format)
    const longer = listsAt(length)
    if (fits(longer, frame.left, format)) return frame.write(longer)
  }
  const frame = framed(head, items, own, budget, format)
  return frame.write(fitted(items, frame.left, format, sharesAt(budget)))
}

/** Makes the frame around the lists, with texts as long as the budget allows, and counts the bytes left for items. */
function framed(head: Head, items: Lists, length: number, budget: number, format: BriefFormat) {
  const table = head.table(tableBytes(length))
  const brief = (most: number, lists: Lists): Brief => ({
    schemaVersion: schemaVersions.research,
    ...head.about(most),
    ...(table !== undefined && most >= Math.min(length, 100) && { table }),
    ...(head.reproductions !== null && !isFirst(budget) && { reproductions: head.reproductions }),
    ...lists,
    omitted: Object.fromEntries(
      briefLists.flatMap((list) => {
        const count = Math.max(items[list].length, head.totals[list] ?? 0) - lists[list].length
        return count === 0 || list === "messages"
          ? []
          : [[list, { count, ...(!isFirst(budget) && { link: head.links[list] }) }]]
      }),
    ),
    activityWatermark: head.activityWatermark,
  })
  // Without items, all of them are counted as omitted, so the frame can only get shorter.
  const leftBy = (most: number) => budget - Buffer.byteLength(format.write(brief(most, emptyLists())))
  let [most, left] = [length, leftBy(length)]
  for (const shorter of [100, 40, 10]) {
    if (left >= 0) break
    if (shorter < most) [most, left] = [shorter, leftBy(shorter)]
  }
  return { left, write: (lists: Lists) => format.write(brief(most, lists)) }
}
