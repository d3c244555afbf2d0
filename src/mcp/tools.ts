/** The MCP tools: few, generated from the contract, all using the service's own routes. */
import { agentOperationsOf } from "../discovery/manifest.ts"
import { noSuchName } from "../discovery/named.ts"
import type { Read } from "../contract/definitions/read.ts"
import { pathTo, type ReadName } from "../contract/reads/index.ts"
import { pathNames } from "../contract/definitions/operation.ts"
import { present } from "../contract/typed.ts"
import type { Input } from "../contract/definitions/requests.ts"
import { trusted } from "../contract/json.ts"
import { limits } from "../contract/limits.ts"
import { inDigits } from "../contract/text.ts"
import { objectDocuments } from "../documents/index.ts"
import {
  askAddress,
  askDocument,
  type ReadOptions,
  askRead,
  readable,
  readNamed,
  send,
  describe,
  inputOf,
  object,
  type Call,
  type Tool,
} from "./tool.ts"
import { type Bearer, type ServiceCaller, bytesOf, type ToolAnswer, toolError } from "./tool-answer.ts"
import { unquoted } from "../contract/schema/validation.ts"
import { uploads } from "./uploading.ts"

const read = (name: ReadName): Read => present(readNamed(name))
const optionsOf = ({ signal }: Call, bytes?: unknown): ReadOptions => ({ signal, bytes: bytesOf(bytes) })

/** The Room of the credential. @throws NoAnswer */
async function ownRoom({ door, signal }: Call): Promise<Input> {
  if (door.bearer !== "credential") return {}
  const { status, text } = await door.ask({ method: "GET", path: pathTo("identity"), asBearer: true }, signal)
  if (status >= 400) return {}
  return { roomId: trusted<{ room: { id: string } }>(text).room.id }
}

interface ReadTool {
  readonly name: string
  /** The reads to choose from: the one whose ids are given, or else the first. */
  readonly of: readonly ReadName[]
  readonly description: string
  /** The parameters that the tool describes; it takes the others too. */
  readonly described: readonly string[]
  readonly defaults?: Input
}

/** Entries of a Thread that fit into an answer, as Markdown. */
const ENTRIES = 20

/** A tool that sends a read, in Markdown if it has that format. Without a Room's id it uses the credential's Room. */
function readTool({ name, of, description, described, defaults = {} }: ReadTool): Tool {
  const reads = of.map(read)
  return {
    name,
    description,
    inputSchema: inputOf(reads, described, ["roomId"]),
    isRead: true,
    async call(call) {
      const { door, input } = call
      const chosen = reads.find(({ path }) => pathNames(path).every((id) => id in input)) ?? present(reads[0])
      const format = "markdown" in chosen.formats ? { format: "markdown" } : {}
      const isOther = "format" in defaults && !(String(defaults.format) in chosen.formats)
      const filled = isOther ? { format: "markdown", limit: ENTRIES } : defaults
      const room = pathNames(chosen.path).includes("roomId") && !("roomId" in input) ? await ownRoom(call) : {}
      return askRead(door, chosen, { ...format, ...filled, ...room, ...input }, optionsOf(call))
    },
  }
}

const words = { type: "string" }
const number = { type: "integer" }
const members = { type: "object" }

/** Sends any read: by name with its ids and parameters in one object, or by path. */
async function sendAnyRead(call: Call): Promise<ToolAnswer> {
  const { door, input } = call
  const { name, path, bytes } = input
  const parameters = unquoted(input.parameters ?? {})
  if (typeof path === "string") return askAddress(door, path, optionsOf(call, bytes))
  const chosen = readNamed(name)
  if (chosen === undefined)
    return toolError(
      `${name === undefined ? "Give the name of a read, or the path of a link." : noSuchName(String(name))} ` +
        "schema with name reads lists the reads.",
    )
  if (typeof parameters !== "object" || parameters === null) return toolError("parameters must be an object.")
  return askRead(door, chosen, { ...parameters }, optionsOf(call, bytes))
}

/** The pages available as documents, by the name of their id. */
const pages = new Map(objectDocuments.map((path) => [present(pathNames(path)[0]), path]))

const libraryReads = readable.filter(({ surface }) => surface === "key")
const holders: readonly Bearer[] = ["credential", "key"]

const operationsOf = (to: Bearer): string[] =>
  agentOperationsOf(to === "key" ? "library" : "research").map(({ name }) => name)
const oneWrite = (to: Bearer, rehearse: boolean) => ({
  operation: rehearse ? words : { type: "string", enum: operationsOf(to) },
  input: members,
})
const severalWrites = {
  type: "array",
  items: {
    type: "object",
    properties: { as: words, operation: words, input: members },
    required: ["operation", "input"],
  },
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

const inputNote = "schema describes the input; the delivery id is filled in and repeated in the receipt"
const sizeNote = `A receipt has ${limits.smallReceiptBytes} bytes at most unless you ask for it whole`
const retryNote = "After an uncertain delivery send the same again with its id"
const rehearsal =
  "Try what write would do: every check is made and the receipt shown, with what is similar; nothing is stored."

/** In the order in which agents need them: the first ten suffice for most work. */
export const tools: readonly Tool[] = [
  {
    name: "whoami",
    description: "Who your credential or key speaks for, its Room, what it may do, and the work it holds.",
    inputSchema: object({}),
    isRead: true,
    for: holders,
    call: (call) =>
      askRead(call.door, read(call.door.bearer === "key" ? "library_identity" : "identity"), {}, optionsOf(call)),
  },
  {
    name: "library",
    description:
      "Read the person's Library: saved papers, Collections, annotations. Never write what you find there into a " +
      "Room unless they tell you to.",
    inputSchema: object({ name: { type: "string", enum: libraryReads.map(({ name }) => name) }, parameters: members }, [
      "name",
    ]),
    isRead: true,
    for: ["key"],
    call: sendAnyRead,
  },
  readTool({
    name: "rooms",
    of: ["rooms"],
    description: "Find a Room by words of its title or question, newest first.",
    described: ["query", "after"],
  }),
  readTool({
    name: "brief",
    of: ["room_brief", "thread_brief"],
    description:
      "Read this first: where your Room stands (or another one, or a Thread), hypotheses with their " +
      "evidence, findings, what failed and why, disputes, work, what to do next. budget: " +
      `bytes, ${inDigits(limits.briefFirst)} when left out.`,
    described: ["roomId", "threadId", "budget"],
    defaults: { budget: limits.briefFirst },
  }),
  readTool({
    name: "next",
    of: ["room_next"],
    description: "What would move a Room forward: each step with its reason, its operation, and a draft of its input.",
    described: ["roomId"],
  }),
  readTool({
    name: "search",
    of: ["search"],
    description:
      "Full text of everything written, in one Room or all. Every word must occur; quotes keep words together; " +
      "a label (H3) or an id finds its object.",
    described: ["query", "roomId", "kinds", "limit", "after"],
    defaults: { limit: 10 },
  }),
  {
    name: "open",
    description: "A Room, Thread, record, experiment, attempt, link or paper as Markdown. Give its id.",
    inputSchema: object({ ...Object.fromEntries([...pages.keys()].map((id) => [id, words])), bytes: number }),
    isRead: true,
    async call(call) {
      const [chosen, ...more] = Object.entries(call.input).filter(([id]) => pages.has(id))
      const [id = "", value] = chosen ?? []
      if (typeof value !== "string" || value === "" || more.length > 0)
        return toolError(`Give one of ${[...pages.keys()].join(", ")}.`)
      const path = present(pages.get(id)).replace(`{${id}}`, encodeURIComponent(value))
      return (
        (await askDocument(call.door, path, optionsOf(call, call.input.bytes))) ?? toolError("There is no such page.")
      )
    },
  },
  {
    name: "schema",
    description:
      "The input of operations, with examples, or the parameters of a read: " +
      "one name, or several separated by commas. Without a name: all operations, a line each.",
    inputSchema: object({ name: words }),
    isRead: true,
    call: ({ door, input, signal }) => describe(door, input.name, signal),
  },
  writing(true, rehearsal, "credential"),
  writing(true, rehearsal, "key"),
  writing(
    false,
    `Do an operation, or several in order, all or none (writes; {"$from": "a", "path": ` +
      `"/targetId"} stands for a part of the receipt of the write named a, such as /result/revision). ` +
      `${inputNote}. ${sizeNote}. ${retryNote}.`,
    "credential",
  ),
  writing(false, `Save and file papers, name Collections, post notes. ${inputNote}. ${sizeNote}. ${retryNote}.`, "key"),
  readTool({
    name: "similar",
    of: ["room_similar"],
    description: "Earlier work similar to a text or an object, with its results. Ask before you propose anything.",
    described: ["roomId", "text", "like"],
  }),
  readTool({
    name: "activity",
    of: ["room_activity", "thread_timeline"],
    description:
      "What changed in a Room after a sequence you kept, a line a write; or the entries of a Thread. " +
      "wait: seconds for the next.",
    described: ["roomId", "threadId", "after", "wait", "kinds", "exclude", "limit"],
    defaults: { format: "lines" },
  }),
  {
    ...readTool({
      name: "inbox",
      of: ["inbox"],
      description:
        "What others did that concerns you, each with why: answers, mentions, what bears on your records and " +
        "experiments. wait: seconds to wait for the next; the last line gives the next after.",
      described: ["after", "wait"],
      defaults: { format: "lines" },
    }),
    for: ["credential"],
  },
  readTool({
    name: "evidence",
    of: ["record_evidence"],
    description:
      "What bears on a record, for and against it, newest first: verdicts, references, reproductions, disputes.",
    described: ["versionId", "after"],
  }),
  {
    name: "read",
    description:
      "Any read as JSON: by name with its parameters in one object, or by path, a link from an answer. " +
      `bytes: up to ${inDigits(limits.toolAnswerMost)} for an answer; ` +
      `${inDigits(limits.toolAnswerBytes)} when left out. check_text (roomId, text) says which numbers of a text the ` +
      "record holds: ask before you publish a conclusion.",
    inputSchema: object({ name: words, parameters: members, path: words, bytes: number }),
    isRead: true,
    call: sendAnyRead,
  },
  ...uploads,
]

/** The tools for this bearer and caller. */
export function toolsOf(door: ServiceCaller): readonly Tool[] {
  const readsFiles = "picture" in door
  return tools.filter(
    (tool) => (tool.for?.includes(door.bearer) ?? true) && (tool.needsFiles ?? readsFiles) === readsFiles,
  )
}
