/**
 * Long texts and long words: how much space they take in the file, and that every word is found, whole or by its
 * beginning, although the index stores only the beginning.
 */
import fc from "fast-check"
import t from "tap"
import { checkData } from "../../../src/check/check.ts"
import { limits } from "../../../src/contract/limits.ts"
import { seedWhenJudged } from "../../support/chance.ts"
import { openLedger } from "../../support/lab.ts"
import { Chance, type TextKind, texts } from "../../bench/texts.ts"

async function opened(t: { teardown(work: () => void): void }) {
  const lab = await openLedger(t)
  const { admit, ada, threadId, instance } = lab
  const say = async (text: string) =>
    (
      await admit({
        actor: ada,
        name: "post_message",
        params: { threadId },
        body: { schemaVersion: 3, clientMessageId: crypto.randomUUID(), text },
      })
    ).target.id
  const found = (query: string, offset = 0, count = 50) => instance.tables.search.find(query, {}, offset, count)
  return {
    ...lab,
    say,
    found,
    idsOf: (query: string) =>
      found(query, 0, 100).flatMap(({ kind, id }) => (kind === "person" || kind === "thread" ? [] : [id])),
  }
}

for (const kind of ["prose", "base64"] as const satisfies TextKind[])
  t.test(`Long texts of ${kind} take at most 0.6 of their size in the index, and 1.8 in the file`, async (t) => {
    const { db, say } = await opened(t)
    const chance = new Chance(1)
    const bytes = () =>
      db
        .prepare<{ all: number; index: number }>(
          `SELECT sum(pgsize) AS "all", sum(iif(name LIKE 'search_index%', pgsize, 0)) AS "index" FROM dbstat`,
        )
        .one()
    const before = bytes()
    let said = 0
    for (let count = 0; count < 60; count += 1) {
      const text = texts[kind](chance, limits.message - chance.below(2_000))
      said += Buffer.byteLength(text)
      await say(text)
    }
    const now = bytes()
    const [index, all] = [(now.index - before.index) / said, (now.all - before.all) / said]
    t.ok(index <= 0.6, `the index takes ${index.toFixed(3)} of the texts`)
    t.ok(all <= 1.8, `all of it ${all.toFixed(3)}`)
  })

t.test("Words with the same beginning are told apart: digests, names of runs, and words with accents", async (t) => {
  const { say, found, idsOf, db, instance } = await opened(t)
  const digest = "0123456789abcdef".repeat(4)
  const [one, other] = [await say(`It gave ${digest}0 today`), await say(`It gave ${digest}1 today`)]
  const word = await say("Électroencéphalogramme, taken twice")
  t.strictSame(idsOf(`${digest}1`), [other])
  t.strictSame(idsOf(`${digest}0 today`), [one], "beside another word")
  t.strictSame(idsOf(digest), [other, one], "both begin with it")
  t.strictSame(idsOf(digest.slice(0, 20)), [other, one])
  t.strictSame(idsOf(`${digest} today`), [], "neither contains this word")
  t.strictSame(idsOf(`"gave ${digest}0"`), [one], "as the end of a phrase")
  t.strictSame(
    found(digest, 1, 1).map(({ id }) => id),
    [one],
    "page by page",
  )
  t.match(found(`${digest}1`)[0]?.snippet, `<mark>${digest}1</mark>`)
  for (const query of ["electroencephalogramme", "électroencéphalogramme taken", "electroencephalog"])
    t.strictSame(idsOf(query), [word], query)
  t.strictSame(checkData(db).problems, [])
  instance.tables.search.reindex()
  t.strictSame([idsOf(digest), idsOf("electroencephalog")], [[other, one], [word]], "and the same in a rebuilt index")
})

t.test("An amended question is found by its new long words, and still by the old ones", async (t) => {
  const { admit, ada, roomId, threadId, idsOf, db } = await opened(t)
  const sent = { actor: ada, body: {} }
  const { target } = await admit({
    ...sent,
    name: "propose_experiment",
    body: {
      schemaVersion: 3,
      requestId: crypto.randomUUID(),
      roomId,
      threadId,
      question: "Is checkpoint20261122larger better?",
      scope: "Here.",
      hypotheses: [],
    },
  })
  const amend = (question: string, expectedRevision: number) =>
    admit({
      ...sent,
      name: "amend_experiment",
      body: {
        schemaVersion: 3,
        requestId: crypto.randomUUID(),
        experimentId: target.id,
        expectedRevision,
        expectedStatus: "open",
        explanation: "Meant so.",
        question,
      },
    })
  await amend("Is checkpoint20261122smaller better?", 1)
  t.strictSame([idsOf("checkpoint20261122larger"), idsOf("checkpoint20261122smaller")], [[target.id], [target.id]])
  await Promise.all([amend("Is checkpoint20261122wider better?", 2), amend("Is checkpoint20261122deeper better?", 3)])
  t.strictSame(
    [idsOf("checkpoint20261122smaller"), idsOf("checkpoint20261122deeper")],
    [[target.id], [target.id]],
    "twice in one transaction",
  )
  t.equal(db.prepare<{ left: number }>("SELECT count(*) AS left FROM search_changes").one().left, 0)
  t.strictSame(checkData(db).problems, [])
})

t.test("Whatever the words, a search finds the texts that hold them", async (t) => {
  const { say, idsOf } = await opened(t)
  const part = fc.constantFrom("q", "é", "9Z", "ß", "測試", "initialisation", "0123456789abcdef")
  const word = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(""))
  const said = new Map<string, string[]>()
  for (const words of fc.sample(fc.array(word, { minLength: 1, maxLength: 4 }), {
    numRuns: 80,
    ...(seedWhenJudged !== undefined && { seed: seedWhenJudged }),
  }))
    said.set(await say(words.join(" ")), words)
  const plain = (text: string) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("ß", "ss")
  /** The words that a search tells apart: a script without spaces ends the word before it, and 測試 is one word. */
  const partsOf = (words: readonly string[]) => words.flatMap((each) => plain(each).match(/測試|[^測試]+/gu) ?? [])
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 2 }), (asked) => {
      const parts = partsOf(asked)
      const last = parts.at(-1) ?? ""
      const due = [...said].filter(([, words]) => {
        const held = partsOf(words)
        return parts.slice(0, -1).every((each) => held.includes(each)) && held.some((each) => each.startsWith(last))
      })
      t.strictSame(idsOf(asked.join(" ")).toSorted(), due.map(([id]) => id).toSorted(), asked.join(" "))
    }),
    { numRuns: 150, ...(seedWhenJudged !== undefined && { seed: seedWhenJudged }) },
  )
})
