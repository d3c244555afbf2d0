/**
 * Groups the entries of a timeline into items: what people wrote stands; what was done between is one line that
 * unfolds; the verdict of a finding stands in the finding's own card.
 */
import type { Entry } from "../../contract/answers/index.ts"
import { html, type Html } from "../html.ts"
import { counted, words } from "../words.ts"
import { doneBy } from "../../contract/operations/done-by.ts"
import { entryItem, type EntryView, isVerdictOn, receiptItem, type Step } from "./entry.ts"
import { writerOf } from "./parts.ts"

/** What stands together in a timeline, in order, and never empty. */
type Group = [Entry, ...Entry[]]

export interface Item {
  readonly entries: Group
  readonly markup: Html
}

/** The most names and steps that the line of a run says; the rest are counted. */
const NAMES = 2
const STEPS = 2

/** "a", "a and b", "a, b and 2 more". */
function listed(all: readonly string[], most: number, more = "more"): string {
  if (all.length > most + 1) return `${all.slice(0, most).join(", ")} and ${all.length - most} ${more}`
  return all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`
}

/** Labels of one kind in order: "A18 to A20, A23". */
export function labelRanges(labels: readonly string[]): string {
  const numbers = labels.map((label) => Number(label.slice(1))).toSorted((one, other) => one - other)
  const ranges: [from: number, to: number][] = []
  for (const number of numbers) {
    const last = ranges.at(-1)
    if (last !== undefined && number === last[1] + 1) last[1] = number
    else ranges.push([number, number])
  }
  const letter = labels[0]?.charAt(0) ?? ""
  const said = ranges.map(([from, to]) =>
    from === to ? `${letter}${from}` : `${letter}${from}${to === from + 1 ? "," : " to"} ${letter}${to}`,
  )
  return listed(said, 3)
}

/** The outcomes of a run's attempts: "3 succeeded, 1 failed". */
function outcomes(states: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const state of states) counts.set(state, (counts.get(state) ?? 0) + 1)
  return [...counts].map(([state, count]) => `${count} ${words(state)}`).join(", ")
}

/** What was done, in a line: "ada ran A18 to A20: 3 succeeded, and 2 other steps". */
function summary(run: readonly Entry[]): string {
  const names = new Set(run.map(({ author }) => writerOf(author)))
  const attempts = new Map<string, string>()
  const steps: string[] = []
  for (const { receipt } of run) {
    if (receipt === undefined) continue
    const { operation, target, result } = receipt
    if (target.kind === "attempt" && target.label !== null)
      attempts.set(target.label, typeof result.status === "string" ? result.status : "registered")
    else steps.push(target.label === null ? doneBy(operation) : `${doneBy(operation)} ${target.label}`)
  }
  const who = listed([...names], NAMES)
  if (attempts.size === 0) return `${who} ${listed(steps, STEPS)}`
  const others = steps.length === 0 ? "" : `; ${counted(steps.length, "other step")}`
  return `${who} ran ${labelRanges([...attempts.keys()])}: ${outcomes([...attempts.values()])}${others}`
}

const isReceipt = ({ receipt }: Entry): boolean => receipt !== undefined

/** @param first the sequence that begins a new item whatever stands before it */
function grouped(entries: readonly Entry[], first: number | undefined): Group[] {
  const groups: Group[] = []
  for (const entry of entries) {
    const last = groups.at(-1)
    const joins =
      last !== undefined &&
      entry.sequence !== first &&
      (isReceipt(entry) ? isReceipt(last[0]) : isVerdictOn(entry, last[0]))
    if (joins) last.push(entry)
    else groups.push([entry])
  }
  return groups
}

/** Renders a run of receipts. Its first entry gives the item its address, so that a run that grows keeps it. */
function runItem(run: Group, view: EntryView): Html {
  const [first, ...others] = run
  const last = others.at(-1)
  if (last === undefined) return receiptItem(first, view)
  const isOpen = run.some(({ entryId }) => entryId === view.chosen)
  const states = new Map<string, unknown>()
  const steps = run.map(({ author, receipt }, index): Step => {
    const before = run[index - 1]?.author
    const isSameWriter = before?.userId === author.userId && writerOf(before) === writerOf(author)
    if (receipt?.target.kind !== "attempt") return { isSameWriter, isProgress: false }
    const { target, result } = receipt
    const isProgress = states.get(target.id) === result.status
    states.set(target.id, result.status)
    return { isSameWriter, isProgress }
  })
  return html`<li class="receipt run" id="run-${first.entryId}" data-sequence="${last.sequence}">\
<details${isOpen ? html` open` : null}><summary>${summary(run)}</summary><ol class="steps-done">${run.map(
    (entry, index) => receiptItem(entry, view, steps[index]),
  )}</ol></details></li>`
}

/** The items of a timeline. @param first the sequence of the first new entry, which begins an item */
export const timelineItems = (entries: readonly Entry[], view: EntryView, first?: number): readonly Item[] =>
  grouped(entries, first).map((group) => ({
    entries: group,
    markup: isReceipt(group[0]) ? runItem(group, view) : entryItem(group[0], view, group.slice(1)),
  }))
