/** What it costs to find the parameters of any read: the index of all, then the one. */
import { agentReads } from "../../../src/discovery/manifest.ts"
import { overHttp } from "../../mcp/agent.ts"
import { hasPython, openPython } from "../walk/python.ts"
import type { StudyRoom } from "./room.ts"

/** The most bytes for any read, at the wire where there is one. */
export const parametersAim = 12_000

export interface Found {
  readonly door: string
  readonly index: number
  /** The dearest read, and the bytes of index and description together. */
  readonly name: string
  readonly bytes: number
  /** Reads that the index does not name, or whose description lacks a parameter. */
  readonly missing: readonly string[]
}

const names = (text: string, name: string): boolean => new RegExp(`\\b${name}\\b`).test(text)
const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** @param sizes the texts of the descriptions and their bytes, by name */
function foundBy(
  door: string,
  index: { readonly text: string; readonly bytes: number },
  described: ReadonlyMap<string, { readonly text: string; readonly bytes: number }>,
): Found {
  const wanted = agentReads.filter(({ name }) => described.has(name))
  const missing = wanted.filter(({ name, query }) => {
    const { text = "" } = described.get(name) ?? {}
    const untold = Object.keys(query.entries).filter(
      (each) => ![each, snake(each), `${each}_`].some((word) => names(text, word)),
    )
    return !(names(index.text, name) || names(index.text, `get_${name}`)) || untold.length > 0
  })
  const [name = "", { bytes = 0 } = {}] = [...described].sort(([, one], [, other]) => other.bytes - one.bytes)[0] ?? []
  return { door, index: index.bytes, name, bytes: index.bytes + bytes, missing: missing.map((each) => each.name) }
}

export async function findParameters(study: StudyRoom): Promise<Found[]> {
  const { baseUrl, wire } = study
  /** What a call answers, and what it cost at the wire. */
  async function counted(ask: () => Promise<string>) {
    const before = wire()
    const text = await ask()
    return { text, bytes: Math.max(wire() - before, Buffer.byteLength(text)) }
  }
  const described = async (reads: readonly string[], ask: (name: string) => Promise<string>) => {
    const found = new Map<string, { text: string; bytes: number }>()
    for (const name of reads) found.set(name, await counted(() => ask(name)))
    return found
  }
  const skill = async (parameters: string) => (await fetch(`${baseUrl}/api/research/skill?${parameters}`)).text()
  const all = agentReads.map(({ name }) => name)
  const http = foundBy(
    "HTTP",
    await counted(() => skill("part=capabilities")),
    await described(all, (name) => skill(`part=capabilities&operation=${name}`)),
  )

  const { token } = await study.agent("looks-up")
  const agent = await overHttp(baseUrl, token)
  const schema = async (name: string) => (await agent.call("schema", { name })).text
  const index = await counted(() => schema("reads"))
  const ofRoom = agentReads.filter(
    ({ surface, mediaType }) =>
      (surface === "public" || surface === "credential") && /json|text\/(?!event)/.test(mediaType),
  )
  const mcp = foundBy(
    "MCP",
    index,
    await described(
      ofRoom.map(({ name }) => name),
      schema,
    ),
  )
  await agent.close()
  if (!hasPython()) return [http, mcp]

  const { context, arrive, ask, close } = openPython({ baseUrl, token, repository: { url: "", commit: "" } })
  await arrive()
  await ask("methods")
  const listed = { text: context.last, bytes: Buffer.byteLength(context.last) }
  await ask(...all.map((name) => `get_${name}`).filter((method) => context.told.includes(method)))
  const usages = context.last.split(/^(?=(?:room|library)\.get_\w+\()/mu)
  const python = foundBy(
    "Python",
    listed,
    new Map(usages.map((text) => [/\.get_(\w+)\(/.exec(text)?.[1] ?? "", { text, bytes: Buffer.byteLength(text) }])),
  )
  close()
  return [http, mcp, python]
}
