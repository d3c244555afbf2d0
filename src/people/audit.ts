/** The audit log: lines that are only ever added. No write of the history makes them, and no secret is in any. */
import type { AuditEntry, AuditKind } from "../contract/audit.ts"
import { type JsonObject, parse, type Stored } from "../contract/json.ts"
import { WITHHELD } from "../contract/withheld.ts"
import type { Db } from "../ledger/database.ts"
import { isoTime, type World } from "../ledger/world.ts"

/** The command that writes, and the account of the machine that runs it. */
export type RunningCommand = NonNullable<AuditEntry["command"]>

/** What there is to say of one action. Never a token, a password, or what somebody typed where a name was asked for. */
export interface Audited {
  readonly kind: AuditKind
  /** Who did it, where somebody had signed in. */
  readonly by?: AuditEntry["by"] | undefined
  readonly subject?: AuditEntry["subject"] | undefined
  readonly roomId?: string | null | undefined
  /** Where the request came from. */
  readonly address?: string | undefined
  readonly detail?: AuditEntry["detail"] | undefined
  /** When it was done; now, where nothing is said. */
  readonly at?: string | undefined
}

/** A person as the log names them. */
export const personSubject = ({ userId, username }: NonNullable<AuditEntry["by"]>) => ({ kind: "person", id: userId, name: username })

/** Which lines of the log are asked for. */
export interface AuditFilter {
  readonly kind?: AuditKind | undefined
  /** Of a person: what they did, and what was done to them. */
  readonly userId?: string | undefined
}

type Row = { readonly sequence: number; readonly body: Stored<Omit<AuditEntry, "sequence">> }

export type Audit = ReturnType<typeof audit>

/** @param command what runs instead of a service; left out, none */
export function audit(db: Db, world: World, command?: RunningCommand) {
  const insert = db.prepare("INSERT INTO audit_entries (at, kind, by_id, subject_id, body) VALUES (?, ?, ?, ?, ?)")
  const COLUMNS = "SELECT a.sequence, a.body FROM audit_entries a"
  const rename = db.prepare("UPDATE audit_entries SET body = json_set(body, '$.subject.name', ?) WHERE body ->> '$.subject.name' = ?")
  const all = db.prepare<Row>(`${COLUMNS} WHERE a.sequence < ? ORDER BY a.sequence DESC LIMIT ?`)
  const ofKind = db.prepare<Row>(`${COLUMNS} WHERE a.kind = ? AND a.sequence < ? ORDER BY a.sequence DESC LIMIT ?`)
  // Two walks through two indexes, each as long as the page; one that asked for either would read the whole log.
  const walk = (column: string) =>
    `SELECT sequence FROM (SELECT sequence FROM audit_entries WHERE ${column} = ? AND (? IS NULL OR kind = ?) AND sequence < ? ORDER BY sequence DESC LIMIT ?)`
  const ofPerson = db.prepare<Row>(
    `${COLUMNS} WHERE a.sequence IN (${walk("by_id")} UNION ${walk("subject_id")}) ORDER BY a.sequence DESC LIMIT ?`,
  )
  const entry = ({ sequence, body }: Row): AuditEntry => ({ sequence, ...parse(body) })

  return {
    /** Adds a line, within an open transaction: it is there with what it tells of, or neither is. */
    write({ kind, by = null, subject = null, roomId = null, address, detail = {}, at = isoTime(world.now()) }: Audited): void {
      const who = by === null ? null : { userId: by.userId, username: by.username }
      const body = { at, kind, by: who, command: command ?? null, subject, roomId, address: address ?? null, detail } satisfies JsonObject
      insert.run(at, kind, who?.userId ?? null, subject?.id ?? null, JSON.stringify(body))
    },
    /** Lines before a sequence, the newest first. @param before null for the newest of all */
    page({ kind, userId }: AuditFilter, before: number | null, count: number): AuditEntry[] {
      const from = before ?? Number.MAX_SAFE_INTEGER
      if (userId !== undefined) {
        const walk = [userId, kind ?? null, kind ?? null, from, count]
        return ofPerson.all(...walk, ...walk, count).map(entry)
      }
      return (kind === undefined ? all.all(from, count) : ofKind.all(kind, from, count)).map(entry)
    },
    /** Names that were withheld are in no line any more. Within a transaction in which lines may change. */
    unname(names: readonly string[]): void {
      for (const name of names) rename.run(WITHHELD, name)
    },
    /** The newest line of a kind. */
    newest(kind: AuditKind): AuditEntry | undefined {
      const row = ofKind.get(kind, Number.MAX_SAFE_INTEGER, 1)
      return row && entry(row)
    },
  }
}
