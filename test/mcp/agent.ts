/** An agent that speaks MCP: the official client package, over HTTP or with a program that it starts. */
import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import type { Json } from "../support/ask.ts"

/** The protocol revisions that clients speak today: with a handshake, and with each request on its own. */
export const eras = ["legacy", "2026-07-28"] as const
export type Era = (typeof eras)[number]

export interface Told {
  readonly text: string
  readonly isError: boolean
  /** The text as JSON; for a refusal its envelope. */
  readonly body: Json
}

export interface Agent {
  readonly client: Client
  call(tool: string, input?: object): Promise<Told>
  /** A write's receipt. @throws Error if it was refused */
  write(operation: string, input: object): Promise<Json>
  close(): Promise<void>
}

/** The JSON in a tool's result: all of it, or its last line. */
function jsonIn(text: string): Json {
  try {
    return JSON.parse(text.slice(text.startsWith("Refused") ? text.lastIndexOf("\n") : 0)) as Json
  } catch {
    return {} as Json
  }
}

async function connected(transport: Transport, era: Era): Promise<Agent> {
  const client = new Client(
    { name: "a test's agent", version: "1.2.3" },
    { versionNegotiation: { mode: era === "legacy" ? "legacy" : { pin: era } } },
  )
  await client.connect(transport)
  const call = async (name: string, input: object = {}): Promise<Told> => {
    const { content, isError = false } = await client.callTool({ name, arguments: { ...input } })
    const [first] = content
    if (first?.type !== "text" || content.length !== 1) throw new Error(`${name} answered ${JSON.stringify(content)}`)
    return { text: first.text, isError, body: jsonIn(first.text) }
  }
  return {
    client,
    call,
    async write(operation, input) {
      const { text, isError, body } = await call("write", { operation, input })
      if (isError) throw new Error(text)
      return body
    },
    close: () => client.close(),
  }
}

/** Connects to a service over HTTP. */
export const overHttp = (baseUrl: string, token?: string, era: Era = "legacy"): Promise<Agent> =>
  connected(
    new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`), {
      requestInit: { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } },
    }),
    era,
  )

/** Connects to a program that it starts. */
export const overStdio = (
  program: string,
  env: Readonly<Record<string, string>>,
  era: Era = "legacy",
): Promise<Agent> =>
  connected(new StdioClientTransport({ command: program, args: ["mcp"], env: { ...env }, stderr: "pipe" }), era)
