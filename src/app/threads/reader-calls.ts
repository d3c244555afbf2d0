/** What the serving thread and a reading thread ask each other. */
import type { Entrance } from "../../edge/sign-in-options.ts"
import type { OffloadedRequest, OffloadedResponse } from "../../edge/limits/readers.ts"
import type { Text } from "../../renderer/as-written.ts"

/** What a reading thread starts from. */
export interface ReaderSettings {
  readonly file: string
  /** Whether Litestream's follower writes the file. */
  readonly follows: boolean
  readonly instanceId: string
  readonly lineage: readonly string[]
  readonly baseUrl: string
  /** How people come in, as pages say it. */
  readonly entrance: Pick<Entrance, "passwords" | "invitations"> | null
}

/** What each thread finds beside them in its `workerData`. */
export interface ReaderStart extends ReaderSettings {
  /** Where it notes which text it renders. */
  readonly note: SharedArrayBuffer
  /** The names of texts that took too much time or memory. */
  readonly tooCostly: readonly string[]
}

/** What a reading thread offers. */
export interface ReaderCalls {
  /** Answers as soon as the thread has started. */
  ready(): void
  answer(request: OffloadedRequest): OffloadedResponse
  /** Renders the texts of a page that the serving thread makes. */
  render(texts: readonly Text[]): readonly string[]
  /** A text took too much time or memory on another thread. */
  avoid(name: string): void
  /** Something was withheld: nothing that was read is kept. */
  forget(): void
}

/** What the serving thread offers to it. */
export interface ReaderEvents {
  /** Writes a line of the log, given as JSON. */
  log(line: string): void
}
