/** The bystander's process, seen from the attacking side. */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import type { Ground } from "../fuzz/ground.ts"
import type { Places, Seen } from "./bystander.ts"

/** Milliseconds a bystander watches before an attack begins and after it is over: requests may still be under way. */
const EDGE = 40

export class Bystander {
  readonly #child: ChildProcess

  constructor({ baseUrl, cast, running, uncertain }: Ground) {
    this.#child = fork(join(import.meta.dirname, "bystander.ts"), { execArgv: [] })
    const { openingThreadId, roomId } = cast.rooms.main
    const places: Places = {
      baseUrl,
      pid: running.pid,
      reads: [
        "/api/research/rooms?limit=1",
        "/api/health/live",
        `/api/research/threads/${openingThreadId}/timeline?limit=1`,
        `/api/research/rooms/${roomId}`,
      ],
      // Its receipts are not counted: this process does not see them.
      write: { path: `/api/agent/threads/${openingThreadId}/messages`, token: uncertain },
    }
    this.#child.send({ places })
  }

  /** What the bystander saw during one period. */
  async during(work: () => Promise<void>): Promise<Seen> {
    this.#child.send({ begin: true })
    await new Promise((resolve) => setTimeout(resolve, EDGE))
    await work()
    await new Promise((resolve) => setTimeout(resolve, EDGE))
    this.#child.send({ end: true })
    const [seen] = (await once(this.#child, "message")) as [Seen]
    return seen
  }

  close(): void {
    this.#child.kill("SIGKILL")
  }
}
