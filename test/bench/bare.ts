/**
 * The bare loop, in a process of its own: the statements of `post_message` and nothing else. What they are is not
 * written here. The service's own code posts messages into a copy of the data while every statement is noted with its
 * values; the loop runs the same statements with the same values on another copy, opened by the same function and so
 * with the same schema and pragmas.
 */
import { randomUUID } from "node:crypto"
import { copyFileSync, mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { postMessage } from "../../src/contract/operations/threads.ts"
import { createInstance } from "../../src/instance.ts"
import { checkData } from "../../src/ledger/check.ts"
import { openData } from "../../src/ledger/data.ts"
import { type Db, openDatabase, type Statement } from "../../src/ledger/database.ts"
import { moment } from "../../src/ledger/world.ts"
import { answering } from "./process.ts"
import { RecordingDb, type Step } from "../support/recording-db.ts"
import { messageBody } from "./requests.ts"

export type Ask =
  | {
      readonly record: {
        readonly folder: string
        readonly scratch: string
        readonly threadId: string
        readonly token: string
        readonly writes: number
      }
    }
  /** Runs the loop for at most so many seconds, with so many writes in a transaction. */
  | { readonly loop: { readonly group: number; readonly seconds: number } }

/** The statements of one write: those that come before its transaction, and those inside. */
export interface Answer {
  readonly perSecond: number
  readonly before: readonly string[]
  readonly inside: readonly string[]
}

/** One write of the loop: what it runs before its transaction, and inside. */
interface Write {
  readonly before: readonly Step[]
  readonly inside: readonly Step[]
}

const FILE = "research-room.db"
let scratch = ""
let base = ""
let sql: readonly string[] = []
let writes: readonly Write[] = []

/** A new copy of the data that the loop starts from. */
function copy(name: string): string {
  const folder = join(scratch, name)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  copyFileSync(base, join(folder, FILE))
  return join(folder, FILE)
}

/** Takes a write's steps apart; its transaction is opened and ended by the loop itself. */
function apart(steps: readonly Step[]): Write {
  const begin = steps.findIndex(({ statement }) => sql[statement]?.startsWith("BEGIN"))
  const commit = steps.findIndex(({ statement }) => sql[statement] === "COMMIT")
  if (begin < 0 || commit !== steps.length - 1)
    throw new Error("a write is no longer one transaction: the bare loop must learn how it is made")
  return { before: steps.slice(0, begin), inside: steps.slice(begin + 1, commit) }
}

/** Lets the service's own code post messages, and notes what it runs. */
async function record(threadId: string, token: string, count: number): Promise<void> {
  const { db, world, instanceId } = openData(copy("recorded"))
  // Nothing is measured here, and nothing kept.
  db.exec("PRAGMA synchronous = OFF")
  const recording = new RecordingDb(db)
  const { ledger, tables } = createInstance({ db: recording, world, instanceId })
  sql = recording.sql
  const post = () => {
    const actor = tables.credentials.authenticate(token, moment(world.now()))
    return ledger.admit({ operation: postMessage, actor, params: { threadId }, body: messageBody(randomUUID()) })
  }
  const recorded: Write[] = []
  for (let made = 0; made < count; made += 1) recorded.push(apart(await recording.during(post)))
  writes = recorded
  db.close()
}

type Run = () => void

/** What one write does to `db`, ready to run: looking statements up is not part of the loop. */
function prepared(db: Db): { before: Run; inside: Run }[] {
  const statements = new Map<number, Statement<unknown>>()
  const run = (steps: readonly Step[]): Run => {
    const calls = steps.map(({ statement, how, values }) => {
      const made = statements.get(statement) ?? db.prepare(sql[statement] ?? "")
      statements.set(statement, made)
      return { call: made[how], values }
    })
    return () => {
      for (const { call, values } of calls) call(...values)
    }
  }
  return writes.map(({ before, inside }) => ({ before: run(before), inside: run(inside) }))
}

/** Writes per second in transactions of `group` writes, each under a savepoint when there are several. */
function loop(group: number, seconds: number): number {
  const db = openDatabase(copy("loop"))
  const [begin, commit, savepoint, release] = ["BEGIN IMMEDIATE", "COMMIT", "SAVEPOINT one_write", "RELEASE one_write"].map((text) =>
    db.prepare(text),
  ) as [Statement<unknown>, Statement<unknown>, Statement<unknown>, Statement<unknown>]
  const ready = prepared(db)
  const warm = Math.floor(ready.length / 10)
  let done = 0
  let startedAt = 0
  for (let next = 0; next < ready.length; next += group) {
    if (startedAt === 0 && next >= warm) startedAt = performance.now()
    if (startedAt > 0 && performance.now() - startedAt > seconds * 1000) break
    const together = ready.slice(next, next + group)
    for (const { before } of together) before()
    begin.run()
    for (const { inside } of together) {
      if (group > 1) savepoint.run()
      inside()
      if (group > 1) release.run()
    }
    commit.run()
    if (startedAt > 0) done += together.length
  }
  const perSecond = (done / (performance.now() - startedAt)) * 1000
  const { problems } = checkData(db)
  if (problems.length > 0) throw new Error(`the bare loop did not do what the service does: ${problems.join(" ")}`)
  db.close()
  return perSecond
}

answering(async (ask: Ask): Promise<Answer> => {
  if ("record" in ask) {
    const { folder, threadId, token } = ask.record
    scratch = ask.record.scratch
    base = join(folder, FILE)
    // Whatever still stands in the log goes into the file, which alone is copied.
    openDatabase(base).close()
    await record(threadId, token, ask.record.writes)
    loop(1, 0.5)
    loop(16, 0.5)
  }
  // The first write also notes that the credential was used, once a minute; the others are all alike.
  const typical = writes[1] ?? { before: [], inside: [] }
  const texts = (steps: readonly Step[]) => steps.map(({ statement }) => sql[statement] ?? "")
  return {
    perSecond: "loop" in ask ? loop(ask.loop.group, ask.loop.seconds) : 0,
    before: texts(typical.before),
    inside: texts(typical.inside),
  }
})
