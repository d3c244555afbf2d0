/**
 * Measures what updating the search index adds to the cost of a message: the same messages through the same ledger,
 * with and without the index's triggers, on a file with full durability, one at a time and sixteen at a time. `node
 * --conditions=research-room-source test/research/added/search-cost.ts [messages] [rounds]`
 */
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { operationNamed } from "../../../src/contract/operations/index.ts"
import type { Operation } from "../../../src/contract/definitions/operation.ts"
import { createInstance } from "../../../src/app/compose/instance.ts"
import { openData } from "../../../src/ledger/storage/opening.ts"
import { isoTime } from "../../../src/ledger/world.ts"

const [messages = 2_000, rounds = 3] = process.argv.slice(2).map(Number)
const WORDS = 4_000
const BYTES = 1_000

/** Returns about a kilobyte of text from a vocabulary in which a few words are common and most are rare. */
function text(): string {
  let said = ""
  while (said.length < BYTES) said += `word${Math.floor(WORDS * Math.random() ** 3).toString(36)} `
  return said
}

interface Measured {
  readonly microseconds: number
  readonly bytes: number
}

/** Posts messages, `together` at a time. */
async function post(together: number, indexed: boolean): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), "research-room-search-"))
  const file = join(folder, "research-room.db")
  const { db, world, instanceId } = openData(file)
  if (!indexed) db.exec("DROP TRIGGER messages_indexed")
  const { ledger, tables } = createInstance({ db, world, instanceId })
  const person = { userId: world.id(), username: "ada", grant: null }
  tables.people.insert(person.userId, person.username, "no password", false, isoTime(world.now()))
  const does = (name: string, params: Record<string, string>, body: object) => {
    const operation = operationNamed(name) as Operation
    return ledger.admit({
      operation,
      actor: person,
      params,
      body: { schemaVersion: 3, [operation.delivery]: world.id(), ...body },
    })
  }
  const { result } = JSON.parse(await does("create_room", {}, { title: "A Room" })) as {
    result: { openingThreadId: string }
  }
  const said = Array.from({ length: messages }, text)
  const startedAt = performance.now()
  for (let next = 0; next < said.length; next += together) {
    await Promise.all(
      said
        .slice(next, next + together)
        .map((each) => does("post_message", { threadId: result.openingThreadId }, { text: each })),
    )
  }
  const microseconds = ((performance.now() - startedAt) * 1000) / messages
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)")
  db.close()
  const bytes = statSync(file).size / messages
  rmSync(folder, { recursive: true })
  return { microseconds, bytes }
}

const median = (values: number[]): number =>
  values.sort((one, other) => one - other)[Math.floor(values.length / 2)] as number

for (const together of [1, 16]) {
  const measured: Record<"with" | "without", Measured[]> = { with: [], without: [] }
  for (let round = 0; round < rounds; round += 1) {
    measured.without.push(await post(together, false))
    measured.with.push(await post(together, true))
  }
  const [indexed, bare] = [measured.with, measured.without].map((runs) =>
    median(runs.map(({ microseconds }) => microseconds)),
  ) as [number, number]
  const [more, less] = [measured.with, measured.without].map((runs) => median(runs.map(({ bytes }) => bytes))) as [
    number,
    number,
  ]
  console.log(
    `${together} at a time: ${bare.toFixed(0)} us a message without the index, ${indexed.toFixed(0)} us with it: ` +
      `ratio ${(indexed / bare).toFixed(2)}; ${less.toFixed(0)} and ${more.toFixed(0)} bytes of file a message`,
  )
}
