/** What a tool is, and what it is called with. */
import type { Input } from "../contract/definitions/requests.ts"
import type { Bearer, ServiceCaller } from "./door.ts"
import type { InputSchema } from "./schemas.ts"
import type { ToolAnswer } from "./tool-answer.ts"
import type { Sender } from "./writing.ts"

/** A call of a tool on its way. */
export interface Call {
  readonly door: ServiceCaller
  readonly input: Input
  readonly signal: AbortSignal
  /** The program that calls, where it said what it is. */
  readonly sender: Sender | undefined
}

export interface Tool {
  readonly name: string
  readonly description: string
  readonly inputSchema: InputSchema
  readonly isRead: boolean
  /** For whom it is there; for everybody where nothing is said. */
  readonly for?: readonly Bearer[]
  /** Whether it is there only where the door reads the agent's files, or only where it does not. */
  readonly needsFiles?: boolean
  call(call: Call): Promise<ToolAnswer>
}
