/** The reads of a Room credential: its identity, inbox, access and receipts. */
import * as v from "valibot"
import * as answers from "../answers/index.ts"
import { oneOf, uuid } from "../schema/fields.ts"
import { receiptedOperations } from "../operations/index.ts"
import { limits } from "../limits.ts"
import { read } from "../definitions/read.ts"
import { wholeNumber } from "../definitions/parameters.ts"
import { lines } from "./shared.ts"

export const credentialReads = [
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
] as const
