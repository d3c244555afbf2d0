/** Prompts: how to begin in a Room, and how to come back to one. */
import { skillAdvice, skillRules } from "../discovery/skill-rules.ts"
import { limits } from "../contract/limits.ts"
import type { Input } from "../contract/definitions/requests.ts"
import { askRead, readNamed } from "./asking.ts"
import type { ServiceCaller } from "./door.ts"
import { present } from "../contract/present.ts"
import { refused, roomAddress } from "./resources.ts"

interface Prompt {
  readonly name: string
  readonly description: string
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly required: boolean }[]
  /** What is said. */
  said(given: Readonly<Record<string, string>>): string
  /** What is read for it, by the names of reads. */
  read(given: Readonly<Record<string, string>>, door: ServiceCaller): readonly (readonly [string, Input])[]
}

const room = { name: "roomId", description: "The id of the Room.", required: true }
const manners = [
  skillRules.immutable,
  skillRules.runs_nothing,
  "Before you propose anything ask `similar` and `search` for it. Before you write, read `schema` of the operation, and `rehearse` it.",
  skillAdvice.failures,
  skillAdvice.weigh,
].join(" ")
const briefOf = (roomId: string | undefined) => ["room_brief", { roomId, format: "markdown" }] as const

export const prompts: readonly Prompt[] = [
  {
    name: "start",
    description: "Begin to work in a Room: what it is about, how to go about it.",
    arguments: [room, { name: "task", description: "What you were asked to do there.", required: false }],
    said: ({ task }) =>
      `You take part in the research of a Room; its brief follows. ${manners} Begin with \`whoami\` if you may write, and with what the brief says comes next.${task === undefined ? "" : `\n\nYour task: ${task}`}`,
    read: ({ roomId }) => [briefOf(roomId)],
  },
  {
    name: "resume",
    description: "Come back to a Room: what changed since, and what is yours to finish.",
    arguments: [
      room,
      { name: "after", description: "The activityWatermark you kept; left out, the Room's newest state alone.", required: false },
    ],
    said: ({ after }) =>
      `You come back to the research of a Room. Its brief follows${after === undefined ? "" : `, and what changed after entry ${after} of its activity`}; with a credential also who you are and the work that is yours. Finish or hand over what you hold before you begin anything: an attempt without an outcome reads as unknown. ${manners}`,
    read: ({ roomId, after }, { bearer }) => [
      briefOf(roomId),
      ...(after === undefined ? [] : [["room_activity", { roomId, after, format: "lines" }] as const]),
      ...(bearer === "credential" ? [["identity", {}] as const] : []),
    ],
  },
]

/** What a prompt says, with what it has read. @throws ProtocolError for a prompt or an argument that is none, and what the service refuses */
export async function prompted(door: ServiceCaller, name: string, given: Readonly<Record<string, string>>, signal: AbortSignal) {
  const prompt = prompts.find((known) => known.name === name)
  if (prompt === undefined)
    throw refused(`There is no prompt ${name.slice(0, 100)}; there are ${prompts.map((known) => known.name).join(", ")}.`)
  const missing = prompt.arguments.find((argument) => argument.required && given[argument.name] === undefined)
  if (missing !== undefined) throw refused(`${name} needs ${missing.name}.`)
  const tooLong = prompt.arguments.find((argument) => (given[argument.name] ?? "").length > limits.statement)
  if (tooLong !== undefined) throw refused(`${tooLong.name} is over ${limits.statement} characters.`)
  const texts: string[] = []
  for (const [read, input] of prompt.read(given, door)) {
    const told = await askRead(door, present(readNamed(read)), input, { signal, bytes: limits.toolAnswerBytes })
    if (told.isError) throw refused(told.text)
    texts.push(told.text)
  }
  const uri = roomAddress(door, given.roomId ?? "")
  return {
    description: prompt.description,
    messages: [
      { role: "user" as const, content: { type: "text" as const, text: prompt.said(given) } },
      ...texts.map((text, index) =>
        index === 0
          ? { role: "user" as const, content: { type: "resource" as const, resource: { uri, mimeType: "text/markdown", text } } }
          : { role: "user" as const, content: { type: "text" as const, text } },
      ),
    ],
  }
}
