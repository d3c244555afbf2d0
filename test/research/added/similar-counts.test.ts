import tap, { test } from "tap"
import { limits } from "../../../src/contract/limits.ts"
import { openDatabase } from "../../../src/ledger/storage/opening.ts"
import { action, hypothesis } from "../../support/bodies.ts"
import { appOf, openLedger } from "../../support/lab.ts"
import { RecordingDb } from "../../support/recording-db.ts"

const lab = await openLedger(tap)
const { token } = await lab.agent("ada")
const { roomId, threadId } = lab
const file = lab.connection()
const db = new RecordingDb(file)
const instance = lab.beside(db, true)
const app = appOf(instance)

async function publish(wording: string): Promise<void> {
  const body = action(hypothesis({ roomId, threadId }))
  const { status } = await app.request("http://here/api/agent/research/publish_hypothesis", {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", host: "here" },
    body: JSON.stringify({ ...body, assertion: { ...body.assertion, wording } }),
  })
  if (status !== 200) throw new Error(`${status}`)
}

const subjects = ["Zebras", "Pangolins", "Axolotls", "Quokkas", "Tardigrades", "Okapis"]
const wordings = Array.from(
  { length: 24 },
  (_, at) =>
    `${subjects[at % 6]} sleep ${["longer", "less", "deeper"][at % 3]} in winter ${"than cubs ".repeat(at % 2)}${at}.`,
)

/** The same question to a connection that has kept nothing. */
function anew(text: string) {
  using fresh = openDatabase(lab.file)
  return lab.beside(fresh, true).tables.similar.near(roomId, text)
}

test("what is kept of the index never changes an answer", async (t) => {
  for (const [at, wording] of wordings.entries()) {
    await publish(wording)
    // Sometimes several texts wait for the index, and sometimes another process indexes them.
    if (at % 4 === 0) instance.tables.search.index()
    if (at % 7 === 0) {
      using other = openDatabase(lab.file)
      lab.beside(other, true).tables.search.index()
    }
    for (const text of [wording, `In winter ${subjects[(at + 1) % 6]} sleep`])
      t.strictSame(instance.tables.similar.near(roomId, text), anew(text), text)
  }
  file.exec("BEGIN")
  instance.tables.search.index()
  file.exec("ROLLBACK")
  await publish("Zebras and okapis wake in spring.")
  const changed = instance.tables.similar.near(roomId, "Zebras sleep").map(({ id }) => id)
  instance.tables.search.indexAgain(changed)
  for (const text of ["Zebras wake", "Okapis sleep less"])
    t.strictSame(instance.tables.similar.near(roomId, text), anew(text), text)
})

test("each term is counted once while the connection indexes texts itself, and never beyond a number", async (t) => {
  const counts = async (wording: string) => {
    const steps = await db.during(() => publish(wording))
    return steps.filter(({ statement }) => db.sql[statement]?.includes("search_index MATCH +? LIMIT")).length
  }
  instance.tables.search.index()
  await publish("Lemurs hibernate beneath baobabs.")
  instance.tables.search.index()
  t.equal(await counts("Lemurs hibernate beneath baobabs."), 0, "the terms are known")
  t.equal(await counts("Lemurs hibernate beneath acacias."), 1, "a new one is counted")
  t.ok((await counts(Array.from({ length: 300 }, (_, at) => `w${at}`).join(" "))) <= limits.similarTerms)
})
