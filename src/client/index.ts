/**
 * The typed client: every operation and read of the contract, retries that never write twice, iteration over lists, and
 * an activity feed that is verified while it is followed.
 */
import { present } from "../contract/typed.ts"
import type { ActivityEntry } from "../contract/reads/activity.ts"
import type { Manifest } from "../discovery/routes.ts"
import type { healthReady } from "../discovery/bootstrap.ts"
import type { InputOf } from "../contract/operations/index.ts"
import { isForBearer } from "../contract/definitions/read.ts"
import { type Input, readRequest } from "../contract/definitions/requests.ts"
import { type ActivityMark, Chain, type FollowOptions, follow } from "./activity.ts"
import { RefusedError, UnexpectedAnswer, judge, Transport, type TransportOptions } from "./transport.ts"
import {
  type AnyPage,
  deliver,
  membersOf,
  operationOf,
  readOf,
  walk,
  type WriteOptions,
  type AgentOperation,
  type AgentRead,
  type FileRead,
  type FormedRead,
  type FormOf,
  type AnswerOf,
  type ItemOf,
  type ListName,
  type ReadArguments,
  type ReadInput,
  type ReceiptOf,
  type RoomOperation,
  type WriteInput,
} from "./requests.ts"

/** The answer of the health route. */
export type Ready = ReturnType<typeof healthReady>

/** The program that sends a write, as it names itself. */
export type ClientBlock = NonNullable<InputOf<"create_thread">["client"]>

export interface ClientOptions extends TransportOptions {
  /** A Room credential (`rrc_…`) or a personal key (`rrk_…`). Sent only to agent routes; public reads need none. */
  readonly token?: string | undefined
  /** Sent with every write that has no block of its own. */
  readonly client?: ClientBlock | undefined
}

export interface ReadOptions {
  readonly signal?: AbortSignal | undefined
}

/** The result of `verifyActivity`. */
export interface VerifiedActivity {
  /** The number of entries verified. */
  readonly entries: number
  /** The newest entry; with its digest it is the mark to keep for the next verification. */
  readonly lastSequence: number
  readonly lastDigest: string
}

export class ResearchRoomClient {
  readonly #transport: Transport
  readonly #token: string | undefined
  readonly #client: ClientBlock | undefined

  constructor({ token, client, ...transport }: ClientOptions) {
    this.#transport = new Transport(transport)
    // The error of fetch would contain the token.
    if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
      throw new TypeError("token contains characters that no credential has; was it read with a line break?")
    this.#token = token
    this.#client = client
  }

  /** The service's address, without a trailing slash. */
  get baseUrl(): string {
    return this.#transport.baseUrl
  }

  /**
   * Delivers a write. `input` is the body and the ids of the path in one object; `schemaVersion`, the delivery id and
   * the client block are filled in. After a lost connection, a 503 or another retryable refusal, the same id, body and
   * credential are sent again, after `retryAfter` seconds or a growing pause (interface, delivery ids and retries, rule
   * 5).
   * @returns the receipt, with `replayed` if an earlier try had arrived
   * @throws RefusedError for a refusal (409 with `current`, 422 with `issues`)
   * @throws UncertainDelivery if no retries are left and the write may have been stored
   */
  async write<N extends AgentOperation>(
    name: N,
    input: WriteInput<N>,
    options: WriteOptions = {},
  ): Promise<ReceiptOf<N>> {
    const operation = operationOf(name)
    const route = { path: operation.path, headers: this.#headers(operation.surface === "agent"), client: this.#client }
    return deliver(this.#transport, operation, route, membersOf(input), options)
  }

  /**
   * Reads. The ids of the path and the query parameters are one object; numbers and lists need no conversion.
   * @throws RefusedError, ConnectionLost or UnexpectedAnswer if no retries are left
   */
  read<N extends AgentRead>(name: N, ...[input, options]: ReadArguments<N, ReadOptions>): Promise<AnswerOf<N>> {
    return this.#ask(name, membersOf(input), options)
  }

  /**
   * Reads in another format, as text: `text("record", { versionId, format: "bibtex" })`.
   * @throws RefusedError, ConnectionLost or UnexpectedAnswer if no retries are left
   */
  text<N extends FormedRead>(
    name: N,
    input: ReadInput<N> & { readonly format: FormOf<N> },
    options?: ReadOptions,
  ): Promise<string> {
    return this.#ask(name, membersOf(input), options)
  }

  /**
   * Reads a file as a stream, without a time limit. If the connection breaks, reading the stream fails.
   * @throws RefusedError, such as 429 if too many downloads run
   */
  async download<N extends FileRead>(
    name: N,
    input: ReadInput<N>,
    { signal = new AbortController().signal }: ReadOptions = {},
  ): Promise<ReadableStream<Uint8Array>> {
    const { method, path } = readRequest(readOf(name), membersOf(input))
    const response = await this.#transport.once(method, path, {}, undefined, signal)
    if (response.ok && response.body !== null) return response.body
    const outcome = judge(response, await response.text(), "json")
    throw "failure" in outcome ? outcome.failure : new UnexpectedAnswer(response.status, "The answer holds no file", "")
  }

  /** Iterates over the pages of a list, from `after`. Each page is requested when the one before was handled. */
  pages<N extends ListName>(name: N, ...[input, options]: ReadArguments<N, ReadOptions>): AsyncGenerator<AnswerOf<N>> {
    return walk(readOf(name), membersOf(input), (page) => this.#ask<AnswerOf<N> & AnyPage>(name, page, options))
  }

  async *items<N extends ListName>(
    name: N,
    ...[input, options]: ReadArguments<N, ReadOptions>
  ): AsyncGenerator<ItemOf<N>> {
    const ask = (page: Input) => this.#ask<AnyPage & { readonly items: readonly ItemOf<N>[] }>(name, page, options)
    for await (const page of walk(readOf(name), membersOf(input), ask)) yield* page.items
  }

  /**
   * Yields a Room's activity in order, and then each new entry, through restarts and lost connections, until `signal`
   * is aborted. Without `kinds` it verifies every entry's digest and its chain.
   * @throws ChainBroken, InstanceChanged, or RefusedError when the Room cannot be read
   */
  follow(roomId: string, options: FollowOptions = {}): AsyncGenerator<ActivityEntry> {
    return follow(this.#transport, roomId, options)
  }

  /**
   * Reads a Room's activity and verifies the chain. With `from`, a mark kept from before (such as the `activity` of a
   * receipt), it starts there and proves that the marked entry is unchanged.
   * @throws ChainBroken with the first sequence that is wrong
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

  /** The caller's own stored receipt; null if nothing was stored under the id. Settles an uncertain delivery. */
  async receipt<N extends RoomOperation>(
    name: N,
    deliveryId: string,
    options?: ReadOptions,
  ): Promise<ReceiptOf<N> | null> {
    try {
      return await this.#ask("receipt", { operation: name, [operationOf(name).delivery]: deliveryId }, options)
    } catch (error) {
      if (error instanceof RefusedError && error.refusal === "unknown_receipt") return null
      throw error
    }
  }

  /** The credential's user, permissions and Room, and the user's assignments. */
  identity(options?: ReadOptions): Promise<AnswerOf<"identity">> {
    return this.read("identity", {}, options)
  }

  /** The manifest: operations, reads, refusals, limits, states. */
  manifest(options?: ReadOptions): Promise<Manifest> {
    return this.#ask("manifest", {}, options)
  }

  /** The slices, the protocol version, and the instance's id. */
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

  /** Public reads are anonymous: the token is sent only if the answer depends on it. */
  #headers(isForBearer: boolean): Record<string, string> {
    return this.#token !== undefined && isForBearer ? { authorization: `Bearer ${this.#token}` } : {}
  }
}

export type { ActivityEntry } from "../contract/reads/activity.ts"
export type { Manifest } from "../discovery/routes.ts"
export type { JsonObject } from "../contract/json.ts"
export type { InputOf, OperationName, ResultOf } from "../contract/operations/index.ts"
export type { ParametersOf, ReadName } from "../contract/reads/index.ts"
export type { Issue, RefusalCode } from "../contract/refusals.ts"
export type { ActivityMark } from "./activity.ts"
export {
  ChainBroken,
  ConnectionLost,
  InstanceChanged,
  RefusedError,
  UncertainDelivery,
  UnexpectedAnswer,
  textOf,
} from "./transport.ts"
export type { FollowOptions } from "./activity.ts"
export type { Fetch, Sleep, TransportOptions } from "./transport.ts"
export type * from "./requests.ts"
export type { WriteOptions } from "./requests.ts"
