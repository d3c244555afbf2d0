/** Looks for acknowledged writes in a restored copy. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { pathTo } from "../../../src/contract/reads/index.ts"
import type { Ground } from "../support/ground.ts"
import { nameOf, type Sent } from "../support/journal.ts"
import { each, Line } from "../support/line.ts"
import type { Kept, Parent } from "./litestream.ts"

const LANES = 8

/** Looks for each at a running service. @returns a sentence for each that is not there as it was told */
export async function missing(baseUrl: string, writes: readonly Sent[]): Promise<string[]> {
  const line = new Line(baseUrl, LANES)
  const problems: string[] = []
  // What a key does in the Library has no receipt to be read; `Account` looks for it.
  const told = writes.filter(({ outcome, operation }) => outcome === "acknowledged" && operation.family === "research")
  await each(told, LANES, async (write) => {
    const { operation, deliveryId, agent } = write
    const answer = await line.get(pathTo("receipt", {}, { operation: operation.name, [operation.delivery]: deliveryId }), agent.token)
    if (answer?.status !== 200 || answer.text !== write.receiptText)
      problems.push(`Not in the copy: ${nameOf(write)} was acknowledged, and is answered ${answer?.status}: ${answer?.text}`)
  })
  line.close()
  return problems
}

/** Restores, checks all of it, and looks for each write. @param work done while the restored copy is served */
export async function inCopy(
  ground: Ground,
  parent: Parent,
  kept: Kept,
  writes: readonly Sent[],
  { into = "restored", keeps = false, work }: { into?: string; keeps?: boolean; work?: (baseUrl: string) => Promise<void> } = {},
): Promise<string[]> {
  const folder = join(ground.place.folder, into)
  rmSync(folder, { recursive: true, force: true })
  const failed = await parent.restore(kept, into)
  if (failed !== null) return [`The copy cannot be restored: ${failed}`]
  const checked = await ground.check(into)
  if (checked.code !== 0) return [`The restored copy is not whole: ${checked.out}${checked.err}`]
  const served = await ground.serve(into)
  const problems = await missing(served.baseUrl, writes)
  await work?.(served.baseUrl)
  served.signal("SIGTERM")
  await served.ended()
  if (!keeps) rmSync(folder, { recursive: true, force: true })
  return problems
}
