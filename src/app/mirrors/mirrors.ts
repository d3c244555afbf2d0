/** Follows all mirrored Rooms of a service, each independently, and retries after a failure. */
import type { Logger } from "pino"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { isStorageFault } from "../../ledger/storage/database.ts"
import { CrateFault } from "../../research/import/crate-file.ts"
import type { Instance } from "../compose/instance.ts"
import { growingPauses, type Task, Tasks } from "../serving/tasks.ts"
import { type Failure, Following, MirrorRemoved } from "./following.ts"
import { originAt } from "./origin.ts"

/**
 * Milliseconds between requests while the origin does not answer, or returns an empty page at once: the first and the
 * longest.
 */
const FIRST_PAUSE = 250
const LONGEST_PAUSE = 15_000

interface FollowedRoom {
  readonly instance: Instance
  readonly log: Logger
  readonly roomId: string
  readonly baseUrl: string
  readonly signal: AbortSignal
}

const failureMessages = {
  origin: "a mirror's origin does not answer; the service retries until it does",
  storage: "a mirror cannot be stored here; the service retries until it can",
} as const satisfies Record<Failure, string>

/**
 * Follows a Room until `signal` is aborted or the Room can no longer be followed; the reason is then stored. Never
 * throws.
 */
async function follow({ instance, log, roomId, baseUrl, signal }: FollowedRoom): Promise<void> {
  const { ledger, tables } = instance
  const origin = originAt(baseUrl, signal)
  const pauses = growingPauses(FIRST_PAUSE, LONGEST_PAUSE)
  let failing: Failure | null = null
  const onRecovered = (failure: Failure) => {
    if (failing !== failure) return
    log.info(
      { roomId, baseUrl },
      failure === "origin" ? "a mirror's origin answers again" : "a mirror can be stored again",
    )
    failing = null
  }
  while (!signal.aborted) {
    try {
      await new Following(instance, origin, { roomId, baseUrl }).run(signal, pauses, onRecovered)
    } catch (error) {
      if (signal.aborted || error instanceof MirrorRemoved) return
      if (error instanceof CrateFault) {
        log.warn({ roomId, baseUrl, why: error.message }, "a mirror stopped")
        await ledger.transact(() => tables.mirrors.stop(roomId, baseUrl, error.message)).catch(() => undefined)
        return
      }
      const failure = isStorageFault(error) || error instanceof Refusal ? "storage" : "origin"
      if (failing !== failure) log.warn({ roomId, baseUrl, err: error }, failureMessages[failure])
      failing = failure
      await pauses.next(signal)
    }
  }
}

/** Starts to follow the mirrored Rooms. A command may change their list. */
export const mirroring = (instance: Instance, log: Logger) =>
  new Tasks<string, Task & { readonly baseUrl: string }>({
    list() {
      const followed = instance.tables.mirrors.all().filter(({ stopped }) => stopped === null)
      return new Map(followed.map(({ roomId, baseUrl }) => [roomId, baseUrl]))
    },
    make: (roomId, baseUrl, signal) => ({ baseUrl, run: () => follow({ instance, log, roomId, baseUrl, signal }) }),
    goesOn: (task, baseUrl) => task.baseUrl === baseUrl,
    onFault: (err) => log.warn({ err }, "the list of followed Rooms cannot be read now"),
  })
