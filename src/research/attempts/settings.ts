/** The settings of an attempt as flat text by name: arm, command line, configuration, environment, inputs, commit. */
import { isObject } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import type { BodyOf } from "../../contract/operations/index.ts"

type Registration = Pick<BodyOf<"register_attempt">, "argv" | "configuration" | "environment" | "repository">
export type Settings = ReadonlyMap<string, string>

const cut = (text: string): string =>
  text.length <= limits.tableCell ? text : `${text.slice(0, limits.tableCell - 1)}…`

/** Yields the leaves of a nested value with their paths. A list is a leaf. */
export function* leaves(value: unknown, path: string): Generator<readonly [string, string]> {
  if (!isObject(value) || Array.isArray(value)) yield [path, typeof value === "string" ? value : JSON.stringify(value)]
  else for (const [name, inner] of Object.entries(value)) yield* leaves(inner, path === "" ? name : `${path}.${name}`)
}

const isFlag = (word: string | undefined): word is string => word !== undefined && /^--?[A-Za-z]/.test(word)

/** Splits a command line into its flags with their values, and the remaining words. */
export function flagsOf(argv: readonly string[]) {
  const words: string[] = []
  const flags: (readonly [name: string, value: string])[] = []
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? ""
    const next = argv[index + 1]
    if (!isFlag(word)) words.push(word)
    else if (word.includes("=")) flags.push([word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)])
    else if (next === undefined || isFlag(next)) flags.push([word, "set"])
    else {
      flags.push([word, next])
      index += 1
    }
  }
  return { flags, command: words.join(" ") }
}

function* all(
  { argv, configuration, environment = {}, repository }: Registration,
  arm: string | null,
  inputs: Settings,
) {
  if (arm !== null) yield ["arm", arm] as const
  yield* leaves(configuration, "")
  const { flags, command } = flagsOf(argv)
  yield* flags
  yield ["command", command] as const
  for (const [name, label] of inputs) yield [`input ${name}`, label] as const
  yield ["commit", repository.commit.slice(0, 12)] as const
  for (const [name, value] of Object.entries(environment)) yield [`environment ${name}`, value] as const
}

/**
 * Returns the first settings of an attempt. If several parts of a registration have a setting of the same name, the
 * first counts.
 * @param arm the arm of its plan with this command line
 * @param inputs labels of materials by the name of the input
 */
export function settingsOf(registration: Registration, arm: string | null, inputs: Settings): Settings {
  const found = new Map<string, string>()
  for (const [name, value] of all(registration, arm, inputs)) {
    if (found.size >= limits.tableSettings) break
    if (name !== "" && !found.has(name)) found.set(cut(name), cut(value))
  }
  return found
}
