/**
 * The typed client: every operation and read of the contract, with retries that never write twice, lists that page by
 * themselves, and an activity feed that is verified as it is followed.
 */
import { present } from "../contract/present.ts"
import type { ActivityEntry } from "../contract/answers/index.ts"
import type { Manifest } from "../discovery/answers.ts"
import type { healthReady } from "../discovery/health.ts"
import type { InputOf } from "../contract/operations/index.ts"
import { isForBearer } from "../contract/definitions/read.ts"
import { type Input, readRequest } from "../contract/definitions/requests.ts"
import { type ActivityMark, Chain } from "./chain.ts"
import { RefusedError, UnexpectedAnswer } from "./errors.ts"
import { type FollowOptions, follow } from "./follow.ts"
import { judge } from "./outcome.ts"
import { type AnyPage, walk } from "./paging.ts"
import { given, operationOf, readOf } from "./requests.ts"
import { Transport, type TransportOptions } from "./transport.ts"
import type {
  AgentOperation,
  AgentRead,
  FileRead,
  FormedRead,
  FormOf,
  AnswerOf,
  ItemOf,
  ListName,
  ReadArguments,
  ReadInput,
  ReceiptOf,
  RoomOperation,
  WriteInput,
} from "./types.ts"
import { deliver, type WriteOptions } from "./write.ts"

/** What the health route answers. */
export type Ready = ReturnType<typeof healthReady>

/** Who sends a write, in the sender's own words. */
export type ClientBlock = NonNullable<InputOf<"create_thread">["client"]>

export interface ClientOptions extends TransportOptions {
  /** A Room credential (`rrc_…`) or a personal key (`rrk_…`). Sent to agent routes only; public reads need none. */
  readonly token?: string | undefined
  /** Sent with every write that brings no block of its own. */
  readonly client?: ClientBlock | undefined
}

export interface ReadOptions {
  readonly signal?: AbortSignal | undefined
}

/** What `verifyActivity` found whole. */
export interface VerifiedActivity {
  /** How many entries were verified. */
  readonly entries: number
  /** The newest of them; with its digest it is the mark to keep and to verify from next time. */
  readonly lastSequence: number
  readonly lastDigest: string
}

export class ResearchRoomClient {
  readonly #transport: Transport
  readonly #token: string | undefined
  readonly #client: ClientBlock | undefined

  constructor({ token, client, ...transport }: ClientOptions) {
    this.#transport = new Transport(transport)
    // fetch would say what is wrong with it, and show it.
    if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
      throw new TypeError("token holds characters that no credential has; was it read with a line break?")
    this.#token = token
    this.#client = client
  }

  /** Where the service is reached, without a slash at the end. */
  get baseUrl(): string {
    return this.#transport.baseUrl
  }

  /**
   * Delivers a write. `input` is the body and the ids of the path in one object; `schemaVersion`, the delivery id and the
   * client block are filled in. Interface, delivery ids and retries, rule 5: on a lost connection, on 503 and on whatever
   * else is retryable the same id, body and credential are sent again, after `retryAfter` seconds or a growing pause.
   * @returns the receipt; `replayed` when an earlier try had arrived after all
   * @throws RefusedError for a refusal (409 with `current`, 422 with `issues`); it is not sent again unless retryable
   * @throws UncertainDelivery when the retries are used up and it may have been stored
   */
  async write<N extends AgentOperation>(name: N, input: WriteInput<N>, options: WriteOptions = {}): Promise<ReceiptOf<N>> {
    const operation = operationOf(name)
    const route = { path: operation.path, headers: this.#headers(operation.surface === "agent"), client: this.#client }
    return deliver(this.#transport, operation, route, given(input), options)
  }

  /**
   * Reads. The ids of the path and the query parameters are one object: numbers and lists as they are.
   * @throws RefusedError, ConnectionLost or UnexpectedAnswer when the retries are used up
   */
  read<N extends AgentRead>(name: N, ...[input, options]: ReadArguments<N, ReadOptions>): Promise<AnswerOf<N>> {
    return this.#ask(name, given(input), options)
  }

  /**
   * A read in another of its forms, as text: `text("record", { versionId, format: "bibtex" })`.
   * @throws RefusedError, ConnectionLost or UnexpectedAnswer when the retries are used up
   */
  text<N extends FormedRead>(name: N, input: ReadInput<N> & { readonly format: FormOf<N> }, options?: ReadOptions): Promise<string> {
    return this.#ask(name, given(input), options)
  }

  /**
   * A read that answers a file: its bytes as they come, for as long as it takes. One that breaks off fails where it is read.
   * @throws RefusedError, such as 429 while too many are under way
   */
  async download<N extends FileRead>(
    name: N,
    input: ReadInput<N>,
    { signal = new AbortController().signal }: ReadOptions = {},
  ): Promise<ReadableStream<Uint8Array>> {
    const { method, path } = readRequest(readOf(name), given(input))
    const response = await this.#transport.once(method, path, {}, undefined, signal)
    if (response.ok && response.body !== null) return response.body
    const outcome = judge(response, await response.text(), "json")
    throw "failure" in outcome ? outcome.failure : new UnexpectedAnswer(response.status, "The answer holds no file", "")
  }

  /** The pages of a list, from `after` on, while there are more. A page is asked for when the one before was handled. */
  pages<N extends ListName>(name: N, ...[input, options]: ReadArguments<N, ReadOptions>): AsyncGenerator<AnswerOf<N>> {
    return walk(readOf(name), given(input), (asked) => this.#ask<AnswerOf<N> & AnyPage>(name, asked, options))
  }

  /** The items of a list, over all its pages. */
  async *items<N extends ListName>(name: N, ...[input, options]: ReadArguments<N, ReadOptions>): AsyncGenerator<ItemOf<N>> {
    const ask = (asked: Input) => this.#ask<AnyPage & { readonly items: readonly ItemOf<N>[] }>(name, asked, options)
    for await (const page of walk(readOf(name), given(input), ask)) yield* page.items
  }

  /**
   * Yields the activity of a Room as it lands, in order, through restarts and lost connections, until `signal` is aborted.
   * Without `kinds` every entry's digest and its link to the entry before are verified on the way.
   * @throws ChainBroken, InstanceChanged, or RefusedError when the Room cannot be read
   */
  follow(roomId: string, options: FollowOptions = {}): AsyncGenerator<ActivityEntry> {
    return follow(this.#transport, roomId, options)
  }

  /**
   * Reads a Room's activity and verifies that it is one unbroken chain. With `from`, a mark kept from before (such as the
   * `activity` of a receipt), it starts there and proves that the entry is still the one it was.
   * @throws ChainBroken naming the first sequence at which it shows
   */
  async verifyActivity(
    roomId: string,
    { from, signal }: { from?: ActivityMark | undefined } & ReadOptions = {},
  ): Promise<VerifiedActivity> {
    const chain = new Chain(roomId, from ?? 0)
    let entries = 0
    for await (const entry of this.items("room_activity", { roomId, after: chain.sequence }, { signal })) {
      chain.take(entry)
      entries++
    }
    chain.mustHoldMark()
    return { entries, lastSequence: chain.sequence, lastDigest: present(chain.digest) }
  }

  /** The caller's own stored receipt, or null when nothing was stored under the id: the way out of an uncertain delivery. */
  async receipt<N extends RoomOperation>(name: N, deliveryId: string, options?: ReadOptions): Promise<ReceiptOf<N> | null> {
    try {
      const asked = { operation: name, [operationOf(name).delivery]: deliveryId }
      return await this.#ask("receipt", asked, options)
    } catch (error) {
      if (error instanceof RefusedError && error.refusal === "unknown_receipt") return null
      throw error
    }
  }

  /** Who the credential speaks for, what it grants, its Room, and the person's assignments. */
  identity(options?: ReadOptions): Promise<AnswerOf<"identity">> {
    return this.read("identity", {}, options)
  }

  /** Everything the service says of itself: operations, reads, refusals, limits, states. */
  manifest(options?: ReadOptions): Promise<Manifest> {
    return this.#ask("manifest", {}, options)
  }

  /** The slices served, the protocol version, and which instance this is. */
  ready(options?: ReadOptions): Promise<Ready> {
    return this.#ask("health_ready", {}, options)
  }

  #ask<Answer>(name: string, input: Input, options: ReadOptions | undefined): Promise<Answer> {
    const read = readOf(name)
    const wait = Number(input.wait ?? 0)
    return this.#transport.ask({
      ...readRequest(read, input),
      headers: this.#headers(isForBearer(read, input.exclude !== undefined)),
      wait,
      ...options,
    })
  }

  /** Public reads are anonymous: the credential goes only where the answer depends on it. */
  #headers(isForBearer: boolean): Record<string, string> {
    return this.#token !== undefined && isForBearer ? { authorization: `Bearer ${this.#token}` } : {}
  }
}

export type { ActivityEntry } from "../contract/answers/index.ts"
export type { Manifest } from "../discovery/answers.ts"
export type { JsonObject } from "../contract/json.ts"
export type { InputOf, OperationName, ResultOf } from "../contract/operations/index.ts"
export type { ParametersOf, ReadName } from "../contract/reads/index.ts"
export type { Issue, RefusalCode } from "../contract/refusals/refusal.ts"
export type { ActivityMark } from "./chain.ts"
export { ChainBroken, ConnectionLost, InstanceChanged, RefusedError, UncertainDelivery, UnexpectedAnswer } from "./errors.ts"
export type { FollowOptions } from "./follow.ts"
export type { Fetch, Sleep, TransportOptions } from "./transport.ts"
export type * from "./types.ts"
export { textOf } from "./text.ts"
export type { WriteOptions } from "./write.ts"
