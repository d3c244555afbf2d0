/**
 * An agent's whole piece of research, through each interface: arrive, propose, take, plan, run, report, finding, link,
 * checkpoint.
 */
import type { Context, Spent } from "./context.ts"
import { http } from "./http.ts"
import { mcp } from "./mcp.ts"
import { hasPython, python } from "./python.ts"
import type { Pinned } from "./science.ts"

/** All that the agent knows: the address, its credential, and the repository of its own code. */
export interface Given {
  readonly baseUrl: string
  readonly token: string
  readonly repository: Pinned
  /** The bytes that have passed the wire so far. */
  readonly wire?: () => number
}

export type Walker = (given: Given) => Promise<Context>

export const doors: Readonly<Record<string, Walker>> = { HTTP: http, MCP: mcp, ...(hasPython() && { Python: python }) }

/** Calls and bytes, to the first accepted write and to the end. */
export interface Walked {
  readonly door: string
  readonly firstWrite: Spent
  readonly whole: Spent
}

/** @param agentOf makes a new agent for each interface */
export async function walkEveryDoor(agentOf: (door: string) => Promise<Given>): Promise<Walked[]> {
  const walked: Walked[] = []
  for (const [door, walk] of Object.entries(doors)) {
    const { firstWrite, spent } = await walk(await agentOf(door))
    walked.push({ door, firstWrite, whole: spent })
  }
  return walked
}

/** The most an agent may spend; a KB is 1,000 bytes. */
export const walkAims = {
  firstWrite: { calls: 6, bytes: 16_000, wire: 0 },
  whole: { calls: 15, bytes: 60_000, wire: 0 },
} as const

/** Whether a run stayed within its limits. */
export const isWithin = ({ firstWrite, whole }: Walked): boolean =>
  firstWrite.calls <= walkAims.firstWrite.calls &&
  firstWrite.bytes <= walkAims.firstWrite.bytes &&
  whole.calls <= walkAims.whole.calls &&
  whole.bytes <= walkAims.whole.bytes
