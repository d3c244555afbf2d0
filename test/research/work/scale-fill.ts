/** Fills a new database with any number of attempts, directly through SQL: the same ones each time. */
import { digestOf } from "../../../src/contract/json.ts"
import type { Db } from "../../../src/ledger/storage/database.ts"

export interface Filled {
  /** The Room with most of the attempts, and an experiment in it with four tenths of them. */
  readonly roomId: string
  readonly experimentId: string
  /** The label of an attempt from the middle of that Room. */
  readonly label: string
  /** A finding that names 300 attempts of that experiment. */
  readonly findingVersionId: string
  /** An experiment in that Room with 30 attempts, all successful. */
  readonly smallExperimentId: string
}

/** A random generator that is the same each time (mulberry32). */
function chance(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const random = chance(7)
const hex = (digits: number) => Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join("")
/** Ids in no order, as clients make them. */
const id = () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`
const at = "2026-11-20T09:30:00.000Z"

/** Picks one of the words with the given frequency. */
function word(shares: Readonly<Record<string, number>>): string {
  let left = random()
  for (const [name, share] of Object.entries(shares)) if ((left -= share) < 0) return name
  return Object.keys(shares)[0] as string
}

// No attempt failed its preflight, to see what looking for those costs. The other shares are so large that every set of
// filters finds a full page among 1,000 attempts too: the ratios compare equal pages.
const statuses = { succeeded: 0.4, failed: 0.4, started: 0.1, registered: 0.05, cancelled: 0.05 }
const intents = { planned: 0.3, exploratory: 0.15, rerun: 0.4, reproduction: 0.15 }
const ROOMS = 20
const EXPERIMENTS = 200

/** A registration of realistic length. */
const registration = (attemptId: string, index: number) =>
  JSON.stringify({
    argv: ["python", "train.py", "--seed", String(index)],
    attemptId,
    configuration: { note: "x".repeat(600), seed: index },
    inputs: [],
    repository: { commit: hex(40), url: "https://git.example.org/lab/work" },
  })

export function fill(db: Db, attempts: number): Filled {
  const insert = (table: string, row: Readonly<Record<string, string | number | Buffer | null>>) => {
    const names = Object.keys(row)
    const statement =
      prepared.get(table) ??
      db.prepare(`INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`)
    prepared.set(table, statement)
    statement.run(...Object.values(row))
  }
  const prepared = new Map<string, ReturnType<Db["prepare"]>>()
  db.exec("BEGIN")
  const [userId, findingVersionId] = [id(), id()]
  insert("people", { user_id: userId, username: "ada", password_hash: "none", is_operator: 0, created_at: at })
  const rooms = Array.from({ length: ROOMS }, (_, index) => ({ roomId: id(), threadId: id(), labels: 0, index }))
  for (const { roomId, threadId, index } of rooms) {
    insert("rooms", {
      room_id: roomId,
      title: `Room ${index}`,
      owner_id: userId,
      opening_thread_id: threadId,
      created_at: at,
      state: "active",
    })
    insert("members", { room_id: roomId, user_id: userId, role: "owner", joined_at: at })
    insert("threads", {
      thread_id: threadId,
      room_id: roomId,
      sequence: 1,
      title: "Opening",
      author_id: userId,
      created_at: at,
    })
  }
  const experiments = Array.from({ length: EXPERIMENTS }, (_, index) => ({
    experimentId: id(),
    room: rooms[index < EXPERIMENTS / 2 ? 0 : index % ROOMS] as (typeof rooms)[number],
    index,
  }))
  for (const { experimentId, room, index } of experiments) {
    insert("experiments", {
      experiment_id: experimentId,
      room_id: room.roomId,
      thread_id: room.threadId,
      label: `E${index + 1}`,
      entry_id: id(),
      proposer_id: userId,
      status: "open",
      revision: 1,
      question: "Does it hold?",
      scope: "Here.",
      hypotheses: "[]",
      created_at: at,
      updated_at: at,
    })
  }
  const [first, small] = experiments as [(typeof experiments)[number], (typeof experiments)[number]]
  const ofFirst: string[] = []
  for (let index = 0; index < attempts; index++) {
    const inSmall = index % Math.floor(attempts / 30) === 9
    const { experimentId, room } = inSmall
      ? small
      : index % 10 < 4
        ? first
        : (experiments[2 + Math.floor(random() * (EXPERIMENTS - 2))] as typeof first)
    const attemptId = id()
    room.labels += 1
    if (experimentId === first.experimentId) ofFirst.push(attemptId)
    const content = registration(attemptId, index)
    insert("journal", {
      position: index + 1,
      operation: "register_attempt",
      writer: 1,
      at,
      content,
      content_digest: Buffer.alloc(32),
      digest: Buffer.alloc(32),
    })
    insert("attempts", {
      attempt_id: attemptId,
      experiment_id: experimentId,
      room_id: room.roomId,
      thread_id: room.threadId,
      label: `A${room.labels}`,
      entry_id: id(),
      registrant_id: userId,
      intent: word(intents),
      status: inSmall ? "succeeded" : word(statuses),
      revision: 2,
      registered_at: at,
      updated_at: at,
      history_position: index + 1,
      content_digest: digestOf(content),
    })
  }
  insert("records", {
    version_id: findingVersionId,
    kind: "finding",
    label: "F1",
    room_id: first.room.roomId,
    thread_id: first.room.threadId,
    entry_id: id(),
    author_id: userId,
    created_at: at,
    wording: "It holds.",
    history_position: 1,
    content_digest: digestOf("{}"),
  })
  for (const attemptId of ofFirst.slice(0, 300))
    insert("finding_attempts", { version_id: findingVersionId, attempt_id: attemptId, role: "evidence" })
  db.exec("COMMIT")
  return {
    roomId: first.room.roomId,
    experimentId: first.experimentId,
    label: `A${Math.ceil(first.room.labels / 2)}`,
    findingVersionId,
    smallExperimentId: small.experimentId,
  }
}
