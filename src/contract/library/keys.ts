/**
 * Personal keys: the tokens with which a person's own agents use the Library. They are issued in the browser and shown
 * once.
 */
import * as v from "valibot"
import { each } from "../each.ts"
import { enumerations } from "../schema/enumerations.ts"
import { distinct, oneOf, plain, shape, text, time, uuid } from "../schema/fields.ts"
import { limits } from "../limits.ts"
import { operation } from "../definitions/operation.ts"
import { ref } from "../schema/ref.ts"

const label = text(limits.credentialLabel)
const permissions = distinct(oneOf(enumerations.libraryPermission), enumerations.libraryPermission.length, 1)
const reach = oneOf(enumerations.keyReach)
const inBrowser = { family: "library", surface: "browser", target: "personal_key" } as const
/** The person's description of the agent that will use the key. */
export const agent = shape(
  each(["name", "version", "model"] as const, () => v.exactOptional(plain(limits.clientField))),
)

export const keyOperations = [
  operation({
    name: "issue_key",
    ...inBrowser,
    path: "/api/library/keys",
    summary: "Issues a personal key for the caller's own Library. The token is in this answer and never shown again.",
    requiredWhen: [{ field: "collectionIds", when: { field: "reach", in: ["selected"] } }],
    fields: {
      label,
      permissions,
      reach,
      collectionIds: v.exactOptional(distinct(ref("collection"), limits.keyCollections)),
      expiresAt: v.exactOptional(time),
      agent: v.exactOptional(agent),
    },
    result: {
      keyId: uuid,
      label,
      permissions,
      reach,
      collectionIds: v.nullable(v.array(uuid)),
      expiresAt: time,
      agent: v.nullable(agent),
      /** Only in the first answer; a replay does not contain it. */
      token: v.exactOptional(plain(200)),
    },
    example: {
      label: "reading agent",
      permissions: ["read_library", "file_papers", "post_notes"],
      reach: "selected",
      collectionIds: ["0198f3a0-0000-7000-8000-000000000021"],
      agent: { name: "paper-scout", version: "0.3" },
    },
  }),
  operation({
    name: "revoke_key",
    ...inBrowser,
    path: "/api/library/keys/{keyId}/revoke",
    summary: "Revokes your own personal key at once.",
    refusals: ["state_conflict"],
    result: { keyId: uuid, label, revokedAt: time },
  }),
] as const
