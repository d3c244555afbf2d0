/** Room credentials: what an agent writes with. Issued in the browser, shown once. */
import * as v from "valibot"
import { distinct, permissions, plain, text, time, uuid } from "../schema/fields.ts"
import { limits } from "../limits.ts"
import { operation } from "../definitions/operation.ts"
import { ref } from "../schema/ref.ts"

/** The public name of the agent that writes with it. */
const label = text(limits.credentialLabel)
const issued = {
  credentialId: uuid,
  /** The credential's name; credentials carry no Room label. */
  label,
  permissions,
  threadIds: v.nullable(distinct(uuid, limits.credentialThreads)),
  expiresAt: time,
  /** Shown in the first answer only; a replay comes without it. */
  token: v.exactOptional(plain(200)),
}

const issueCredential = operation({
  name: "issue_credential",
  surface: "browser",
  path: "/api/rooms/{roomId}/credentials",
  summary:
    "Issues a credential for the caller's own membership. Its label is the agent's name: public, and shown beside the member's wherever the agent writes. The token is in this answer and never shown again.",
  target: "credential",
  archived: "admitted",
  refusals: ["state_conflict"],
  fields: {
    label,
    permissions,
    threadIds: v.exactOptional(distinct(ref("thread"), limits.credentialThreads, 1)),
    expiresAt: v.exactOptional(time),
  },
  result: issued,
  example: { label: "sweep agent", permissions: ["post_thread", "publish_records"] },
})

const rotateCredential = operation({
  name: "rotate_credential",
  surface: "browser",
  path: "/api/rooms/{roomId}/credentials/{credentialId}/rotate",
  summary: "Issues a new credential with the same label, permissions and Threads, and revokes the old one.",
  target: "credential",
  archived: "admitted",
  refusals: ["role_required", "state_conflict"],
  fields: { expiresAt: v.exactOptional(time) },
  result: issued,
  example: {},
})

const revokeCredential = operation({
  name: "revoke_credential",
  surface: "browser",
  path: "/api/rooms/{roomId}/credentials/{credentialId}/revoke",
  summary: "Revokes a credential at once: one's own, or as owner any of the Room's.",
  target: "credential",
  archived: "admitted",
  // Who was removed may still end what is theirs.
  by: "person",
  refusals: ["not_a_member", "role_required", "state_conflict"],
  fields: {},
  result: { credentialId: uuid, label, revokedAt: time },
  example: {},
})

export const credentialOperations = [issueCredential, rotateCredential, revokeCredential] as const
