/** The tools of agents that speak MCP: few, each made from the contract, and all of them by way of the service's own routes. */
import { agentOperationsOf } from "../discovery/manifest.ts"
import type { Read } from "../contract/definitions/read.ts"
import type { ReadName } from "../contract/reads/index.ts"
import { pathNames } from "../contract/definitions/operation.ts"
import { present } from "../contract/present.ts"
import type { Input } from "../contract/definitions/requests.ts"
import { limits } from "../contract/limits.ts"
import { documents } from "../documents/index.ts"
import { askAddress, askDocument, askRead, readable, readNamed } from "./asking.ts"
import { schemaTold } from "./describing.ts"
import type { Bearer, ServiceCaller } from "./door.ts"
import { type InputSchema, inputOf, object } from "./schemas.ts"
import { type ToolAnswer, toolError } from "./tool-answer.ts"
import { type Sender, send } from "./writing.ts"

/** A call of a tool on its way. */
export interface Call {
  readonly door: ServiceCaller
  readonly input: Input
  readonly signal: AbortSignal
  /** The program that calls, where it said what it is. */
  readonly sender: Sender | undefined
}

export interface Tool {
  readonly name: string
  readonly description: string
  readonly inputSchema: InputSchema
  readonly isRead: boolean
  /** For whom it is there; for everybody where nothing is said. */
  readonly for?: readonly Bearer[]
  call(call: Call): Promise<ToolAnswer>
}

const read = (name: ReadName): Read => present(readNamed(name))

/** A tool that asks one read, or the one of several whose ids it is given; as Markdown where the read has that form. */
function asks(name: string, names: readonly ReadName[], description: string, always: Input = {}): Tool {
  const reads = names.map(read)
  return {
    name,
    description,
    inputSchema: inputOf(reads),
    isRead: true,
    call({ door, input, signal }) {
      const meant = reads.find(({ path }) => pathNames(path).every((id) => id in input)) ?? present(reads[0])
      const form = "markdown" in meant.formats ? { format: "markdown" } : {}
      return askRead(door, meant, { ...form, ...always, ...input }, signal)
    },
  }
}

const words = { type: "string" }
const members = { type: "object" }
const named = (reads: readonly Read[]) => ({ type: "string", enum: reads.map(({ name }) => name) })

/** Asks a read by its name, its ids and parameters in one object. */
function asksAny({ door, input, signal }: Call): Promise<ToolAnswer> | ToolAnswer {
  const { name, parameters = {}, path } = input
  if (typeof path === "string") return askAddress(door, path, signal)
  const meant = readNamed(name)
  if (meant === undefined) return toolError("Give the name of a read, or the path of a link.")
  if (typeof parameters !== "object" || parameters === null) return toolError("parameters must be an object.")
  return askRead(door, meant, { ...parameters }, signal)
}

/** The ids by which documents are opened, and the page of each. */
const pages = new Map(Object.keys(documents).map((path) => [present(pathNames(path)[0]), path]))

const libraryReads = readable.filter(({ surface }) => surface === "key")
const holders: readonly Bearer[] = ["credential", "key"]

const oneWrite = (to: Bearer) => ({
  operation: { type: "string", enum: agentOperationsOf(to === "key" ? "library" : "research").map((operation) => operation.name) },
  input: members,
})
const severalWrites = {
  type: "array",
  maxItems: limits.batchWrites,
  items: { type: "object", properties: { as: words, operation: words, input: members }, required: ["operation", "input"] },
}

const writing = (name: string, rehearse: boolean, description: string, to: Bearer): Tool => ({
  name,
  description,
  inputSchema: to === "key" ? object(oneWrite(to), ["operation", "input"]) : object({ ...oneWrite(to), writes: severalWrites }),
  isRead: rehearse,
  for: [to],
  call: (call) => send(call.door, call.input, { rehearse, sender: call.sender, signal: call.signal }),
})

const inputTold =
  "input is the operation's body and the ids of its path in one object. schemaVersion and the delivery id are filled in where they are left out; the receipt has the id. After an uncertain delivery send the same input again with the same id."
const batchDescription =
  ' Or several at once, all or none: writes is a list of {as, operation, input}, in which {"$from": "a", "path": "/targetId"} takes a part of the receipt of the earlier write named a.'
const writeDescription = (what: string) =>
  `Do one operation: ${what}. Get its fields with schema first. ${inputTold} Answers the receipt, or a refusal with what to do about it.`
const rehearseTold =
  "Try a write without doing it: every check is made, and the receipt it would earn is shown, with warnings and what is similar. input is the same as of write."

/** In the order in which an agent needs them: the first ten do for most work. */
export const tools: readonly Tool[] = [
  {
    name: "whoami",
    description: "Whom your credential or key speaks for, what it may do and where, and the work that is assigned to that person.",
    inputSchema: object({}),
    isRead: true,
    for: holders,
    call: ({ door, signal }) => askRead(door, read(door.bearer === "key" ? "library_identity" : "identity"), {}, signal),
  },
  {
    name: "library",
    description:
      "Read the person's Library: saved papers, Collections, annotations. Never write what you find there into a Room unless they tell you to.",
    inputSchema: object({ name: named(libraryReads), parameters: members }, ["name"]),
    isRead: true,
    for: ["key"],
    call: async (call) => asksAny(call),
  },
  asks("rooms", ["rooms"], "Find a Room by words of its title or question; the newest first."),
  asks(
    "brief",
    ["room_brief", "thread_brief"],
    "Read this first: where a Room stands (roomId) or a Thread (threadId), its hypotheses and the evidence, what failed and why, disputes, who works on what, what to do next. Markdown; open opens what it names by id.",
  ),
  asks(
    "next",
    ["room_next"],
    "What would move a Room: each step with why, the operation that does it, the permission, and its input begun.",
  ),
  asks(
    "search",
    ["search"],
    "Full text of all that was said, in one Room or all. Every word must occur; quotes keep words together; a label (H3) or an id leads to its object. What has fallen stands last.",
  ),
  {
    name: "open",
    description: "A Room, Thread, record, experiment, attempt or paper as Markdown, with its links. Give the one id.",
    inputSchema: object(Object.fromEntries([...pages.keys()].map((id) => [id, words]))),
    isRead: true,
    async call({ door, input, signal }) {
      const [given, ...more] = Object.entries(input).filter(([id]) => pages.has(id))
      const [id = "", value] = given ?? []
      if (typeof value !== "string" || value === "" || more.length > 0) return toolError(`Give one of ${[...pages.keys()].join(", ")}.`)
      const path = present(pages.get(id)).replace(`{${id}}`, encodeURIComponent(value))
      return (await askDocument(door, path, signal)) ?? toolError("Nothing is served there.")
    },
  },
  {
    name: "schema",
    description:
      "The fields of an operation, with an example to begin from, or the parameters of a read. Without a name: all there are, a line each.",
    inputSchema: object({ name: words }),
    isRead: true,
    call: ({ door, input, signal }) => schemaTold(door, input.name, signal),
  },
  writing("rehearse", true, rehearseTold, "credential"),
  writing("rehearse", true, rehearseTold, "key"),
  writing(
    "write",
    false,
    writeDescription("post, publish, propose, take, plan, register and report an attempt, link, conclude, dispute") + batchDescription,
    "credential",
  ),
  writing("write", false, writeDescription("save and file papers, name Collections, post notes"), "key"),
  asks(
    "similar",
    ["room_similar"],
    "What was tried already that is near to a text, or like an object, and what came of it. Ask before you propose anything.",
  ),
  asks(
    "activity",
    ["room_activity"],
    "What changed in a Room after a sequence you kept (activityWatermark), a line for each write. wait holds an empty answer for some seconds.",
    { format: "lines" },
  ),
  {
    ...asks(
      "inbox",
      ["inbox"],
      "What others did that concerns you, each with why: answers, your name, what bears on your records, your experiments. Its last line says what after is to be next; wait holds an empty answer for some seconds.",
      { format: "lines" },
    ),
    for: ["credential"],
  },
  asks(
    "evidence",
    ["record_evidence"],
    "What bears on a record, for and against it, newest first: verdicts, references, reproductions, disputes.",
  ),
  {
    name: "read",
    description:
      "Any read of the service as JSON: by name with its parameters in one object (schema tells them), or by path, the link that an answer or document gave (links.next leads on in a list).",
    inputSchema: object({ name: named(readable.filter(({ surface }) => surface !== "key")), parameters: members, path: words }),
    isRead: true,
    call: async (call) => asksAny(call),
  },
]

/** The tools that a bearer has. */
export const toolsOf = (bearer: Bearer): readonly Tool[] => tools.filter((tool) => tool.for?.includes(bearer) ?? true)
