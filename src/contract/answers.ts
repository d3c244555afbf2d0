/** What the service answers. The OpenAPI document and the client's types are made from these; the tests hold answers against them. */
import * as v from "valibot"
import { anyCursor, at, count, dated, id, optionalSaid, optionalText, said } from "./answer-fields.ts"
import { cslAuthor, described } from "./described.ts"
import { each } from "./each.ts"
import { enumerations } from "./enumerations.ts"
import { evidenceTally, fromOtherRoom } from "./evidence.ts"
import { shape } from "./fields.ts"
import { labelledKinds } from "./labels.ts"
import { alreadyTried } from "./similar.ts"
import { schemaVersions } from "./versions.ts"
import { warning } from "./warnings.ts"

const state = v.picklist(enumerations.roomState)
const client = v.exactOptional(v.record(v.string(), said))

export const schemaVersion = v.literal(schemaVersions.research)
export const person = shape({ userId: id, username: v.string() })
export type Person = v.InferOutput<typeof person>
/** Somebody, and how they want to be cited; null as far as they have not said. */
export const describedPerson = shape({
  schemaVersion,
  userId: id,
  username: v.string(),
  ...described,
  /** The instance that they are a person of; null: this one. */
  instanceId: v.nullable(id),
})

/** What a write made or changed. In the Library a paper is named by its arXiv id. */
export const target = shape({ kind: v.string(), id: v.string(), label: optionalText, ...fromOtherRoom })

/** A page of a list, with more members where it has some. Its cursor is a sequence number, a text, or null at the end of a list that is not a feed. */
export const page = <S extends v.GenericSchema, M extends v.ObjectEntries = Record<never, never>>(item: S, more: M = {} as M) =>
  shape({
    schemaVersion,
    items: v.array(item),
    nextCursor: anyCursor,
    hasMore: v.boolean(),
    generatedAt: at,
    links: shape({ self: v.string(), next: optionalText }),
    ...more,
  })

export const receipt = shape({
  /** That of the operation's family. */
  schemaVersion: v.picklist([schemaVersions.research, schemaVersions.library]),
  operation: v.string(),
  requestId: v.exactOptional(id),
  clientMessageId: v.exactOptional(id),
  acceptedAt: at,
  roomId: v.nullable(id),
  threadId: v.nullable(id),
  target,
  targetId: v.string(),
  result: v.record(v.string(), v.unknown()),
  entry: v.nullable(shape({ entryId: id, sequence: count })),
  activity: v.nullable(shape({ sequence: count, digest: v.string() })),
  warnings: v.array(warning),
  /** Of a proposal, a hypothesis and an attempt: what is near to it, and where the same was run before. */
  similar: v.exactOptional(alreadyTried.similar),
  sameExecution: v.exactOptional(alreadyTried.sameExecution),
  replayed: v.exactOptional(v.literal(true)),
  credentialChanged: v.exactOptional(v.literal(true)),
  rehearsed: v.exactOptional(v.literal(true)),
  current: v.exactOptional(v.unknown()),
})
export type Receipt = v.InferOutput<typeof receipt>

/** How many objects of each labelled kind a Room holds; labels have no gap, so this is also the last label given. */
const labelCounts = each(labelledKinds, () => count)

export const archive = shape({ archivedAt: at, archivedBy: person, reason: said })
export type Archive = v.InferOutput<typeof archive>

/** Where a Room of another instance comes from, and the last entry of its activity that is here. */
export const roomOrigin = shape({
  instanceId: id,
  baseUrl: v.string(),
  throughSequence: count,
  importedAt: at,
  /** null: it is not followed. Else where it stood there when last heard of, how many entries are not here yet, and why it stopped. */
  mirror: v.nullable(
    shape({ originSequence: v.nullable(count), behind: v.nullable(count), heardAt: v.nullable(at), stopped: v.nullable(v.string()) }),
  ),
})
export type RoomOrigin = v.InferOutput<typeof roomOrigin>
/** Where a Room was before it was adopted, oldest first: through which entry, and when that ended. */
export const roomAdopted = v.array(shape({ instanceId: id, baseUrl: v.string(), throughSequence: count, adoptedAt: at }))

const roomFields = {
  roomId: id,
  title: said,
  question: optionalSaid,
  /** The SPDX id of the licence that its owner put it under; null: nobody has stated one. */
  license: optionalText,
  state,
  owner: person,
  createdAt: at,
  openingThreadId: id,
  concluded: v.boolean(),
  activityWatermark: count,
  lastActivityAt: at,
  counts: shape({ members: count, threads: count, ...labelCounts }),
  archive: v.nullable(archive),
  /** null: it is of this instance. */
  origin: v.nullable(roomOrigin),
  adopted: roomAdopted,
}
export const roomSummary = shape(roomFields)
export type RoomSummary = v.InferOutput<typeof roomSummary>
export const member = shape({ userId: id, username: v.string(), ...described, role: v.picklist(enumerations.memberRole), joinedAt: at })
export type Member = v.InferOutput<typeof member>
export const room = shape({ schemaVersion, ...roomFields, members: v.array(member), ...dated })

const threadFields = {
  threadId: id,
  roomId: id,
  /** Its place among the Threads of its Room; the cursor of the list. */
  sequence: count,
  title: said,
  author: person,
  createdAt: at,
  opening: v.boolean(),
  followsEntryId: v.nullable(id),
  timelineWatermark: count,
  lastActivityAt: at,
  selectedCheckpointId: v.nullable(id),
  stale: v.boolean(),
}
export const thread = shape(threadFields)
export type ThreadSummary = v.InferOutput<typeof thread>

const status = v.picklist(enumerations.recordStatus)
const recordKind = v.picklist(enumerations.recordKind)
const withdrawn = shape({ at, explanation: said })
export const notice = shape({
  linkId: id,
  label: v.string(),
  kind: v.picklist(enumerations.linkKind),
  explanation: said,
  author: person,
  at,
  replacementVersionId: v.nullable(id),
  correction: optionalSaid,
  /** Its author took it back: it no longer counts. */
  withdrawn: v.exactOptional(withdrawn),
  ...fromOtherRoom,
})

export type Notice = v.InferOutput<typeof notice>

const message = shape({ text: said, clientMessageId: id, client })
const recordCard = shape({
  versionId: id,
  kind: recordKind,
  label: v.string(),
  roomId: id,
  wording: said,
  contentDigest: v.string(),
  ...fromOtherRoom,
  reused: v.boolean(),
  note: optionalSaid,
  client,
  status,
  notices: v.array(notice),
  evidenceTally,
})
const findingLinkCard = shape({
  linkId: id,
  experimentId: id,
  experimentLabel: v.string(),
  versionId: id,
  kind: v.literal("finding"),
  label: v.string(),
  ...fromOtherRoom,
  wording: said,
  attemptId: v.nullable(id),
  towardHypothesis: v.array(v.unknown()),
  towardQuestion: v.unknown(),
  client,
  status,
  notices: v.array(notice),
  /** Its author took the link back: it no longer counts. */
  withdrawn: v.exactOptional(withdrawn),
})
const checkpointCard = shape({
  checkpointId: id,
  state: v.picklist(enumerations.checkpointState),
  coversThrough: count,
  synthesis: said,
  openQuestions: v.array(said),
  conclusion: optionalSaid,
  client,
})
/** What each kind of card in a timeline shows. */
export const cards = { publication: recordCard, link_experiment_finding: findingLinkCard, post_research_checkpoint: checkpointCard }
export type CardKind = keyof typeof cards
export type CardOf<K extends CardKind> = v.InferOutput<(typeof cards)[K]>
const card = v.union(Object.values(cards))
const entryReceipt = shape({ operation: v.string(), target, result: v.record(v.string(), v.unknown()), client })

export const entry = shape({
  entryId: id,
  threadId: id,
  sequence: count,
  kind: v.string(),
  at,
  author: person,
  replyToEntryId: v.nullable(id),
  replyCount: count,
  message: v.exactOptional(message),
  card: v.exactOptional(card),
  receipt: v.exactOptional(entryReceipt),
})
export type Entry = v.InferOutput<typeof entry>

export const threadContext = shape({
  schemaVersion,
  thread,
  room: shape({ roomId: id, title: said, state, archive: v.nullable(archive), origin: v.nullable(roomOrigin), adopted: roomAdopted }),
  /** The card or message it follows up, where it follows one. */
  follows: v.nullable(entry),
  /** The newest entries, oldest first. */
  recent: v.array(entry),
  generatedAt: at,
})

const recordFields = {
  versionId: id,
  kind: recordKind,
  label: v.string(),
  roomId: id,
  threadId: id,
  entryId: id,
  author: person,
  createdAt: at,
  contentDigest: v.string(),
  status,
  notices: v.array(notice),
  outcome: v.nullable(v.picklist(enumerations.findingOutcome)),
  provenanceSummary: v.string(),
  evidenceTally,
}
export const recordSummary = shape({ ...recordFields, wording: said })
export type RecordSummary = v.InferOutput<typeof recordSummary>
export const resolved = shape({
  versionId: id,
  label: v.string(),
  kind: recordKind,
  wording: said,
  status,
  notices: v.array(notice),
  ...fromOtherRoom,
  explanation: said,
  purpose: v.exactOptional(said),
})

/** The execution behind a finding, with how many attempts of its experiment there are beside those it names. */
const execution = shape({
  experimentId: id,
  experimentLabel: v.string(),
  planId: v.nullable(id),
  planLabel: optionalText,
  /** Of the experiment and its plan. */
  ...fromOtherRoom,
  attempts: v.array(
    shape({
      attemptId: id,
      label: v.string(),
      role: v.picklist(enumerations.attemptRole),
      intent: v.picklist(enumerations.attemptIntent),
      status: v.picklist(enumerations.attemptStatus),
      outcome: v.nullable(v.picklist(enumerations.attemptOutcome)),
      experimentId: id,
      ...fromOtherRoom,
    }),
  ),
  denominator: shape({
    attempts: count,
    named: count,
    outcomes: shape({ registered: count, ...each(enumerations.attemptOutcome, () => count) }),
  }),
})
export type Execution = v.InferOutput<typeof execution>

export const record = shape({
  schemaVersion,
  ...recordFields,
  content: v.record(v.string(), v.unknown()),
  client,
  warnings: v.array(warning),
  references: v.array(resolved),
  premises: v.array(resolved),
  usedBy: shape({ premises: count, references: count, evidence: count, reuses: count, verdicts: count, reproductions: count }),
  materials: v.array(v.unknown()),
  execution: v.nullable(execution),
  ...dated,
})

/** How a record is cited, in the words of CSL-JSON. Its id never changes; what stands on the record now is in status and note. */
export type RecordAnswer = v.InferOutput<typeof record>

export const cslItems = v.array(
  v.looseObject({
    id: v.string(),
    type: v.literal("document"),
    title: v.string(),
    author: v.array(cslAuthor),
    issued: v.looseObject({ "date-parts": v.array(v.array(count)) }),
    URL: v.string(),
    status,
    note: v.string(),
  }),
)

const conceptFields = {
  versionId: id,
  key: v.string(),
  label: said,
  definition: said,
  recordLabel: v.string(),
  recordKind,
  roomId: id,
}
export const conceptSummary = shape(conceptFields)
export type ConceptSummary = v.InferOutput<typeof conceptSummary>
export const concept = shape({ schemaVersion, ...conceptFields })

export const activityEntry = shape({
  sequence: count,
  kind: v.string(),
  at,
  actor: person,
  operation: v.string(),
  target,
  threadId: v.nullable(id),
  entryId: v.nullable(id),
  contentDigest: v.string(),
  digest: v.string(),
  previousDigest: v.string(),
  /** With include, and outside of the digest: what happened in one sentence, and what was accepted; null where that is not kept. */
  summary: v.exactOptional(v.string()),
  content: v.exactOptional(v.nullable(v.record(v.string(), v.unknown()))),
  /** As a crate holds it, with whom it names besides its actor, and the Rooms of which it names something, through which entry. */
  write: v.exactOptional(v.nullable(v.record(v.string(), v.unknown()))),
})
export type ActivityEntry = v.InferOutput<typeof activityEntry>

export const credential = shape({ id, label: v.string(), expiresAt: at, threadIds: v.nullable(v.array(id)) })
const assignment = shape({ experimentId: id, label: v.string(), roomId: id, status: v.string(), ...fromOtherRoom })

const membership = v.nullable(shape({ role: v.picklist(enumerations.memberRole), joinedAt: at }))

export const identity = shape({
  schemaVersion,
  userId: id,
  username: v.string(),
  grants: v.array(v.picklist(enumerations.permission)),
  credential,
  room: shape({ id, title: said, archived: v.boolean() }),
  /** Null once the person is no longer a member: the credential then writes nothing. */
  membership,
  assignments: v.array(assignment),
})

export const roomStatus = shape({
  schemaVersion,
  room: shape({ id, title: said, state, archive: v.nullable(archive) }),
  membership,
  activityWatermark: count,
  assignments: v.array(assignment),
})

export const roomAccess = shape({
  schemaVersion,
  roomId: id,
  operations: v.array(
    shape({ operation: v.string(), path: v.string(), allowed: v.boolean(), refusal: optionalText, needed: v.array(v.string()) }),
  ),
})

const credentialSummary = shape({
  credentialId: id,
  label: v.string(),
  owner: person,
  permissions: v.array(v.picklist(enumerations.permission)),
  threadIds: v.nullable(v.array(id)),
  /** The first signs of its token; null for one from before they were kept. */
  tokenStart: optionalText,
  createdAt: at,
  expiresAt: at,
  revokedAt: v.nullable(at),
  lastUsedAt: v.nullable(at),
})
export type CredentialSummary = v.InferOutput<typeof credentialSummary>
/** With what it wrote last, where that is among the newest entries of the Room. */
export const listedCredential = shape({
  ...credentialSummary.entries,
  lastWrite: v.nullable(shape({ operation: v.string(), target, at })),
})

/** With the Room that it opens, for operators. */
export const credentialOfRoom = shape({ ...credentialSummary.entries, roomId: id, roomTitle: said })

export const joinRequest = shape({ person, message: optionalSaid, requestedAt: at })

export const session = shape({ schemaVersion, person: v.nullable(shape({ userId: id, username: v.string(), isOperator: v.boolean() })) })
/** Somebody whom an operator did something to, as they are now, and how much of theirs was ended. */
export const operated = shape({
  schemaVersion,
  person: shape({ userId: id, username: v.string(), isOperator: v.boolean(), disabledAt: v.nullable(at) }),
  ended: shape({ credentials: v.number(), keys: v.number(), invitations: v.number() }),
})
/** One thing that opened doors, and since when it does so no longer. */
export const ended = shape({ schemaVersion, id, of: person, revokedAt: at })
export const invitation = shape({
  schemaVersion,
  invitationId: id,
  invitedBy: v.string(),
  room: v.nullable(shape({ roomId: id, title: said })),
  expiresAt: at,
})
export const invitationIssued = shape({ schemaVersion, invitationId: id, link: v.string(), token: v.string(), expiresAt: at })

export const refusal = shape({
  schemaVersion: count,
  error: v.string(),
  refusal: v.string(),
  committed: v.nullable(v.literal(false)),
  retryable: v.boolean(),
  retryAfter: v.nullable(count),
  current: v.nullable(v.record(v.string(), v.unknown())),
  issues: v.array(shape({ path: v.string(), message: said })),
})
