/** Finds an agent's name in texts: `@ada/mcp`, or the name alone. */
import { quoting } from "../../contract/definitions/sentence.ts"
import { limits } from "../../contract/limits.ts"

/** An agent, or with null a person with all of their agents. */
export interface Named {
  readonly username: string
  readonly name: string | null
}

/** The one who reads, by the name of their credential if they are an agent. */
export const readerNamed = ({ username, agent = null }: { username: string; agent?: string | null }): Named => ({
  username,
  name: agent,
})

export interface Mention {
  readonly mention: string
  /** The text that has it. */
  readonly text: string
}

/** The shortest name of an agent that concerns it without an @. */
const SHORTEST_NAME = 3

/** Matches `@ada`, or `@ada/mcp` for one of her agents. A full stop at the end is not part of the name. */
const MENTION = /(?<![\p{L}\p{N}_.@/-])@([a-z0-9][a-z0-9_-]*)(?:\/([\p{L}\p{N}_.-]*[\p{L}\p{N}_-]))?/giu
/** A name as a mention spells it. */
export const spelled = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}_.-]+/gu, "-")

/** Whether a text holds the name of an agent as a word of its own. */
const holdsName = (name: string, text: string): boolean => {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1))
    if (
      !/[\p{L}\p{N}_@/.-]$/u.test(text.slice(Math.max(0, at - 2), at)) &&
      !/^[\p{L}\p{N}_-]/u.test(text.slice(at + name.length, at + name.length + 2))
    )
      return true
  return false
}

/** The first mention of an agent, or of its person without another agent's name, and the text that has it. */
export function mentionOf({ username, name }: Named, texts: readonly string[]): Mention | undefined {
  for (const text of texts)
    for (const [mention, person = "", agent] of text.matchAll(MENTION)) {
      if (person.toLowerCase() !== username.toLowerCase()) continue
      if (agent === undefined || name === null || spelled(agent) === spelled(name)) return { mention, text }
    }
  if (name === null || name.length < SHORTEST_NAME) return undefined
  const text = texts.find((each) => holdsName(name, each))
  return text === undefined ? undefined : { mention: name, text }
}

/** A sentence with the text that it quotes told whole, up to the bound of a text that names its reader. */
export const quotingWhole = (sentence: string, text: string): string =>
  sentence.replace(quoting(text), () => quoting(text, limits.namingText))
