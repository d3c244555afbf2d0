/** A Room or Thread in so many bytes: what a reader would miss most, cut to fit, and what is left out counted. */
import { each } from "../../contract/each.ts"
import { type BriefList, briefLists } from "../../contract/brief.ts"
import { type JsonObject, parse, type Writable, writeJson } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import { schemaVersions } from "../../contract/versions.ts"
import { shortened } from "../../contract/text.ts"
import type { Gathered } from "./candidates.ts"
import type { NextItem } from "./next.ts"

/** The share of a brief that each list has before the others take what is left, in parts of a hundred. */
const shares: Readonly<Record<BriefList, number>> = {
  stands: 24,
  hypotheses: 26,
  failures: 14,
  disputes: 8,
  work: 9,
  next: 12,
  openQuestions: 7,
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
    hypotheses: gathered.hypotheses.map(({ versionId, label, says, status, tally }) => ({
      versionId,
      label,
      says: cut(says),
      status,
      evidence: parse(tally),
    })),
    failures: gathered.failures.map(({ kind, id, label, why, at }) => ({ kind, id, label, why: cut(why ?? "It gave no reason."), at })),
    disputes: gathered.disputes.map(({ threadId: _thread, ...dispute }) => ({
      ...dispute,
      says: cut(dispute.says),
      why: cut(dispute.why),
    })),
    work: [...work.filter(({ silentSince: silent }) => silent !== null), ...work.filter(({ silentSince: silent }) => silent === null)].map(
      ({ experimentId, label, question, status, assignee, silentSince: silent }) => ({
        experimentId,
        label,
        question: cut(question),
        status,
        assignee,
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

/**
 * Writes a brief.
 * @param budget bytes of the JSON text, at least `limits.briefMin`; the text is never longer
 * @param now milliseconds since 1970
 */
export function briefText(head: Head, gathered: Gathered, next: readonly NextItem[], budget: number, now: number): string {
  // A larger brief tells more of each thing as well as more things.
  const characters = Math.max(60, Math.min(400, Math.round(budget / 60)))
  const candidates = itemsOf(gathered, next, now, characters)
  const total = (list: BriefList) => Math.max(candidates[list].length, head.totals[list] ?? 0)

  const told = each(briefLists, (): Writable[] => [])
  const omitted = (withLinks: boolean): Record<string, Writable> =>
    Object.fromEntries(
      briefLists.flatMap((list) => {
        const count = total(list) - told[list].length
        return count === 0 ? [] : [[list, { count, ...(withLinks ? { link: head.links[list] } : {}) }]]
      }),
    )
  const written = (withLinks: boolean, length = characters) =>
    writeJson({
      schemaVersion: schemaVersions.research,
      ...head.about(length),
      ...told,
      omitted: omitted(withLinks),
      activityWatermark: head.activityWatermark,
    })

  // With nothing told, everything is counted as left out: the frame only gets shorter from here on.
  const withLinks = Buffer.byteLength(written(true)) < budget / 2
  const length = withLinks ? characters : 40
  const frame = Buffer.byteLength(written(withLinks, length))
  let left = budget - frame
  const tell = (list: BriefList, most: number): void => {
    let allowed = most
    for (const item of candidates[list].slice(told[list].length)) {
      const cost = Buffer.byteLength(writeJson(item)) + 1
      if (cost > Math.min(allowed, left)) return
      told[list].push(item)
      allowed -= cost
      left -= cost
    }
  }
  const whole = left
  for (const list of briefLists) tell(list, (whole * shares[list]) / 100)
  for (const list of briefLists) tell(list, left)
  return written(withLinks, length)
}
