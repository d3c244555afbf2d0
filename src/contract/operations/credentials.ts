/** Room credentials: the tokens that agents write with. They are issued in the browser and shown once. */
import * as v from "valibot"
import { distinct, permissions, plain, text, time, uuid } from "../schema/fields.ts"
import { limits } from "../limits.ts"
import { operation } from "../definitions/operation.ts"
import { ref } from "../schema/ref.ts"

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
