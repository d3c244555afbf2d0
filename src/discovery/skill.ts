/** The skill: Markdown that tells an agent all it needs to work, and the same as a folder. */
import type { SkillPart } from "../contract/schema/enumerations.ts"
import type { Operation } from "../contract/definitions/operation.ts"
import { Refusal, wrongParameter } from "../contract/refusals/refusal.ts"
import type { Place } from "./bootstrap.ts"
import type { Read } from "../contract/definitions/read.ts"
import { namedOperation, namedRead, noSuchName } from "./named.ts"
import { capabilities, capability, capabilityIndex, readCapability } from "./skill-capabilities.ts"
import { commandOf, examples } from "./skill-examples.ts"
import { readingPart, startHere } from "./skill-start.ts"

interface Part {
  readonly whole: (baseUrl: string) => string
  /** What is read without a name, if not the whole. */
  readonly index?: () => string
  /** The section of one operation; left out if the part has none. */
  readonly one?: (of: Operation, baseUrl: string) => string
  readonly oneRead?: (of: Read) => string
}

/** The name that stands for the whole of a part. */
const ALL = "all"

const parts: Readonly<Record<SkillPart, Part>> = {
  reading: { whole: readingPart },
  capabilities: { whole: capabilities, index: capabilityIndex, one: capability, oneRead: readCapability },
  examples: { whole: examples, one: commandOf },
}

/**
 * The skill, or one of its references, in full or for one operation.
 * @throws Refusal `unknown_operation`; `invalid_parameter` for an operation without a part
 */
export function skill(part: SkillPart | undefined, { baseUrl }: Place, name?: string): string {
  if (part === undefined) {
    if (name === undefined) return `${startHere(baseUrl)}\n`
    throw wrongParameter("/part", "is required with operation")
  }
  const { whole, index, one, oneRead } = parts[part]
  if (name === undefined) return `${index?.() ?? whole(baseUrl)}\n`
  if (name === ALL) return `${whole(baseUrl)}\n`
  if (one === undefined) throw wrongParameter("/operation", `does not go with part=${part}`)
  const operation = namedOperation(name)
  if (operation !== undefined) return `${one(operation, baseUrl)}\n`
  const read = namedRead(name)
  if (read === undefined) throw new Refusal("unknown_operation", noSuchName(name))
  if (oneRead === undefined) throw wrongParameter("/operation", `is a read, and part=${part} is of operations`)
  return `${oneRead(read)}\n`
}

/** The format requires the folder to have the skill's name. */
const FOLDER = "research-room"
const CLIENT = "research_room.py"

/** Tells an agent's program when to use the skill. */
const description = (baseUrl: string): string =>
  `Take part in the public research Rooms at ${baseUrl}: read where a question stands and what failed, propose and ` +
  "run experiments, report attempts, publish hypotheses and findings. Use it when a task names this address, " +
  "a Room, or one of its labels such as H3, E2 or F1."

const python =
  `The Python client is in the same folder (${CLIENT}, standard library only). ` +
  "It reads RESEARCH_ROOM_TOKEN from the environment: `from research_room import Room; room = Room()`; " +
  `\`help(Room)\` lists its methods. \`python3 ${CLIENT} run --experiment ID -- COMMAND\` runs any command as an ` +
  "attempt and reports its metrics and its outcome."

/** @param client the Python client of this service */
export const skillFolder = (
  baseUrl: string,
  client: string,
): readonly { readonly path: string; readonly text: string }[] => [
  {
    path: `${FOLDER}/SKILL.md`,
    // JSON strings are valid YAML.
    text:
      `---\nname: ${FOLDER}\ndescription: ${JSON.stringify(description(baseUrl))}\n---\n\n${startHere(baseUrl)}` +
      `\n\n## Python\n\n${python}\n`,
  },
  { path: `${FOLDER}/${CLIENT}`, text: client },
]
