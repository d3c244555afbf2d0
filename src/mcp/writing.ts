/** Sends an agent's writes to the service's own routes. */
import { agentOperations } from "../discovery/manifest.ts"
import { limits } from "../contract/limits.ts"
import type { Operation } from "../contract/definitions/operation.ts"
import { delivery, type Input, withIdsApart } from "../contract/definitions/requests.ts"
import { batch } from "../contract/operations/batch.ts"
import { type ServiceCaller, NoAnswer } from "./door.ts"
import { unquoted } from "../contract/schema/strict-json.ts"
import { type ToolAnswer, toolAnswer, toolError } from "./tool-answer.ts"

/** The calling program, as it named itself. */
export interface Sender {
  readonly name: string
  readonly version: string
}

interface Sending {
  readonly rehearse: boolean
  readonly sender: Sender | undefined
  readonly signal: AbortSignal
}

function clientBlock(sender: Sender | undefined): Input | undefined {
  if (sender === undefined) return undefined
  const fields = Object.entries({ name: sender.name, version: sender.version }).map(([member, text]) => [
    member,
    [...text].slice(0, limits.clientField).join("").trim(),
  ])
  const kept = fields.filter(([, text]) => text !== "")
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}

/**
 * Sends a write, a batch, or a rehearsal. The service validates it. If no response arrives, the answer names the ids to
 * send again.
 */
export async function send(door: ServiceCaller, input: Input, sending: Sending): Promise<ToolAnswer> {
  try {
    return await ("writes" in input ? sendBatch(door, input, sending) : sendOne(door, input, sending))
  } catch (error) {
    if (error instanceof TypeError) return toolError(`${error.message}.`)
    throw error
  }
}

/** @throws TypeError for an operation or input that cannot be sent */
function operationOf({ operation: name, input: given }: Input): {
  readonly operation: Operation
  readonly input: Input
} {
  const operation = agentOperations.find((known) => known.name === name)
  if (operation === undefined) throw new TypeError("There is no such operation; schema without a name lists them")
  const input = unquoted(given)
  if (typeof input !== "object" || input === null || Array.isArray(input))
    throw new TypeError("input must be an object: the operation's body and the ids of its path")
  return { operation, input: { ...input } }
}

/** The query of a write: receipts are small unless requested whole. */
const queryOf = ({ receipt }: Input, rehearse: boolean): string =>
  `?${[...(rehearse ? ["rehearse=1"] : []), `receipt=${receipt === "whole" ? "whole" : "small"}`].join("&")}`

async function sendOne(door: ServiceCaller, call: Input, { rehearse, sender, signal }: Sending): Promise<ToolAnswer> {
  const { operation, input } = operationOf(call)
  const { path, body, deliveryId } = delivery(operation, operation.path, input, clientBlock(sender))
  const retryHint = `Send the same input again with ${operation.delivery} ${deliveryId}: it is stored only once.`
  const fields = `The fields of ${operation.name}: schema.`
  return deliver(door, { path: `${path}${queryOf(call, rehearse)}`, body, retryHint, rehearse, signal, fields })
}

async function sendBatch(door: ServiceCaller, call: Input, { rehearse, sender, signal }: Sending): Promise<ToolAnswer> {
  const writes = unquoted(call.writes)
  if (!Array.isArray(writes)) throw new TypeError("writes must be a list of {operation, input, as?}")
  const sent = writes.map((write: Input) => {
    const { operation, input } = operationOf(write)
    const { params, body } = withIdsApart(operation, input, clientBlock(sender))
    return { ...("as" in write ? { as: write.as } : {}), operation: operation.name, params, body }
  })
  const retryHint =
    "Send the same writes again, each with its id: " +
    `${sent.map(({ body }) => body.requestId ?? body.clientMessageId).join(", ")}.`
  return deliver(door, {
    path: `${batch.path}${queryOf(call, rehearse)}`,
    body: JSON.stringify({ writes: sent }),
    retryHint,
    rehearse,
    signal,
    fields: "The fields of an operation: schema.",
  })
}

interface PreparedWrite extends Omit<Sending, "sender"> {
  readonly path: string
  readonly body: string
  /** The advice if it is uncertain whether the write was stored. */
  readonly retryHint: string
  /** The advice that names the tool describing the fields. */
  readonly fields: string
}

async function deliver(
  door: ServiceCaller,
  { path, body, retryHint, fields, rehearse, signal }: PreparedWrite,
): Promise<ToolAnswer> {
  try {
    const reply = await door.ask({ method: "POST", path, body, asBearer: true }, signal)
    const isUncertain = reply.status >= 400 && !rehearse && /"committed":null/.test(reply.text)
    // Receipts requested whole are not cut. A batch has enough receipts to be cut otherwise.
    return toolAnswer(
      reply,
      { bytes: limits.toolAnswerMost, rest: "Ask for small receipts." },
      reply.status === 422 ? `${fields}\n` : isUncertain ? `${retryHint}\n` : "",
    )
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    return toolError(rehearse ? error.message : `${error.message}. Whether it was stored is uncertain. ${retryHint}`)
  }
}
