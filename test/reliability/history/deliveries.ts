/**
 * Groups the tries of each delivery and finds its outcome: accepted once, with one receipt that every replay repeats
 * byte by byte, or not stored at all.
 */
import { contentDigestOf, requestDigestOf } from "./content.ts"
import type { Findings } from "./faults.ts"
import { deliveryOf, type History, parsed, type Receipt, type Write } from "./history.ts"
import type { Accepted } from "./state.ts"

/** An accepted delivery, and the interval in which it happened. */
export interface Landed extends Accepted {
  readonly delivery: string
  readonly start: number
  readonly end: number
  readonly sequence: number
}

export const isOk = ({ status }: Pick<Write, "status">): boolean => status >= 200 && status < 300
/**
 * The outcome of a write without an answer. A 5xx that leaves it open is an answer of its own, and a fault if nothing
 * is broken.
 */
const isUnanswered = ({ status }: Write) => status === 0
const has = (write: Write, member: string) =>
  write.answer.endsWith("}") && new RegExp(`,"${member}":true[,}]`).test(write.answer)
export const isReplay = (write: Write): boolean => isOk(write) && parsed<Receipt>(write.answer).replayed === true
const isOriginal = (write: Write) => isOk(write) && !has(write, "replayed") && !has(write, "rehearsed")

export const nameOf = ({ client, operation, body, start }: Write): string =>
  `client ${client}'s ${operation} ${String(body.clientMessageId ?? body.requestId)} at ${start.toFixed(3)}`

function groupsOf(writes: readonly Write[]): Map<string, Write[]> {
  const groups = new Map<string, Write[]>()
  for (const write of writes) {
    const key = deliveryOf(write)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [write])
    else group.push(write)
  }
  return groups
}

/**
 * Which try was stored, if none was answered: one of the unanswered, preferably one with the content that the feed
 * names.
 */
function candidates(unanswered: readonly Write[], receipt: Receipt, { truth }: History): readonly Write[] {
  const entry = truth.feed[(receipt.activity?.sequence ?? 0) - 1]
  const fitting = unanswered.filter((write) => contentDigestOf(write) === entry?.contentDigest)
  return fitting.length > 0 ? fitting : unanswered
}

/** The outcome of one delivery. */
function resolve(delivery: string, tries: readonly Write[], history: History, findings: Findings): Landed | undefined {
  const real = tries.filter(({ rehearsal }) => !rehearsal)
  const originals = tries.filter(isOriginal)
  const replays = tries.filter(isReplay)
  const unanswered = real.filter(isUnanswered)
  const stored = history.truth.receipts[delivery]
  findings.expect(stored !== undefined, "receipt", () => `nobody looked for the receipt of ${delivery}`)
  findings.expect(originals.length <= 1, "receipt", () => `${delivery} was accepted ${originals.length} times`)
  const original = originals[0]
  if (original?.rehearsal)
    findings.fault("rehearsal", `${nameOf(original)} was a rehearsal and came back without saying so`)
  if (stored == null) {
    if (original !== undefined || replays.length > 0)
      findings.fault("receipt", `${delivery} was acknowledged and has no receipt`)
    else if (unanswered.length > 0) findings.unknownAbsent += 1
    return undefined
  }
  const receipt = parsed<Receipt>(stored)
  if (original !== undefined)
    findings.expect(
      original.answer === stored,
      "receipt",
      () => `the stored receipt of ${delivery} is not the one given`,
    )
  const sources = original === undefined ? candidates(unanswered, receipt, history) : [original]
  const [write] = sources
  if (write === undefined) {
    findings.fault("receipt", `${delivery} has a receipt, though every try of it was refused`)
    return undefined
  }
  if (original === undefined) findings.unknownThere += 1
  findings.accepted += 1
  return {
    delivery,
    write,
    receipt,
    text: stored,
    digest: requestDigestOf(write),
    start: Math.min(...sources.map(({ start }) => start)),
    end: original?.end ?? Math.min(Infinity, ...replays.map(({ end }) => end)),
    sequence: receipt.activity?.sequence ?? 0,
  }
}

/** All accepted writes, in the order of the feed. */
export function landedIn(history: History, findings: Findings): Landed[] {
  return [...groupsOf(history.writes)]
    .flatMap(([delivery, tries]) => resolve(delivery, tries, history, findings) ?? [])
    .sort((one, other) => one.sequence - other.sequence)
}

/** What is wrong with a replay of this receipt, as far as that is known without its time; null if nothing is. */
export function replayFault(write: Write, { text, write: first }: Accepted): string | null {
  const start = `${text.slice(0, -1)},"replayed":true`
  if (!write.answer.startsWith(start)) return "it does not repeat the receipt byte by byte"
  const {
    replayed: _replayed,
    credentialChanged,
    rehearsed,
    ...rest
  } = parsed<Receipt>(`{"replayed":true${write.answer.slice(start.length)}`)
  const strange = Object.keys(rest).filter((member) => member !== "current")
  if (strange.length > 0) return `it adds ${strange.join(", ")}`
  if ((credentialChanged === true) !== (write.credential?.id !== first.credential?.id))
    return "it says wrongly whether the credential changed"
  return (rehearsed === true) === write.rehearsal ? null : "it says wrongly whether it was rehearsed"
}
