/** A line of the audit log, which holds events about people, access and operators. */
import * as v from "valibot"
import { optionalFreeText } from "./fields.ts"
import { oneOf, shape } from "../schema/fields.ts"
import { auditKindNames } from "../audit-kinds.ts"

const person = shape({ userId: v.string(), username: v.string() })

/** A line of the log as it is answered. It never contains a secret. */
export const auditEntry = shape({
  sequence: v.number(),
  at: v.string(),
  kind: oneOf(auditKindNames),
  /** Who did it, if they had signed in; for a command, the person it acted for. */
  by: v.nullable(person),
  /** The command that did it, and the machine's account that ran it; null if it was done over HTTP. */
  command: v.nullable(shape({ name: v.string(), account: v.string() })),
  subject: v.nullable(shape({ kind: v.string(), id: v.string(), name: optionalFreeText })),
  roomId: v.nullable(v.string()),
  /** The address that the request is counted under; for IPv6, a whole network. */
  address: v.nullable(v.string()),
  detail: v.record(v.string(), v.union([v.string(), v.number(), v.boolean(), v.null()])),
})
export type AuditEntry = v.InferOutput<typeof auditEntry>
