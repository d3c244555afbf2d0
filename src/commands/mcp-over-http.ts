/** Serves MCP on standard input and output, and calls a service over HTTP. */
import { readFile, stat } from "node:fs/promises"
import { Transform } from "node:stream"
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio"
import { ConnectionLost, RefusedError, UnexpectedAnswer, Transport } from "../client/transport.ts"
import { ResearchRoomClient } from "../client/index.ts"
import { FailedError } from "../contract/refusals.ts"
import { limits } from "../contract/limits.ts"
import { protocolVersion } from "../contract/service.ts"
import { typeOfImage } from "../attachments/image.ts"
import {
  type ServiceReply,
  type ServiceRequest,
  type Picture,
  type ServiceCaller,
  NoAnswer,
} from "../mcp/tool-answer.ts"
import { mcpServer } from "../mcp/server.ts"
import { tokenPrefixes } from "../people/tokens.ts"
import { softwareVersion } from "../packaged.ts"

/** Seconds for a response and between retries. Agents' programs give up after a minute. */
const TIMEOUTS = { timeout: 45, longestWait: 5, retries: 2 }

/**
 * Reads a picture file. Other files are refused, because a prompt injection may make an agent name any file. @throws
 * TypeError
 */
async function pictureAt(path: string): Promise<Picture> {
  const file = await stat(path).catch(() => undefined)
  if (file?.isFile() !== true) throw new TypeError(`There is no file ${path}`)
  if (file.size > limits.figureBytes)
    throw new TypeError(`${path} has ${file.size} bytes; the most for a picture is ${limits.figureBytes}`)
  const bytes = new Uint8Array(await readFile(path))
  const mediaType = typeOfImage(Buffer.from(bytes))
  if (mediaType === undefined) throw new TypeError(`${path} is not a PNG, JPEG or WebP file`)
  return { bytes, mediaType }
}

class RemoteCaller implements ServiceCaller {
  readonly baseUrl: string
  readonly bearer: ServiceCaller["bearer"]
  readonly #transport: Transport
  readonly #headers: Readonly<Record<string, string>>

  constructor(baseUrl: string, token: string | undefined) {
    this.baseUrl = baseUrl
    this.bearer = token === undefined ? "none" : token.startsWith(tokenPrefixes.personalKey) ? "key" : "credential"
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    this.#transport = new Transport({ baseUrl, ...TIMEOUTS })
  }

  readonly picture = pictureAt

  async ask(
    { method, path, body, mediaType = "application/json", asBearer }: ServiceRequest,
    signal?: AbortSignal,
  ): Promise<ServiceReply> {
    const wait = Number(new URL(path, this.baseUrl).searchParams.get("wait") ?? 0)
    const headers = { ...(asBearer ? this.#headers : {}), ...(body === undefined ? {} : { "content-type": mediaType }) }
    const result = await this.#transport.persist<string>({
      method,
      path,
      body,
      headers,
      form: "text",
      signal,
      wait: Number.isFinite(wait) ? wait : 0,
    })
    if ("value" in result) return { status: 200, text: result.value }
    const { failure } = result
    if (failure instanceof RefusedError) {
      const { status, message: error, refusal, committed, retryable, retryAfter, current, issues } = failure
      return { status, text: JSON.stringify({ error, refusal, committed, retryable, retryAfter, current, issues }) }
    }
    if (failure instanceof UnexpectedAnswer && failure.status < 500)
      return { status: failure.status, text: failure.excerpt }
    throw new NoAnswer(failure instanceof Error ? failure.message : String(failure))
  }
}

/** Checks that a service answers at the address, with the protocol version of this program. @throws FailedError */
async function requireCompatible(baseUrl: string): Promise<void> {
  const client = new ResearchRoomClient({ baseUrl, retries: 1, timeout: 15 })
  const ready = await client.ready().catch((error: unknown) => {
    if (error instanceof ConnectionLost || error instanceof UnexpectedAnswer)
      throw new FailedError(`${error.message}. Is ${baseUrl} the address of a research-room?`)
    // The service is starting.
    if (error instanceof RefusedError && error.status === 503) return undefined
    throw new FailedError(
      `${baseUrl} is not the address of a research-room: ${error instanceof Error ? error.message : String(error)}`,
    )
  })
  if (ready === undefined) return
  // The type is the literal version of this program, but another service may have another version.
  const theirs: number = ready.protocolVersion
  if (theirs === protocolVersion) return
  throw new FailedError(
    `${baseUrl} speaks protocol version ${theirs}, this program ${protocolVersion}: use the research-room of that ` +
      "service's version, or its /mcp over HTTP.",
  )
}

const MARK = Buffer.from("\ufeff")

/** Passes on what arrives, without the byte order mark that some programs write before their first message. */
function withoutMark(): Transform {
  let isFirst = true
  return new Transform({
    transform(chunk: Buffer, _encoding, passOn) {
      const isMarked = isFirst && chunk.subarray(0, MARK.length).equals(MARK)
      isFirst = false
      passOn(null, isMarked ? chunk.subarray(MARK.length) : chunk)
    },
  })
}

/** @throws FailedError if no service of this protocol version is at the address */
export async function serveMcp(url: string, token: string | undefined): Promise<void> {
  await requireCompatible(url)
  const caller = new RemoteCaller(url, token)
  // Agents' programs show standard error as a log.
  const onFault = (error: unknown) =>
    console.error(`research-room: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  const transport = new StdioServerTransport(process.stdin.pipe(withoutMark()))
  serveStdio(() => mcpServer(caller, softwareVersion, onFault), { maxSubscriptions: 0, transport })
}
