/**
 * The list of objects: what there is. Labels, permalinks, enumerations of kinds, the checks of references and their refusals,
 * and the triggers that keep what was accepted are made from it. An entry that lacks something does not compile.
 */
import { keysOf } from "./each.ts"
import type { RefusalCode } from "./refusal-codes.ts"

export interface ObjectSpec {
  /** The name under which paths, bodies and answers hold its id. */
  readonly id: string
  /** What a sentence calls it: one, and several. */
  readonly noun: readonly [one: string, several: string]
  /** The letter its Room-scoped labels start with; null where it has none. */
  readonly label: string | null
  /** Where its page is, below the base URL, before its id; null where it has none. */
  readonly page: string | null
  readonly table: string
  /** The column of its id. */
  readonly key: string
  /** The column that tells its kind, where several kinds share the table. */
  readonly kindIn: string | null
  /** The column of the Room it originates in; null where it belongs to none, or its table does not say. */
  readonly room: string | null
  /** Objects that it belongs to, with the columns that say so. */
  readonly of: Readonly<Record<string, string>>
  /** What it is in one line: an SQL expression over its table. */
  readonly line: string
  /** Columns that may change; every other one is immutable. */
  readonly moves: readonly string[]
  /** Whether it may be deleted. */
  readonly deletable: boolean
  /** Tables of what it was taken apart into: never updated, deleted with it or never. */
  readonly parts: readonly string[]
  /** The refusal when its id, in a path or as a subject, names nothing. */
  readonly unknown: RefusalCode
  /** Whether everybody may know that it exists; else only its own domain tells. */
  readonly isPublic: boolean
  readonly isNode: boolean
  readonly isSearched: boolean
}

const record = {
  id: "versionId",
  page: "/records",
  table: "records",
  key: "version_id",
  kindIn: "kind",
  room: "room_id",
  of: {},
  line: "wording",
  moves: [],
  deletable: false,
  unknown: "unknown_record",
  isPublic: true,
  isNode: true,
  isSearched: true,
} as const
const recordParts = ["record_references", "concepts", "record_papers"] as const

const inRoom = { kindIn: null, room: "room_id", deletable: false, isPublic: true } as const
const ofPerson = {
  label: null,
  page: null,
  kindIn: null,
  room: null,
  of: {},
  deletable: true,
  parts: [],
  isPublic: false,
  isNode: false,
  isSearched: false,
} as const

export const objects = {
  hypothesis: { ...record, noun: ["hypothesis", "hypotheses"], label: "H", parts: recordParts },
  experiment: {
    ...inRoom,
    id: "experimentId",
    noun: ["experiment", "experiments"],
    label: "E",
    page: "/experiments",
    table: "experiments",
    key: "experiment_id",
    of: {},
    line: "question",
    moves: [
      "assignee_id",
      "status",
      "revision",
      "question",
      "scope",
      "hypotheses",
      "suggested_protocol",
      "handoff",
      "conclusion",
      "updated_at",
    ],
    parts: ["experiment_revisions"],
    unknown: "unknown_experiment",
    isNode: true,
    isSearched: true,
  },
  plan: {
    ...inRoom,
    id: "planId",
    noun: ["plan", "plans"],
    label: "P",
    page: "/plans",
    table: "plans",
    key: "plan_id",
    of: { experiment: "experiment_id" },
    line: "content ->> '$.protocol.summary'",
    moves: [],
    parts: ["plan_materials"],
    unknown: "unknown_plan",
    isNode: true,
    isSearched: true,
  },
  attempt: {
    ...inRoom,
    id: "attemptId",
    noun: ["attempt", "attempts"],
    label: "A",
    page: "/attempts",
    table: "attempts",
    key: "attempt_id",
    of: { experiment: "experiment_id", plan: "plan_id" },
    line: "intent",
    moves: ["status", "revision", "updated_at"],
    parts: ["attempt_inputs", "attempt_events", "attempt_outputs", "attempt_metrics", "reproductions"],
    unknown: "unknown_attempt",
    isNode: true,
    isSearched: true,
  },
  finding: {
    ...record,
    noun: ["finding", "findings"],
    label: "F",
    parts: [...recordParts, "findings", "finding_attempts", "finding_evidence", "finding_materials"],
  },
  cited_claim: { ...record, noun: ["cited claim", "cited claims"], label: "C", parts: recordParts },
  material: {
    ...inRoom,
    id: "materialId",
    noun: ["material", "materials"],
    label: "M",
    page: "/materials",
    table: "materials",
    key: "material_id",
    room: "origin_room_id",
    of: {},
    line: "name",
    moves: [],
    parts: ["material_reports", "room_materials"],
    unknown: "unknown_material",
    isNode: true,
    isSearched: true,
  },
  finding_link: {
    ...inRoom,
    id: "linkId",
    noun: ["finding link", "finding links"],
    label: null,
    page: "/links",
    table: "finding_links",
    key: "link_id",
    of: { experiment: "experiment_id" },
    line: "toward_question ->> '$.verdict'",
    moves: [],
    parts: ["finding_verdicts", "link_withdrawals"],
    unknown: "unknown_link",
    isNode: true,
    isSearched: true,
  },
  link: {
    ...inRoom,
    id: "linkId",
    noun: ["link", "links"],
    label: "L",
    page: "/links",
    table: "research_links",
    key: "link_id",
    of: {},
    line: "explanation",
    moves: [],
    parts: ["link_withdrawals"],
    unknown: "unknown_link",
    isNode: true,
    isSearched: true,
  },
  checkpoint: {
    ...inRoom,
    id: "checkpointId",
    noun: ["checkpoint", "checkpoints"],
    label: null,
    page: "/checkpoints",
    table: "checkpoints",
    key: "checkpoint_id",
    of: { thread: "thread_id" },
    line: "content ->> '$.synthesis'",
    moves: [],
    parts: ["checkpoint_citations"],
    unknown: "room_unavailable",
    isNode: false,
    isSearched: true,
  },
  thread: {
    ...inRoom,
    id: "threadId",
    noun: ["Thread", "Threads"],
    label: null,
    page: "/threads",
    table: "threads",
    key: "thread_id",
    of: { room: "room_id" },
    line: "title",
    moves: ["selected_checkpoint_id"],
    parts: [],
    unknown: "room_unavailable",
    isNode: false,
    isSearched: true,
  },
  /** An entry of a timeline; one of the kind `message` is what somebody said. */
  message: {
    ...inRoom,
    id: "entryId",
    noun: ["message or card", "messages and cards"],
    label: null,
    page: null,
    table: "timeline_entries",
    key: "entry_id",
    room: null,
    of: { thread: "thread_id" },
    line: "replace(kind, '_', ' ')",
    moves: ["reply_count"],
    parts: [],
    unknown: "room_unavailable",
    isNode: false,
    isSearched: true,
  },
  room: {
    ...inRoom,
    id: "roomId",
    noun: ["Room", "Rooms"],
    label: null,
    page: "/rooms",
    table: "rooms",
    key: "room_id",
    of: {},
    line: "title",
    moves: ["title", "question", "state", "archived_at", "archived_by", "archive_reason"],
    parts: [],
    unknown: "room_unavailable",
    isNode: false,
    isSearched: false,
  },
  person: {
    ...ofPerson,
    id: "userId",
    noun: ["person", "people"],
    table: "people",
    key: "user_id",
    line: "username",
    moves: ["password_hash"],
    deletable: false,
    unknown: "room_unavailable",
  },
  credential: {
    ...ofPerson,
    id: "credentialId",
    noun: ["credential", "credentials"],
    table: "credentials",
    key: "credential_id",
    room: "room_id",
    line: "label",
    moves: ["revoked_at", "last_used_at"],
    deletable: false,
    unknown: "room_unavailable",
  },
  collection: {
    ...ofPerson,
    id: "collectionId",
    noun: ["Collection", "Collections"],
    page: "/library/collections",
    table: "collections",
    key: "collection_id",
    line: "name",
    moves: ["name", "papers", "notes"],
    unknown: "unknown_collection",
  },
  note: {
    ...ofPerson,
    id: "noteId",
    noun: ["note", "notes"],
    table: "notes",
    key: "note_id",
    of: { collection: "collection_id" },
    line: "text",
    moves: [],
    unknown: "unknown_object",
  },
  collection_invitation: {
    ...ofPerson,
    id: "invitationId",
    noun: ["invitation", "invitations"],
    table: "collection_invitations",
    key: "invitation_id",
    of: { collection: "collection_id" },
    line: "invited_at",
    moves: [],
    unknown: "unknown_object",
  },
  highlight: {
    ...ofPerson,
    id: "highlightId",
    noun: ["highlight", "highlights"],
    table: "highlights",
    key: "highlight_id",
    line: "quote",
    moves: ["colour", "comment", "updated_at"],
    unknown: "unknown_object",
  },
  personal_key: {
    ...ofPerson,
    id: "keyId",
    noun: ["personal key", "personal keys"],
    table: "personal_keys",
    key: "key_id",
    line: "label",
    moves: ["revoked_at", "last_used_at"],
    deletable: false,
    unknown: "unknown_object",
  },
} as const satisfies Readonly<Record<string, ObjectSpec>>

type Objects = typeof objects
export type ObjectKind = keyof Objects
/** The kinds for which a member of their entry is as said. */
type KindsWith<P> = { [K in ObjectKind]: Objects[K] extends P ? K : never }[ObjectKind]

/** Every object with its kind, in the order of the list, without the exact types. */
export const objectList: readonly (ObjectSpec & { readonly kind: ObjectKind })[] = keysOf(objects).map((kind) => ({
  ...objects[kind],
  kind,
}))
export const objectOf = (kind: ObjectKind): ObjectSpec => objects[kind]
const kindsWhere = <K extends ObjectKind>(holds: (spec: ObjectSpec) => boolean) =>
  objectList.filter(holds).map(({ kind }) => kind) as readonly ObjectKind[] as readonly [K, ...K[]]

/** Objects whose kind is told by their record. */
export type RecordKind = KindsWith<{ table: "records" }>
export const recordKinds = kindsWhere<RecordKind>(({ table }) => table === record.table)
/** Objects that carry a Room-scoped label. */
export type LabelledKind = KindsWith<{ label: string }>
export const labelledKinds = kindsWhere<LabelledKind>(({ label }) => label !== null)
/** Objects that are nodes of the provenance graph. */
export type NodeKind = KindsWith<{ isNode: true }>
export const nodeKinds = kindsWhere<NodeKind>(({ isNode }) => isNode)
/** Objects that full-text search finds. */
export type SearchKind = KindsWith<{ isSearched: true }>
export const searchKinds = kindsWhere<SearchKind>(({ isSearched }) => isSearched)

/** Objects with a page of their own. */
export type PagedKind = KindsWith<{ page: string }>

/** What a receipt may name in `target` besides an object. */
export type TargetKind = ObjectKind | "record" | "member" | "join_request" | "library" | "annotation" | "reading_position"

/** What a reference may name: an object of one kind, or a record of any. */
export type Referable = ObjectKind | "record"
export const kindsOf = (named: Referable): readonly ObjectKind[] => (named === "record" ? recordKinds : [named])
const nounOf = (named: Referable): readonly [one: string, several: string] =>
  named === "record" ? ["record", "records"] : objects[named].noun

/** "an experiment", "a hypothesis or a finding". */
export const aOrAn = (word: string): string => `${/^[aeiou]/i.test(word) ? "an" : "a"} ${word}`
export const oneOfNouns = (named: readonly Referable[]): string => named.map((each) => aOrAn(nounOf(each)[0])).join(" or ")
export const noun = ([first]: readonly [Referable, ...Referable[]]): string => nounOf(first)[0]

/** The page of an object that a receipt, an activity entry or a graph names; undefined where it has none. */
export function pageOf(kind: string, id: string): string | undefined {
  const page = kind === "record" ? record.page : (objectList.find((object) => object.kind === kind)?.page ?? null)
  return page === null ? undefined : `${page}/${id}`
}

/** The refusal when the id of a subject names nothing. */
export const unknownOf = (named: Referable): RefusalCode => (named === "record" ? record.unknown : objects[named].unknown)
/** The refusals for an id of this name in a path. */
export const unknownIn = (id: string): RefusalCode[] => [
  ...new Set(objectList.filter((spec) => spec.id === id).map(({ unknown }) => unknown)),
]
