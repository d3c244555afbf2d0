/** Looks for acknowledged writes in a restored copy. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { pathTo } from "../../../src/contract/reads/index.ts"
import type { Ground } from "../support/ground.ts"
import { nameOf, type Sent } from "../support/journal.ts"
import { each, Line } from "../support/line.ts"
import type { Kept, Parent } from "./litestream.ts"

const LANES = 8

/** Looks for each at a running service. @returns a sentence for each that is missing or different */
export async function missing(baseUrl: string, writes: readonly Sent[]): Promise<string[]> {
  const line = new Line(baseUrl, LANES)
  const problems: string[] = []
  // A key's writes in the Library have no receipt to read; `Account` looks for them.
  const told = writes.filter(({ outcome, operation }) => outcome === "acknowledged" && operation.family === "research")
  await each(told, LANES, async (write) => {
    const { operation, deliveryId, agent } = write
    const answer = await line.get(
      pathTo("receipt", {}, { operation: operation.name, [operation.delivery]: deliveryId }),
      agent.token,
    )
    if (answer?.status !== 200 || answer.text !== write.receiptText)
      problems.push(
        `Not in the copy: ${nameOf(write)} was acknowledged, and is answered ${answer?.status}: ${answer?.text}`,
      )
  })
  line.close()
  return problems
}

/** How many transactions before its newest a copy is restored, if the newest is not whole. */
const SHORT_OF = 3

/**
 * Restores the newest whole state and checks all of it. If the service was killed in the middle of a commit, the copy
 * may have half of it; earlier commits are whole, and nothing after it was acknowledged.
 */
async function restored(
  ground: Ground,
  parent: Parent,
  kept: Kept,
  into: string,
  onEarlier: () => void,
): Promise<string | null> {
  const folder = join(ground.place.folder, into)
  let wrong = ""
  for (const as of [undefined, ...(await parent.transactions(kept, into)).slice(1, 1 + SHORT_OF)]) {
    rmSync(folder, { recursive: true, force: true })
    const failed = await parent.restore(kept, into, as)
    if (failed !== null) return `The copy cannot be restored: ${failed}`
    const checked = await ground.check(into)
    if (checked.code === 0) return null
    wrong = `The restored copy is not whole: ${checked.out}${checked.err}`
    onEarlier()
  }
  return wrong
}

/** Restores, checks everything, and looks for each write. @param work done while the restored copy is served */
export async function inCopy(
  ground: Ground,
  parent: Parent,
  kept: Kept,
  writes: readonly Sent[],
  {
    into = "restored",
    keeps = false,
    work,
    onEarlier,
  }: { into?: string; keeps?: boolean; work?: (baseUrl: string) => Promise<void>; onEarlier?: () => void } = {},
): Promise<string[]> {
  const folder = join(ground.place.folder, into)
  let earlier = 0
  const wrong = await restored(ground, parent, kept, into, () => (earlier += 1))
  if (wrong !== null) return [wrong]
  if (earlier > 0 && onEarlier === undefined) return ["The restored copy is whole only as of an earlier transaction."]
  if (earlier > 0) onEarlier?.()
  const served = await ground.serve(into)
  const problems = await missing(served.baseUrl, writes)
  await work?.(served.baseUrl)
  served.signal("SIGTERM")
  await served.ended()
  if (!keeps) rmSync(folder, { recursive: true, force: true })
  return problems
}
