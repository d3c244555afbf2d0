/**
 * The list of all kinds of objects, with their names, pages and labels. Permalinks, enumerations of kinds, the checks
 * of references and their refusals, the triggers that protect accepted content, the provenance graph and the contents
 * of exports are made from it. An incomplete entry does not compile.
 */
import { keysOf, present, each } from "../typed.ts"
import type { ObjectSpec } from "./spec.ts"
import { objectsOfPeople, objectsOfResearch } from "./kinds.ts"
import type { RefusalCode } from "../refusals.ts"
import { limits } from "../limits.ts"

export type { EdgeSpec, ObjectSpec } from "./spec.ts"

export const objects = { ...objectsOfResearch, ...objectsOfPeople } as const

type Objects = typeof objects
export type ObjectKind = keyof Objects
/** The kinds whose entries have such a member. */
type KindsWith<P> = { [K in ObjectKind]: Objects[K] extends P ? K : never }[ObjectKind]

/** Every object with its kind, in the order of the list, without the exact types. */
export const objectList: readonly (ObjectSpec & { readonly kind: ObjectKind })[] = keysOf(objects).map((kind) => ({
  ...objects[kind],
  kind,
}))
export const objectOf = (kind: ObjectKind): ObjectSpec => objects[kind]
function kindsWhere<K extends ObjectKind>(holds: (spec: ObjectSpec) => boolean): readonly [K, ...K[]] {
  const [first, ...more] = keysOf(objects).filter((kind): kind is K => holds(objects[kind]))
  return [present(first), ...more]
}

/** Objects stored as records, whose rows hold their kind. */
export type RecordKind = KindsWith<{ table: "records" }>
export const recordKinds = kindsWhere<RecordKind>(({ table }) => table === "records")
/** Objects that carry a Room-scoped label. */
export type LabelledKind = KindsWith<{ label: string }>
export const labelledKinds = kindsWhere<LabelledKind>(({ label }) => label !== null)
/** Objects that are nodes of the provenance graph. */
export type NodeKind = KindsWith<{ graph: object }>
export const nodeKinds = kindsWhere<NodeKind>(({ graph }) => graph !== null)
/** Objects that full-text search finds. */
export type SearchKind = KindsWith<{ isSearched: true }>
export const searchKinds = kindsWhere<SearchKind>(({ isSearched }) => isSearched)

/** Objects with a page of their own, and the addresses of those pages. */
export type PagedKind = KindsWith<{ page: string }>
export type PageAddress<K extends PagedKind = PagedKind> = {
  [E in K]: `${Objects[E]["page"]}/{${Objects[E]["id"]}}`
}[K]
/** Objects whose accepted content is in an export. */
export type ExportedKind = KindsWith<{ exported: string }>
/** Objects of which an export has one file each, and no more. */
export type FiledKind = KindsWith<{ filed: object }>
export const filedKinds = keysOf(objects).flatMap((kind) => {
  const { filed, ...spec } = objectOf(kind)
  return filed === undefined ? [] : [{ ...spec, ...filed, kind }]
})
/** The names of the ids by which anybody may read an object. */
export type PublicId = Objects[KindsWith<{ isPublic: true; read: string }>]["id"]

/** What a receipt may name in `target`: an object, or one of these. */
export type TargetKind =
  | ObjectKind
  | "record"
  | "member"
  | "join_request"
  | "library"
  | "annotation"
  | "reading_position"

/** What a reference may name: an object of one kind, or a record of any kind. */
export type Referable = ObjectKind | "record"
export const kindsOf = (named: Referable): readonly ObjectKind[] => (named === "record" ? recordKinds : [named])
const nounOf = (named: Referable): readonly [one: string, several: string] =>
  named === "record" ? ["record", "records"] : objects[named].noun

/** "an experiment", "a hypothesis or a finding". */
export const aOrAn = (word: string): string => `${/^[aeiou]/i.test(word) ? "an" : "a"} ${word}`
export const oneOfNouns = (named: readonly Referable[]): string =>
  named.map((each) => aOrAn(nounOf(each)[0])).join(" or ")
export const noun = ([first]: readonly [Referable, ...Referable[]]): string => nounOf(first)[0]

/** What a link may lead to: an object with its own page, or a record of any kind. */
export type Linkable = PagedKind | "record"
const pages = new Map<string, string | null>([
  ["record", objects.finding.page],
  ...objectList.map(({ kind, page }) => [kind, page] as const),
])
/** The page of an object named in a receipt, an activity entry or a graph; undefined if it has none. */
export function pageOf(kind: string, id: string): string | undefined {
  const page = pages.get(kind) ?? null
  return page === null ? undefined : `${page}/${id}`
}

/** The address of an entry in the page of its Thread; undefined if it is in no Thread. */
export const entryPage = (threadId: string | null, entryId: string | null): string | undefined =>
  threadId === null || entryId === null
    ? undefined
    : `${objects.thread.page}/${threadId}?entry=${entryId}#entry-${entryId}`

/**
 * The page that shows an entry of a Room's activity: its place in its Thread, else its target's page, else the Room's.
 */
export const activityPage = (
  roomId: string,
  {
    threadId,
    entryId,
    target,
  }: { threadId: string | null; entryId: string | null; target: { kind: string; id: string } },
): string => entryPage(threadId, entryId) ?? pageOf(target.kind, target.id) ?? `${objects.room.page}/${roomId}`

/** The refusal for an unknown id of a subject. */
export const unknownOf = (named: Referable): RefusalCode =>
  named === "record" ? objects.finding.unknown : objects[named].unknown
/** The refusals for an unknown id with this name in a path. */
export const unknownIn = (id: string): RefusalCode[] => [
  ...new Set(objectList.filter((spec) => spec.id === id).map(({ unknown }) => unknown)),
]

// Labels, such as H3: a letter for the kind, and a number in the Room.

/** The first letter of the labels of each kind that has Room-scoped labels. */
export const labelPrefixes = each(labelledKinds, (kind) => objects[kind].label)

/** `label("hypothesis", 3)` is `H3`. */
export const label = (kind: LabelledKind, ordinal: number): string => `${labelPrefixes[kind]}${ordinal}`

/** The first letters of all labels. */
export const LETTERS = labelledKinds.map((kind) => labelPrefixes[kind]).join("")
/** A label on its own: not part of a name, a number or an address. */
export const LABEL = new RegExp(
  `(?<![\\p{L}\\p{N}_./:@#-])[${LETTERS}][1-9][0-9]{0,5}(?![\\p{L}\\p{N}_]|[./:@-][\\p{L}\\p{N}])`,
  "gu",
)

/** The distinct labels in some texts, at most as many as a page links. */
export function labelsIn(texts: Iterable<string>): string[] {
  const found = new Set<string>()
  let length = 0
  for (const text of texts) {
    length += text.length
    for (const [label] of text.matchAll(LABEL)) found.add(label)
    if (found.size > limits.linkedLabels || length > limits.pageTextBytes) break
  }
  return [...found].slice(0, limits.linkedLabels)
}
