/**
 * Room credentials: the tokens that agents write with. They are issued in the browser and shown once. With one, an
 * agent asks who it is, what its Room is like, and what it may do.
 */
import * as v from "valibot"
import { text, uuid, permissions, distinct, time, plain, shape } from "../schema/fields.ts"
import { limits } from "../limits.ts"
import { operation } from "../definitions/operation.ts"
import { ref } from "../schema/parts.ts"
import { id, at, freeText, roomState, count, optionalText, tokenFields } from "../answers/fields.ts"
import { fromOtherRoom } from "../answers/evidence.ts"
import { enumerations } from "../schema/enumerations.ts"
import { schemaVersion, person, target, wholeList } from "../answers/parts.ts"
import { archive } from "./rooms.ts"
import { read } from "../definitions/read.ts"
import { connectPaths } from "../service.ts"

const onCredential = { surface: "browser", target: "credential", archived: "admitted" } as const
/** The public name of the agent that uses it. */
const label = text(limits.credentialLabel)
const issued = {
  credentialId: uuid,
  /** The credential's name; credentials carry no Room label. */
  label,
  permissions,
  threadIds: v.nullable(distinct(uuid, limits.credentialThreads)),
  expiresAt: time,
  /** Only in the first answer; a replay does not contain it. */
  token: v.exactOptional(plain(200)),
}

export const credentialOperations = [
  operation({
    name: "issue_credential",
    ...onCredential,
    path: "/api/rooms/{roomId}/credentials",
    summary:
      "Issues a credential for the caller's own membership. Its label is the agent's name: " +
      "public, and shown with the member's name wherever the agent writes. The token is in this answer and never " +
      "shown again.",
    refusals: ["state_conflict"],
    fields: {
      label,
      permissions,
      threadIds: v.exactOptional(distinct(ref("thread"), limits.credentialThreads, 1)),
      expiresAt: v.exactOptional(time),
    },
    result: issued,
    example: { label: "sweep agent", permissions: ["post_thread", "publish_records"] },
  }),
  operation({
    name: "rotate_credential",
    ...onCredential,
    path: "/api/rooms/{roomId}/credentials/{credentialId}/rotate",
    summary: "Issues a new credential with the same label, permissions and Threads, and revokes the old one.",
    refusals: ["role_required", "state_conflict"],
    fields: { expiresAt: v.exactOptional(time) },
    result: issued,
  }),
  operation({
    name: "revoke_credential",
    ...onCredential,
    path: "/api/rooms/{roomId}/credentials/{credentialId}/revoke",
    summary: "Revokes a credential at once: your own, or, as the owner, any of the Room's.",
    // A removed member may still end their own credentials.
    by: "person",
    refusals: ["not_a_member", "role_required", "state_conflict"],
    result: { credentialId: uuid, label, revokedAt: time },
  }),
] as const

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

export const credentialReads = [
  read({
    name: "identity",
    surface: "credential",
    path: connectPaths.identity,
    summary: "The person and the permissions of the credential, its Room, and the person's assignments in all Rooms.",
    answer: identity,
  }),
  read({
    name: "room_status",
    surface: "credential",
    path: "/api/agent/rooms/{roomId}/status",
    summary: "The credential's own Room: state, membership, watermark, and the person's assignments there.",
    answer: roomStatus,
  }),
  read({
    name: "room_access",
    surface: "credential",
    path: "/api/agent/rooms/{roomId}/access",
    summary: "For each operation, whether this credential could call it now, and if not, the refusal it would get.",
    answer: roomAccess,
  }),
  read({
    name: "credentials",
    surface: "session",
    path: "/api/rooms/{roomId}/credentials",
    summary: "Credentials of a Room: your own, or all of them for its owner. Tokens are never shown.",
    answer: wholeList(listedCredential),
  }),
] as const
