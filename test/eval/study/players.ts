/** One agent behind each door: it arrives with all that such an agent has read, learns, reads, and writes. */
import type { Input } from "../../../src/contract/definitions/requests.ts"
import type { Json } from "../../support/ask.ts"
import type { Context } from "../walk/context.ts"
import { openHttp } from "../walk/http.ts"
import { openMcp } from "../walk/mcp.ts"
import { called, hasPython, openPython } from "../walk/python.ts"
import type { Given } from "../walk/walk.ts"

export interface Player {
  readonly context: Context
  /** Reads what the door tells an agent at its beginning. */
  arrive(): Promise<void>
  /** Looks up what can be read. */
  browse(): Promise<void>
  /** Reads the parameters of reads and of operations. */
  learn(...names: readonly string[]): Promise<void>
  /** Sends a read of its Room, and answers the text. */
  read(name: string, parameters?: Input): Promise<string>
  /** @throws Error with the refusal, which is in the context then */
  write(operation: string, input: Input): Promise<void>
  close(): Promise<void>
}

const inText = (value: unknown): string => (Array.isArray(value) ? value.join(",") : String(value))
/** The reads whose paths the skill tells. */
const TOLD: Readonly<Record<string, string>> = {
  room_brief: "/api/research/rooms/{roomId}/brief",
  inbox: "/api/agent/research/inbox",
  search: "/api/research/search",
}

function openOverHttp(given: Given): Player {
  const { context, ask, read, schemas, whole, send } = openHttp(given)
  const pathOf = (name: string, verb: string) =>
    TOLD[name] ?? context.find(new RegExp(`"title":"${name}"(?:(?!"title":"[a-z]+_).)*?"${verb}":"([^"]+)"`))
  /** A path with its ids, and what is left of the input. */
  function filled(path: string, input: Input): readonly [path: string, rest: Input] {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name)
    return [
      path.replace(/\{(\w+)\}/g, (_, name: string) => inText(input[name])),
      Object.fromEntries(Object.entries(input).filter(([name]) => !names.includes(name))),
    ]
  }
  let roomId = ""
  return {
    context,
    async arrive() {
      await ask("/llms.txt")
      await ask(new URL(context.find(/\[skill\]\(([^)]+)\)/)).pathname)
      roomId = (JSON.parse(await read("/api/agent/research/identity")) as { room: { id: string } }).room.id
    },
    browse: async () => void (await read("/api/research/skill?part=capabilities")),
    learn: async (...names) => void (await schemas(...names)),
    async read(name, parameters = {}) {
      const told = pathOf(name, "get")
      const needsRoom = told.includes("{roomId}") || name === "search"
      const [path, rest] = filled(told, needsRoom ? { roomId, ...parameters } : parameters)
      context.mustKnow([told, ...Object.keys(rest)], name)
      return ask(`${path}?${new URLSearchParams(Object.entries(rest).map(([of, value]) => [of, inText(value)]))}`)
    },
    async write(operation, input) {
      const told = pathOf(operation, "post")
      const [path, rest] = filled(told, input)
      const { requestId, ...body } = whole(rest)
      const id = operation === "post_message" ? { clientMessageId: requestId } : { requestId }
      await send(path, { ...body, ...id }, told)
    },
    close: () => Promise.resolve(),
  }
}

async function openByMcp(given: Given): Promise<Player> {
  const { context, agent, call, write, schemas } = await openMcp(given)
  /** The reads that are tools of their own, which answer the shortest form. */
  const own: Readonly<Record<string, string>> = { inbox: "inbox", room_brief: "brief", search: "search" }
  return {
    context,
    async arrive() {
      const { contents } = await agent.client.readResource({ uri: `${given.baseUrl}/mcp/skill.md` })
      context.exchanged("resources/read", (contents as unknown as readonly Json[]).map(({ text }) => text).join("\n"))
    },
    browse: async () => void (await call("schema", { name: "reads" })),
    learn: async (...names) => void (await schemas(...names)),
    async read(name, parameters = {}) {
      const { format: _format, ...rest } = parameters
      if (own[name] !== undefined) await call(own[name], rest)
      else await call("read", { name, parameters: { roomId: context.find(/Room ([0-9a-f-]{36})/), ...parameters } })
      return context.last
    },
    write: async (operation, input) => void (await write({ operation, input })),
    close: () => agent.close(),
  }
}

function openInPython(given: Given): Player {
  const { context, arrive, ask, run, close } = openPython(given)
  return {
    context,
    arrive,
    browse: () => ask("methods"),
    learn: (...names) => ask(...names.map((name) => (context.told.includes(`get_${name}`) ? `get_${name}` : name))),
    async read(name, parameters = {}) {
      await run(`print(${called(`room.get_${name}`, parameters)})`)
      return context.last
    },
    async write(operation, input) {
      await run(`print(${called(`room.${operation}`, input)})`)
      context.wrote()
    },
    close: () => Promise.resolve(close()),
  }
}

export const players: Readonly<Record<string, (given: Given) => Player | Promise<Player>>> = {
  HTTP: openOverHttp,
  MCP: openByMcp,
  ...(hasPython() && { Python: openInPython }),
}
