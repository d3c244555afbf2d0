/** Checks the ids in a body: that each names an object of the right kind, in the right place. */
import type * as v from "valibot"
import {
  aOrAn,
  kindsOf,
  noun,
  type ObjectKind,
  objectList,
  objectOf,
  oneOfNouns,
  type Referable,
  unknownOf,
} from "../../contract/objects/objects.ts"
import type { Operation } from "../../contract/definitions/operation.ts"
import { kindsIn, type Named, namedIn } from "../../contract/schema/parts.ts"
import { type Issue, Refusal } from "../../contract/refusals.ts"
import { shortened } from "../../contract/text.ts"
import { attachments } from "../journal/attachments.ts"
import type { Db } from "../storage/database.ts"

/** The refusal for an object that does not exist: one named in a path, or the subject of a write. */
export const noSuch = (named: Referable): Refusal => new Refusal(unknownOf(named), `There is no such ${noun([named])}.`)

/** Returns an object that was looked for. @throws Refusal 404 if it does not exist */
export function known<T>(named: Referable, found: T | undefined): T {
  if (found === undefined) throw noSuch(named)
  return found
}

/** An object with the id of each object that it belongs to. */
type Row = {
  readonly id: string
  readonly kind: ObjectKind
  readonly label: string | null
  readonly line: string | null
  readonly roomId: string | null
} & { readonly [whole: string]: string | null }

/** Whether a parameter names an object by its kind and id, such as `findingVersionId`. */
const isFilter = (name: string, { kind, id }: (typeof tables)[number]): boolean =>
  name.toLowerCase() === `${kind.replaceAll("_", "")}${id}`.toLowerCase()

/** The most other objects that a sentence lists. */
const MOST_NAMED = 5
/** One kind for each table: a statement on the table finds all of its kinds. */
const tables = [...new Map(objectList.filter(({ isPublic }) => isPublic).map((spec) => [spec.table, spec])).values()]
/** The public objects, and people, by whom lists are filtered. */
const findable = [...tables, ...objectList.filter(({ kind }) => kind === "person")]

export type References = ReturnType<typeof references>

export function references(db: Db) {
  const found = new Map(
    tables.map(({ table, key, kind, kindIn, label, line, room, of }) => {
      const columns = [
        `${key} AS id`,
        `${kindIn ?? `'${kind}'`} AS kind`,
        `${label === null ? "NULL" : "label"} AS label`,
        `${line} AS line`,
        `${(kind === "room" ? key : room) ?? "NULL"} AS roomId`,
        ...Object.entries(of).map(([whole, column]) => `${column} AS "${whole}"`),
      ]
      return [
        table,
        db.prepare<Row>(`SELECT ${columns.join(", ")} FROM ${table} WHERE ${key} IN (SELECT value FROM json_each(+?))`),
      ]
    }),
  )
  const known = new Map(
    findable.map(({ table, key, kind, kindIn }) => [
      table,
      db.prepare<{ readonly kind: ObjectKind }>(
        `SELECT ${kindIn ?? `'${kind}'`} AS kind FROM ${table} WHERE ${key} = +?`,
      ),
    ]),
  )
  const rooms = new Map(
    tables.flatMap(({ table, key, kind, room }) => {
      const column = kind === "room" ? key : room
      return column === null
        ? []
        : [
            [
              table,
              db.prepare<{ readonly roomId: string }>(`SELECT ${column} AS roomId FROM ${table} WHERE ${key} = +?`),
            ],
          ]
    }),
  )
  const uploads = attachments(db)
  const reported = db.prepare<{ readonly baseUrl: string; readonly toldBy: string }>(
    `SELECT base_url AS baseUrl, told_by AS toldBy
      FROM imported_rooms
      WHERE room_id = +? AND told_by <> 'file' AND adopted_at IS NULL`,
  )
  /** The fault of an object in a Room that its own instance has not vouched for: its real history may arrive later. */
  function notFromItsOwn(roomId: string): string | undefined {
    const found = reported.get(roomId)
    return (
      found &&
      `is of Room ${roomId}, which belongs to ${found.baseUrl} according to ${found.toldBy}: ` +
        "it can be named here once that Room's own export is imported"
    )
  }

  /** Lists the parts of a kind in a labelled object: "; plans of E3: P1, P2". */
  function partsOf(kind: ObjectKind, whole: Row): string {
    const { table, key, of, label, noun } = objectOf(kind)
    const column = of[whole.kind]
    if (label === null || column === undefined) return ""
    const rows = db
      .prepare<{ label: string }>(
        `SELECT label FROM ${table} WHERE ${column} = +? ORDER BY ${key} LIMIT ${MOST_NAMED + 1}`,
      )
      .all(whole.id)
    const labels = rows.slice(0, MOST_NAMED).map((row) => row.label)
    if (labels.length === 0) return `; ${whole.label} has no ${noun[0]}`
    return `; ${noun[1]} of ${whole.label}: ${labels.join(", ")}${rows.length > MOST_NAMED ? " and more" : ""}`
  }

  const inTable = (table: string, ids: readonly string[]): Row[] => found.get(table)?.all(JSON.stringify(ids)) ?? []
  const anywhere = (id: string): Row | undefined => tables.flatMap(({ table }) => inTable(table, [id]))[0]

  /** Describes an object: "an experiment (E3)", 'a Thread ("Warm-up")'. */
  const described = ({ kind, label, line }: Row): string =>
    `${aOrAn(objectOf(kind).noun[0])} (${label ?? `"${shortened(line ?? "", 60)}"`})`

  /** The fault of an id that names none of the expected kinds. */
  function wrongKind(id: string, named: readonly Referable[]): string {
    const row = anywhere(id)
    if (row === undefined) return `is not the id of ${oneOfNouns(named)} here`
    const [kind] = named.flatMap(kindsOf)
    return `is ${described(row)}, not ${oneOfNouns(named)}${kind === undefined ? "" : partsOf(kind, row)}`
  }

  /** The fault of an object that belongs to another whole than the one named beside it. */
  function misplaced(row: Row, of: string, siblings: Named["siblings"]): string | undefined {
    const whole = objectList.find(({ id }) => id === of)
    const wanted = siblings[of]
    if (whole === undefined || typeof wanted !== "string" || row[whole.kind] === wanted) return undefined
    // If the whole itself is wrong, that is reported, and not its parts.
    const [right] = inTable(whole.table, [wanted])
    if (right === undefined) return undefined
    const [own] = inTable(whole.table, [row[whole.kind] ?? ""])
    return `is ${row.label} of ${own?.label ?? "another one"}, not of ${right.label}${partsOf(row.kind, right)}`
  }

  return {
    /**
     * Returns the Room of an object. @param name the name of its id @throws Refusal 404 for an id that names nothing
     */
    roomOf(name: string, id: string): string | undefined {
      // Several kinds may share a name, such as both kinds of link.
      const exact = objectList.filter((spec) => spec.id === name && rooms.has(spec.table))
      const named = exact.length > 0 ? exact : objectList.filter((spec) => isFilter(name, spec)).slice(0, 1)
      const [first] = named
      if (first === undefined || !rooms.has(first.table)) return undefined
      const row = named.map(({ table }) => rooms.get(table)?.get(id)).find((found) => found !== undefined)
      if (row === undefined) throw noSuch(first.table === "records" ? "record" : first.kind)
      return row.roomId
    },

    /** Returns the faults among the exact references of a checked body, in the order of its schema. */
    faults(operation: Operation, body: unknown): Issue[] {
      const named = namedIn(operation.body, body).filter(
        ({ refers }) => !refers.isSubject && kindsIn(refers).every((kind) => objectOf(kind).isPublic),
      )
      const missingUploads = uploads.faults(body)
      if (named.length === 0) return missingUploads
      const wanted = new Map<string, Set<string>>()
      for (const { refers, id } of named)
        for (const { table } of kindsIn(refers).map(objectOf))
          wanted.set(table, (wanted.get(table) ?? new Set()).add(id))
      const rows = new Map([...wanted].flatMap(([table, ids]) => inTable(table, [...ids])).map((row) => [row.id, row]))
      const rooms = new Set([...rows.values()].flatMap(({ roomId }) => roomId ?? []))
      const notVouchedFor = new Map([...rooms].map((roomId) => [roomId, notFromItsOwn(roomId)]))
      const faults = named.flatMap(({ refers, id, path, siblings }) => {
        const row = rows.get(id)
        if (row === undefined || !kindsIn(refers).includes(row.kind))
          return [{ path, message: wrongKind(id, refers.named) }]
        if (refers.not !== undefined && siblings[refers.not] === id)
          return [{ path, message: `is the ${noun(refers.named)} itself, not another one` }]
        const message =
          (refers.of === undefined ? undefined : misplaced(row, refers.of, siblings)) ??
          notVouchedFor.get(row.roomId ?? "")
        return message === undefined ? [] : [{ path, message }]
      })
      return [...faults, ...missingUploads]
    },

    /**
     * Checks the subjects in a query, such as the filters of a list. @throws Refusal 404 for the first that does not
     * exist
     */
    mustKnow(schema: v.GenericSchema, given: unknown): void {
      for (const { refers, id } of namedIn(schema, given)) {
        const kinds = kindsIn(refers)
        const [kind] = refers.named
        if (!refers.isSubject || kinds.some((each) => !known.has(objectOf(each).table))) continue
        const row = [...new Set(kinds.map((each) => objectOf(each).table))]
          .map((table) => known.get(table)?.get(id))
          .find((each) => each !== undefined)
        if (row !== undefined && kinds.includes(row.kind)) continue
        const other = anywhere(id)
        const refusal = noSuch(kind)
        throw other === undefined
          ? refusal
          : new Refusal(refusal.code, `${refusal.message} ${id} is ${described(other)}.`)
      }
    },

    /** Extends the refusal of a missing subject if its id names an object of another kind. */
    explained(
      refusal: unknown,
      operation: Operation,
      params: Readonly<Record<string, string>>,
      body: unknown,
    ): unknown {
      if (!(refusal instanceof Refusal) || refusal.status !== 404 || operation.family !== "research") return refusal
      const subjects = [
        ...Object.entries(params).map(([name, id]) => ({
          id,
          kinds: objectList.filter((spec) => spec.id === name).map(({ kind }) => kind),
        })),
        ...namedIn(operation.body, body).flatMap(({ refers, id }) =>
          refers.isSubject ? [{ id, kinds: kindsIn(refers) }] : [],
        ),
      ]
      for (const { id, kinds } of subjects) {
        const row = anywhere(id)
        if (row !== undefined && !kinds.includes(row.kind))
          return new Refusal(refusal.code, `${refusal.message} ${id} is ${described(row)}.`, refusal.details)
      }
      return refusal
    },
  }
}
