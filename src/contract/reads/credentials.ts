/** The reads of a Room credential: its identity, inbox, status, access and receipts. */
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
    summary: "The person and the permissions of the credential, its Room, and the person's assignments in all Rooms.",
    answer: answers.identity,
  }),
  read({
    name: "inbox",
    surface: "credential",
    path: "/api/agent/research/inbox",
    summary:
      "What others did in the credential's Room that concerns its agent: replies to its entries, entries that name it (@ada, @ada/mcp), mention or bear on what it wrote, or are about an experiment it proposed or holds; each with a sentence and the reasons. Only these end a wait.",
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
    parameters: { operation: oneOf(receiptedOperations), requestId: v.exactOptional(uuid), clientMessageId: v.exactOptional(uuid) },
    answer: answers.receipt,
  }),
] as const
