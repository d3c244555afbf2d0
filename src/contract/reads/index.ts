/** The list of reads. */
import * as v from "valibot"
import { dated } from "../answers/fields.ts"
import * as answers from "../answers/index.ts"
import { each } from "../each.ts"
import { enumerations } from "../schema/enumerations.ts"
import { agentName, oneOf, plain, uuid } from "../schema/fields.ts"
import { labelPattern } from "../objects/labels.ts"
import { administrationReads } from "./administration.ts"
import { kinds } from "./kinds.ts"
import { receiptedOperations } from "../operations/index.ts"
import { libraryReads } from "../library/reads.ts"
import { limits } from "../limits.ts"
import { overviewReads } from "./overview.ts"
import { recordReads } from "./records.ts"
import { comparingReads } from "./comparing.ts"
import { measurementReads } from "./measurements.ts"
import { workReads } from "./work.ts"
import { type IdsOf, type Read, read, wholeNumber, words } from "../definitions/read.ts"
import { subject } from "../schema/ref.ts"

/** What every list of records can be narrowed by. */
const recordFilters = {
  kinds: v.exactOptional(words(enumerations.recordKind)),
  status: v.exactOptional(oneOf(enumerations.recordStatus)),
  author: v.exactOptional(plain(limits.name)),
  agent: v.exactOptional(agentName),
}
const query = v.exactOptional(plain(limits.searchQuery))

/** A line an entry, for agents. */
const lines = { lines: { mediaType: "text/markdown", answer: v.string() } } as const

const all = [
  read({
    name: "rooms",
    path: "/api/research/rooms",
    summary: "Rooms, newest first; query searches titles and questions.",
    parameters: { query },
    cursor: "opaque",
    answer: answers.page(answers.roomSummary),
  }),
  read({ name: "room", at: true, path: "/api/research/rooms/{roomId}", summary: "One Room with its members.", answer: answers.room }),
  read({
    name: "room_threads",
    path: "/api/research/rooms/{roomId}/threads",
    summary: "The Threads of a Room in the order they were started.",
    cursor: "sequence",
    answer: answers.page(answers.thread),
  }),
  read({
    name: "room_activity",
    path: "/api/research/rooms/{roomId}/activity",
    summary:
      "The change feed of a Room: every accepted write after a sequence, each chained to the one before by digest. With wait, an empty answer is held until something lands. With include, a sentence on what happened, the accepted content, or all that another instance needs to do the write again stand beside each entry, outside of its digest.",
    parameters: {
      kinds: v.exactOptional(words(kinds)),
      include: v.exactOptional(words(enumerations.activityInclude)),
      wait: v.exactOptional(wholeNumber(limits.activityWaitSeconds)),
    },
    cursor: "sequence",
    answer: answers.page(answers.activityEntry),
    formats: lines,
  }),
  read({
    name: "room_publications",
    at: true,
    path: "/api/research/rooms/{roomId}/publications",
    summary: "The records of a Room, newest first; of some kinds, of a status, of an author (user id or name), or of an agent.",
    parameters: recordFilters,
    cursor: "opaque",
    answer: answers.page(answers.recordSummary, dated),
  }),
  read({
    name: "thread_context",
    path: "/api/research/threads/{threadId}/context",
    summary: "A Thread, its Room, what it follows and its newest entries.",
    answer: answers.threadContext,
  }),
  read({
    name: "thread_messages",
    path: "/api/research/threads/{threadId}/messages",
    summary: "The messages of a Thread.",
    cursor: "sequence",
    answer: answers.page(answers.entry),
  }),
  read({
    name: "thread_timeline",
    path: "/api/research/threads/{threadId}/timeline",
    summary: "Messages, cards and receipts of a Thread in order; kinds picks among them.",
    parameters: { kinds: v.exactOptional(words(kinds)) },
    cursor: "sequence",
    answer: answers.page(answers.entry),
  }),
  read({
    name: "thread_replies",
    path: "/api/research/threads/{threadId}/replies",
    summary: "The replies to one entry.",
    parameters: { targetEntryId: uuid },
    cursor: "sequence",
    answer: answers.page(answers.entry),
  }),
  read({
    name: "thread_records",
    path: "/api/research/threads/{threadId}/records",
    summary: "The cards of a Thread: records published or reused in it.",
    cursor: "sequence",
    answer: answers.page(answers.entry),
  }),
  read({
    name: "hypotheses",
    at: true,
    path: "/api/research/hypotheses",
    summary: "Hypotheses in the order they were published; label needs roomId.",
    parameters: { roomId: v.exactOptional(subject("room")), label: v.exactOptional(labelPattern("hypothesis")) },
    cursor: "uuid",
    answer: answers.page(answers.recordSummary, dated),
  }),
  read({
    name: "hypothesis",
    at: true,
    path: "/api/research/hypotheses/{versionId}",
    summary: "One hypothesis as it was accepted, with its standing and what it rests on.",
    answer: answers.record,
  }),
  read({
    name: "publications",
    path: "/api/research/publications",
    summary: "Records of every Room, newest first; of some kinds, of a status, of an author (user id or name), or of an agent.",
    parameters: { roomId: v.exactOptional(subject("room")), ...recordFilters },
    cursor: "opaque",
    answer: answers.page(answers.recordSummary),
  }),
  read({
    name: "record",
    at: true,
    path: "/api/research/records/{versionId}",
    summary:
      "One record of any kind as it was accepted, with its standing and what it rests on; or a citation of it, as BibTeX or CSL-JSON.",
    answer: answers.record,
    formats: {
      bibtex: { mediaType: "application/x-bibtex", answer: v.string() },
      csl: { mediaType: "application/vnd.citationstyles.csl+json", answer: answers.cslItems },
    },
  }),
  read({
    name: "record_concept",
    path: "/api/research/records/{versionId}/concepts/{key}",
    summary: "One concept that a record defines.",
    answer: answers.concept,
  }),
  read({
    name: "concepts",
    path: "/api/research/concepts",
    summary: "Concepts that records define, newest first; query searches keys, labels and definitions.",
    parameters: { query },
    cursor: "opaque",
    answer: answers.page(answers.conceptSummary),
  }),
  ...recordReads,
  ...workReads,
  ...comparingReads,
  ...measurementReads,
  ...overviewReads,

  read({
    name: "identity",
    surface: "credential",
    path: "/api/agent/research/identity",
    summary: "Who the credential speaks for, what it may do, its Room and the person's assignments across Rooms.",
    answer: answers.identity,
  }),
  read({
    name: "inbox",
    surface: "credential",
    path: "/api/agent/research/inbox",
    summary:
      "What others did in the credential's Room that concerns its agent: answers to it, names it (@ada, @ada/mcp), mentions or bears on what it wrote, or is about an experiment it proposed or holds; each with a sentence and why. Only these wake a wait.",
    parameters: { wait: v.exactOptional(wholeNumber(limits.activityWaitSeconds)) },
    cursor: "sequence",
    answer: answers.page(answers.inboxEntry),
    formats: lines,
  }),
  read({
    name: "room_status",
    surface: "credential",
    path: "/api/agent/rooms/{roomId}/status",
    summary: "The credential's own Room: state, membership, watermark, own assignments.",
    answer: answers.roomStatus,
  }),
  read({
    name: "room_access",
    surface: "credential",
    path: "/api/agent/rooms/{roomId}/access",
    summary: "For each operation, whether this credential would be let in now, and if not, by which refusal it would be turned away.",
    answer: answers.roomAccess,
  }),
  read({
    name: "receipt",
    surface: "credential",
    path: "/api/agent/receipts",
    refusals: ["unknown_receipt"],
    summary: "The caller's own stored receipt: the way out of an uncertain delivery without sending the body again.",
    parameters: { operation: oneOf(receiptedOperations), requestId: v.exactOptional(uuid), clientMessageId: v.exactOptional(uuid) },
    answer: answers.receipt,
  }),

  read({
    name: "person",
    path: "/api/research/people/{username}",
    summary:
      "A person by their name or id: how they want to be cited, if they have said so. The service does not ask ORCID whose an ORCID is.",
    answer: answers.describedPerson,
  }),
  read({ name: "session", surface: "visitor", path: "/api/session", summary: "Who is signed in, or null.", answer: answers.session }),
  read({
    name: "members",
    surface: "session",
    path: "/api/rooms/{roomId}/members",
    summary: "The members of a Room.",
    answer: shapeOf(answers.member),
  }),
  read({
    name: "join_requests",
    surface: "session",
    path: "/api/rooms/{roomId}/join-requests",
    summary: "Open requests to join, for the Room's owner.",
    refusals: ["role_required"],
    answer: shapeOf(answers.joinRequest),
  }),
  read({
    name: "credentials",
    surface: "session",
    path: "/api/rooms/{roomId}/credentials",
    summary: "Credentials of a Room: one's own, and for its owner everybody's. Tokens are never shown.",
    answer: shapeOf(answers.listedCredential),
  }),
  read({
    name: "invitation",
    surface: "visitor",
    path: "/api/invitations/{token}",
    summary: "What an invitation link offers, for the person who holds it.",
    answer: answers.invitation,
  }),
  ...libraryReads,
  ...administrationReads,
] as const

/** A whole list that is short by nature, answered in one piece. */
function shapeOf<S extends v.GenericSchema>(item: S) {
  return v.strictObject({ schemaVersion: answers.schemaVersion, items: v.array(item) })
}

type Definition = (typeof all)[number]
export type ReadName = Definition["name"]
export const reads: readonly Read<ReadName>[] = all

export type DefinitionOf<N extends ReadName> = Extract<Definition, { name: N }>
/** The query parameters of a read as the service sees them. */
export type ParametersOf<N extends ReadName> = v.InferOutput<DefinitionOf<N>["query"]>
/** The ids in the path of a read. */
export type ParamsOf<N extends ReadName> = IdsOf<DefinitionOf<N>["path"]>
/** What a read answers. */
export type AnswerOf<N extends ReadName> = v.InferOutput<DefinitionOf<N>["answer"]>

const paths = each(
  all.map(({ name }) => name),
  (name) => all.find((definition) => definition.name === name)?.path ?? "",
)

/** The path of a read below the base path, its ids filled in, with a query where one is given. */
export function pathTo(name: ReadName, ids: Readonly<Record<string, string>> = {}, query: Readonly<Record<string, string>> = {}): string {
  const path = paths[name].replace(/\{([a-zA-Z]+)\}/g, (_, id: string) => encodeURIComponent(ids[id] ?? ""))
  const search = new URLSearchParams(query).toString()
  return search === "" ? path : `${path}?${search}`
}

/** The path of a list of one Room, which stands in the path or is a filter. */
export const pathWithin = (name: ReadName, roomId: string, query: Readonly<Record<string, string>> = {}): string =>
  pathTo(name, { roomId }, paths[name].includes("{roomId}") ? query : { roomId, ...query })

/** The path at which a person signed in to the browser asks for a read that a personal key may ask for. */
export const inBrowser = (name: ReadName): string => paths[name].replace("/api/agent/", "/api/")
