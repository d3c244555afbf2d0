/**
 * Load as fast as answers come, from bare sockets: each connection sends its next request when the last one is
 * answered. It needs a third of autocannon's processor time per request, which on few cores is taken from the service.
 */
import { connect, type Socket } from "node:net"
import type { Fired } from "./load.ts"
import type { Target } from "./saturating.ts"
import type { Shot } from "./shots.ts"

const END_OF_HEAD = Buffer.from("\r\n\r\n")
const LENGTH = /\r\ncontent-length: (\d+)/i

/** The bytes of a request. */
function bytesOf({ method, path, headers, body = "" }: Shot, port: number): Buffer {
  const fields = Object.entries({
    host: `127.0.0.1:${port}`,
    ...headers,
    ...(body !== "" && { "content-length": Buffer.byteLength(body) }),
  })
  return Buffer.from(
    `${method} ${path} HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${body}`,
  )
}

/**
 * The length of an answer in bytes, including its head; null while its head is incomplete. @throws Error for an answer
 * without a length, and for one other than 200
 */
function lengthOf(answer: Buffer): number | null {
  const head = answer.indexOf(END_OF_HEAD)
  if (head < 0) return null
  const text = answer.toString("latin1", 0, head)
  const told = LENGTH.exec(text)?.[1]
  if (told === undefined) throw new Error(`an answer that does not say how long it is: ${text}`)
  if (!text.startsWith("HTTP/1.1 200"))
    throw new Error(`a request was refused: ${answer.toString("utf8").slice(-1_000)}`)
  return head + END_OF_HEAD.length + Number(told)
}

/**
 * Sends requests one after the other on a connection of their own. @param onAnswer called for each answer, with the
 * time its request was sent
 */
async function sendAll(
  requests: readonly Buffer[],
  port: number,
  onAnswer: (index: number, sentAt: number) => boolean,
): Promise<void> {
  const socket: Socket = connect({ host: "127.0.0.1", port, noDelay: true })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let index = 0
  let sentAt = 0
  let came: Buffer | null = null
  let length: number | null = null
  const send = (): void => {
    const request = requests[index]
    if (request === undefined) return void socket.end(resolve)
    sentAt = performance.now()
    socket.write(request)
  }
  socket.on("connect", send)
  socket.on("data", (chunk: Buffer) => {
    try {
      came = came === null ? chunk : Buffer.concat([came, chunk])
      length ??= lengthOf(came)
      if (length === null || came.length < length) return
      if (came.length > length) throw new Error("more was answered than asked")
      came = null
      length = null
      if (!onAnswer(index, sentAt)) index = requests.length
      else index += 1
      send()
    } catch (error) {
      reject(error)
      socket.destroy()
    }
  })
  socket.on("error", reject)
  socket.on("close", () => (index < requests.length ? reject(new Error("the service closed a connection")) : resolve()))
  return promise
}

/** @throws Error for an answer other than 200, with its text */
export async function raw(
  shots: readonly Shot[],
  { port, connections, seconds = Number.POSITIVE_INFINITY }: Target,
): Promise<Fired> {
  const took: { kind: Shot["kind"]; milliseconds: number }[] = []
  const hands = Array.from({ length: connections }, (_, hand) => {
    const own = shots.filter((_shot, at) => at % connections === hand)
    return { kinds: own.map(({ kind }) => kind), requests: own.map((shot) => bytesOf(shot, port)) }
  })
  const begunAt = performance.now()
  let endedAt = begunAt
  await Promise.all(
    hands.map(({ kinds, requests }) =>
      sendAll(requests, port, (index, sentAt) => {
        endedAt = performance.now()
        took.push({ kind: kinds[index] ?? "read", milliseconds: endedAt - sentAt })
        return endedAt - begunAt < seconds * 1_000
      }),
    ),
  )
  return { seconds: (endedAt - begunAt) / 1_000, took }
}
