/** The skill: Markdown that an agent can work from alone. */
import type { SkillPart } from "../contract/schema/enumerations.ts"
import type { Operation } from "../contract/definitions/operation.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import { agentOperations } from "./manifest.ts"
import { capabilities, capability } from "./skill-capabilities.ts"
import { commandOf, examples } from "./skill-examples.ts"
import { startHere } from "./skill-start.ts"

interface Place {
  /** Scheme, host and path, without a slash at the end. */
  readonly baseUrl: string
}

/** Each part as a whole, and of one operation. */
const parts: Readonly<Record<SkillPart, readonly [whole: (baseUrl: string) => string, one: (of: Operation, baseUrl: string) => string]>> = {
  capabilities: [capabilities, capability],
  examples: [examples, commandOf],
}

/**
 * The skill, or one of its references, whole or of one operation.
 * @throws Refusal `unknown_operation`; `invalid_parameter` for an operation without a part
 */
export function skill(part: SkillPart | undefined, { baseUrl }: Place, name?: string): string {
  if (part === undefined) {
    if (name === undefined) return `${startHere(baseUrl)}\n`
    const message = "is required with operation"
    throw new Refusal("invalid_parameter", `part ${message}.`, { issues: [{ path: "/part", message }] })
  }
  const [whole, one] = parts[part]
  if (name === undefined) return `${whole(baseUrl)}\n`
  const operation = agentOperations.find((known) => known.name === name)
  if (operation === undefined) throw new Refusal("unknown_operation", "No operation has this name; part=capabilities tells all there are.")
  return `${one(operation, baseUrl)}\n`
}
