/**
 * The reads of a Room credential (its identity, inbox, status, access and receipts), and of people, their sessions,
 * memberships, credentials and invitations.
 */
import * as v from "valibot"
import { connectPaths } from "../service.ts"
import * as answers from "../answers/index.ts"
import { webhook } from "../answers/rooms.ts"
import { read } from "../definitions/read.ts"
import { oneOf, uuid } from "../schema/fields.ts"
import { receiptedOperations } from "../operations/index.ts"
import { limits } from "../limits.ts"
import { wholeNumber } from "../definitions/parameters.ts"
import { lines } from "./shared.ts"

/** The answer of a list that is always short and has no pages. */
function wholeList<S extends v.GenericSchema>(item: S) {
  return v.strictObject({ schemaVersion: answers.schemaVersion, items: v.array(item) })
}

export const peopleReads = [
  read({
    name: "identity",
    surface: "credential",
    path: connectPaths.identity,
    summary: "The person and the permissions of the credential, its Room, and the person's assignments in all Rooms.",
    answer: answers.identity,
  }),
  read({
    name: "inbox",
    surface: "credential",
    path: "/api/agent/research/inbox",
    summary:
      "What others did in the credential's Room that concerns its agent: replies to its entries, entries that name " +
      "it (@ada, @ada/mcp), mention or bear on what it wrote, or are about an experiment it proposed or holds; " +
      "each with a sentence and the reasons. Only these end a wait.",
    parameters: { wait: v.exactOptional(wholeNumber(limits.activityWaitSeconds)) },
    cursor: "sequence",
    answer: answers.page(answers.inboxEntry),
    formats: lines,
  }),
  read({
    name: "room_status",
    surface: "credential",
    path: "/api/agent/rooms/{roomId}/status",
    summary: "The credential's own Room: state, membership, watermark, and the person's assignments there.",
    answer: answers.roomStatus,
  }),
  read({
    name: "room_access",
    surface: "credential",
    path: "/api/agent/rooms/{roomId}/access",
    summary: "For each operation, whether this credential could call it now, and if not, the refusal it would get.",
    answer: answers.roomAccess,
  }),
  read({
    name: "receipt",
    surface: "credential",
    path: "/api/agent/receipts",
    refusals: ["unknown_receipt"],
    summary: "The caller's own stored receipt: it settles an uncertain delivery without sending the body again.",
    parameters: {
      operation: oneOf(receiptedOperations),
      requestId: v.exactOptional(uuid),
      clientMessageId: v.exactOptional(uuid),
    },
    answer: answers.receipt,
  }),
  read({
    name: "person",
    path: "/api/research/people/{username}",
    summary:
      "A person, by username or id: how they want to be cited, if they have declared it. " +
      "The service does not ask ORCID who owns an ORCID.",
    answer: answers.describedPerson,
  }),
  read({
    name: "session",
    surface: "visitor",
    path: "/api/session",
    summary: "The person who is signed in, or null.",
    answer: answers.session,
  }),
  read({
    name: "members",
    surface: "session",
    path: "/api/rooms/{roomId}/members",
    summary: "The members of a Room.",
    answer: wholeList(answers.member),
  }),
  read({
    name: "join_requests",
    surface: "session",
    path: "/api/rooms/{roomId}/join-requests",
    summary: "Open requests to join, for the Room's owner.",
    refusals: ["role_required"],
    answer: wholeList(answers.joinRequest),
  }),
  read({
    name: "credentials",
    surface: "session",
    path: "/api/rooms/{roomId}/credentials",
    summary: "Credentials of a Room: your own, or all of them for its owner. Tokens are never shown.",
    answer: wholeList(answers.listedCredential),
  }),
  read({
    name: "webhooks",
    surface: "session",
    path: "/api/rooms/{roomId}/webhooks",
    summary: "The webhooks of a Room with their newest deliveries, for its owner.",
    refusals: ["role_required"],
    answer: wholeList(webhook),
  }),
  read({
    name: "invitation",
    surface: "visitor",
    path: "/api/invitations/{token}",
    summary: "What an invitation link offers, for the person who holds it.",
    answer: answers.invitation,
  }),
] as const
