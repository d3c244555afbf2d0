/** Tells a story into a new instance: people act through the same door as anybody, at moments of the story's own clock. */
import type { Receipt } from "../contract/answers/index.ts"
import type { InputOf, OperationName, ResultOf } from "../contract/operations/index.ts"
import { operationNamed } from "../contract/operations/index.ts"
import type { Instance } from "../app/compose/instance.ts"
import type { Actor } from "../ledger/journal/actor.ts"
import type { StoredFigure } from "../ledger/journal/figures.ts"
import { isoTime } from "../ledger/world.ts"
import { trusted } from "../contract/json.ts"

/** A clock that the story moves; once the story is told it goes on by itself. */
export class StoryClock {
  #now: number
  #running: (() => number) | null = null

  constructor(start: number) {
    this.#now = start
  }

  readonly read = (): number => this.#running?.() ?? this.#now

  /** Lets the story's time pass. */
  pass(minutes: number): void {
    this.#now += minutes * 60_000
  }

  /** Ends the story: from now on `clock` tells the time. */
  runWith(clock: () => number): void {
    this.#running = clock
  }
}

type StoryReceipt<N extends OperationName> = Omit<Receipt, "result"> & { readonly result: ResultOf<N> }
/** A body without what the narrator fills in. */
type Said<N extends OperationName> = Omit<InputOf<N>, "schemaVersion" | "requestId" | "clientMessageId">

export class Narrator {
  readonly #instance: Instance
  readonly #clock: StoryClock

  constructor(instance: Instance, clock: StoryClock) {
    this.#instance = instance
    this.#clock = clock
  }

  /** A fresh id, as a client makes one. */
  id(): string {
    return this.#instance.world.id()
  }

  /** A moment some minutes ahead in the story. */
  later(minutes: number): string {
    return isoTime(this.#clock.read() + minutes * 60_000)
  }

  /** Where a Thread stands. */
  watermark(threadId: string): number {
    return this.#instance.tables.threads.summary(threadId)?.timelineWatermark ?? 0
  }

  /** Makes a person with a password that is known to the story; hashing it begins at once, and takes longest of all that is told. */
  async person(username: string, after?: Promise<unknown>): Promise<{ userId: string; username: string; password: string }> {
    const password = `${username}-${this.#instance.world.bytes(9).toString("base64url")}`
    const { userId } = await this.#instance.accounts.add(username, password, after)
    return { userId, username, password }
  }

  /** Keeps a picture that a person uploads. It travels with the program as an upload leaves it, so nothing decodes it. */
  async uploads({ userId }: { userId: string }, figure: StoredFigure): Promise<void> {
    const { ledger, tables } = this.#instance
    await ledger.transact(() => tables.figures.keep(figure, userId, this.later(0)))
  }

  /** Lets a person do something, some minutes after what went before, and returns the receipt. */
  async does<N extends OperationName>(
    person: { userId: string; username: string },
    name: N,
    params: Record<string, string>,
    body: Said<N>,
    minutes = 7,
  ): Promise<StoryReceipt<N>> {
    const operation = operationNamed(name)
    if (operation === undefined) throw new Error(`${name} is not an operation`)
    this.#clock.pass(minutes)
    const actor: Actor = { userId: person.userId, username: person.username, grant: null }
    const delivery = { schemaVersion: operation.schemaVersion, [operation.delivery]: this.#instance.world.id() }
    const receipt = await this.#instance.ledger.admit({ operation, actor, params, body: { ...delivery, ...body } })
    return trusted<StoryReceipt<N>>(receipt)
  }
}
