/** Similar texts are the same, whether the Room's texts were added as they were written or read from the data. */
import t, { type Test } from "tap"
import { limits } from "../../../src/contract/limits.ts"
import { similar } from "../../../src/research/search/similar/similar.ts"
import { freshId, hypothesis } from "../../support/bodies.ts"
import { openHouse } from "../../support/house.ts"
import { nearCopies, others } from "./near-copies.ts"

const house = await openHouse()
t.teardown(() => house.close())
const { db, roomId, threadId, ada } = house
const known = house.instance.tables.similar

/** Publishes a hypothesis that defines some concepts, in no particular order. */
const publish = (wording: string, definition: string) => {
  const said = hypothesis(roomId, threadId)
  const concepts = { zeal: { label: "zeal", definition }, lowers: { label: "lowers", definition: `Less ${wording}` } }
  const body = { ...said, requestId: freshId(), assertion: { ...(said.assertion as object), wording }, concepts }
  return house.admit({ name: "publish_hypothesis", actor: ada, body })
}
const propose = (question: string) =>
  house.admit({
    name: "propose_experiment",
    actor: ada,
    body: { schemaVersion: 3, requestId: freshId(), roomId, threadId, question, scope: "Here.", hypotheses: [] },
  })
/** Checks that the answer is the one that a newly started service would give. */
const isAsRead = (t: Test, text: string) =>
  t.strictSame(known.near(roomId, text), similar(db, Date.now).near(roomId, text), text)

t.test("each text is found by the words that search indexes for it", async (t) => {
  const texts = nearCopies.flat()
  for (const [at, said] of texts.entries()) {
    await (at % 3 === 0
      ? propose(said)
      : publish(said, `${texts.at(-1 - at)} ${"beyond what is looked at ".repeat(at)}`))
    isAsRead(t, texts.at(-1 - at) ?? "")
  }
  for (const said of texts) isAsRead(t, said)
})

t.test("texts are added in the order of their writes, and refused or rehearsed ones never", async (t) => {
  const [said = "", other = "", third = ""] = others(200).slice(-3)
  const { add } = known
  known.add = () => {}
  await publish(said, other)
  known.add = add
  await publish(other, third)
  await house.admit({ name: "publish_hypothesis", actor: ada, body: hypothesis(roomId, threadId), rehearse: true })
  for (const text of [said, other, third]) isAsRead(t, text)
  await Promise.all([publish(said, third), publish(third, said), propose(other)])
  for (const text of [said, other, third]) isAsRead(t, text)
})

t.test("beyond the limit of texts compared, only the newest count", async (t) => {
  const words = others(150)
  for (let at = 0; at < 2 * limits.similarSight + 100; at += 50)
    await Promise.all(
      Array.from({ length: 50 }, (_, more) => publish(`${words[(at + more) % 150]} ${at + more}`, "Something.")),
    )
  for (const text of [
    ...words.slice(0, 20),
    ...Array.from({ length: 20 }, (_, at) => `${limits.similarSight + at * 3}`),
  ])
    isAsRead(t, text)
})
