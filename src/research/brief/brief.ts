/**
 * Writes a brief of a Room or Thread within a budget of bytes: the most important items, with texts cut to fit and
 * omitted items counted.
 */
import { type BriefList, briefLists, wholeLists } from "../../contract/nouns/overview.ts"
import { each } from "../../contract/typed.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { limits } from "../../contract/limits.ts"
import { schemaVersions } from "../../contract/service.ts"
import { oneLine as line } from "../../contract/text.ts"
import type { BriefItem, ListText } from "../../ledger/domains/brief.ts"

type Shares = Readonly<Record<BriefList, number>>
/** The share of a brief that each list gets before the rest is distributed, in percent. */
const shares: Shares = {
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
const firstShares: Shares = {
  ...{ stands: 42, disputes: 6, findings: 46, changed: 0, failures: 2, work: 0, claims: 0, next: 2 },
  ...{ hypotheses: 1, openQuestions: 1, messages: 0 },
}
/** Whether a brief is so short that links to what it leaves out would take the place of findings. */
const isFirst = (budget: number): boolean => budget <= limits.briefFirst

/** An item of any list. Only the list itself knows more. */
type Item = BriefItem<BriefList>
type Lists = { readonly [L in BriefList]: readonly Item[] }
/** How each list is shown. */
export type Texts = { readonly [L in BriefList]: ListText<BriefList> }
const emptyLists = (): { [L in BriefList]: Item[] } => each(briefLists, () => [])

/** The members before the lists, with texts cut to a number of characters. */
type About = Pick<AnswerOf<"room_brief">, "room"> | Pick<AnswerOf<"thread_brief">, "thread">
type Brief = About & Omit<AnswerOf<"room_brief">, BriefList | "room"> & Lists

export interface BriefFormat {
  readonly write: (brief: Brief) => string
  /** The bytes that one item of a list adds. */
  readonly cost: (list: BriefList, item: Item) => number
  /** An item of a brief that agents read first. */
  readonly first: (list: BriefList, item: Item) => Item
}

export const asJson = (texts: Texts): BriefFormat => ({
  write: JSON.stringify,
  cost: (_list, item) => Buffer.byteLength(JSON.stringify(item)) + 1,
  first: (list, item) => texts[list].shorter?.(item) ?? item,
})

/** Writes the lists as sections, in their order. */
export function asMarkdown(texts: Texts): BriefFormat {
  const lineOf = (list: BriefList, item: Item): string => `- ${texts[list].line(item)}\n`
  function section(brief: Brief, list: BriefList): string {
    const omitted = brief.omitted[list]
    const link = omitted?.link === undefined ? "" : `: ${omitted.link}`
    const left = omitted === undefined ? "" : `- and ${omitted.count} more${link}\n`
    const lines = brief[list].map((item) => lineOf(list, item)).join("")
    return lines === "" && left === "" ? "" : `\n## ${texts[list].title}\n${lines}${left}`
  }
  function write(brief: Brief): string {
    const head =
      "room" in brief
        ? `# ${line(brief.room.title)}\n\n${brief.room.question === null ? "" : `${line(brief.room.question)}\n\n`}` +
          `Room ${brief.room.roomId}, opening Thread ${brief.room.openingThreadId}, ` +
          `${brief.room.state}${brief.room.concluded ? ", concluded" : ""}, at activity ${brief.activityWatermark}.\n`
        : `# ${line(brief.thread.title)}\n\nThread ${brief.thread.threadId} of Room ${brief.thread.roomId}, ` +
          `at entry ${brief.thread.timelineWatermark}.\n`
    const table = brief.table === undefined ? "" : `\n${brief.table}\n`
    const reproductions = brief.reproductions === undefined ? "" : `\n${brief.reproductions}\n`
    const isShort = Object.values(brief.omitted).some(({ link }) => link === undefined)
    const more = isShort ? "\nA larger budget tells what is left out.\n" : ""
    return [head, table, reproductions, ...briefLists.map((list) => section(brief, list)), more].join("")
  }
  return { write, cost: (list, item) => Buffer.byteLength(lineOf(list, item)), first: (_list, item) => item }
}

/** Whether all items fit into a number of bytes. */
function fits(lists: Lists, bytes: number, format: BriefFormat): boolean {
  let left = bytes
  return briefLists.every((list) => lists[list].every((item) => (left -= format.cost(list, item)) >= 0))
}

/**
 * Returns the items that fit into a number of bytes: what the first Thread says comes before anything else, then each
 * list fills its share, and the first lists get the rest.
 */
function fitted(items: Lists, bytes: number, format: BriefFormat, shares: Shares, texts: Texts): Lists {
  const chosen = emptyLists()
  let left = bytes
  function fill(list: BriefList, most: number): void {
    let allowed = most
    for (const item of items[list].slice(chosen[list].length)) {
      const cost = format.cost(list, item)
      if (cost > Math.min(allowed, left)) return
      chosen[list].push(item)
      allowed -= cost
      left -= cost
    }
  }
  const [first] = items.stands
  const said =
    first && [first, texts.stands.barest?.(first) ?? first].find((each) => format.cost("stands", each) <= bytes)
  const cost = said === undefined ? 0 : format.cost("stands", said)
  if (said !== undefined) chosen.stands.push(said)
  left -= cost
  const shareOf = (list: BriefList) => (bytes * shares[list]) / 100 - (list === "stands" ? cost : 0)
  for (const list of briefLists) fill(list, shareOf(list))
  for (const list of briefLists) fill(list, left)
  return chosen
}

export interface Head {
  readonly about: (characters: number) => About
  readonly activityWatermark: number
  /** The total number of items of each list, including those that were not read. */
  readonly totals: { readonly [L in BriefList]?: number | undefined }
  readonly links: Readonly<Record<BriefList, string>>
  /** The table of a Room in which no checkpoint has one, as long as texts of a number of characters allow. */
  readonly table: ((characters: number) => string | undefined) | undefined
  /** The reproductions by their kind, in a sentence; null without any. */
  readonly reproductions: string | null | undefined
}

/** The lengths of texts to try, longest first. If items are left out, only the shortest is used. */
const lengths = (budget: number): number[] => {
  const own = Math.max(60, Math.min(400, Math.round(budget / 60)))
  return [...new Set([2_000, 1_000, 400, 200, own])].filter((length) => length >= own)
}

/**
 * Writes a brief.
 * @param made the items of each list, with texts cut to a number of characters
 * @param budget bytes of the text, at least `limits.briefMin`; the text is never longer
 */
export function briefText(
  head: Head,
  texts: Texts,
  made: { readonly [L in BriefList]: (characters: number) => readonly Item[] },
  budget: number,
  format: BriefFormat,
): string {
  const listsAt = (characters: number): Lists => each(wholeLists, (list) => made[list](characters))
  const most = lengths(budget)
  const own = Math.min(...most)
  const whole = listsAt(own)
  const items = isFirst(budget)
    ? each(briefLists, (list) => whole[list].map((item) => format.first(list, item)))
    : whole
  // Longer texts are tried only if no item is left out, so not if there are items that were not read.
  const isComplete = briefLists.every((list) => items[list].length >= (head.totals[list] ?? 0))
  for (const length of isComplete ? most.filter((each) => each !== own || isFirst(budget)) : []) {
    const frame = framed(head, items, length, budget, format)
    const longer = listsAt(length)
    if (fits(longer, frame.left, format)) return frame.write(longer)
  }
  const frame = framed(head, items, own, budget, format)
  return frame.write(fitted(items, frame.left, format, isFirst(budget) ? firstShares : shares, texts))
}

/** Makes the frame around the lists, with texts as long as the budget allows, and counts the bytes left for items. */
function framed(head: Head, items: Lists, length: number, budget: number, format: BriefFormat) {
  const table = head.table?.(length)
  const brief = (most: number, lists: Lists): Brief => ({
    schemaVersion: schemaVersions.research,
    ...head.about(most),
    ...(table !== undefined && most >= Math.min(length, 100) && { table }),
    ...(head.reproductions != null && !isFirst(budget) && { reproductions: head.reproductions }),
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
