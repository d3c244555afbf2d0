/**
 * The audit log: lines that are only ever added, each with a digest that rests on the line before it. No write of the history makes
 * them, and no secret is in any.
 */
import { createHash } from "node:crypto"
import type { AuditEntry, AuditKind } from "../contract/answers/audit.ts"
import { type JsonObject, parse, type Stored, stored } from "../contract/json.ts"
import { WITHHELD } from "../contract/definitions/withheld-text.ts"
import type { Db } from "../ledger/storage/database.ts"
import { inserting } from "../ledger/storage/inserting.ts"
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

type Body = Omit<AuditEntry, "sequence">
type Row = { readonly sequence: number; readonly body: Stored<Body> }

/** One line as it is stored. */
interface Line extends Row {
  readonly at: string
  readonly kind: string
  readonly by_id: string | null
  readonly subject_id: string | null
  /** The digest of the name of its subject, once that was withheld; else null. */
  readonly name_digest: string | null
}

const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest()

/** A line goes into its digest with a digest of its subject's name: when the name is withheld, the line can still be proved. */
function chained(before: Buffer, { sequence, at, kind, by_id, subject_id, body, name_digest }: Line): Buffer {
  const said = parse(body)
  const name = said.subject?.name ?? null
  // A digest that stands beside a name which is still there would be believed instead of it.
  if ((name === WITHHELD) !== (name_digest !== null)) return Buffer.alloc(0)
  const subject = said.subject && { ...said.subject, name: name_digest ?? (name === null ? null : digestOf(name).toString("hex")) }
  return digestOf(`${before.toString("hex")}${JSON.stringify([sequence, at, kind, by_id, subject_id, { ...said, subject }])}`)
}

const FIRST = Buffer.alloc(32)
/** How many lines are in memory at once. */
const STEP = 500

/** The newest line and its digest: it stands for the whole log. */
export const auditHead = (db: Db): { readonly sequence: number; readonly digest: Buffer } =>
  db.prepare<{ sequence: number; digest: Buffer }>("SELECT sequence, digest FROM audit_entries ORDER BY sequence DESC LIMIT 1").get() ?? {
    sequence: 0,
    digest: FIRST,
  }

/** The digest of a line; undefined where there is no such line. */
export const auditDigest = (db: Db, sequence: number): string | undefined =>
  db.prepare<{ digest: Buffer }>("SELECT digest FROM audit_entries WHERE sequence = +?").get(sequence)?.digest.toString("hex")

/** Follows the chain of the log. @returns the first line that does not follow from the one before it; null where all do */
export function brokenAuditLine(db: Db): number | null {
  const page = db.prepare<Line & { readonly digest: Buffer }>(
    `SELECT * FROM audit_entries WHERE sequence > +? ORDER BY sequence LIMIT ${STEP}`,
  )
  let before: Buffer = FIRST
  let due = 1
  for (let lines = page.all(0); lines.length > 0; lines = page.all(due - 1)) {
    for (const line of lines) {
      const isWhole = line.sequence === due && isJson(line.body) && chained(before, line).equals(line.digest)
      if (!isWhole) return due
      before = line.digest
      due += 1
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

/** @param command what runs instead of a service; left out, none */
export function audit(db: Db, world: World, command?: RunningCommand) {
  const insert = inserting(db, "audit_entries")
  const COLUMNS = "SELECT a.sequence, a.body FROM audit_entries a"
  const rename = db.prepare(
    "UPDATE audit_entries SET body = json_set(body, '$.subject.name', +?), name_digest = +? WHERE body ->> '$.subject.name' = +?",
  )
  const all = db.prepare<Row>(`${COLUMNS} WHERE a.sequence < +? ORDER BY a.sequence DESC LIMIT +?`)
  const ofKind = db.prepare<Row>(`${COLUMNS} WHERE a.kind = +? AND a.sequence < +? ORDER BY a.sequence DESC LIMIT +?`)
  // Two walks through two indexes, each as long as the page; one that asked for either would read the whole log.
  const walk = (column: string) =>
    `SELECT sequence FROM (SELECT sequence FROM audit_entries WHERE ${column} = +? AND (+? IS NULL OR kind = +?) AND sequence < +? ORDER BY sequence DESC LIMIT +?)`
  const ofPerson = db.prepare<Row>(
    `${COLUMNS} WHERE a.sequence IN (${walk("by_id")} UNION ${walk("subject_id")}) ORDER BY a.sequence DESC LIMIT +?`,
  )
  const entry = ({ sequence, body }: Row): AuditEntry => ({ sequence, ...parse(body) })

  return {
    /** Adds a line, within an open transaction: it is there with what it tells of, or neither is. */
    write({ kind, by = null, subject = null, roomId = null, address, detail = {}, at = isoTime(world.now()) }: Audited): void {
      const who = by === null ? null : { userId: by.userId, username: by.username }
      const body = { at, kind, by: who, command: command ?? null, subject, roomId, address: address ?? null, detail } satisfies JsonObject
      const head = auditHead(db)
      const [sequence, by_id, subject_id] = [head.sequence + 1, who?.userId ?? null, subject?.id ?? null]
      const line = { sequence, at, kind, by_id, subject_id, body: stored<Body>(JSON.stringify(body)), name_digest: null }
      insert({ sequence, at, kind, byId: by_id, subjectId: subject_id, body: line.body, digest: chained(head.digest, line) })
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
      for (const name of names) rename.run(WITHHELD, digestOf(name).toString("hex"), name)
    },
    /** The newest line of a kind. */
    newest(kind: AuditKind): AuditEntry | undefined {
      const row = ofKind.get(kind, Number.MAX_SAFE_INTEGER, 1)
      return row && entry(row)
    },
  }
}
