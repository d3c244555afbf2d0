/** The answers about Rooms, their members, and the caller. */
import * as v from "valibot"
import { shape } from "../schema/fields.ts"
import { at, count, id, optionalFreeText, optionalText, freeText, roomState, tokenFields } from "./fields.ts"
import { person, schemaVersion, target } from "./parts.ts"
import { changedFields } from "./changed.ts"
import { costs } from "./costs.ts"
import { described } from "./description.ts"
import { each } from "../typed.ts"
import { enumerations } from "../schema/enumerations.ts"
import { fromOtherRoom } from "./evidence.ts"
import { labelledKinds } from "../objects/objects.ts"

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
  ...described,
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

export const credential = shape({ id, label: v.string(), expiresAt: at, threadIds: v.nullable(v.array(id)) })

const assignment = shape({
  ...{ experimentId: id, label: v.string(), roomId: id, status: v.string(), ...fromOtherRoom },
  /** The person's agent that took it; null if they took it in the browser. */
  agent: v.nullable(v.string()),
})

const membership = v.nullable(shape({ role: v.picklist(enumerations.memberRole), joinedAt: at }))

export const identity = shape({
  schemaVersion,
  userId: id,
  username: v.string(),
  /** The name under which it writes: its label. */
  agent: v.string(),
  grants: v.array(v.picklist(enumerations.permission)),
  credential,
  room: shape({ id, title: freeText, openingThreadId: id, archived: v.boolean() }),
  /** Null if the person is no longer a member; the credential can then write nothing. */
  membership,
  assignments: v.array(assignment),
})

export const roomStatus = shape({
  schemaVersion,
  room: shape({ id, title: freeText, state: roomState, archive: v.nullable(archive) }),
  membership,
  activityWatermark: count,
  assignments: v.array(assignment),
})

export const roomAccess = shape({
  schemaVersion,
  roomId: id,
  operations: v.array(
    shape({
      operation: v.string(),
      path: v.string(),
      allowed: v.boolean(),
      refusal: optionalText,
      needed: v.array(v.string()),
    }),
  ),
})

const credentialSummary = shape({
  credentialId: id,
  label: v.string(),
  owner: person,
  permissions: v.array(v.picklist(enumerations.permission)),
  threadIds: v.nullable(v.array(id)),
  ...tokenFields,
})

export type CredentialSummary = v.InferOutput<typeof credentialSummary>

/** Includes its last write, if that is among the newest entries of the Room. */
export const listedCredential = shape({
  ...credentialSummary.entries,
  lastWrite: v.nullable(shape({ operation: v.string(), target, at })),
})

/** Includes its Room, for operators. */
export const credentialOfRoom = shape({ ...credentialSummary.entries, roomId: id, roomTitle: freeText })

export const joinRequest = shape({ person, message: optionalFreeText, requestedAt: at })

export const session = shape({
  schemaVersion,
  person: v.nullable(shape({ userId: id, username: v.string(), isOperator: v.boolean() })),
})

/** The present state of a person after an operator's action, and how many of their tokens were ended. */
export const operatedPerson = shape({
  schemaVersion,
  person: shape({ userId: id, username: v.string(), isOperator: v.boolean(), disabledAt: v.nullable(at) }),
  ended: shape({ credentials: v.number(), keys: v.number(), invitations: v.number() }),
})

/** A token that no longer works, and since when. */
export const ended = shape({ schemaVersion, id, of: person, revokedAt: at })

export const invitation = shape({
  schemaVersion,
  invitationId: id,
  invitedBy: v.string(),
  room: v.nullable(shape({ roomId: id, title: freeText })),
  expiresAt: at,
})

export const invitationIssued = shape({
  schemaVersion,
  invitationId: id,
  link: v.string(),
  token: v.string(),
  expiresAt: at,
})
