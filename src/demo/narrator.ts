/** Tells a story in a new instance: people send operations like everybody else, at times of the story's own clock. */
import type { Person, Receipt } from "../contract/answers/index.ts"
import { partAt, resolved } from "../contract/definitions/references.ts"
import { jsonObject } from "../contract/json.ts"
import type { InputOf, OperationName, ResultOf } from "../contract/operations/index.ts"
import { operationNamed } from "../contract/operations/index.ts"
import type { Instance } from "../app/compose/instance.ts"
import type { Actor } from "../ledger/journal/actor.ts"
import { isoTime } from "../ledger/world.ts"
import { digestOf, type Json, type JsonObject, trusted } from "../contract/json.ts"
import { packagedBytes } from "../packaged.ts"
import { present } from "../contract/present.ts"

/** A clock that the story advances. When the story is told, it continues by itself. */
export class StoryClock {
  #now: number
  #running: (() => number) | null = null

  constructor(start: number) {
    this.#now = start
  }

  readonly read = (): number => this.#running?.() ?? this.#now

  pass(minutes: number): void {
    this.#now += minutes * 60_000
  }

  /** Ends the story: from now on the time comes from `clock`. */
  runWith(clock: () => number): void {
    this.#running = clock
  }
}

type StoryReceipt<N extends OperationName> = Omit<Receipt, "result"> & { readonly result: ResultOf<N> }
/** A body without the members that the narrator fills in. */
type StoryBody<N extends OperationName> = Omit<InputOf<N>, "schemaVersion" | "requestId" | "clientMessageId">

/** A line of a story. With `like` it inherits the members of another line. */
export interface Line {
  /** A name for the receipt, for later lines. */
  readonly as?: string
  readonly like?: string
  /** Minutes that pass before it. */
  readonly after?: number
  readonly operation?: string
  /** A picture in the demo's folder to upload instead. It is already encoded as an upload would be. */
  readonly uploads?: { readonly file: string; readonly width: number; readonly height: number }
  readonly params?: JsonObject
  /**
   * As in a batch, `{"$from": "a", "path": "/targetId"}` is a part of the receipt of line a, or of the given value of
   * that name. `{"$from": "world", "path": "/id"}` is a fresh id, and `{"$from": "later", "path": "/5"}` a time five
   * minutes ahead.
   */
  readonly body?: JsonObject
}

export class Narrator {
  readonly #instance: Instance
  readonly #clock: StoryClock
  readonly #receipts = new Map<string, { readonly by: string; readonly receipt: string }>()

  constructor(instance: Instance, clock: StoryClock) {
    this.#instance = instance
    this.#clock = clock
  }

  /** Adds a person with a known password. Hashing it is the slowest part of the story, so it starts at once. */
  async person(
    username: string,
    after?: Promise<unknown>,
  ): Promise<{ userId: string; username: string; password: string }> {
    const password = `${username}-${this.#instance.world.bytes(9).toString("base64url")}`
    const { userId } = await this.#instance.accounts.add(username, password, after)
    return { userId, username, password }
  }

  /** Sends an operation as a person, some minutes after the last one. @returns the receipt */
  async does<N extends OperationName>(
    person: Person,
    name: N,
    params: Record<string, string>,
    body: StoryBody<N>,
    minutes?: number,
  ): Promise<StoryReceipt<N>> {
    return trusted<StoryReceipt<N>>(await this.#admit(person, name, params, body, minutes))
  }

  /** Tells the lines of a story in order. @param given values that the lines refer to by name */
  async tell(
    lines: readonly (Line & { readonly by: string })[],
    likes: Readonly<Record<string, Line>>,
    people: Readonly<Record<string, Person>>,
    given: JsonObject,
  ): Promise<void> {
    const whole = ({ like, ...line }: Line): Line => {
      if (like === undefined) return line
      const { params, body, ...from } = whole(present(likes[like]))
      return { ...from, ...line, params: { ...params, ...line.params }, body: { ...body, ...line.body } }
    }
    for (const line of lines) {
      const { as, operation = "", uploads, params = {}, body = {}, after } = whole(line)
      const person = present(people[line.by])
      const filled = jsonObject(resolved({ params, body }, ({ $from, path }) => this.#part(given, $from, path)))
      const ids = Object.fromEntries(Object.entries(jsonObject(filled.params)).map(([name, id]) => [name, `${id}`]))
      const receipt = uploads
        ? await this.#upload(person, uploads)
        : await this.#admit(person, operation, ids, jsonObject(filled.body), after)
      if (as !== undefined) this.#receipts.set(as, { by: line.by, receipt })
    }
  }

  /** The receipt of a named line, and its author. */
  receipt<N extends OperationName>(as: string, _operation: N): StoryReceipt<N> & { readonly by: string } {
    const { by, receipt } = present(this.#receipts.get(as))
    return { by, ...trusted<StoryReceipt<N>>(receipt) }
  }

  #part(given: JsonObject, from: string, path: string): Json {
    if (from === "world") return this.#instance.world.id()
    if (from === "later") return this.#later(Number(path.slice(1)))
    const part = partAt(given[from] ?? trusted<Json>(this.#receipts.get(from)?.receipt ?? "null"), path)
    if (part === undefined) throw new Error(`The story has no ${path} of ${from}`)
    return part
  }

  #later(minutes: number): string {
    return isoTime(this.#clock.read() + minutes * 60_000)
  }

  async #upload({ userId }: Person, { file, ...size }: NonNullable<Line["uploads"]>): Promise<string> {
    const { ledger, tables } = this.#instance
    const bytes = Buffer.from(present(packagedBytes(`src/demo/${file}`)))
    const figure = { digest: digestOf(bytes), mediaType: "image/webp", ...size, bytes } as const
    await ledger.transact(() => tables.attachments.keep(figure, userId, this.#later(0)))
    return JSON.stringify({ digest: figure.digest })
  }

  #admit(person: Person, name: string, params: Record<string, string>, body: object, minutes = 7): Promise<string> {
    const operation = operationNamed(name)
    if (operation === undefined) throw new Error(`${name} is not an operation`)
    this.#clock.pass(minutes)
    const actor: Actor = { userId: person.userId, username: person.username, grant: null }
    const delivery = { schemaVersion: operation.schemaVersion, [operation.delivery]: this.#instance.world.id() }
    return this.#instance.ledger.admit({ operation, actor, params, body: { ...delivery, ...body } })
  }
}
