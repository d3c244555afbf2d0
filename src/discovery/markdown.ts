/** Helpers that write Markdown, and names of the registry in prose. */
import { present } from "../contract/typed.ts"
import type { OperationName } from "../contract/operations/index.ts"
import { type ReadName, reads } from "../contract/reads/index.ts"
import type { RefusalCode } from "../contract/refusals.ts"
import { andOf, orOf } from "../contract/text.ts"
import { type DiscoveryName, discoveryRoutes } from "./routes.ts"

export const inCode = (text: string): string => `\`${text}\``

/** An operation's name in prose; its type checks that it exists. */
export const op = (name: OperationName): string => inCode(name)

/** A refusal's code in prose. */
export const code = (name: RefusalCode): string => inCode(name)

const paths = new Map([...discoveryRoutes, ...reads].map(({ name, path }) => [name, path]))

export const pathOf = (name: ReadName | DiscoveryName): string => present(paths.get(name))

/** A read in prose, as a GET request. */
export const get = (name: ReadName | DiscoveryName, query = ""): string => inCode(`GET ${pathOf(name)}${query}`)

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ")

export function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`
  return [line(columns), line(columns.map(() => "---")), ...rows.map(line)].join("\n")
}

export const bullets = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join("\n")
export const numbered = (lines: readonly string[]): string =>
  lines.map((line, index) => `${index + 1}. ${line}`).join("\n")
export const fenced = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``

/** Joins blocks with empty lines. */
export const blocks = (...parts: readonly (string | readonly string[])[]): string =>
  parts
    .flat()
    .filter((part) => part !== "")
    .join("\n\n")

/** `a`, `b` or `c`. */
export const either = (words: Iterable<string>): string => orOf([...words].map(inCode))
/** `a`, `b` and `c`. */
export const all = (words: Iterable<string>): string => andOf([...words].map(inCode))
