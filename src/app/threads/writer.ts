/** The writer thread from the serving thread's side: sends it each checked write and returns its answer. */
import { Thread } from "../../channel/thread.ts"
import type { Admitted, OtherWriter } from "../../ledger/write/admission.ts"
import type { TriedOut } from "../../ledger/write/group.ts"
import { notStored, uncertain } from "../../ledger/write/group.ts"
import type { Delivery } from "../../ledger/journal/delivery.ts"
import type { BatchRequest } from "../../ledger/write/admission.ts"
import type { JsonObject } from "../../contract/json.ts"
import {
  packBatch,
  packWrite,
  unpackAdmitted,
  type WriterCalls,
  type WriterEvents,
  type WriterSettings,
} from "./writer-calls.ts"

export interface WriterHandlers extends WriterEvents {
  /** The thread ended unexpectedly. No more writes are possible. */
  failed(error: Error): void
}

export class Writer implements OtherWriter {
  readonly #thread: Thread<WriterCalls, WriterEvents>
  /** Resolves when no caller pauses the thread or waits to. */
  #held: Promise<unknown> = Promise.resolve()

  constructor(settings: WriterSettings, { failed, ...handlers }: WriterHandlers) {
    this.#thread = new Thread<WriterCalls, WriterEvents>({
      name: "writer",
      settings,
      handlers,
      onLost: failed,
      // Sent writes may have been stored; unsent ones were not.
      refusals: () => [uncertain(), notStored()],
    })
  }

  async admit(delivery: Delivery, rehearse: boolean): Promise<Admitted> {
    return unpackAdmitted(
      await this.#thread.channel.ask("write", ...packWrite(delivery.operation.name, delivery, rehearse)),
    )
  }

  async admitBatch(batch: BatchRequest, kept: readonly (JsonObject | undefined)[]): Promise<readonly Admitted[]> {
    return (await this.#thread.channel.ask("batch", ...packBatch(batch, kept))).map(unpackAdmitted)
  }

  probe(touch: boolean): Promise<void> {
    return this.#thread.channel.ask("probe", touch)
  }

  cleanse(): Promise<void> {
    return this.#thread.channel.ask("cleanse")
  }

  emptyLog(): void {
    this.#thread.channel.tell("emptyLog")
  }

  index(): Promise<void> {
    return this.#thread.channel.ask("index")
  }

  transact<T>(tryOut: () => TriedOut<T>): Promise<T> {
    return this.#turn(async () => {
      for (;;) {
        await this.#hold()
        const { value, changes, notify } = this.#triedOut(tryOut)
        if (!(await this.#thread.channel.ask("apply", changes))) continue
        notify()
        return value
      }
    })
  }

  #triedOut<T>(tryOut: () => TriedOut<T>): TriedOut<T> {
    try {
      return tryOut()
    } catch (error) {
      this.#thread.channel.tell("release")
      throw error
    }
  }

  #hold(): Promise<void> {
    return this.#thread.channel.ask("hold").catch(() => {
      throw notStored()
    })
  }

  /** Runs work that pauses the thread, one at a time. */
  #turn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#held.then(work)
    this.#held = turn.catch(() => undefined)
    return turn
  }

  /** Ends the thread. All sent writes must have been answered before. */
  async close(): Promise<void> {
    await this.#held
    this.#thread.channel.tell("end")
    await this.#thread.ends()
  }
}
