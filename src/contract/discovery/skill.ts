/** The skill: Markdown that an agent can work from alone. */
import type { SkillPart } from "../enumerations.ts"
import { capabilities } from "./skill-capabilities.ts"
import { examples } from "./skill-examples.ts"
import { startHere } from "./skill-start.ts"

interface Place {
  /** Scheme, host and path, without a slash at the end. */
  readonly baseUrl: string
}

const parts: Readonly<Record<SkillPart, (baseUrl: string) => string>> = { capabilities, examples }

/** The skill, or one of its references. */
export const skill = (part: SkillPart | undefined, { baseUrl }: Place): string =>
  `${part === undefined ? startHere(baseUrl) : parts[part](baseUrl)}\n`
