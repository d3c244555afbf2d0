/**
 * A stranger changes one member of one line of a Room's history or feed: the crate is refused, or nothing shown
 * differs.
 */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import t from "tap"
import { ProvedReplay } from "../../../src/app/imports/import.ts"
import { openForward } from "../../../src/app/compose/upgrade.ts"
import { createInstance } from "../../../src/app/compose/instance.ts"
import { entryDigest, firstPreviousDigest } from "../../../src/contract/reads/activity.ts"
import { canonicalJson, digestOf, type JsonObject } from "../../../src/contract/json.ts"
import { operations } from "../../../src/contract/operations/index.ts"
import { databaseFile } from "../../../src/ledger/storage/opening.ts"
import { seededWorld } from "../../../src/ledger/world.ts"
import { CrateFault } from "../../../src/research/import/crate-file.ts"
import { Withholdings, Prover } from "../../../src/research/import/writes.ts"
import { openLab } from "../../support/lab.ts"
import { elsewhere } from "../../support/elsewhere.ts"
import { differingRows, rowsAsText } from "../../support/tables.ts"
import { writeEverything } from "../../withholding/everything.ts"
import { forged } from "./forged.ts"
import { claims, type Forgery, forgeriesOf } from "./forgeries.ts"
import { unpack } from "./unpacked.ts"

type Line = JsonObject & {
  readonly sequence: number
  readonly operation: string
  readonly body: JsonObject
  readonly given: JsonObject
}
type FeedLine = Parameters<typeof entryDigest>[0] & { readonly digest: string; readonly contentDigest: string }

/**
 * Writes one of each write that a Room's activity can hold. Returns the crate exported by the instance that adopted the
 * Room.
 */
async function everyWrite(test: Parameters<typeof elsewhere>[0]) {
  const lab = await openLab(test)
  const { roomId } = await writeEverything(lab.house, lab.ada, lab.grace)
  await lab.mary.write("request_to_join", { roomId, message: "I know the data." })
  await lab.ada.write("decide_join_request", { roomId, userId: lab.userIds.mary, decision: "accept" })
  await lab.mary.write("remove_member", { roomId, userId: lab.userIds.mary })
  const zip = Buffer.from(await (await fetch(`${lab.baseUrl}/api/research/rooms/${roomId}/export`)).arrayBuffer())
  const adopter = elsewhere(test)
  await adopter.accounts.add("eve", "the long password of eve")
  await adopter.import(zip, "eve")
  const adopted = await adopter.export(roomId)
  return { roomId, crate: { ...unpack(adopted), zip: adopted } }
}

/** Whether a change concerns what a program says about itself, which is documented as unproved. */
const isSaid = (what: string) => /^client\b/.test(what)
/**
 * What reads show of a row of the journal. A request to join is recreated here from its decision, under the decision's
 * id.
 */
function shownOf(row: string): string {
  const { given, digest, delivery_id, content, content_digest, ...shown } = JSON.parse(
    row.replace(/^[-+] journal /, ""),
  ) as JsonObject
  return JSON.stringify(
    shown.operation === "request_to_join" ? shown : { ...shown, delivery_id, content, content_digest },
  )
}
/** Whether the change is unseen: the first id of a write without a timeline entry belongs to no entry. */
function isUnseen(what: string, rows: readonly string[]): boolean {
  if (!what.startsWith("given/ids/0 ") || !rows.every((row) => /^[-+] journal /.test(row))) return false
  const [one, other] = ["-", "+"].map((sign) => rows.filter((row) => row.startsWith(sign)).map(shownOf))
  return isDeepStrictEqual(one, other)
}

t.test("Nothing in a line is believed that the service can work out itself", async (t) => {
  const { roomId, crate } = await everyWrite(t)
  const history = crate.lines<Line>("history.jsonl")
  const feed = crate.lines<FeedLine>("activity.jsonl")
  const origin = crate.lines<{ instanceId: string; baseUrl: string; softwareVersion: string; adopted: never }>(
    "origin.json",
  )[0]
  const people = new Map(
    crate.lines<{ userId: string; username: string }>("people.jsonl").map((each) => [each.userId, each.username]),
  )
  const due = operations
    .filter(({ family, activity }) => family === "research" && activity !== null)
    .map(({ name }) => name)
  t.strictSame(
    due.filter((name) => !history.some(({ operation }) => operation === name)),
    [],
    "each operation is tried",
  )

  const data = openForward(
    databaseFile(t.testdir()),
    seededWorld("forgery", () => Date.now()),
  )
  const { db } = data
  const instance = createInstance({
    ...data,
    world: {
      ...data.world,
      now: () => 1_900_000_000_000,
      id: () => data.world.id(),
      bytes: (count) => data.world.bytes(count),
    },
  })
  const withheld = new Withholdings()
  for (const line of history) withheld.note(roomId, line)
  const ids = [...new Set(history.flatMap(({ given }) => (given.ids ?? []) as string[]))]

  let digest = firstPreviousDigest
  const take = (sequence: number, written: unknown, activity: unknown) => {
    const prover = new Prover(roomId, withheld, "", { sequence: sequence - 1, digest })
    new ProvedReplay(instance, { from: () => origin as never, people }).take(prover.prove(activity, written))
  }
  const undone = <T>(work: () => T): T => {
    db.exec("SAVEPOINT forged")
    try {
      return work()
    } finally {
      db.exec("ROLLBACK TO forged; RELEASE forged")
    }
  }
  const counts = { forgeries: 0, refused: 0, same: 0, said: 0, unproved: 0 }
  const believed: string[] = []

  db.exec("BEGIN IMMEDIATE")
  for (const [index, line] of history.entries()) {
    const entry = feed[index] as FeedLine
    const sequence = index + 1
    const shown = undone(() => {
      take(sequence, line, entry)
      return rowsAsText(db)
    })
    // Parts of its body were withheld: nothing proves the rest.
    const isProved = digestOf(canonicalJson(line.body)) === entry.contentDigest
    const attempt = (what: string, written: unknown, activity: unknown) => {
      counts.forgeries += 1
      try {
        const differing = undone(() => {
          take(sequence, written, activity)
          return differingRows(shown, rowsAsText(db))
        })
        if (differing.length === 0 || isUnseen(what, differing)) counts.same += 1
        else if (!isProved) counts.unproved += 1
        else if (isSaid(what)) counts.said += 1
        else believed.push(`${line.operation}: ${what}: ${differing.join(" ").slice(0, 600)}`)
      } catch (error) {
        if (!(error instanceof CrateFault)) throw error
        counts.refused += 1
      }
    }
    const all = (one: JsonObject): Forgery[] => [...forgeriesOf(one, ids)]
    for (const { what, line: forged } of all(line)) attempt(what, forged, entry)
    for (const { what, line: forged } of all(entry as never)) {
      attempt(what, line, forged)
      // A forger who knows about digests recomputes this one.
      if (what !== "digest taken away")
        attempt(`${what}, with its digest`, line, { ...forged, digest: entryDigest(forged as never) })
    }
    // The body is changed, and a member of `given` claims the original digest.
    for (const { what, line: body } of all(line.body))
      for (const [name, claim] of Object.entries(claims(entry.contentDigest)))
        attempt(`body ${what}, with given.${name}`, { ...line, body, given: { ...line.given, [name]: claim } }, entry)
    for (const [name, claim] of Object.entries(claims(entry.contentDigest)))
      attempt(`given.${name}`, { ...line, given: { ...line.given, [name]: claim } }, entry)
    take(sequence, line, entry)
    digest = entry.digest
  }
  db.exec("ROLLBACK")
  t.comment(JSON.stringify(counts))
  t.strictSame(believed, [])
  t.ok(counts.forgeries > 5_000)
  db.close()

  t.test("and the program in the crate reports every body that was changed, whatever its line claims", async (t) => {
    const folder = t.testdir()
    const lines = history.map((line, index) => {
      const [first] = [...forgeriesOf(line.body, ids)]
      const body = first?.line ?? {}
      return JSON.stringify({ ...line, body, given: { ...line.given, ...claims(feed[index]?.contentDigest ?? "") } })
    })
    unpack(forged(crate.zip, { "history.jsonl": () => `${lines.join("\n")}\n` })).writeTo(folder)
    // A body with withheld parts counts as unproved.
    const told = history.flatMap(({ sequence, body }) =>
      JSON.stringify(body).includes('"withheld"')
        ? []
        : [`the history does not hold the write that activity ${sequence} accepted`],
    )
    const { status, stderr } = spawnSync("python3", [join(folder, "verify.py")], { encoding: "utf8" })
    t.equal(status, 1)
    t.strictSame(
      told.filter((sentence) => !stderr.includes(sentence)),
      [],
    )
  })
})
