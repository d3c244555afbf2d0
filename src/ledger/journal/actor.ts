/** The author of a write, as sent and as read from the journal; and what the ledger must know of Rooms to admit it. */
import type { Archive, RoomOrigin } from "../../contract/nouns/rooms.ts"
import type { Author } from "../../contract/answers/parts.ts"
import type {
  KeyReach,
  LibraryPermission,
  MemberRole,
  Permission,
  RoomState,
} from "../../contract/schema/enumerations.ts"
import type { Operation } from "../../contract/definitions/operation.ts"
import type { Entry } from "./journal.ts"
import { placeOf } from "./columns.ts"
import { quoting } from "../../contract/definitions/sentence.ts"
import { limits } from "../../contract/limits.ts"

/** What a Room credential grants. */
export interface Grant {
  readonly credentialId: string
  readonly roomId: string
  readonly permissions: ReadonlySet<Permission>
  /** The Threads it is limited to; null for all. */
  readonly threadIds: ReadonlySet<string> | null
}

/** What a personal key grants: access to its person's Library, limited by `reach`. */
export interface KeyGrant {
  readonly keyId: string
  readonly permissions: ReadonlySet<LibraryPermission>
  readonly reach: KeyReach
}

/**
 * A person who acts through a credential, through a personal key or, without either, from a signed-in browser with
 * every permission.
 */
export interface Actor {
  readonly userId: string
  /** Their name on this instance. */
  readonly username: string
  /** Their name in the record if it differs: people of another instance keep their name there. */
  readonly knownAs?: string
  /** The name of the agent; empty for a person in the browser. Left out for writes from before names were stored. */
  readonly agent?: string
  readonly grant: Grant | null
  readonly key?: KeyGrant
}

/** A Room as admission sees it, for one person. */
export interface RoomAccess {
  readonly roomId: string
  readonly title: string
  readonly state: RoomState
  readonly archive: Archive | null
  /** The instance it comes from, for a Room of another instance. */
  readonly origin: RoomOrigin | null
  /** null: not a member. */
  readonly role: MemberRole | null
}

/** What a write found out about its caller at the beginning of its transaction. */
export interface Known {
  /** When the credential was last used, as far as that is stored. */
  readonly lastUsedAt: string | null
  /** Whether the delivery id was used before, by anybody and for any operation. */
  readonly isUsed: boolean
  /** The Room of the caller's credential; null without one. */
  readonly room: {
    readonly access: RoomAccess
    /** The newest entry of its activity; null if there is none. */
    readonly head: { readonly sequence: number; readonly digest: string } | null
    /** Whether somebody claims work in it, or the caller holds an experiment of it on a lease. */
    readonly isWorkedOn: boolean
  } | null
}

/** A write that was accepted. */
export interface Written {
  readonly operation: Pick<Operation, "name" | "target">
  readonly actor: Actor
  readonly roomId: string | null
  /** The object that its receipt names. */
  readonly targetId: string
  readonly at: string
}

/** What the ledger needs from the Rooms: the checks that every write repeats inside its transaction. */
export interface Gate {
  /**
   * Looks the caller up. @throws Refusal `not_authenticated` when the credential or key expired or was revoked since
   * the request came in
   */
  confirm(actor: Actor, deliveryId: string, at: string): Known
  /**
   * Called for each accepted write, within its transaction; not for a replayed one. Notes that the credential or key
   * was used.
   */
  accepted(written: Written, known: Known): void
  /** Returns the actor of a journal entry, as far as a behaviour needs it. */
  actorOf(entry: Pick<Entry, "userId" | "username" | "sender" | "agent">, operation: Pick<Operation, "family">): Actor
  /** Returns the Room with the person's role in it; undefined if there is no such Room. */
  standing(roomId: string, userId: string): RoomAccess | undefined
}

// The author of a write and the agent that sent it, read from the write's row in the journal.

/**
 * SQL for the agent that sent a write: empty for a person in the browser, null if not recorded. @param position SQL for
 * its position in the journal
 */
export const AGENT_OR_NONE_AT = (position: string): string =>
  `(SELECT aw.agent FROM journal aj JOIN writers aw ON aw.writer = aj.writer WHERE aj.position = ${position})`

/**
 * SQL for the name of the agent that sent a write; null for a person in the browser. @param position SQL for its
 * position in the journal
 */
export const AGENT_AT = (position: string): string => `nullif(${AGENT_OR_NONE_AT(position)}, '')`

/** The same for the write that made a row. @param row the alias of a table with the column `history_position` */
export const AGENT = (row: string): string => AGENT_AT(`${row}.history_position`)
/** The same for the write that made a timeline entry. @param entryId SQL for its id */
export const AGENT_OF_ENTRY = (entryId: string): string =>
  AGENT_AT(`(SELECT ae.history_position FROM timeline_entries ae WHERE ae.entry_id = ${entryId})`)

/** The same for the write that opened a Thread, which made its first entry. @param threadId SQL for its id */
export const AGENT_OF_THREAD = (threadId: string): string => `(SELECT nullif(tw.agent, '')
    FROM timeline_entries te
    JOIN journal tj ON tj.position = te.history_position
    JOIN writers tw ON tw.writer = tj.writer
    WHERE te.thread = ${placeOf(threadId)} AND te.sequence = 1 AND tj.operation = 'create_thread')`

const person = (agent: string): string => `p.user_id AS userId, p.username, ${agent} AS agent`
/** SQL for the author of a row, who is the person `p`. @param row the alias of a table with `history_position` */
export const AUTHOR = (row: string): string => person(AGENT(row))
/** The same for a timeline entry. @param entryId SQL for its id */
export const AUTHOR_OF_ENTRY = (entryId: string): string => person(AGENT_OF_ENTRY(entryId))

/**
 * SQL for whether an agent is the one whose name is given twice, null for any. Writes from before agents had names
 * match any agent of their person. @param agent SQL for its name
 */
export const IS_AGENT = (agent: string): string => `coalesce(${agent}, +?, '') = coalesce(+?, ${agent}, '')`

/** Gathers the author of a row with more columns. */
export const authored = <Row extends Author>({ userId, username, agent, ...row }: Row) => ({
  ...row,
  author: { userId, username, agent },
})

/** Picks the author out of a row with more columns. */
export const authorIn = ({ userId, username, agent }: Author): Author => ({ userId, username, agent })

export const authorFrom = ({ userId, username, agent }: Actor): Author => ({ userId, username, agent: agent || null })

// Finds an agent's name in texts: `@ada/mcp`, or the name alone.

/** An agent, or with null a person with all of their agents. */
export interface Named {
  readonly username: string
  readonly name: string | null
}

/** An agent of a person. */
export interface Agent extends Named {
  readonly userId: string
}

/** The one who reads, by the name of their credential if they are an agent. */
export const readerNamed = ({ username, agent = null }: { username: string; agent?: string | null }): Named => ({
  username,
  name: agent,
})

export interface Mention {
  readonly mention: string
  /** The text that has it. */
  readonly text: string
}

/** The shortest name of an agent that concerns it without an @. */
const SHORTEST_NAME = 3

/** Matches `@ada`, or `@ada/mcp` for one of her agents. A full stop at the end is not part of the name. */
const MENTION = /(?<![\p{L}\p{N}_.@/-])@([a-z0-9][a-z0-9_-]*)(?:\/([\p{L}\p{N}_.-]*[\p{L}\p{N}_-]))?/giu
/** A name as a mention spells it. */
export const spelled = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}_.-]+/gu, "-")

/** Whether a text holds the name of an agent as a word of its own. */
const holdsName = (name: string, text: string): boolean => {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1))
    if (
      !/[\p{L}\p{N}_@/.-]$/u.test(text.slice(Math.max(0, at - 2), at)) &&
      !/^[\p{L}\p{N}_-]/u.test(text.slice(at + name.length, at + name.length + 2))
    )
      return true
  return false
}

/** The first mention of an agent, or of its person without another agent's name, and the text that has it. */
export function mentionOf({ username, name }: Named, texts: readonly string[]): Mention | undefined {
  for (const text of texts)
    for (const [mention, person = "", agent] of text.matchAll(MENTION)) {
      if (person.toLowerCase() !== username.toLowerCase()) continue
      if (agent === undefined || name === null || spelled(agent) === spelled(name)) return { mention, text }
    }
  if (name === null || name.length < SHORTEST_NAME) return undefined
  const text = texts.find((each) => holdsName(name, each))
  return text === undefined ? undefined : { mention: name, text }
}

/** A sentence with the text that it quotes told whole, up to the bound of a text that names its reader. */
export const quotingWhole = (sentence: string, text: string): string =>
  sentence.replace(quoting(text), () => quoting(text, limits.namingText))
