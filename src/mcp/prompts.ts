/** Prompts to start work in a Room, and to resume it. */
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

export const prompts: readonly Prompt[] = [
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
export async function fillPrompt(
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
