/** Room credentials: their table, authentication by token, and checks on the names of their agents. */
import type { CredentialSummary } from "../contract/nouns/credentials.ts"
import type { Person } from "../contract/answers/parts.ts"
import type { Permission } from "../contract/schema/enumerations.ts"
import { parse, type Stored } from "../contract/json.ts"
import { limits } from "../contract/limits.ts"
import type { Actor } from "../ledger/journal/actor.ts"
import type { Db } from "../ledger/storage/database.ts"
import { inserting } from "../ledger/storage/inserting.ts"
import { behaviour, type Change } from "../ledger/journal/behaviour.ts"
import type { Token } from "../ledger/world.ts"
import { bearers, tokenStart, expiry, mintToken } from "../people/tokens.ts"
import { Refusal } from "../contract/refusals.ts"
import { inPath } from "./members.ts"
import type { RoomThreads, Rooms } from "./rooms.ts"

/**
 * Reduces a name to a form that names of the same appearance share: without invisible characters, repeated spaces, case
 * and compatibility forms.
 */
const comparableName = (name: string): string =>
  name
    .normalize("NFKC")
    .replace(/[\p{Cf}\p{Cc}]/gu, "")
    .replace(/\s+/gu, " ")
    .trim()
    .toLowerCase()

/**
 * For each script that UAX 31 recommends, or set of scripts written together: matches a letter that is in none of them.
 */
const foreignLetters = [
  ...[
    ["Latin", "Han", "Hiragana", "Katakana"],
    ["Latin", "Han", "Bopomofo"],
    ["Latin", "Han", "Hangul"],
  ],
  ...[
    "Arabic",
    "Armenian",
    "Bengali",
    "Cyrillic",
    "Devanagari",
    "Ethiopic",
    "Georgian",
    "Greek",
    "Gujarati",
    "Gurmukhi",
    "Hebrew",
  ],
  ...[
    "Kannada",
    "Khmer",
    "Lao",
    "Malayalam",
    "Myanmar",
    "Oriya",
    "Sinhala",
    "Tamil",
    "Telugu",
    "Thaana",
    "Thai",
    "Tibetan",
  ],
].map((scripts) => {
  const letters = [scripts].flat().map((script) => `\\p{Script_Extensions=${script}}`)
  return new RegExp(`(?=[\\p{L}\\p{M}])[^${letters.join("")}\\p{Script=Common}\\p{Script=Inherited}]`, "u")
})

/** Control characters, line breaks, and characters that change the direction of the text around the name. */
const UNRULY = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

/**
 * Returns why a name is not acceptable for an agent; null if it is. Letters of different scripts can look alike, so a
 * name must not mix scripts ("highly restrictive" in UTS 39).
 */
function faultOfName(name: string): string | null {
  if (UNRULY.test(name)) return "must be one line without control characters and direction marks"
  const letters = name.normalize("NFKC")
  return foreignLetters.some((pattern) => !pattern.test(letters))
    ? null
    : "must not mix letters of several scripts, which look alike"
}

export interface Credential extends CredentialSummary {
  readonly roomId: string
}

type Row = Omit<Credential, "owner" | "permissions" | "threadIds"> &
  Person & { readonly permissions: Stored<Permission[]>; readonly threadIds: Stored<string[]> | null }

const credential = ({ userId, username, permissions, threadIds, ...row }: Row): Credential => ({
  ...row,
  owner: { userId, username },
  permissions: parse(permissions),
  threadIds: threadIds && parse(threadIds),
})

const SELECT = `SELECT c.credential_id AS credentialId, c.room_id AS roomId, c.user_id AS userId, p.username, c.label,
    c.permissions, c.thread_ids AS threadIds, c.token_start AS tokenStart,
  c.created_at AS createdAt, c.expires_at AS expiresAt, c.revoked_at AS revokedAt, c.last_used_at AS lastUsedAt
  FROM credentials c JOIN people p USING (user_id)`

/** The actor of a credential, with the credential. */
type Bearer = Actor & { readonly credential: Credential }

export type Credentials = ReturnType<typeof credentials>

export function credentials(db: Db) {
  const insert = inserting(db, "credentials")
  const bearing = bearers(db, {
    kind: "credential",
    table: "credentials",
    key: "credential_id",
    select: SELECT,
    shown: credential,
  })
  const ofRoom = db.prepare<Row>(`${SELECT} WHERE c.room_id = +? ORDER BY c.credential_id`)
  const ending = db.prepare<{ roomId: string; label: string; at: string }>(
    `SELECT c.room_id AS roomId, c.label, c.expires_at AS at
      FROM members m
      CROSS JOIN credentials c USING (room_id, user_id)
     WHERE m.user_id = +? AND c.revoked_at IS NULL AND c.expires_at > +? AND c.expires_at <= +?
      ORDER BY c.expires_at
      LIMIT 50`,
  )
  const liveNames = db.prepare<{ credentialId: string; label: string }>(
    `SELECT credential_id AS credentialId, label
      FROM credentials
      WHERE room_id = +? AND user_id = +? AND revoked_at IS NULL AND expires_at > +?`,
  )
  const revokeAll = db.prepare(
    "UPDATE credentials SET revoked_at = +? WHERE room_id = +? AND user_id = +? AND revoked_at IS NULL",
  )

  return {
    ...bearing,
    /** Returns a person's credentials that expire between two times, at most 50, earliest first. */
    endingOf: (userId: string, from: string, until: string) => ending.all(userId, from, until),

    insert(row: Omit<Credential, "tokenStart" | "revokedAt" | "lastUsedAt">, { token, digest }: Token): void {
      insert({
        ...row,
        tokenDigest: digest,
        tokenStart: tokenStart(token),
        userId: row.owner.userId,
        permissions: JSON.stringify(row.permissions),
        threadIds: row.threadIds && JSON.stringify(row.threadIds),
      })
    },

    /**
     * Returns the actor of a bearer token. @param by how it is looked up @throws Refusal `not_authenticated` with the
     * reason, unless the token is valid now
     */
    authenticate(token: string, at: string, by: "opened" | "recognised" = "opened"): Bearer {
      const found = bearing[by](token, at)
      const { credentialId, roomId } = found
      const grant = {
        credentialId,
        roomId,
        permissions: new Set(found.permissions),
        threadIds: found.threadIds && new Set(found.threadIds),
      }
      return { ...found.owner, agent: found.label, grant, credential: found }
    },

    /**
     * Returns an unused agent name: the wanted one, or the wanted one with the lowest number that is free among live
     * credentials.
     * @param besides a credential whose own name does not count as used
     */
    freeName(roomId: string, userId: string, wanted: string, at: string, besides?: string): string {
      const others = liveNames.all(roomId, userId, at).filter(({ credentialId }) => credentialId !== besides)
      const taken = new Set(others.map(({ label }) => comparableName(label)))
      if (!taken.has(comparableName(wanted))) return wanted
      const numbered = (number: number) => `${[...wanted].slice(0, limits.credentialLabel - 5).join("")}-${number}`
      let number = 2
      while (taken.has(comparableName(numbered(number)))) number += 1
      return numbered(number)
    },
    ofRoom: (roomId: string): Credential[] => ofRoom.all(roomId).map(credential),
    revokeAll: (roomId: string, userId: string, at: string) => revokeAll.run(at, roomId, userId),
  }
}

// Issuing, rotating and revoking credentials. A token appears in the response to these operations and nowhere else.

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
