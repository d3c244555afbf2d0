/** The MCP server, for any transport. A new one is made for each request or connection; it keeps no state. */
import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
  ResourceNotFoundError,
} from "@modelcontextprotocol/server"
import { serviceName, mcpPath } from "../contract/service.ts"
import { tokenPrefixes } from "../people/tokens.ts"
import { type ServiceCaller, NoAnswer, type Bearer, type ToolAnswer, toolError } from "./tool-answer.ts"
import { type Tool, askRead, readNamed, askDocument, pathBelow } from "./tool.ts"
import { tools, toolsOf } from "./tools.ts"
import {
  skillAdvice,
  skillRules,
  inOrder,
  skillAdvice as advice,
  skillRules as rules,
  skillSteps,
} from "../discovery/skill-rules.ts"
import { limits } from "../contract/limits.ts"
import type { Input } from "../contract/definitions/requests.ts"
import { present } from "../contract/typed.ts"
import { pathTo, type AnswerOf } from "../contract/reads/index.ts"
import { objectDocuments } from "../documents/index.ts"
import { trusted } from "../contract/json.ts"
import { blocks, bullets, inCode, numbered } from "../discovery/markdown.ts"
import { uploadFigure } from "../contract/definitions/attachments.ts"
import { inDigits } from "../contract/text.ts"

// The guidance for agents: the instructions sent when they connect, and the skill, a resource. Both mention only
// tools.

const steps = skillSteps.map((step) => step.replaceAll("`", "")).join("; ")

const mayDo: Readonly<Record<Bearer, string>> = {
  none: "You have no credential: you can read and not write.",
  credential:
    "Begin with brief, ask search and similar before you propose, then schema and write. " +
    `A piece of research: ${steps}. The writes of one step go into one write (writes). ` +
    "inbox says what others did that concerns you, and can wait for it. What is accepted cannot be changed, " +
    "and is public.",
  key: "Your key opens a person's Library: library reads it, write files papers.",
}

const instructions = ({ baseUrl, bearer }: ServiceCaller): string =>
  `Public research in Rooms at ${baseUrl}: hypotheses, experiments, attempts and findings, with the evidence for and ` +
  `against them. ${mayDo[bearer]} ${advice.weigh}`

/** The skill goes on where the instructions end. */
const mcpSkill = (): string =>
  `${blocks(
    "# Research Rooms by MCP",
    "People in a browser and agents see one record. A Room holds Threads; " +
      "a Thread holds messages, cards of records, and receipts of everything else. " +
      `${rules.immutable} ${rules.runs_nothing}`,
    "## Begin",
    numbered([
      `${inCode("brief")}: where your Room stands, what failed, what to do next. ` +
        "It names the Room and its opening Thread by their ids.",
      `${inCode("search")} and ${inCode("similar")}: what was said and tried already.`,
      `${inCode("schema")} with the names of the operations you need, with commas between them.`,
      `${inCode("rehearse")}, if you are not sure; then ${inCode("write")}.`,
    ]),
    "## Writing",
    bullets([
      `${rules.schema} ${rules.whole}`,
      `${inCode("write")} fills in the delivery id and tells it in the receipt. After an uncertain delivery send the ` +
        `same input again with that id. ${rules.replayed} ${rules.changed}`,
      `${inOrder} ` +
        `${inCode('{"$from": "a", "path": "/targetId"}')} takes a part of the receipt of the earlier write named ` +
        `${inCode("a")}: its ${inCode("/result/revision")}, ${inCode("/result/status")}, ` +
        `${inCode("/result/planId")}. ${inCode('"expectedWatermark": {"$after": 57}')} is 57, as you read it, and ` +
        "what the batch itself wrote before.",
      `${inCode(uploadFigure.name)} keeps a picture and answers the digest that ${inCode("figures")} of a write names.`,
      `${rules.guarded} ${advice.copy_expected}`,
      `${advice.conflict} ${advice.write_markdown} ${advice.write_ids}`,
    ]),
    "## Reading",
    bullets([
      `An answer has ${inDigits(limits.toolAnswerBytes)} bytes at most; what is longer is cut and says so in ` +
        `${inCode("cut")}. ${inCode("read")} and ${inCode("open")} take ${inCode("bytes")} for more.`,
      `${inCode("read")} asks anything by its name: ${inCode("schema")} with name ${inCode("reads")} lists them. ` +
        `${inCode("links.next")} of a list is a path for ${inCode("read")}.`,
      `${inCode("inbox")} with ${inCode("after")} and ${inCode("wait")} waits for what concerns you; ` +
        `${inCode("activity")} for everything. The last line of each says where it goes on.`,
      rules.status,
      rules.stale,
      rules.attempt_unknown,
      rules.labels,
    ]),
    "## Good work",
    bullets([advice.before, `${advice.answer} ${advice.failures}`]),
  )}\n`

// Rooms, Threads, records and work as MCP resources: the Markdown documents at the addresses of their pages.

const mimeType = "text/markdown"

/** The URI templates of the documents. */
const templatesOf = ({ baseUrl }: ServiceCaller) =>
  objectDocuments.map((path) => {
    const noun = present(path.split("/")[1]).replace(/s$/, "")
    return {
      name: noun,
      uriTemplate: `${baseUrl}${path}.md`,
      mimeType,
      description: `One ${noun}, with links to what it names.`,
    }
  })

const skillOf = ({ baseUrl }: ServiceCaller) => ({
  uri: `${baseUrl}${mcpPath}/skill.md`,
  name: "skill",
  description: "How agents work with these tools.",
  mimeType,
})

/** The URI of a Room's document. */
const roomAddress = ({ baseUrl }: ServiceCaller, roomId: string): string => `${baseUrl}/rooms/${roomId}.md`

/** Lists the skill, and the Rooms, newest first, page by page. @throws ProtocolError for an invalid cursor */
async function listResources(door: ServiceCaller, cursor: string | undefined, signal: AbortSignal) {
  const { status, text } = await door.ask(
    { method: "GET", path: pathTo("rooms", {}, cursor === undefined ? {} : { after: cursor }), asBearer: false },
    signal,
  )
  if (status >= 400) throw refused(text)
  const { items, nextCursor } = trusted<AnswerOf<"rooms"> & { readonly nextCursor: string | null }>(text)
  const rooms = items.map(({ roomId, title, question }) => ({
    uri: roomAddress(door, roomId),
    name: title,
    mimeType,
    ...(question === null ? {} : { description: question }),
  }))
  return {
    resources: cursor === undefined ? [skillOf(door), ...rooms] : rooms,
    ...(nextCursor === null ? {} : { nextCursor }),
  }
}

/** Reads a resource. @throws ResourceNotFoundError for another address, or if there is nothing at it */
async function readResource(door: ServiceCaller, uri: string, signal: AbortSignal) {
  if (uri === skillOf(door).uri) return { contents: [{ uri, mimeType, text: mcpSkill() }] }
  const path = pathBelow(door, uri)
  const document =
    path === undefined ? undefined : await askDocument(door, path, { signal, bytes: limits.toolAnswerMost })
  if (document === undefined || document.isError)
    throw new ResourceNotFoundError(uri, document?.text.replace(/^#+ */, "").trim())
  return { contents: [{ uri, mimeType, text: document.text }] }
}

/** The error for a refusal outside a tool's answer. */
export const refused = (text: string): ProtocolError => new ProtocolError(ProtocolErrorCode.InvalidParams, text)

// Prompts to start work in a Room, and to resume it.

interface Prompt {
  readonly name: string
  readonly description: string
  readonly arguments: { readonly name: string; readonly description: string; readonly required: boolean }[]
  text(input: Readonly<Record<string, string>>): string
  /** The reads whose answers go with it. */
  reads(input: Readonly<Record<string, string>>, door: ServiceCaller): readonly (readonly [string, Input])[]
}

const room = { name: "roomId", description: "The id of the Room.", required: true }
const manners = [
  skillRules.immutable,
  skillRules.runs_nothing,
  "Before you propose anything ask `similar` and `search` for it. Before you write, read `schema` of the " +
    "operation, and `rehearse` it.",
  skillAdvice.failures,
  skillAdvice.weigh,
].join(" ")
const briefOf = (roomId: string | undefined) => ["room_brief", { roomId, format: "markdown" }] as const

const prompts: readonly Prompt[] = [
  {
    name: "start",
    description: "Start work in a Room: its question, and how to go about it.",
    arguments: [room, { name: "task", description: "Your task in the Room.", required: false }],
    text: ({ task }) =>
      `You take part in the research of a Room; its brief follows. ${manners} Begin with \`whoami\` if you may ` +
      `write, and with what the brief says comes next.${task === undefined ? "" : `\n\nYour task: ${task}`}`,
    reads: ({ roomId }) => [briefOf(roomId)],
  },
  {
    name: "resume",
    description: "Come back to a Room: what has changed, and what you have to finish.",
    arguments: [
      room,
      {
        name: "after",
        description: "The activityWatermark that you kept; left out, only the Room's present state.",
        required: false,
      },
    ],
    text: ({ after }) =>
      "You come back to the research of a Room. " +
      `Its brief follows${after === undefined ? "" : `, and what changed after entry ${after} of its activity`}; ` +
      "with a credential also who you are and your unfinished work. Finish or hand over what you hold before you " +
      `begin anything else: an attempt without an outcome reads as unknown. ${manners}`,
    reads: ({ roomId, after }, { bearer }) => [
      briefOf(roomId),
      ...(after === undefined ? [] : [["room_activity", { roomId, after, format: "lines" }] as const]),
      ...(bearer === "credential" ? [["identity", {}] as const] : []),
    ],
  },
]

/**
 * Fills in a prompt, with the answers of its reads. @throws ProtocolError for an unknown prompt, a wrong argument, or a
 * refusal
 */
async function fillPrompt(
  door: ServiceCaller,
  name: string,
  input: Readonly<Record<string, string>>,
  signal: AbortSignal,
) {
  const prompt = prompts.find((known) => known.name === name)
  if (prompt === undefined)
    throw refused(
      `There is no prompt ${name.slice(0, 100)}; there are ${prompts.map((known) => known.name).join(", ")}.`,
    )
  const missing = prompt.arguments.find((argument) => argument.required && input[argument.name] === undefined)
  if (missing !== undefined) throw refused(`${name} needs ${missing.name}.`)
  const tooLong = prompt.arguments.find((argument) => (input[argument.name] ?? "").length > limits.statement)
  if (tooLong !== undefined) throw refused(`${tooLong.name} is over ${limits.statement} characters.`)
  const texts: string[] = []
  for (const [read, parameters] of prompt.reads(input, door)) {
    const answer = await askRead(door, present(readNamed(read)), parameters, { signal, bytes: limits.toolAnswerBytes })
    if (answer.isError) throw refused(answer.text)
    texts.push(answer.text)
  }
  const [brief = "", ...others] = texts
  const resource = { uri: roomAddress(door, input.roomId ?? ""), mimeType: "text/markdown", text: brief }
  const asText = (text: string) => ({ type: "text" as const, text })
  const contents = [asText(prompt.text(input)), { type: "resource" as const, resource }, ...others.map(asText)]
  return { description: prompt.description, messages: contents.map((content) => ({ role: "user" as const, content })) }
}

const listedTool = ({ name, description, inputSchema, isRead }: Tool) => ({
  name,
  description,
  inputSchema,
  annotations: isRead ? { readOnlyHint: true } : { destructiveHint: false },
})

const result = ({ text, isError }: ToolAnswer): CallToolResult => ({ content: [{ type: "text", text }], isError })

function missing(name: string): ToolAnswer {
  if (!tools.some((tool) => tool.name === name))
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${name.slice(0, 100)}.`)
  return toolError(
    `${name} is not available to you: it needs a Room credential (${tokenPrefixes.credential}…) for research, ` +
      `or a personal key (${tokenPrefixes.personalKey}…) for a Library, sent as the bearer token. ` +
      "A person issues one in the browser.",
  )
}

/** @param onFault called with an unexpected error; the agent only learns that the call failed */
export function mcpServer(door: ServiceCaller, version: string, onFault: (error: unknown) => void): Server {
  const server = new Server(
    { name: serviceName, version },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions: instructions(door) },
  )
  const orProtocolError = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      if (error instanceof ProtocolError) throw error
      if (error instanceof NoAnswer) throw new ProtocolError(ProtocolErrorCode.InternalError, error.message)
      onFault(error)
      throw new ProtocolError(
        ProtocolErrorCode.InternalError,
        "The service failed while it handled this request. Ask again in a moment.",
      )
    }
  }

  server.setRequestHandler("tools/list", () => ({ tools: toolsOf(door).map(listedTool) }))
  server.setRequestHandler("tools/call", ({ params: { name, arguments: input = {} } }, { mcpReq: { signal } }) =>
    orProtocolError(async () => {
      const tool = toolsOf(door).find((known) => known.name === name)
      if (tool === undefined) return result(missing(name))
      try {
        return result(await tool.call({ door, input, signal, sender: server.getClientVersion() }))
      } catch (error) {
        if (error instanceof NoAnswer) return result(toolError(error.message))
        throw error
      }
    }),
  )
  server.setRequestHandler("resources/list", ({ params }, { mcpReq: { signal } }) =>
    orProtocolError(() => listResources(door, params?.cursor, signal)),
  )
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: templatesOf(door) }))
  server.setRequestHandler("resources/read", ({ params: { uri } }, { mcpReq: { signal } }) =>
    orProtocolError(() => readResource(door, uri, signal)),
  )
  server.setRequestHandler("prompts/list", () => ({
    prompts: prompts.map(({ name, description, arguments: inputs }) => ({ name, description, arguments: inputs })),
  }))
  server.setRequestHandler("prompts/get", ({ params: { name, arguments: input = {} } }, { mcpReq: { signal } }) =>
    orProtocolError(() => fillPrompt(door, name, input, signal)),
  )
  return server
}

// Answers one MCP message over HTTP. There are no sessions and no server messages.

/**
 * @param request only its headers are used @param message its parsed body. Agents of the older and the newer protocol
 * both get JSON.
 */
export async function answerHttpMessage(
  door: ServiceCaller,
  version: string,
  onFault: (error: unknown) => void,
  request: Request,
  message: unknown,
): Promise<Response> {
  const makeServer = () => mcpServer(door, version, onFault)
  // Subscriptions are not supported: an agent waits for changes with the activity feed's `wait`.
  if (!(await isLegacyRequest(request, message)))
    return createMcpHandler(makeServer, { legacy: "reject", maxSubscriptions: 0 }).fetch(request, {
      parsedBody: message,
    })
  const server = makeServer()
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    return await transport.handleRequest(request, { parsedBody: message })
  } finally {
    await server.close()
  }
}
