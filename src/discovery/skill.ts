/** The skill: Markdown that tells an agent all it needs to work. */
import type { SkillPart } from "../contract/schema/enumerations.ts"
import type { Operation } from "../contract/definitions/operation.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import type { Place } from "./facts.ts"
import { agentOperations } from "./manifest.ts"
import { capabilities, capability } from "./skill-capabilities.ts"
import { wrongParameter } from "./schemas.ts"
import { commandOf, examples } from "./skill-examples.ts"
import { readingPart } from "./skill-reading.ts"
import { startHere } from "./skill-start.ts"

interface Part {
  readonly whole: (baseUrl: string) => string
  /** The section of one operation; left out if the part has none. */
  readonly one?: (of: Operation, baseUrl: string) => string
}

const parts: Readonly<Record<SkillPart, Part>> = {
  reading: { whole: readingPart },
  capabilities: { whole: capabilities, one: capability },
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
  const { whole, one } = parts[part]
  if (name === undefined) return `${whole(baseUrl)}\n`
  if (one === undefined) throw wrongParameter("/operation", `does not go with part=${part}`)
  const operation = agentOperations.find((known) => known.name === name)
  if (operation === undefined) throw new Refusal("unknown_operation", "No operation has this name; part=capabilities lists all of them.")
  return `${one(operation, baseUrl)}\n`
}
