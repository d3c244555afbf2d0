/** The requests of the bench, as they stand on the wire, and what the bench says in its messages. */
import { postMessage } from "../../src/contract/operations/threads.ts"
import { reads } from "../../src/contract/reads/index.ts"

/** About a kilobyte of what people write to each other. */
export const messageText = `${"With peak rate $\\eta$ and ramp $n_w$, step $t$ uses $$\\eta_t = \\eta \\cdot \\min(1, t / n_w).$$ Two of our runs *disagree* about it. ".repeat(7)}What is different?`

export const messageBody = (clientMessageId: string) => ({ schemaVersion: postMessage.schemaVersion, clientMessageId, text: messageText })

export function postRequest(threadId: string, token: string, clientMessageId: string): string {
  const body = JSON.stringify(messageBody(clientMessageId))
  return [
    `POST ${postMessage.path.replace("{threadId}", threadId)} HTTP/1.1`,
    "host: localhost",
    `authorization: Bearer ${token}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    "",
    body,
  ].join("\r\n")
}

/** The path of a page of a list, by the name of its read. */
export function pagePath(name: "thread_timeline" | "room_activity", id: string, after: number): string {
  const path = reads.find((read) => read.name === name)?.path
  if (path === undefined) throw new Error(`there is no read ${name}`)
  return `${path.replace(/\{[a-zA-Z]+\}/, id)}?after=${after}`
}

export const getRequest = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`
