/** Writes of agents: any operation of the contract, sent as everybody sends it. */
import { agentOperations } from "../discovery/manifest.ts"
import { limits } from "../contract/limits.ts"
import { delivery, type Input } from "../contract/definitions/requests.ts"
import { type Door, NoAnswer } from "./door.ts"
import { type Told, told, wrong } from "./told.ts"

/** The program that writes, in its own words. */
export interface Sender {
  readonly name: string
  readonly version: string
}

interface Sending {
  readonly rehearse: boolean
  readonly sender: Sender | undefined
  readonly signal: AbortSignal
}

/** The `client` block that a body takes. */
function clientBlock(sender: Sender | undefined): Input | undefined {
  if (sender === undefined) return undefined
  const said = Object.entries({ name: sender.name, version: sender.version }).map(([member, text]) => [
    member,
    [...text].slice(0, limits.clientField).join("").trim(),
  ])
  const kept = said.filter(([, text]) => text !== "")
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}

/** Sends a write or its rehearsal. What is wrong with it the service says; a lost answer names the id to send again. */
export async function send(door: Door, { operation: name, input }: Input, { rehearse, sender, signal }: Sending): Promise<Told> {
  const operation = agentOperations.find((known) => known.name === name)
  if (operation === undefined) return wrong("There is no such operation; schema without a name lists them.")
  if (typeof input !== "object" || input === null || Array.isArray(input))
    return wrong("input must be an object: the operation's body and the ids of its path.")
  let sent: ReturnType<typeof delivery>
  try {
    sent = delivery(operation, operation.path, { ...input }, clientBlock(sender))
  } catch (error) {
    if (error instanceof TypeError) return wrong(`${error.message}.`)
    throw error
  }
  const again = `Send the same input again with ${operation.delivery} ${sent.deliveryId}: it is done once only.`
  const path = rehearse ? `${sent.path}?rehearse=1` : sent.path
  try {
    const answered = await door.ask({ method: "POST", path, body: sent.body, asBearer: true }, signal)
    const isUncertain = answered.status >= 400 && !rehearse && /"committed":null/.test(answered.text)
    const more = answered.status === 422 ? `The fields of ${operation.name}: schema.\n` : isUncertain ? `${again}\n` : ""
    return told(answered, "", more)
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    return wrong(rehearse ? error.message : `${error.message}. Whether it was stored is uncertain. ${again}`)
  }
}
