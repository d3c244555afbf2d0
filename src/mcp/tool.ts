/** The definition of a tool, and the arguments of a call. */
import type { Input } from "../contract/definitions/requests.ts"
import type { Bearer, ServiceCaller } from "./door.ts"
import type { InputSchema } from "./schemas.ts"
import type { ToolAnswer } from "./tool-answer.ts"
import type { Sender } from "./writing.ts"

export interface Call {
  readonly door: ServiceCaller
  readonly input: Input
  readonly signal: AbortSignal
  /** The calling program, if it named itself. */
  readonly sender: Sender | undefined
}

export interface Tool {
  readonly name: string
  readonly description: string
  readonly inputSchema: InputSchema
  readonly isRead: boolean
  /** The kinds of bearer that have this tool; all if left out. */
  readonly for?: readonly Bearer[]
  /** True: only where the agent's files can be read. False: only where they cannot. */
  readonly needsFiles?: boolean
  call(call: Call): Promise<ToolAnswer>
}
