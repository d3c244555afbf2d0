/** Texts and queries made to slow a search down: each is answered at once, and shown like any other. */
import t from "tap"
import { limits } from "../../../src/contract/limits.ts"
import { openLedger } from "../../support/lab.ts"
import { searchedTexts, searchQueries } from "../../reliability/hostile/files.ts"

/** Milliseconds of processor time. Some of these searches used to take 3 and 27 seconds. */
const PATIENCE = 250

const lab = await openLedger(t)
const { admit, ada, threadId, instance } = lab
const { search } = instance.tables
const say = (text: string) =>
  admit({
    actor: ada,
    name: "post_message",
    params: { threadId },
    body: { schemaVersion: 3, clientMessageId: crypto.randomUUID(), text },
  })

t.test("No query blocks the service, whatever the texts are", async (t) => {
  for (let round = 0; round < 10; round += 1) for (const make of Object.values(searchedTexts)) await say(make(round))
  for (const query of searchQueries) {
    const begun = process.cpuUsage()
    const found = search.find(query, {}, 0, limits.pageItems + 1)
    const { user, system } = process.cpuUsage(begun)
    const took = (user + system) / 1000
    t.ok(took < PATIENCE, `${query.slice(0, 30)}: ${found.length} in ${Math.round(took)} ms`)
    t.ok(
      found.every(({ snippet }) => snippet.length < 10_000),
      "and no passage is long",
    )
  }
})

t.test("A passage is marked as usual, and a word as long as a text is cut", async (t) => {
  t.match(search.find("zz", {}, 0, 1)[0]?.snippet, /^(<mark>zz<\/mark> ){20,}.*…$/)
  t.match(search.find("zz-zz-zz", {}, 0, 1)[0]?.snippet, /<mark>zz zz zz<\/mark>/)
  const [giant] = search.find("ggg", {}, 0, 1)
  t.match(giant?.snippet, /^<mark>g{50,}…g+.*<\/mark>$/)
  await say(`${"common ".repeat(1_000)}rare ${"common ".repeat(1_000)}`)
  t.match(
    search.find("common rare", {}, 0, 1)[0]?.snippet,
    /<mark>rare<\/mark>/,
    "around the place where all words occur together",
  )
})

t.test("A phrase longer than the index looks up as a unit still needs all its words", async (t) => {
  await say("one-two-three-four-five-six-seven")
  t.equal(search.find("one-two-three-four-five-six-seven", {}, 0, 5).length, 1)
  t.equal(search.find("one-two-three-four-five-six-eight", {}, 0, 5).length, 0)
  t.equal(search.find("two-one", {}, 0, 5).length, 0)
})
