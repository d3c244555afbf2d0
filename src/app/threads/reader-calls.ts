/** The calls between the serving thread and a reader thread. */
import type { Entrance } from "../../edge/sign-in-options.ts"
import type { OffloadedRequest, OffloadedResponse } from "../../edge/limits/readers.ts"
import type { Text } from "../../renderer/as-written.ts"

/** The settings of all reader threads. */
export interface ReaderSettings {
  readonly file: string
  /** Whether Litestream's follower writes the file. */
  readonly follows: boolean
  readonly instanceId: string
  readonly lineage: readonly string[]
  readonly baseUrl: string
  /** The ways to sign in that pages offer. */
  readonly entrance: Pick<Entrance, "passwords" | "invitations"> | null
}

/** The `workerData` of a reader thread. */
export interface ReaderStart extends ReaderSettings {
  /** Shared memory in which it notes which text it renders. */
  readonly note: SharedArrayBuffer
  /** The names of texts that take too much time or memory. */
  readonly tooCostly: readonly string[]
}

/** The functions of a reader thread. */
export interface ReaderCalls {
  /** Returns when the thread has started. */
  ready(): void
  answer(request: OffloadedRequest): OffloadedResponse
  /** Renders texts for a page that the serving thread makes. */
  render(texts: readonly Text[]): readonly string[]
  /** Shows a text as it was written, because it took too much time or memory on another thread. */
  avoid(name: string): void
  /** Clears all caches after words were withheld. */
  forget(): void
}

/** The functions of the serving thread. */
export interface ReaderEvents {
  log(line: string): void
}
