/** Issuing, rotating and revoking credentials. A token appears in the response to these operations and nowhere else. */
import { Refusal } from "../contract/refusals/refusal.ts"
import { behaviour, type Change } from "../ledger/journal/behaviour.ts"
import { expiry, mintToken } from "../people/tokens.ts"
import { type Credential, type Credentials, faultOfName } from "./credentials.ts"
import { inPath, type RoomThreads } from "./room-operations.ts"
import type { Rooms } from "./rooms.ts"

interface Tables {
  readonly rooms: Rooms
  readonly credentials: Credentials
  readonly threads: Pick<RoomThreads, "notInRoom">
}

export function credentialOperations({ rooms, credentials, threads: { notInRoom } }: Tables) {
  /** Stores a new credential and returns the answer with its token. */
  function issue(
    change: Change,
    options: Pick<Credential, "roomId" | "owner" | "label" | "permissions" | "threadIds" | "expiresAt">,
  ) {
    const credentialId = change.newId()
    const token = change.token((bytes) => mintToken("credential", bytes))
    const { roomId, owner, label, permissions, threadIds, expiresAt } = options
    credentials.insert(
      { credentialId, roomId, owner, label, permissions, threadIds, createdAt: change.at, expiresAt },
      token,
    )
    const result = { credentialId, label, permissions, threadIds, expiresAt }
    return { target: { id: credentialId, label: null }, result, secret: { token: token.token } }
  }

  /** Returns the credential in the path. @throws Refusal 404 if it does not exist or belongs to another Room */
  function credentialInPath({ params }: { params: { roomId: string; credentialId: string } }) {
    const credential = credentials.find(params.credentialId)
    if (credential === undefined || credential.roomId !== params.roomId)
      throw new Refusal("room_unavailable", "There is no credential with this id in this Room.")
    return { roomId: credential.roomId, threadId: undefined, credential }
  }

  /** @throws Refusal `invalid_schema` for a name that could be taken for another */
  function mustBePlain(label: string): void {
    const fault = faultOfName(label)
    if (fault === null) return
    throw new Refusal("invalid_schema", `The name of an agent ${fault}. Nothing was stored. Choose another name.`, {
      issues: [{ path: "/label", message: fault }],
    })
  }

  /**
   * The name identifies the agent, so a person's live credentials in a Room have different names. @throws Refusal
   * `state_conflict`
   */
  function mustHaveOwnName(
    { roomId, owner, label }: Pick<Credential, "roomId" | "owner" | "label">,
    at: string,
    besides?: string,
  ): void {
    const suggestion = credentials.freeName(roomId, owner.userId, label, at, besides)
    if (suggestion === label) return
    throw new Refusal(
      "state_conflict",
      `Another live credential of yours in this Room is called ${label}. Nothing was stored. ` +
        `Choose another name, such as ${suggestion}.`,
      { current: { label, suggestion } },
    )
  }

  /** @throws Refusal `state_conflict` */
  function mustNotBeRevoked({ revokedAt, credentialId }: Credential): void {
    if (revokedAt !== null)
      throw new Refusal("state_conflict", `The credential was revoked at ${revokedAt}.`, {
        current: { credentialId, revokedAt },
      })
  }

  const issue_credential = behaviour("issue_credential", {
    subject: inPath,
    references({ body }, { roomId }) {
      return notInRoom(roomId, body.threadIds ?? []).map((index) => ({
        path: `/threadIds/${index}`,
        message: "is not a Thread of this Room",
      }))
    },
    admit({ actor, body }, { roomId }, at) {
      mustBePlain(body.label)
      mustHaveOwnName({ roomId, owner: actor, label: body.label }, at)
    },
    write({ actor, body }, { roomId }, change) {
      const { label, permissions, threadIds = null } = body
      const owner = { userId: actor.userId, username: actor.username }
      return issue(change, {
        roomId,
        owner,
        label,
        permissions,
        threadIds,
        expiresAt: expiry(body.expiresAt, change.at),
      })
    },
  })

  const rotate_credential = behaviour("rotate_credential", {
    subject: credentialInPath,
    admit({ actor }, { credential }, at) {
      if (credential.owner.userId !== actor.userId) {
        throw new Refusal("role_required", "Only the member who holds a credential can rotate it.", {
          current: { needed: ["holder"] },
        })
      }
      mustNotBeRevoked(credential)
      mustHaveOwnName(credential, at, credential.credentialId)
    },
    write({ body }, { credential }, change) {
      credentials.revoke(credential.credentialId, change.at)
      return issue(change, { ...credential, expiresAt: expiry(body.expiresAt, change.at) })
    },
  })

  const revoke_credential = behaviour("revoke_credential", {
    subject: credentialInPath,
    admit({ actor }, { roomId, credential }) {
      const isOwn = credential.owner.userId === actor.userId
      const role = rooms.standing(roomId, actor.userId)?.role ?? null
      if (!isOwn && role === null) throw new Refusal("not_a_member", `${actor.username} is not a member of this Room.`)
      if (!isOwn && role !== "owner") {
        throw new Refusal(
          "role_required",
          "Only the member who holds a credential, or the Room's owner, can revoke it.",
          {
            current: { needed: ["owner"] },
          },
        )
      }
      mustNotBeRevoked(credential)
    },
    write(_call, { credential }, { at }) {
      credentials.revoke(credential.credentialId, at)
      return {
        target: { id: credential.credentialId, label: null },
        result: { credentialId: credential.credentialId, label: credential.label, revokedAt: at },
      }
    },
  })

  return { issue_credential, rotate_credential, revoke_credential }
}
