/** Full-text search over HTTP: what it finds, how it ranks and shows hits, and that no text is an invalid query. */
import fc from "fast-check"
import { startResearchRoom } from "research-room/testing"
import { RefusedError } from "research-room/client"
import t from "tap"
import { checkData } from "../../../src/check/check.ts"
import { limits } from "../../../src/contract/limits.ts"
import { search } from "../../../src/research/search/search.ts"
import { snippetHtml } from "../../../src/research/search/snippet.ts"
import { hypothesis } from "../../support/bodies.ts"
import { held } from "../../support/contract.ts"
import { openLedger } from "../../support/lab.ts"

const room = await startResearchRoom()
t.teardown(() => room.close())
const { main, empty } = room.rooms
const grace = room.client("member_all", { fetch: held })
const reader = grace

const find = async (query: string, more: object = {}) => (await reader.read("search", { query, ...more })).items
const labelsOf = (items: Awaited<ReturnType<typeof find>>) => items.map(({ kind, label }) => label ?? kind)
const refusalOf = async (query: string, more: object = {}) =>
  find(query, more).then(
    () => undefined,
    (error: unknown) => (error instanceof RefusedError ? `${error.status} ${error.refusal}` : error),
  )

// shows: Added: full-text search over records, experiments, Threads and messages, ranked, with a marked snippet.
t.test("It finds records, experiments, Threads and messages, and says what and where each of them is", async (t) => {
  const found = await find("way", {
    roomId: main.roomId,
    kinds: ["cited_claim", "experiment", "finding", "hypothesis", "message", "thread"],
  })
  t.strictSame([...new Set(found.map(({ kind }) => kind))].sort(), [
    "cited_claim",
    "experiment",
    "finding",
    "hypothesis",
    "message",
    "thread",
  ])
  const record = found.find(({ label }) => label === "H2")
  const { items } = await reader.read("hypotheses", { roomId: main.roomId, label: "H2" })
  t.match(record, {
    id: items[0]?.versionId,
    label: "H2",
    title: items[0]?.wording,
    roomId: main.roomId,
    threadId: items[0]?.threadId,
    entryId: items[0]?.entryId,
    author: items[0]?.author,
    at: items[0]?.createdAt,
  })
  const message = found.find(({ kind }) => kind === "message")
  const entry = (await reader.read("thread_messages", { threadId: message?.threadId as string })).items.find(
    ({ entryId }) => entryId === message?.id,
  )
  t.match(
    message,
    {
      label: null,
      title: (await reader.read("room_threads", { roomId: main.roomId })).items.find(
        ({ threadId }) => threadId === message?.threadId,
      )?.title,
      entryId: entry?.entryId,
      author: entry?.author,
      at: entry?.at,
      status: null,
    },
    "a message by the title of its Thread",
  )
  const thread = found.find(({ kind }) => kind === "thread")
  t.match(thread, { label: null, entryId: null, threadId: thread?.id, status: null })
  t.strictSame(
    labelsOf(await find("coverage come back", { kinds: ["experiment"] })),
    ["E5"],
    "an experiment by its question",
  )
})

t.test("A record shows how it stands now", async (t) => {
  const standing = Object.fromEntries(
    (await find("ways", { roomId: main.roomId, kinds: ["hypothesis", "finding", "cited_claim"] })).map(
      ({ label, status }) => [label, status],
    ),
  )
  t.match(standing, {
    H5: "disputed",
    F1: "corrected",
    F2: "current",
    F3: "retracted",
    F5: "superseded",
    C2: "current",
  })
})

// The number is long because a digest of the demo may begin with a short one.
t.test(
  "Every word must occur, the last one by its beginning, in any letter case and with or without accents",
  async (t) => {
    const { versionId } = (
      await grace.write("publish_hypothesis", {
        ...hypothesis({ roomId: empty.roomId, threadId: empty.openingThreadId }),
        scope: "Étude naïve du Réseau, ÅNGSTRÖM 4290817.",
      } as never)
    ).result as { versionId: string }
    for (const query of ["étude", "ETUDE", "etude naive", "reseau ang", "angstrom 4", "4290817", "naïve réseau"])
      t.strictSame(
        (await find(query)).map(({ id }) => id),
        [versionId],
        query,
      )
    t.strictSame(await find("etud naive"), [], "only the last word may be cut short")
    t.strictSame(await find("étude nowhere"), [], "all of them must occur")
  },
)

t.test("A label finds its object first, and a title counts more than the text below it", async (t) => {
  t.equal(labelsOf(await find("F1", { roomId: main.roomId }))[0], "F1")
  const [first] = await find("rl solutions", { roomId: main.roomId })
  t.ok(["thread", "hypothesis", "finding"].includes(first?.kind as string), "a title")
})

t.test("What was found stands above the shorter texts of attempts that have the same words", async (t) => {
  const kinds = (await find("coverage", { kinds: ["attempt", "finding"] })).map(({ kind }) => kind)
  t.strictSame(kinds.slice(0, 2), ["finding", "finding"])
  t.ok(kinds.includes("attempt"))
})

t.test("It searches only the Room and the kinds given", async (t) => {
  const kinds = ["message", "cited_claim"] as const
  const found = await find("ways", { kinds: [...kinds] })
  t.ok(found.length > 1 && found.every(({ kind }) => kinds.includes(kind as (typeof kinds)[number])))
  t.strictSame(
    (await find("ways", { roomId: empty.roomId })).map(({ roomId }) => roomId),
    [],
    "not in another Room",
  )
  t.equal(await refusalOf("coverage", { roomId: "0198f3a0-dead-4ead-8ead-00000000dead" }), "404 room_unavailable")
  t.equal(await refusalOf("coverage", { kinds: ["people"] }), "422 invalid_parameter")
})

t.test("It pages by offset, without gaps or repetitions", async (t) => {
  const whole = []
  for await (const item of reader.items("search", { query: "the" })) whole.push(item)
  const paged = []
  for await (const item of reader.items("search", { query: "the", limit: 2 })) paged.push(item)
  t.ok(whole.length > 4)
  t.same(paged, whole)
})

// shows: Added: full-text search over records, experiments, Threads and messages, ranked, with a marked snippet.
t.test("A snippet is HTML that contains only marks, around the words found", async (t) => {
  const text = `<script>alert("hit")</script> & <mark>evil</mark> \u0001hit\u0002 'quoted' <img src=x onerror=hit>`
  await grace.write("post_message", { threadId: empty.openingThreadId, text })
  const [found] = await find("hit evil", { kinds: ["message"] })
  t.equal(
    found?.snippet,
    "&lt;script&gt;alert(&quot;<mark>hit</mark>&quot;)&lt;/script&gt; &amp; " +
      "&lt;mark&gt;<mark>evil</mark>&lt;/mark&gt; <mark>hit</mark> &#39;quoted&#39; " +
      "&lt;img src=x onerror=<mark>hit</mark>&gt;",
  )
  const pairs = /^(?:[^<>"']|<mark>[^<>]*<\/mark>)*$/
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("a", "<", ">", "&", '"', "\u0001", "\u0002", "mark", "/") }),
      (passage) => pairs.test(snippetHtml(passage)),
    ),
  )
})

t.test("The snippet of a long text shows where it matches", async (t) => {
  await grace.write("post_message", {
    threadId: empty.openingThreadId,
    text: `${"before ".repeat(500)}needle ${"after ".repeat(500)}`,
  })
  const [found] = await find("needle")
  t.match(found?.snippet, /^….*<mark>needle<\/mark>.*…$/s)
  t.ok((found?.snippet.length ?? 0) < 300)
})

t.test("No text is an invalid query, except an empty one", async (t) => {
  const signs = [
    '"',
    "'",
    "*",
    "(",
    ")",
    "AND",
    "OR",
    "NOT",
    "NEAR",
    "NEAR(a b)",
    "title:",
    "^",
    "-",
    "+",
    "{a}:",
    ":",
    ",",
    "\\",
    "%",
    "_",
    "warm-up",
    "a",
    "é",
    "測試",
    "🙂",
    "\u0001",
  ]
  const queries = fc
    .array(fc.oneof(fc.constantFrom(...signs), fc.string({ maxLength: 8, unit: "grapheme" })), {
      minLength: 1,
      maxLength: 6,
    })
    .map((parts) => parts.join(" "))
  const { search } = (await openLedger(t)).instance.tables
  fc.assert(
    fc.property(queries, (query) => Array.isArray(search.find(query, { kinds: ["message"] }, 0, 3))),
    { numRuns: 500 },
  )
  for (const query of [
    'warm-up" OR "',
    "NEAR(warm up, 2)",
    "title : warm",
    "* warm",
    "(warm",
    "warm AND NOT up",
    "--",
    "warm*up",
  ])
    t.ok(Array.isArray(await find(query)), query)
  for (const query of ["", " ", "\t\n\u3000", "a".repeat(limits.searchQuery + 1), "nul\u0000"])
    t.equal(await refusalOf(query), "422 invalid_parameter", JSON.stringify(query).slice(0, 20))
  t.strictSame(await find("-- !"), [], "punctuation alone finds nothing")
})

// shows: Added: full-text search over records, experiments, Threads and messages, ranked, with a marked snippet.
t.test("The index is updated in the same transaction as the write", async (t) => {
  const { db, instance, admit, ada, roomId, threadId } = await openLedger(t)
  const { search } = instance.tables
  const found = (query: string) => search.find(query, {}, 0, 10).map(({ kind }) => kind)
  const sent = { actor: ada, name: "post_message" as const, params: { threadId } }
  await admit({
    ...sent,
    body: { schemaVersion: 3, clientMessageId: crypto.randomUUID(), text: "rehearsed" },
    rehearse: true,
  })
  t.strictSame(found("rehearsed"), [], "a rehearsal leaves nothing")
  await Promise.allSettled([
    admit({ ...sent, body: { schemaVersion: 3, clientMessageId: crypto.randomUUID(), text: "lasting" } }),
    admit({
      ...sent,
      body: {
        schemaVersion: 3,
        clientMessageId: crypto.randomUUID(),
        text: "refused",
        replyToEntryId: crypto.randomUUID(),
      },
    }),
  ])
  t.strictSame(
    [found("lasting"), found("refused")],
    [["message"], []],
    "nor does a write refused beside an accepted one",
  )
  await admit({
    actor: ada,
    name: "create_thread",
    body: { schemaVersion: 3, requestId: crypto.randomUUID(), roomId, title: "Opening words", message: "first said" },
  })
  t.strictSame(
    [found("opening words"), found("first said")],
    [["thread"], ["message"]],
    "a Thread and the message it was started with",
  )

  const proposal = await admit({
    actor: ada,
    name: "propose_experiment",
    body: {
      schemaVersion: 3,
      requestId: crypto.randomUUID(),
      roomId,
      threadId,
      question: "Is it larger?",
      scope: "Everywhere.",
      hypotheses: [],
    },
  })
  const { experimentId } = proposal.result as { experimentId: string }
  const amend = (revision: number, more: object) =>
    admit({
      actor: ada,
      name: "amend_experiment",
      body: {
        schemaVersion: 3,
        requestId: crypto.randomUUID(),
        experimentId,
        expectedRevision: revision,
        expectedStatus: "open",
        explanation: "Better.",
        ...more,
      },
    })
  await amend(1, { question: "Is it smaller?" })
  t.strictSame(
    [found("larger"), found("smaller"), found("everywhere")],
    [["experiment"], ["experiment"], ["experiment"]],
    "an amended question belongs to the experiment; the earlier question can still be found",
  )
  await amend(2, { hypotheses: [] })
  t.strictSame(found("smaller"), ["experiment"], "other amendments leave the question")
  db.exec("INSERT INTO search_index (search_index, rank) VALUES ('integrity-check', 1)")
  t.pass("the index agrees with every text that is stored")
  t.strictSame(checkData(db).problems, [])
})

t.test("The index survives a vacuumed copy", async (t) => {
  const { db, instance, admit, ada, threadId, folder } = await openLedger(t)
  for (const text of ["one thing", "another thing"])
    await admit({
      actor: ada,
      name: "post_message",
      params: { threadId },
      body: { schemaVersion: 3, clientMessageId: crypto.randomUUID(), text },
    })
  const before = instance.tables.search.find("thing", {}, 0, 10)
  db.exec(`VACUUM INTO '${folder}/copy.db'`)
  const { openData } = await import("../../../src/ledger/storage/opening.ts")
  const { createInstance } = await import("../../../src/app/compose/instance.ts")
  const copy = openData(`${folder}/copy.db`)
  t.same(createInstance(copy).tables.search.find("thing", {}, 0, 10), before)
  copy.db.exec("INSERT INTO search_index (search_index, rank) VALUES ('integrity-check', 1)")
  copy.db.close()
})

t.test("A prefix that too many words share is looked up as a whole word", async (t) => {
  const { instance, admit, ada, threadId } = await openLedger(t)
  const words = Array.from({ length: limits.searchBeginnings + 1 }, (_, index) => `qx${index.toString(36)}`)
  for (let next = 0; next < words.length; next += 200) {
    await admit({
      actor: ada,
      name: "post_message",
      params: { threadId },
      body: { schemaVersion: 3, clientMessageId: crypto.randomUUID(), text: words.slice(next, next + 200).join(" ") },
    })
  }
  const { search } = instance.tables
  t.strictSame(search.find("qx", {}, 0, 10), [], "qx* would match 1,001 words")
  t.equal(search.find("qx1", {}, 0, 10).length > 0, true, "fewer begin with qx1")
})

t.test("Of many matches only the newest are ranked; of very many, the newest simply come first", async (t) => {
  const { db, admit, ada, threadId } = await openLedger(t)
  const say = (text: string) =>
    admit({
      actor: ada,
      name: "post_message",
      params: { threadId },
      body: { schemaVersion: 3, clientMessageId: crypto.randomUUID(), text },
    })
  // The shorter a text, the better it matches.
  for (const length of [0, 30, 1, 20, 10]) await say(`zebra ${"and more ".repeat(length)}`)
  const lengths = (bounds: { searchRanked: number; searchWeighed: number }, offset = 0) =>
    search(db, bounds)
      .find("zebra", {}, offset, 10)
      .map(
        ({ id }) =>
          db
            .prepare<{ text: string }>(
              `SELECT coalesce(h.content ->> '$.text', h.content ->> '$.message') AS text
                FROM timeline_entries e
                JOIN journal h ON h.position = e.history_position
                WHERE e.entry_id = ? AND e.kind = 'message'`,
            )
            .get(id)?.text ?? "",
      )
      .map((text) => text.split("and more").length - 1)
  t.strictSame(lengths({ searchRanked: 6, searchWeighed: 6 }), [0, 1, 10, 20, 30], "all are ranked")
  t.strictSame(lengths({ searchRanked: 3, searchWeighed: 6 }), [1, 10, 20], "the three newest are ranked")
  t.strictSame(lengths({ searchRanked: 3, searchWeighed: 5 }), [10, 20, 1, 30, 0], "none is ranked")
  t.strictSame(lengths({ searchRanked: 3, searchWeighed: 5 }, 3), [30, 0], "and paging continues")
})
