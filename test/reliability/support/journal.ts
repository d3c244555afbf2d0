/**
 * What the writers sent and the answers they got. Everything is judged later by this record, and not by anything the
 * service keeps.
 */
import { canonicalJson, digestOf, type Json } from "../../../src/contract/json.ts"
import type { Operation } from "../../../src/contract/definitions/operation.ts"
import { operationNamed } from "../../../src/contract/operations/index.ts"
import type { Body } from "../../support/bodies.ts"
import type { Agent } from "./ground.ts"

/** The members of a receipt that are checked. */
export interface Receipt {
  readonly operation: string
  readonly acceptedAt: string
  readonly roomId: string | null
  readonly threadId: string | null
  readonly target: { readonly kind: string; readonly id: string; readonly label: string | null }
  readonly targetId: string
  readonly result: Readonly<Record<string, unknown>>
  readonly entry: { readonly entryId: string; readonly sequence: number } | null
  readonly activity: { readonly sequence: number; readonly digest: string } | null
  readonly replayed?: true
}

/**
 * `acknowledged`: its receipt came. `declined`: the answer said that nothing was stored, or it was a rehearsal.
 * `unknown`: no whole answer came, or one that leaves it open.
 */
export type Outcome = "acknowledged" | "declined" | "unknown"

export interface Sent {
  readonly agent: Agent
  readonly operation: Operation
  readonly path: string
  readonly body: Body
  /** The body as sent, the same at every try. */
  readonly text: string
  readonly deliveryId: string
  /** The digest of its content in the Room's activity. */
  readonly contentDigest: string
  readonly rehearsed: boolean
  outcome: Outcome
  /** The receipt as first given, once there is one. */
  receiptText: string | null
  receipt: Receipt | null
  /** How each try was answered, in short, for the diagnosis of a failure. */
  readonly tries: string[]
}

/** A write to be sent. */
export interface Thought {
  readonly name: string
  readonly params?: Readonly<Record<string, string>>
  readonly body: Body
}

export function written(agent: Agent, { name, params = {}, body }: Thought, rehearsed = false): Sent {
  const operation = operationNamed(name)
  if (operation === undefined) throw new Error(`${name} is not an operation`)
  const path = operation.path.replace(/\{([a-zA-Z]+)\}/g, (_, id: string) => params[id] as string)
  const { client: _client, ...content } = body
  return {
    agent,
    operation,
    path: rehearsed ? `${path}?rehearse=1` : path,
    body,
    text: JSON.stringify(body),
    deliveryId: body[operation.delivery] as string,
    contentDigest: digestOf(canonicalJson(content as Json)),
    rehearsed,
    outcome: "unknown",
    receiptText: null,
    receipt: null,
    tries: [],
  }
}

/** The receipt of which this is a replay: removes what the replay added. */
export function originalOf(replay: string): string {
  const at = replay.lastIndexOf(',"replayed":true')
  return at < 0 ? replay : `${replay.slice(0, at)}}`
}

/** The write is certainly stored: from now on it must be found. */
export function stored(sent: Sent, text: string): void {
  sent.outcome = "acknowledged"
  sent.receiptText = originalOf(text)
  sent.receipt = JSON.parse(sent.receiptText) as Receipt
}

/** One line about a write, for failure messages. */
export const nameOf = ({ operation, deliveryId, agent, tries }: Sent): string =>
  `${operation.name} ${deliveryId} by ${agent.name} (${tries.join("; ")})`
