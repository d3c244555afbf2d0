/** What an attempt ran with, as flat settings by name: arm, command line, configuration, environment, inputs, commit. */
import { isObject } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import type { BodyOf } from "../../contract/operations/index.ts"

type Registration = Pick<BodyOf<"register_attempt">, "argv" | "configuration" | "environment" | "repository">
export type Settings = ReadonlyMap<string, string>

const cut = (text: string): string => (text.length <= limits.tableCell ? text : `${text.slice(0, limits.tableCell - 1)}…`)

/** A nested value as its leaves, each under its path; lists are leaves. */
function* leaves(value: unknown, path: string): Generator<readonly [string, string]> {
  if (!isObject(value) || Array.isArray(value)) yield [path, typeof value === "string" ? value : JSON.stringify(value)]
  else for (const [name, inner] of Object.entries(value)) yield* leaves(inner, path === "" ? name : `${path}.${name}`)
}

const isFlag = (word: string | undefined): word is string => word !== undefined && /^--?[A-Za-z]/.test(word)

/** A command line as its flags, each with what follows it, and the words that belong to none. */
function* commandLine(argv: readonly string[]): Generator<readonly [string, string]> {
  const words: string[] = []
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? ""
    const next = argv[index + 1]
    if (!isFlag(word)) words.push(word)
    else if (word.includes("=")) yield [word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)]
    else if (next === undefined || isFlag(next)) yield [word, "set"]
    else {
      yield [word, next]
      index += 1
    }
  }
  yield ["command", words.join(" ")]
}

function* all({ argv, configuration, environment = {}, repository }: Registration, arm: string | null, inputs: Settings) {
  if (arm !== null) yield ["arm", arm] as const
  yield* leaves(configuration, "")
  yield* commandLine(argv)
  for (const [name, label] of inputs) yield [`input ${name}`, label] as const
  yield ["commit", repository.commit.slice(0, 12)] as const
  for (const [name, value] of Object.entries(environment)) yield [`environment ${name}`, value] as const
}

/**
 * The first settings of an attempt. What two parts of a registration call alike is told of the first: the configuration.
 * @param arm the arm of its plan whose command line it has
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
