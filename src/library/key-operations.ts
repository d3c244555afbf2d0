/** Issuing and revoking personal keys. A token is sent only in the answer that issues it. */
import { Refusal } from "../contract/refusals/refusal.ts"
import { behaviour } from "../ledger/journal/behaviour.ts"
import { expiry, mintToken } from "../people/tokens.ts"
import { inLibrary, outcome } from "./filed.ts"
import type { LibraryTables } from "./tables.ts"
import { scopeOf } from "./reach/scope.ts"

export function keyOperations({ keys, collections }: LibraryTables) {
  const issue_key = behaviour("issue_key", {
    subject: () => inLibrary,
    references({ actor, body }) {
      const { reach, collectionIds } = body
      if (collectionIds === undefined) return []
      if (reach !== "selected") return [{ path: "/collectionIds", message: "is allowed only when reach is selected" }]
      return collectionIds.flatMap((collectionId, index) =>
        collections.find(scopeOf(actor), collectionId) === undefined
          ? [{ path: `/collectionIds/${index}`, message: "is not a Collection of yours" }]
          : [],
      )
    },
    write({ actor, body }, _subject, change) {
      const keyId = change.newId()
      const token = change.token((bytes) => mintToken("personalKey", bytes))
      const { label, permissions, reach, collectionIds = null, agent = null } = body
      const key = { label, permissions, reach, collectionIds, expiresAt: expiry(body.expiresAt, change.at), agent }
      keys.insert(
        { keyId, owner: { userId: actor.userId, username: actor.username }, ...key, createdAt: change.at },
        token,
      )
      return { ...outcome(keyId, { keyId, ...key }), secret: { token: token.token } }
    },
  })

  const revoke_key = behaviour("revoke_key", {
    subject({ actor, params }) {
      const key = keys.find(params.keyId)
      if (key?.owner.userId !== actor.userId) throw new Refusal("room_unavailable", "You have no such key.")
      return { ...inLibrary, key }
    },
    admit(_call, { key: { keyId, revokedAt } }) {
      if (revokedAt !== null)
        throw new Refusal("state_conflict", `The key was revoked at ${revokedAt}.`, { current: { keyId, revokedAt } })
    },
    write(_call, { key: { keyId, label } }, { at }) {
      keys.revoke(keyId, at)
      return outcome(keyId, { keyId, label, revokedAt: at })
    },
  })

  return { issue_key, revoke_key }
}
