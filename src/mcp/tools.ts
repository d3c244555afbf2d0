/** The tools of agents that speak MCP: few, each made from the contract, and all of them by way of the service's own routes. */
import { agentOperationsOf } from "../discovery/manifest.ts"
import type { Read } from "../contract/definitions/read.ts"
import { pathTo, type ReadName } from "../contract/reads/index.ts"
import { pathNames } from "../contract/definitions/operation.ts"
import { present } from "../contract/present.ts"
import type { Input } from "../contract/definitions/requests.ts"
import { trusted } from "../contract/json.ts"
import { limits } from "../contract/limits.ts"
import { inDigits } from "../contract/text.ts"
import { documents } from "../documents/index.ts"
import { askAddress, askDocument, type Asking, askRead, readable, readNamed } from "./asking.ts"
import { schemaTold } from "./describing.ts"
import type { Bearer, ServiceCaller } from "./door.ts"
import { inputOf, object } from "./schemas.ts"
import type { Call, Tool } from "./tool.ts"
import { bytesOf, type ToolAnswer, toolError } from "./tool-answer.ts"
import { uploads } from "./uploading.ts"
import { send } from "./writing.ts"

const read = (name: ReadName): Read => present(readNamed(name))
const asking = ({ signal }: Call, bytes?: unknown): Asking => ({ signal, bytes: bytesOf(bytes) })

/** The Room of a credential. @throws NoAnswer */
async function ownRoom({ door, signal }: Call): Promise<Input> {
  if (door.bearer !== "credential") return {}
  const { status, text } = await door.ask({ method: "GET", path: pathTo("identity"), asBearer: true }, signal)
  if (status >= 400) return {}
  return { roomId: trusted<{ room: { id: string } }>(text).room.id }
}

interface Asks {
  readonly name: string
  /** The reads, of which the one is asked whose ids are given, or else the first. */
  readonly of: readonly ReadName[]
  readonly description: string
  /** The parameters that are told; the others are taken too. */
  readonly told: readonly string[]
  /** What is asked where nothing else is said. */
  readonly otherwise?: Input
}

/** A tool that asks a read, as Markdown where it has that form. A Room that is not named is the credential's own. */
function asks({ name, of, description, told, otherwise = {} }: Asks): Tool {
  const reads = of.map(read)
  return {
    name,
    description,
    inputSchema: inputOf(reads, told, ["roomId"]),
    isRead: true,
    async call(call) {
      const { door, input } = call
      const meant = reads.find(({ path }) => pathNames(path).every((id) => id in input)) ?? present(reads[0])
      const form = "markdown" in meant.formats ? { format: "markdown" } : {}
      const room = pathNames(meant.path).includes("roomId") && !("roomId" in input) ? await ownRoom(call) : {}
      return askRead(door, meant, { ...form, ...otherwise, ...room, ...input }, asking(call))
    },
  }
}

const words = { type: "string" }
const number = { type: "integer" }
const members = { type: "object" }

/** Asks a read by its name, its ids and parameters in one object, or by a path. */
async function asksAny(call: Call): Promise<ToolAnswer> {
  const { door, input } = call
  const { name, parameters = {}, path, bytes } = input
  if (typeof path === "string") return askAddress(door, path, asking(call, bytes))
  const meant = readNamed(name)
  if (meant === undefined) return toolError("Give the name of a read, or the path of a link. schema with name reads lists the reads.")
  if (typeof parameters !== "object" || parameters === null) return toolError("parameters must be an object.")
  return askRead(door, meant, { ...parameters }, asking(call, bytes))
}

/** The ids by which documents are opened, and the page of each. */
const pages = new Map(Object.keys(documents).map((path) => [present(pathNames(path)[0]), path]))

const libraryReads = readable.filter(({ surface }) => surface === "key")
const holders: readonly Bearer[] = ["credential", "key"]

const operationsOf = (to: Bearer): string[] => agentOperationsOf(to === "key" ? "library" : "research").map(({ name }) => name)
const oneWrite = (to: Bearer, rehearse: boolean) => ({
  operation: rehearse ? words : { type: "string", enum: operationsOf(to) },
  input: members,
})
const severalWrites = {
  type: "array",
  items: { type: "object", properties: { as: words, operation: words, input: members }, required: ["operation", "input"] },
}

const writing = (rehearse: boolean, description: string, to: Bearer): Tool => ({
  name: rehearse ? "rehearse" : "write",
  description,
  inputSchema: object({
    ...oneWrite(to, rehearse),
    ...(to === "key" ? {} : { writes: rehearse ? { type: "array" } : severalWrites }),
    receipt: { enum: ["small", "whole"] },
  }),
  isRead: rehearse,
  for: [to],
  call: (call) => send(call.door, call.input, { rehearse, sender: call.sender, signal: call.signal }),
})

const inputTold = "schema tells the input; the delivery id is filled in, and stands in the receipt"
const smallTold = `A receipt has ${limits.smallReceiptBytes} bytes at most unless you ask for it whole`
const againTold = "After an uncertain delivery send the same again with its id"
const rehearseTold = "Try what write would do: every check is made and the receipt shown, with what is similar; nothing is stored."

/** In the order in which an agent needs them: the first ten do for most work. */
export const tools: readonly Tool[] = [
  {
    name: "whoami",
    description: "Who your credential or key speaks for, its Room, what it may do, and the work it holds.",
    inputSchema: object({}),
    isRead: true,
    for: holders,
    call: (call) => askRead(call.door, read(call.door.bearer === "key" ? "library_identity" : "identity"), {}, asking(call)),
  },
  {
    name: "library",
    description:
      "Read the person's Library: saved papers, Collections, annotations. Never write what you find there into a Room unless they tell you to.",
    inputSchema: object({ name: { type: "string", enum: libraryReads.map(({ name }) => name) }, parameters: members }, ["name"]),
    isRead: true,
    for: ["key"],
    call: asksAny,
  },
  asks({
    name: "rooms",
    of: ["rooms"],
    description: "Find a Room by words of its title or question, newest first.",
    told: ["query", "after"],
  }),
  asks({
    name: "brief",
    of: ["room_brief", "thread_brief"],
    description: `Read this first: where your Room stands (or another one, or a Thread), hypotheses with their evidence, findings, what failed and why, disputes, work, what to do next. budget: bytes, ${inDigits(limits.briefFirst)} when left out.`,
    told: ["roomId", "threadId", "budget"],
    otherwise: { budget: limits.briefFirst },
  }),
  asks({
    name: "next",
    of: ["room_next"],
    description: "What would move a Room: each step with why, its operation, and its input begun.",
    told: ["roomId"],
  }),
  asks({
    name: "search",
    of: ["search"],
    description:
      "Full text of all that was said, in one Room or all. Every word must occur; quotes keep words together; a label (H3) or an id leads to its object.",
    told: ["query", "roomId", "kinds", "limit", "after"],
    otherwise: { limit: 10 },
  }),
  {
    name: "open",
    description: "A Room, Thread, record, experiment, attempt or paper as Markdown, with its links. Give its id.",
    inputSchema: object({ ...Object.fromEntries([...pages.keys()].map((id) => [id, words])), bytes: number }),
    isRead: true,
    async call(call) {
      const [given, ...more] = Object.entries(call.input).filter(([id]) => pages.has(id))
      const [id = "", value] = given ?? []
      if (typeof value !== "string" || value === "" || more.length > 0) return toolError(`Give one of ${[...pages.keys()].join(", ")}.`)
      const path = present(pages.get(id)).replace(`{${id}}`, encodeURIComponent(value))
      return (await askDocument(call.door, path, asking(call, call.input.bytes))) ?? toolError("Nothing is served there.")
    },
  },
  {
    name: "schema",
    description:
      "What operations take, with examples: one name, or several with commas between them; of a read its parameters. Without a name: all operations, a line each.",
    inputSchema: object({ name: words }),
    isRead: true,
    call: ({ door, input, signal }) => schemaTold(door, input.name, signal),
  },
  writing(true, rehearseTold, "credential"),
  writing(true, rehearseTold, "key"),
  writing(
    false,
    `Do an operation, or several in order, all or none (writes; {"$from": "a", "path": "/targetId"} stands for a part of the receipt of the write named a, such as /result/revision). ${inputTold}. ${smallTold}. ${againTold}.`,
    "credential",
  ),
  writing(false, `Save and file papers, name Collections, post notes. ${inputTold}. ${smallTold}. ${againTold}.`, "key"),
  asks({
    name: "similar",
    of: ["room_similar"],
    description: "What was tried already that is near to a text, or like an object, and what came of it. Ask before you propose anything.",
    told: ["roomId", "text", "like"],
  }),
  asks({
    name: "activity",
    of: ["room_activity"],
    description: "What changed in a Room after a sequence you kept, a line for each write. wait: seconds to wait for the next.",
    told: ["roomId", "after", "wait", "kinds", "exclude", "limit"],
    otherwise: { format: "lines" },
  }),
  {
    ...asks({
      name: "inbox",
      of: ["inbox"],
      description:
        "What others did that concerns you, each with why: answers, your name, what bears on your records and experiments. wait: seconds to wait for the next; the last line says what after is then.",
      told: ["after", "wait"],
      otherwise: { format: "lines" },
    }),
    for: ["credential"],
  },
  asks({
    name: "evidence",
    of: ["record_evidence"],
    description: "What bears on a record, for and against it, newest first: verdicts, references, reproductions, disputes.",
    told: ["versionId", "after"],
  }),
  {
    name: "read",
    description: `Any read as JSON: by name with its parameters in one object, or by path, a link that an answer gave. bytes: up to ${inDigits(limits.toolAnswerMost)} for an answer; ${inDigits(limits.toolAnswerBytes)} when left out.`,
    inputSchema: object({ name: words, parameters: members, path: words, bytes: number }),
    isRead: true,
    call: asksAny,
  },
  ...uploads,
]

/** The tools that there are for a bearer, through this door. */
export function toolsOf(door: ServiceCaller): readonly Tool[] {
  const readsFiles = "picture" in door
  return tools.filter((tool) => (tool.for?.includes(door.bearer) ?? true) && (tool.needsFiles ?? readsFiles) === readsFiles)
}
