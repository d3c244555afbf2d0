import type * as v from "valibot"
import { each } from "../typed.ts"
import { administrationReads } from "./administration.ts"
import { libraryReads } from "../library/reads.ts"
import { overviewReads } from "./overview.ts"
import { recordReads, publicationReads } from "./records.ts"
import { measurementReads } from "./measurements.ts"
import { workReads } from "./work.ts"
import type { PastAnswer, IdsOf, Read } from "../definitions/read.ts"
import { threadReads } from "./threads.ts"
import { peopleReads } from "./people.ts"

const all = [
  ...threadReads,
  ...publicationReads,
  ...recordReads,
  ...workReads,
  ...measurementReads,
  ...overviewReads,
  ...peopleReads,
  ...libraryReads,
  ...administrationReads,
] as const

type Definition = (typeof all)[number]
export type ReadName = Definition["name"]
export const reads: readonly Read<ReadName>[] = all

export type DefinitionOf<N extends ReadName> = Extract<Definition, { name: N }>
/** The query parameters of a read as the service sees them. */
export type ParametersOf<N extends ReadName> = v.InferOutput<DefinitionOf<N>["query"]>
export type ParamsOf<N extends ReadName> = IdsOf<DefinitionOf<N>["path"]>
export type AnswerOf<N extends ReadName> = v.InferOutput<DefinitionOf<N>["answer"]> & PastAnswer<N>

export { asServed } from "../definitions/read.ts"

const paths = each(
  all.map(({ name }) => name),
  (name) => all.find((definition) => definition.name === name)?.path ?? "",
)

/** The path of a read below the base path, with its ids and its query filled in. */
export function pathTo(
  name: ReadName,
  ids: Readonly<Record<string, string>> = {},
  query: Readonly<Record<string, string>> = {},
): string {
  const path = paths[name].replace(/\{([a-zA-Z]+)\}/g, (_, id: string) => encodeURIComponent(ids[id] ?? ""))
  const search = new URLSearchParams(query).toString()
  return search === "" ? path : `${path}?${search}`
}

/** The path of a list in one Room, which is either in the path or a filter. */
export const pathWithin = (name: ReadName, roomId: string, query: Readonly<Record<string, string>> = {}): string =>
  pathTo(name, { roomId }, paths[name].includes("{roomId}") ? query : { roomId, ...query })

/** The path of a personal key's read for a person signed in to the browser. */
export const inBrowser = (name: ReadName): string => paths[name].replace("/api/agent/", "/api/")
