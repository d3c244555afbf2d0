/**
 * Judges a history: shows that the clients saw what they would have seen if everything had happened one at a time, in
 * the order of the activity feed. The feed gives that order, so the check only has to find places between entries.
 */
import { requestDigestOf, same } from "./content.ts"
import { isOk, type Landed, landedIn, nameOf, replayFault } from "./deliveries.ts"
import { Findings } from "./faults.ts"
import { checkFeed } from "./feed.ts"
import { receiptFault } from "./expected.ts"
import { type History, type Members, parsed, type Read, type Receipt, type Write } from "./history.ts"
import { Judge, type Verdict } from "./judge.ts"
import { Model } from "./model.ts"
import { type Placeable, placeAll } from "./placing.ts"
import { isCompared, readFaults } from "./reads.ts"

interface Refusal {
  readonly refusal: string
  readonly current: Members | null
}
/** Timers and clocks are read a moment apart. */
const SLACK = 2

const told = (verdict: Verdict) =>
  verdict.kind === "refused" ? `${verdict.code} ${JSON.stringify(verdict.current)}` : verdict.kind

/** Runs the accepted writes in the order of the feed; each must be legal at its place and have the right receipt. */
function replayAll(history: History, landed: readonly Landed[], findings: Findings): Model {
  const model = new Model(history.truth)
  for (const one of landed) {
    try {
      replayOne(model, one, findings)
    } catch (error) {
      findings.fault(
        "illegal",
        `${nameOf(one.write)}, accepted at ${one.sequence}, rests on what is not there: ${(error as Error).message}`,
      )
    }
  }
  return model
}

function replayOne(model: Model, one: Landed, findings: Findings): void {
  const { write, digest, receipt, sequence, delivery } = one
  const verdict = new Judge(model, sequence - 1).judge(write, digest)
  findings.expect(
    verdict.kind === "accepted",
    "illegal",
    () => `${nameOf(write)} was accepted at ${sequence}, where it would be ${told(verdict)}`,
  )
  const fault = receiptFault(model, sequence - 1, write, receipt)
  findings.expect(fault === null, "outcome", () => `the receipt of ${nameOf(write)}: ${fault}`)
  model.apply(sequence, delivery, one)
}

/** A refusal shows a whole Thread, and entries in words; the model knows the Thread's state and the entries' places. */
function shownOf({ refusal, current }: Refusal): unknown {
  if (current !== null && Array.isArray(current.between))
    return { ...current, between: current.between.map(({ sequence }: Members) => sequence) }
  if (refusal !== "thread_exists" || current === null) return current
  const { threadId, timelineWatermark, selectedCheckpointId } = current.thread as Members
  return { threadId, timelineWatermark, selectedCheckpointId }
}

function refusalFault(verdict: Verdict, refusal: Refusal): string | null {
  const fits =
    verdict.kind === "refused" && verdict.code === refusal.refusal && same(verdict.current ?? null, shownOf(refusal))
  return fits ? null : told(verdict)
}

function replayedFault(verdict: Verdict, write: Write): string | null {
  if (verdict.kind !== "replayed") return told(verdict)
  return (
    replayFault(write, verdict.accepted) ??
    (same(parsed<Receipt>(write.answer).current, verdict.current)
      ? null
      : `current is ${JSON.stringify(verdict.current)}`)
  )
}

/** An answered write, to be placed; undefined for the one answer that is the accepted write's own. */
function placeableWrite(model: Model, write: Write, findings: Findings): Placeable | undefined {
  const { start, end } = write
  const digest = requestDigestOf(write)
  const verdictAt = (position: number) => new Judge(model, position).judge(write, digest)
  const name = () => `${nameOf(write)}, answered ${write.status} ${write.answer.slice(0, 600)},`
  if (!isOk(write)) {
    const refusal = parsed<Refusal>(write.answer)
    findings.refused(refusal.refusal)
    return { start, end, kind: "refusal", name, faultAt: (position) => refusalFault(verdictAt(position), refusal) }
  }
  const receipt = parsed<Receipt>(write.answer)
  if (receipt.replayed === true) {
    findings.replays += 1
    return { start, end, kind: "replay", name, faultAt: (position) => replayedFault(verdictAt(position), write) }
  }
  if (!write.rehearsal) return undefined
  findings.rehearsals += 1
  const faultAt = (position: number) => {
    const verdict = verdictAt(position)
    return verdict.kind === "accepted" ? receiptFault(model, position, write, receipt) : told(verdict)
  }
  return { start, end, kind: "rehearsal", name, faultAt }
}

/** A receipt as another credential of its member gets it: the same, with a mark. */
const toAnother = (stored: string): string => `${stored.slice(0, -1)},"credentialChanged":true}`

/** Resolving an uncertain delivery: the receipt, byte by byte, or the definite answer that there is none. */
function receiptReadFault({ accepted }: Model, { delivery, status, answer }: Read, position: number): string | null {
  const stored = accepted.at(position, delivery)
  if (stored === undefined)
    return status === 404 && parsed<Refusal>(answer).refusal === "unknown_receipt" ? null : "there is no receipt"
  return status === 200 && (answer === stored.text || answer === toAnother(stored.text))
    ? null
    : "there is another receipt"
}

function placeableRead(model: Model, read: Read, findings: Findings): Placeable {
  const { client, name: what, params, start, end, status, answer } = read
  findings.reads += 1
  const name = () =>
    `client ${client}'s read of ${what} ${JSON.stringify(params)} from ${start.toFixed(3)} to ${end.toFixed(3)}`
  if (what === "receipt")
    return { start, end, kind: "read", name, faultAt: (position) => receiptReadFault(model, read, position) }
  if (!isOk(read) || !isCompared(what))
    return { start, end, kind: "read", name, faultAt: () => `it was answered ${status} ${answer.slice(0, 200)}` }
  // A waiting feed reads once more when the time is up: an empty page says that there was nothing even then.
  const waited =
    what === "room_activity" && params.wait !== undefined && parsed<{ items: unknown[] }>(answer).items.length === 0
  const from = waited ? start + Number(params.wait) * 1000 - SLACK : start
  findings.expect(from <= end, "read", () => `${name()} came back empty before its time was up`)
  return { start: Math.min(from, end), end, kind: "read", name, faultAt: readFaults(model, read) }
}

export function checkHistory(history: History): Findings {
  const findings = new Findings()
  const landed = landedIn(history, findings)
  const model = replayAll(history, landed, findings)
  checkFeed(model, landed, findings)
  const items: Placeable[] = landed.map(({ start, end, sequence, write }) => ({
    start,
    end,
    sequence,
    kind: "order",
    name: () => nameOf(write),
  }))
  for (const write of history.writes) {
    const item = write.status === 0 ? undefined : placeableWrite(model, write, findings)
    if (item !== undefined) items.push(item)
  }
  for (const read of history.reads) items.push(placeableRead(model, read, findings))
  placeAll(items, history.truth.feed.length, findings)
  return findings
}
