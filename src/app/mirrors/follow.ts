/** Follows one Room of another instance for as long as the service runs, and tries again after each trouble. */
import type { Logger } from "pino"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { isStorageFault } from "../../ledger/storage/database.ts"
import { CrateFault } from "../../research/import/crate-file.ts"
import type { Instance } from "../compose/instance.ts"
import { Following, MirrorRemoved, type Trouble } from "./following.ts"
import { originAt } from "./origin.ts"
import { Pauses } from "./pauses.ts"

interface FollowedRoom {
  readonly instance: Instance
  readonly log: Logger
  readonly roomId: string
  readonly baseUrl: string
  readonly signal: AbortSignal
}

const troubles = {
  origin: "a mirror's origin does not answer; it is tried again until it does",
  storage: "a mirror cannot be stored here; it is tried again until it can",
} as const satisfies Record<Trouble, string>

/** Follows a Room until `signal` is aborted, or until it can no longer be followed; the reason is then stored. Never throws. */
export async function follow({ instance, log, roomId, baseUrl, signal }: FollowedRoom): Promise<void> {
  const { ledger, tables } = instance
  const origin = originAt(baseUrl, signal)
  const pauses = new Pauses(signal)
  let trouble: Trouble | null = null
  const overcame = (what: Trouble) => {
    if (trouble !== what) return
    log.info({ roomId, baseUrl }, what === "origin" ? "a mirror's origin answers again" : "a mirror can be stored again")
    trouble = null
  }
  while (!signal.aborted) {
    try {
      await new Following(instance, origin, { roomId, baseUrl }).run(signal, pauses, overcame)
    } catch (error) {
      if (signal.aborted || error instanceof MirrorRemoved) return
      if (error instanceof CrateFault) {
        log.warn({ roomId, baseUrl, why: error.message }, "a mirror stopped")
        await ledger.transact(() => tables.mirrors.stop(roomId, baseUrl, error.message)).catch(() => undefined)
        return
      }
      const what = isStorageFault(error) || error instanceof Refusal ? "storage" : "origin"
      if (trouble !== what) log.warn({ roomId, baseUrl, err: error }, troubles[what])
      trouble = what
      await pauses.next()
    }
  }
}
