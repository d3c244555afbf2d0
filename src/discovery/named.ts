/** The names of operations and reads: the gist of each, the parameters of a read, the names nearest to a wrong one. */
import type { Operation } from "../contract/definitions/operation.ts"
import type { Read } from "../contract/definitions/read.ts"
import { orOf, shortened } from "../contract/text.ts"
import { agentOperations, agentReads } from "./manifest.ts"
import { bullets } from "./markdown.ts"

/** The first sentence of a summary, or its text up to the first colon. */
export const gist = (summary: string): string => /^.*?(?=[.:;](?:\s|$)|$)/.exec(summary)?.[0] ?? summary

/** Characters of a line of an index beside the name. */
const INDEXED = 36

/** An index: a line each, but of those for a Library or about the service the names alone. */
export function indexOf(described: readonly (Operation | Read)[]): string {
  const isOfLibrary = ({ family }: Operation | Read) => family === "library"
  const isOfService = (each: Operation | Read) => "surface" in each && each.surface === "discovery"
  const names = (of: readonly { readonly name: string }[], title: string) =>
    of.length === 0 ? [] : [`${title}: ${of.map(({ name }) => name).join(", ")}`]
  return bullets([
    ...described
      .filter((each) => !isOfLibrary(each) && !isOfService(each))
      .map(({ name, summary }) => `${name}: ${shortened(gist(summary), INDEXED)}`),
    ...names(described.filter(isOfLibrary), "Of the Library"),
    ...names(described.filter(isOfService), "About the service"),
  ])
}

const operationsByName = new Map(agentOperations.map((operation) => [operation.name, operation]))
const readsByName = new Map(agentReads.map((read) => [read.name, read]))
export const namedOperation = (name: string): Operation | undefined => operationsByName.get(name)
export const namedRead = (name: string): Read | undefined => readsByName.get(name)

/** How many single changes make one short text of another. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1]
    for (let to = 1; to <= other.length; to += 1)
      next.push(
        Math.min((next[to - 1] ?? 0) + 1, (row[to] ?? 0) + 1, (row[to - 1] ?? 0) + (letter === other[to - 1] ? 0 : 1)),
      )
    row = next
  }
  return row[other.length] ?? 0
}

/** Words that many names have, and that tell little. */
const COMMON = new Set(["get", "room", "record", "thread", "all", "list", "of"])
const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .map((word) => word.replace(/s$/, ""))
    .filter((word) => word !== "" && !COMMON.has(word))

const NEAREST = 4
/** The names nearest to one that does not exist: those that share words with it, then those spelled alike. */
export function nearest(name: string): string[] {
  const asked = name.slice(0, 60)
  const words = wordsOf(asked)
  const ranked = [...operationsByName.keys(), ...readsByName.keys()].map((known) => ({
    known,
    shared: wordsOf(known).filter((word) => words.includes(word)).length,
    changes: distance(asked.toLowerCase(), known),
  }))
  return ranked
    .sort((one, other) => other.shared - one.shared || one.changes - other.changes)
    .slice(0, NEAREST)
    .map(({ known }) => known)
}

/** The sentence for a name that does not exist. */
export const noSuchName = (name: string): string =>
  `No operation or read has the name ${name.slice(0, 60)}. The nearest are ${orOf(nearest(name))}.`
