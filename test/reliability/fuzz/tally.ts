/** Compares acknowledged with stored writes: a refused request may store nothing, and nothing may be lost. */
import Database from "better-sqlite3"
import { operationNamed } from "../../../src/contract/operations/index.ts"
import { headerOf } from "./answers.ts"
import type { Ground } from "./ground.ts"
import type { Shot } from "./shot.ts"
import type { Outcome } from "./wire.ts"

interface Receipt {
  readonly operation: string
  readonly delivery_id: string
  readonly credential_id: string | null
  /** Its sequence in a Room's activity. */
  readonly sequence: number | null
}

/** The compared tables, and the last row of each before the first case. */
const counted = ["journal", "people"] as const
type Ends = Readonly<Record<(typeof counted)[number], number>>

/** Every write with a known retry. */
const RECEIPTS = `SELECT j.operation, lower(hex(j.delivery_id)) AS delivery_id, nullif(w.sender, '') AS credential_id,
    j.room_sequence AS sequence
  FROM journal j JOIN writers w USING (writer) WHERE j.delivery_id IS NOT NULL`
/** The number of entries in the activity of all Rooms, by their heads. */
const entriesOf = (db: Database.Database): number =>
  db.prepare<[], number>("SELECT coalesce(sum(activity_sequence), 0) FROM room_heads").pluck().get() ?? 0

const keyOf = (operation: unknown, delivery: unknown): string =>
  `${operation} ${String(delivery).replaceAll("-", "").toLowerCase()}`

/** The code of a refusal, in an envelope or on a page. */
const refusedWith = /(?:"refusal":"|refusal <code>)([a-z_]+)/
const count = (counts: Map<string, number>, name: string) => void counts.set(name, (counts.get(name) ?? 0) + 1)

export class Tally {
  readonly #ground: Ground
  readonly #uncertain: string
  readonly #before: Ends
  readonly #entriesBefore: number
  readonly #acknowledged = new Set<string>()
  /** Writes by forms without a delivery id: the service made one. */
  #unnamed = 0
  /** The count of each status, and of each refusal by its code. */
  readonly statuses = new Map<string, number>()
  readonly codes = new Map<string, number>()

  private constructor(ground: Ground, uncertain: string, before: Ends, entries: number) {
    this.#entriesBefore = entries
    this.#ground = ground
    this.#uncertain = uncertain
    this.#before = before
  }

  static async open(ground: Ground): Promise<Tally> {
    const headers = { authorization: `Bearer ${ground.uncertain}` }
    const identity = (await (await fetch(`${ground.baseUrl}/api/agent/research/identity`, { headers })).json()) as {
      credential: { id: string }
    }
    return new Tally(ground, identity.credential.id, withDatabase(ground, ends), withDatabase(ground, entriesOf))
  }

  /** Records what an outcome acknowledges. */
  note({ target, pieces }: Pick<Shot, "target" | "pieces">, { answers }: Outcome): void {
    for (const answer of answers) {
      count(this.statuses, String(answer.status))
      const code = answer.status >= 400 ? refusedWith.exec(answer.body.toString("utf8"))?.[1] : undefined
      if (code !== undefined) count(this.codes, code)
      const type = headerOf(answer, "content-type") ?? ""
      if (answer.status === 200 && type.startsWith("application/json")) this.#noteReceipt(answer.body.toString("utf8"))
      if (target?.takesForm !== true) continue
      const isDone = answer.status === 303 && /[?&]done=/.test(headerOf(answer, "location") ?? "")
      const isSecret = answer.status === 200 && /\brr[ck]_[0-9A-Za-z]{36}/.test(answer.body.toString("utf8"))
      if (isDone || isSecret) this.#noteForm(target.path.split("/").at(-1), Buffer.concat(pieces).toString("latin1"))
    }
  }

  #noteForm(operation: string | undefined, sent: string): void {
    const fields = new URLSearchParams(sent.slice(sent.indexOf("\r\n\r\n") + 4))
    const delivery = fields.get("/requestId") ?? fields.get("/clientMessageId")
    if (delivery === null) this.#unnamed += 1
    else this.#acknowledged.add(keyOf(operation, delivery))
  }

  #noteReceipt(text: string): void {
    if (!text.includes('"acceptedAt"')) return
    const receipt = JSON.parse(text) as Readonly<Record<string, unknown>>
    if (receipt.operation === undefined || receipt.rehearsed === true) return
    this.#acknowledged.add(keyOf(receipt.operation, receipt.requestId ?? receipt.clientMessageId))
  }

  get acknowledged(): number {
    return this.#acknowledged.size + this.#unnamed
  }

  /** Compares with the database, once the service has ended. */
  faults(): string[] {
    return withDatabase(this.#ground, (db) => [
      ...this.#receiptFaults(db),
      ...this.#activityFaults(db),
      ...this.#peopleFaults(db),
    ])
  }

  #new(db: Database.Database): Receipt[] {
    const select = db.prepare(`${RECEIPTS} AND j.position > ?`)
    return select.all(this.#before.journal) as Receipt[]
  }

  #receiptFaults(db: Database.Database): string[] {
    const stored = this.#new(db)
    // An acknowledgement may be a replay of a write from before the first case.
    const all = db.prepare(RECEIPTS).all() as Receipt[]
    const keys = new Set(all.map(({ operation, delivery_id }) => keyOf(operation, delivery_id)))
    const lost = [...this.#acknowledged].filter(
      (key) => !keys.has(key) && operationNamed(key.split(" ")[0] ?? "")?.receiptOf !== "nobody",
    )
    const silent = stored.filter(
      ({ operation, delivery_id, credential_id }) =>
        credential_id !== this.#uncertain && !this.#acknowledged.has(keyOf(operation, delivery_id)),
    )
    return [
      ...lost.slice(0, 5).map((key) => `acknowledged and not stored: ${key}`),
      ...(silent.length <= this.#unnamed
        ? []
        : [
            `${silent.length} writes stored without a receipt that was seen, where forms account for ` +
              `${this.#unnamed}: ${silent
                .slice(0, 3)
                .map(({ operation, delivery_id }) => keyOf(operation, delivery_id))
                .join(", ")}`,
          ]),
    ]
  }

  #activityFaults(db: Database.Database): string[] {
    const told = this.#new(db).filter(({ sequence }) => sequence !== null).length
    const stored = entriesOf(db) - this.#entriesBefore
    return told === stored ? [] : [`${stored} new entries of activity, and ${told} receipts that tell of one`]
  }

  #peopleFaults(db: Database.Database): string[] {
    const { people } = ends(db)
    return people === this.#before.people ? [] : [`${people - this.#before.people} people came out of nowhere`]
  }
}

function withDatabase<T>({ database }: Ground, look: (db: Database.Database) => T): T {
  const db = new Database(database, { readonly: true })
  try {
    return look(db)
  } finally {
    db.close()
  }
}

const ends = (db: Database.Database): Ends =>
  Object.fromEntries(
    counted.map((table) => [
      table,
      (db.prepare(`SELECT coalesce(max(rowid), 0) AS last FROM ${table}`).get() as { last: number }).last,
    ]),
  ) as unknown as Ends
