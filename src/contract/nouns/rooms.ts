/** Rooms: what people do with them and with their members in the browser, and what is answered about them. */
import current from "spdx-license-ids/index.json" with { type: "json" }
import deprecated from "spdx-license-ids/deprecated.json" with { type: "json" }
import * as v from "valibot"
import { text, uuid, username, oneOf, shape, plain, whole } from "../schema/fields.ts"
import { limits } from "../limits.ts"
import { operation } from "../definitions/operation.ts"
import { quoting } from "../definitions/sentence.ts"
import { freeText, optionalFreeText, count, at, id, roomState, optionalText } from "../answers/fields.ts"
import { enumerations } from "../schema/enumerations.ts"
import { each } from "../typed.ts"
import { labelledKinds } from "../objects/objects.ts"
import { person, schemaVersion, page, wholeList } from "../answers/parts.ts"
import { howCited } from "./people.ts"
import { costs } from "../answers/costs.ts"
import { changedFields } from "../answers/changed.ts"
import { read } from "../definitions/read.ts"
import { query } from "../definitions/parameters.ts"

// Licences by their SPDX ids.

/** The licences most used for research, offered first. */
const usual = ["CC-BY-4.0", "CC0-1.0", "CC-BY-SA-4.0", "CC-BY-NC-4.0", "ODbL-1.0", "PDDL-1.0", "MIT", "Apache-2.0"]

/** Deprecated ids stay valid: an old or imported Room may have one. */
export const licences: readonly string[] = [...new Set([...usual, ...current, ...deprecated])]

/** The id of a licence, spelled as in the SPDX list. */
export const license = v.picklist(licences, "must be the id of a licence in the SPDX list, such as CC-BY-4.0")

/** The SPDX page about a licence. */
export const licenceUrl = (id: string): string => `https://spdx.org/licenses/${id}.html`
/** The IRI of a licence in linked data. */
export const licenceIri = (id: string): string => `https://spdx.org/licenses/${id}`

const title = text(limits.title)
const question = text(limits.statement)
const membership = { userId: uuid, username, label: v.null() }

const reason = text(limits.explanation)

export const roomOperations = [
  operation({
    name: "create_room",
    surface: "browser",
    sentence: ({ title }) => `created the Room${quoting(title)}`,
    path: "/api/rooms",
    summary:
      "Creates a Room owned by the caller, with its opening Thread. license is the SPDX id of the terms under " +
      "which the Room's content may be used.",
    target: "room",
    by: "person",
    activity: "room_created",
    fields: { title, question: v.exactOptional(question), license: v.exactOptional(license) },
    result: { roomId: uuid, openingThreadId: uuid, label: v.null() },
    example: {
      title: "Warm-up and early loss",
      question: "How much of the early loss does learning-rate warm-up explain?",
    },
  }),
  operation({
    name: "amend_room",
    surface: "browser",
    sentence: ({ title, question, license }) =>
      (title ?? question) === undefined
        ? `put the Room under the licence ${license ?? ""}`
        : `changed the Room's title or question${quoting(question ?? title)}`,
    method: "PATCH",
    path: "/api/rooms/{roomId}",
    summary: "Changes a Room's title, question or licence; only by its owner.",
    target: "room",
    by: "owner",
    archived: "room_archived",
    activity: "room_amended",
    atLeastOneOf: ["title", "question", "license"],
    fields: { title: v.exactOptional(title), question: v.exactOptional(question), license: v.exactOptional(license) },
    result: { title: freeText, question: optionalFreeText, license: v.nullable(v.string()), label: v.null() },
    example: { title: "Warm-up and early loss, revisited" },
  }),
  operation({
    name: "request_to_join",
    surface: "browser",
    path: "/api/rooms/{roomId}/join-requests",
    summary: "Asks the owner of a Room for membership.",
    target: "join_request",
    by: "person",
    archived: "admitted",
    refusals: ["state_conflict"],
    fields: { message: v.exactOptional(text(limits.explanation)) },
    result: membership,
    example: { message: "I run the same sweep on a larger model." },
  }),
  operation({
    name: "decide_join_request",
    surface: "browser",
    sentence: () => "accepted a request to join",
    path: "/api/rooms/{roomId}/join-requests/{userId}/decision",
    summary: "Accepts or declines a request to join; only by the Room's owner.",
    target: "join_request",
    by: "owner",
    archived: "admitted",
    refusals: ["state_conflict"],
    activity: "member_joined",
    fields: { decision: oneOf(enumerations.joinDecision) },
    result: { ...membership, decision: oneOf(enumerations.joinDecision) },
    example: { decision: "accept" },
  }),
  operation({
    name: "add_member",
    surface: "browser",
    sentence: ({ username }) => `made ${username} a member`,
    path: "/api/rooms/{roomId}/members",
    summary: "Makes a person of this instance a member; only by the Room's owner.",
    target: "member",
    by: "owner",
    archived: "admitted",
    refusals: ["state_conflict"],
    activity: "member_joined",
    fields: { username },
    result: membership,
    example: { username: "grace" },
  }),
  operation({
    name: "remove_member",
    surface: "browser",
    sentence: () => "ended a membership",
    method: "DELETE",
    path: "/api/rooms/{roomId}/members/{userId}",
    summary:
      "Ends a membership: the owner removes a member, or a member leaves. Credentials of that membership stop working.",
    target: "member",
    archived: "admitted",
    refusals: ["role_required", "state_conflict"],
    activity: "member_left",
    result: membership,
  }),
  operation({
    name: "archive_room",
    surface: "browser",
    sentence: ({ reason }) => `archived the Room${quoting(reason)}`,
    path: "/api/rooms/{roomId}/archive",
    summary: "Archives a Room with a reason: it stays readable and citable and admits no new work; only by its owner.",
    target: "room",
    by: "owner",
    archived: "room_archived",
    activity: "room_archived",
    fields: { reason },
    result: { state: oneOf(enumerations.roomState), label: v.null() },
    example: { reason: "The question is answered; see the concluding checkpoint." },
  }),
  operation({
    name: "restore_room",
    surface: "browser",
    sentence: ({ reason }) => `restored the Room${quoting(reason)}`,
    path: "/api/rooms/{roomId}/restore",
    summary: "Restores an archived Room, with a reason; only by its owner.",
    target: "room",
    by: "owner",
    archived: "admitted",
    refusals: ["state_conflict"],
    activity: "room_restored",
    fields: { reason },
    result: { state: oneOf(enumerations.roomState), label: v.null() },
    example: { reason: "A correction to F2 reopens the question." },
  }),
  /** The new owner is in the path, like the person in every other operation on a membership. */
  operation({
    name: "transfer_room",
    surface: "browser",
    sentence: ({ reason }) => `transferred the Room to another owner${quoting(reason)}`,
    path: "/api/rooms/{roomId}/members/{userId}/transfer",
    summary:
      "Transfers a Room, with a reason: its owner to a member, or an operator of the service to any person. " +
      "The former owner stays a member.",
    target: "room",
    by: "person",
    archived: "admitted",
    refusals: ["not_a_member", "role_required", "state_conflict"],
    activity: "room_transferred",
    fields: { reason: v.exactOptional(reason) },
    result: { ownerId: uuid, username: v.string(), label: v.null() },
    example: { reason: "Ada leaves for another group; Grace takes over." },
  }),
  /**
   * Done by `import --adopt`: a Room of another instance continues as a Room of this one, owned by the person who
   * adopts it. The entry records its origin, so that anybody who gets the Room from here can tell the people of that
   * instance from those of this one.
   */
  operation({
    name: "adopt_room",
    surface: "command",
    sentence: ({ origin }) => `adopted the Room from ${origin.baseUrl}`,
    path: "/api/rooms/{roomId}/adoption",
    summary: "Makes a Room of another instance a Room of this one, and the caller its owner.",
    target: "room",
    by: "person",
    archived: "admitted",
    refusals: ["state_conflict"],
    activity: "room_adopted",
    fields: { origin: shape({ instanceId: uuid, baseUrl: plain(limits.address), throughSequence: whole(1) }) },
    result: { ownerId: uuid, label: v.null() },
    example: {
      origin: {
        instanceId: "0198f3a0-5b1e-7c44-9d8e-2f6a1b3c4d5e",
        baseUrl: "https://rooms.example.org",
        throughSequence: 112,
      },
    },
  }),
] as const

/** How many objects of each labelled kind a Room holds. Labels have no gaps, so this is also the last label given. */
const labelCounts = each(labelledKinds, () => count)

export const archive = shape({ archivedAt: at, archivedBy: person, reason: freeText })

export type Archive = v.InferOutput<typeof archive>

/** Where a Room of another instance comes from, and the last entry of its activity that is stored here. */
const roomOrigin = shape({
  instanceId: id,
  baseUrl: v.string(),
  throughSequence: count,
  /**
   * Who reported this origin: the address of another instance, or `file` for an imported crate; null if an earlier
   * version fetched the Room from there.
   */
  toldBy: v.nullable(v.string()),
  importedAt: at,
})

export type RoomOrigin = v.InferOutput<typeof roomOrigin>

/** Where a Room was before it was adopted, the oldest first: up to which entry, and when that ended. */
const roomAdopted = v.array(shape({ instanceId: id, baseUrl: v.string(), throughSequence: count, adoptedAt: at }))

/** What the reads of a Thread say about its Room. */
export const roomOfThread = {
  roomId: id,
  title: freeText,
  state: roomState,
  archive: v.nullable(archive),
  origin: v.nullable(roomOrigin),
  adopted: roomAdopted,
}
const roomFields = {
  roomId: id,
  title: freeText,
  question: optionalFreeText,
  /** The SPDX id of the licence that its owner chose; null if none is stated. */
  license: optionalText,
  state: roomState,
  owner: person,
  createdAt: at,
  openingThreadId: id,
  concluded: v.boolean(),
  activityWatermark: count,
  lastActivityAt: at,
  counts: shape({ members: count, threads: count, ...labelCounts }),
  archive: v.nullable(archive),
  /** null if it belongs to this instance. */
  origin: v.nullable(roomOrigin),
  adopted: roomAdopted,
}

export const roomSummary = shape(roomFields)

export type RoomSummary = v.InferOutput<typeof roomSummary>

export const member = shape({
  userId: id,
  username: v.string(),
  ...howCited,
  role: v.picklist(enumerations.memberRole),
  joinedAt: at,
})

export type Member = v.InferOutput<typeof member>

/**
 * Entries whose bodies no digest proves, because parts of them were withheld: how many there are, and the first of
 * them.
 */
export const unproved = shape({ entries: count, sequences: v.array(count) })

export const room = shape({
  schemaVersion,
  ...roomFields,
  unproved,
  costs,
  members: v.array(member),
  /** Of its newest findings, and of the records that its newest links are about. */
  ...changedFields,
})

export const joinRequest = shape({ person, message: optionalFreeText, requestedAt: at })

// Webhooks as their Room's owner sees them.

/** One attempted delivery. */
export const delivery = shape({
  sequence: count,
  at,
  isDelivered: v.boolean(),
  /** The status of the response, or why there was none. */
  outcome: v.string(),
  milliseconds: count,
})
export type Delivery = v.InferOutput<typeof delivery>

export const webhook = shape({
  webhookId: id,
  url: v.string(),
  addedBy: person,
  addedAt: at,
  /** The last entry of the Room's activity that was delivered. */
  delivered: count,
  /** Since when deliveries have failed; null if the newest succeeded. */
  failingSince: v.nullable(at),
  /** Why deliveries were turned off; null if they are on. */
  offBecause: optionalFreeText,
  /** The newest first. */
  deliveries: v.array(delivery),
})

/** A webhook that was just added. Its secret is shown only once. */
export const webhookAdded = shape({ schemaVersion, webhookId: id, url: v.string(), secret: v.string() })
export const webhookChanged = shape({ schemaVersion, webhookId: id })

export const roomReads = [
  read({
    name: "rooms",
    path: "/api/research/rooms",
    summary: "Rooms, newest first; query searches titles and questions.",
    parameters: { query },
    cursor: "opaque",
    answer: page(roomSummary),
  }),
  read({
    name: "room",
    path: "/api/research/rooms/{roomId}",
    summary: "One Room with its members.",
    answer: room,
  }),
] as const

export const memberReads = [
  read({
    name: "members",
    surface: "session",
    path: "/api/rooms/{roomId}/members",
    summary: "The members of a Room.",
    answer: wholeList(member),
  }),
  read({
    name: "join_requests",
    surface: "session",
    path: "/api/rooms/{roomId}/join-requests",
    summary: "Open requests to join, for the Room's owner.",
    refusals: ["role_required"],
    answer: wholeList(joinRequest),
  }),
  read({
    name: "webhooks",
    surface: "session",
    path: "/api/rooms/{roomId}/webhooks",
    summary: "The webhooks of a Room with their newest deliveries, for its owner.",
    refusals: ["role_required"],
    answer: wholeList(webhook),
  }),
] as const
