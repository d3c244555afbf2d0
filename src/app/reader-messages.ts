/** What the serving thread and a reading thread say to each other. */
import type { Order, Told } from "../edge/aside.ts"
import type { Entrance } from "../edge/entrance.ts"
import type { Text } from "../renderer/messages.ts"

/** What a reading thread is started with. */
export interface ReaderSettings {
  readonly file: string
  /** Whether Litestream's follower writes the file. */
  readonly follows: boolean
  readonly instanceId: string
  readonly lineage: readonly string[]
  readonly baseUrl: string
  /** What pages say of how people come in. */
  readonly entrance: Pick<Entrance, "passwords" | "invitations"> | null
}

export type ToReader =
  | { readonly kind: "order"; readonly id: number; readonly order: Order }
  /** What was to be rendered; null where it could not be. */
  | { readonly kind: "rendered"; readonly id: number; readonly made: readonly string[] | null }
  /** Something was withheld: nothing that was read is kept. */
  | { readonly kind: "forget" }

export type FromReader =
  | { readonly kind: "ready" }
  | { readonly kind: "told"; readonly id: number; readonly told: Told }
  | { readonly kind: "failed"; readonly id: number; readonly fault: string }
  | { readonly kind: "render"; readonly id: number; readonly texts: readonly Text[] }
  /** A line for the log, as JSON. */
  | { readonly kind: "line"; readonly line: string }
