/** What is answered of Rooms, of who is in them, and of who asks. */
import * as v from "valibot"
import { costs } from "./costs.ts"
import { at, count, dated, id, optionalSaid, optionalText, said, roomState, tokenFields } from "./fields.ts"
import { described } from "./description.ts"
import { each } from "../each.ts"
import { enumerations } from "../schema/enumerations.ts"
import { fromOtherRoom } from "./evidence.ts"
import { shape } from "../schema/fields.ts"
import { labelledKinds } from "../objects/labels.ts"
import { person, schemaVersion, target } from "./parts.ts"

/** How many objects of each labelled kind a Room holds; labels have no gap, so this is also the last label given. */
const labelCounts = each(labelledKinds, () => count)

export const archive = shape({ archivedAt: at, archivedBy: person, reason: said })

export type Archive = v.InferOutput<typeof archive>

/** Where a Room of another instance comes from, and the last entry of its activity that is here. */
export const roomOrigin = shape({
  instanceId: id,
  baseUrl: v.string(),
  throughSequence: count,
  /** Who says that it comes from there: the address of another instance, or `file` for an imported crate; null: it was fetched there. */
  toldBy: v.nullable(v.string()),
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
  state: roomState,
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

/** Entries whose bodies no digest proves, because parts of them were withheld: how many, and the first of them. */
export const unproved = shape({ entries: count, sequences: v.array(count) })

export const room = shape({ schemaVersion, ...roomFields, unproved, costs, members: v.array(member), ...dated })

export const credential = shape({ id, label: v.string(), expiresAt: at, threadIds: v.nullable(v.array(id)) })

const assignment = shape({ experimentId: id, label: v.string(), roomId: id, status: v.string(), ...fromOtherRoom })

const membership = v.nullable(shape({ role: v.picklist(enumerations.memberRole), joinedAt: at }))

export const identity = shape({
  schemaVersion,
  userId: id,
  username: v.string(),
  /** The name under which it writes: its label. */
  agent: v.string(),
  grants: v.array(v.picklist(enumerations.permission)),
  credential,
  room: shape({ id, title: said, openingThreadId: id, archived: v.boolean() }),
  /** Null once the person is no longer a member: the credential then writes nothing. */
  membership,
  assignments: v.array(assignment),
})

export const roomStatus = shape({
  schemaVersion,
  room: shape({ id, title: said, state: roomState, archive: v.nullable(archive) }),
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
  ...tokenFields,
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
