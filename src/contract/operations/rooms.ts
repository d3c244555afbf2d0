/** What people do with Rooms in the browser: create, amend, membership, archive, restore, credentials. */
import * as v from "valibot"
import current from "spdx-license-ids/index.json" with { type: "json" }
import deprecated from "spdx-license-ids/deprecated.json" with { type: "json" }
import { quoting } from "../definitions/sentence.ts"
import { optionalFreeText, freeText } from "../answers/fields.ts"
import { enumerations } from "../schema/enumerations.ts"
import { oneOf, plain, shape, text, username, uuid, whole, distinct, permissions, time } from "../schema/fields.ts"
import { limits } from "../limits.ts"
import { operation } from "../definitions/operation.ts"
import { ref } from "../schema/parts.ts"

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

// Room credentials: the tokens that agents write with. They are issued in the browser and shown once.

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
