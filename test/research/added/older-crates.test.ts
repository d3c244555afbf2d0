/** Crates that earlier versions of the service made, kept as they were made: each is read as it says, or refused with why. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import t, { type Test } from "tap"
import { CrateFault } from "../../../src/research/import/crate-file.ts"
import { elsewhere } from "../../support/elsewhere.ts"
import { unpack } from "./unpacked.ts"

const sample = (name: string): Buffer => readFileSync(join(import.meta.dirname, "samples", `${name}.zip`))

async function refused(t: Test, name: string, missing: string): Promise<void> {
  const here = elsewhere(t)
  const zip = sample(name)
  t.ok(unpack(zip).files.has("activity.jsonl"), "it is whole")
  const message = new RegExp(
    `^The crate has no ${missing}: it was made by an earlier version or another program\\. Export the Room again with this version\\.$`,
  )
  for (const owner of [undefined, "ada"]) await t.rejects(here.import(zip, owner), { constructor: CrateFault, message } as never)
  t.equal(here.entries(), 0, "nothing is left behind")
}

t.test("One without a history cannot be done again", (t) => refused(t, "without-history", "origin\\.json"))

t.test("One with a history that does not say whose it is cannot be told from one's own", (t) =>
  refused(t, "without-origin", "origin\\.json"),
)

t.test("The first that said where they come from are read today, and can be adopted", async (t) => {
  const zip = sample("first-with-origin")
  const feed = unpack(zip).lines<object>("activity.jsonl")
  const here = elsewhere(t)
  const { roomId, added } = await here.import(zip)
  t.equal(added, feed.length)
  t.strictSame(here.problems(), [])
  t.strictSame(
    here.ledger.activity.after(roomId, 0, undefined, 1_000).map(({ body }) => JSON.parse(body) as object),
    feed,
  )
  await here.accounts.add("ada", "a long password")
  await here.import(zip, "ada")
  t.strictSame(here.problems(), [])
  t.match(here.tables.rooms.summary(roomId), { origin: null, owner: { username: "ada" }, adopted: [{ throughSequence: feed.length }] })
})
