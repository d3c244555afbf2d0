/**
 * The audit log: an append-only table of lines, each chained to the one before by a digest. The lines are not part of
 * the journal, and none contains a secret.
 */
import { createHash } from "node:crypto"
import type { AuditEntry } from "../contract/nouns/administration.ts"
import type { AuditKind } from "../contract/audit-kinds.ts"
import { type JsonObject, parse, type Stored, stored } from "../contract/json.ts"
import { WITHHELD } from "../contract/nouns/withholding.ts"
import type { Db } from "../ledger/storage/database.ts"
import { inserting } from "../ledger/storage/inserting.ts"
import { isoTime, type World } from "../ledger/world.ts"

/** The command that writes to the log, and the operating system account that runs it. */
export type RunningCommand = NonNullable<AuditEntry["command"]>

/** One action to log. Must not contain a token, a password, or the text that was typed into a name field. */
export interface Audited {
  readonly kind: AuditKind
  readonly by?: AuditEntry["by"] | undefined
  readonly subject?: AuditEntry["subject"] | undefined
  readonly roomId?: string | null | undefined
  readonly address?: string | undefined
  readonly detail?: AuditEntry["detail"] | undefined
  /** When it was done; defaults to now. */
  readonly at?: string | undefined
}

export const personSubject = ({ userId, username }: NonNullable<AuditEntry["by"]>) => ({
  kind: "person",
  id: userId,
  name: username,
})

export interface AuditFilter {
  readonly kind?: AuditKind | undefined
  /** Selects the actions of this person and the actions on their account. */
  readonly userId?: string | undefined
}

type Body = Omit<AuditEntry, "sequence">
type Row = { readonly sequence: number; readonly body: Stored<Body> }

interface Line extends Row {
  readonly at: string
  readonly kind: string
  readonly by_id: string | null
  readonly subject_id: string | null
  /** The digest of the subject's name if the name was withheld; else null. */
  readonly name_digest: string | null
}

const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest()

/**
 * Computes the digest of a line. It covers a digest of the subject's name, so the line can still be verified after the
 * name is withheld.
 */
function chained(before: Buffer, { sequence, at, kind, by_id, subject_id, body, name_digest }: Line): Buffer {
  const entry = parse(body)
  const name = entry.subject?.name ?? null
  // A name digest counts only for a withheld name: otherwise it would hide a change of the name.
  if ((name === WITHHELD) !== (name_digest !== null)) return Buffer.alloc(0)
  const subject = entry.subject && {
    ...entry.subject,
    name: name_digest ?? (name === null ? null : digestOf(name).toString("hex")),
  }
  return digestOf(
    `${before.toString("hex")}${JSON.stringify([sequence, at, kind, by_id, subject_id, { ...entry, subject }])}`,
  )
}

const FIRST = Buffer.alloc(32)
const STEP = 500

/** Returns the sequence and digest of the newest line; the digest covers the whole log. */
export const auditHead = (db: Db): { readonly sequence: number; readonly digest: Buffer } =>
  db
    .prepare<{ sequence: number; digest: Buffer }>(
      "SELECT sequence, digest FROM audit_entries ORDER BY sequence DESC LIMIT 1",
    )
    .get() ?? {
    sequence: 0,
    digest: FIRST,
  }

/** Returns the digest of a line; undefined if there is no such line. */
export const auditDigest = (db: Db, sequence: number): string | undefined =>
  db
    .prepare<{ digest: Buffer }>("SELECT digest FROM audit_entries WHERE sequence = +?")
    .get(sequence)
    ?.digest.toString("hex")

/**
 * Verifies the digest chain of the log. @returns the sequence of the first broken or missing line; null if the chain is
 * whole
 */
export function brokenAuditLine(db: Db): number | null {
  const page = db.prepare<Line & { readonly digest: Buffer }>(
    `SELECT * FROM audit_entries WHERE sequence > +? ORDER BY sequence LIMIT ${STEP}`,
  )
  let before: Buffer = FIRST
  let expected = 1
  for (let lines = page.all(0); lines.length > 0; lines = page.all(expected - 1)) {
    for (const line of lines) {
      const isWhole = line.sequence === expected && isJson(line.body) && chained(before, line).equals(line.digest)
      if (!isWhole) return expected
      before = line.digest
      expected += 1
    }
  }
  return null
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === "object"
  } catch {
    return false
  }
}

export type Audit = ReturnType<typeof audit>

/** @param command the command that has the database open; omitted for a service */
export function audit(db: Db, world: World, command?: RunningCommand) {
  const insert = inserting(db, "audit_entries")
  const COLUMNS = "SELECT a.sequence, a.body FROM audit_entries a"
  const rename = db.prepare(
    `UPDATE audit_entries
      SET body = json_set(body, '$.subject.name', +?), name_digest = +?
      WHERE body ->> '$.subject.name' = +?`,
  )
  const all = db.prepare<Row>(`${COLUMNS} WHERE a.sequence < +? ORDER BY a.sequence DESC LIMIT +?`)
  const ofKind = db.prepare<Row>(`${COLUMNS} WHERE a.kind = +? AND a.sequence < +? ORDER BY a.sequence DESC LIMIT +?`)
  // Two index scans, each limited to one page: a single query with OR would scan the whole log.
  const walk = (column: string) =>
    `SELECT sequence FROM (SELECT sequence
      FROM audit_entries
      WHERE ${column} = +? AND (+? IS NULL OR kind = +?) AND sequence < +?
      ORDER BY sequence DESC
      LIMIT +?)`
  const ofPerson = db.prepare<Row>(
    `${COLUMNS} WHERE a.sequence IN (${walk("by_id")} UNION ${walk("subject_id")}) ORDER BY a.sequence DESC LIMIT +?`,
  )
  const entry = ({ sequence, body }: Row): AuditEntry => ({ sequence, ...parse(body) })

  return {
    /** Adds a line. Call this in the transaction of the logged action, so that both are stored or neither. */
    write({
      kind,
      by = null,
      subject = null,
      roomId = null,
      address,
      detail = {},
      at = isoTime(world.now()),
    }: Audited): void {
      const author = by === null ? null : { userId: by.userId, username: by.username }
      const body = {
        at,
        kind,
        by: author,
        command: command ?? null,
        subject,
        roomId,
        address: address ?? null,
        detail,
      } satisfies JsonObject
      const head = auditHead(db)
      const [sequence, by_id, subject_id] = [head.sequence + 1, author?.userId ?? null, subject?.id ?? null]
      const line = {
        sequence,
        at,
        kind,
        by_id,
        subject_id,
        body: stored<Body>(JSON.stringify(body)),
        name_digest: null,
      }
      insert({
        sequence,
        at,
        kind,
        byId: by_id,
        subjectId: subject_id,
        body: line.body,
        digest: chained(head.digest, line),
      })
    },
    /** Returns the lines before a sequence, newest first. @param before null to start at the newest */
    page({ kind, userId }: AuditFilter, before: number | null, count: number): AuditEntry[] {
      const from = before ?? Number.MAX_SAFE_INTEGER
      if (userId !== undefined) {
        const walk = [userId, kind ?? null, kind ?? null, from, count]
        return ofPerson.all(...walk, ...walk, count).map(entry)
      }
      return (kind === undefined ? all.all(from, count) : ofKind.all(kind, from, count)).map(entry)
    },
    /** Removes withheld names from all lines. Call this in a transaction that permits changes to the log. */
    withholdNames(names: readonly string[]): void {
      for (const name of names) rename.run(WITHHELD, digestOf(name).toString("hex"), name)
    },
    newest(kind: AuditKind): AuditEntry | undefined {
      const row = ofKind.get(kind, Number.MAX_SAFE_INTEGER, 1)
      return row && entry(row)
    },
  }
}
