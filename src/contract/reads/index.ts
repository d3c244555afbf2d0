/** The list of reads. Names that OpenAPI counts (`FormatChoice_2`) follow its order. */
import type * as v from "valibot"
import { each } from "../typed.ts"
import { activityReads } from "./activity.ts"
import { administrationReads } from "../nouns/administration.ts"
import { attemptReads } from "../nouns/attempts.ts"
import { boardReads } from "../nouns/boards.ts"
import { checkpointReads } from "../nouns/checkpoints.ts"
import { contextReads } from "../nouns/contexts.ts"
import { credentialReads } from "../nouns/credentials.ts"
import { experimentReads } from "../nouns/experiments.ts"
import { judgingReads } from "../nouns/judging.ts"
import { libraryReads } from "../library/reads.ts"
import { linkReads } from "../nouns/links.ts"
import { materialReads } from "../nouns/materials.ts"
import { measurementReads } from "../nouns/measurements.ts"
import { memberReads, roomReads } from "../nouns/rooms.ts"
import { overviewReads } from "../nouns/overview.ts"
import { peopleReads } from "../nouns/people.ts"
import { recordReads } from "../nouns/records.ts"
import { reviewReads } from "../nouns/reviews.ts"
import { threadReads } from "../nouns/threads.ts"
import type { PastAnswer, IdsOf, Read } from "../definitions/read.ts"

const all = [
  ...roomReads,
  ...threadReads,
  ...activityReads,
  ...recordReads,
  ...contextReads,
  ...checkpointReads,
  ...linkReads,
  ...reviewReads,
  ...judgingReads,
  ...experimentReads,
  ...attemptReads,
  ...materialReads,
  ...measurementReads,
  ...boardReads,
  ...overviewReads,
  ...peopleReads,
  ...credentialReads,
  ...memberReads,
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
