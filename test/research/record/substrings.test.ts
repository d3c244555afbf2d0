/**
 * Lists of concepts and Rooms that are searched by an index find the same items in the same order, page by page, as a
 * comparison of every text.
 */
import fc from "fast-check"
import t from "tap"
import { checkData } from "../../../src/check/check.ts"
import { folded } from "../../../src/contract/folding.ts"
import { openReadConnection, openDatabase } from "../../../src/ledger/storage/opening.ts"
import { substrings } from "../../../src/ledger/lists/substrings.ts"
import { hypothesis } from "../../support/bodies.ts"
import { everyItem, openLab } from "../../support/lab.ts"

/**
 * Few characters, so that texts share much: both letter cases, multibyte characters, and everything with a meaning in
 * patterns or queries.
 */
const signs = [
  "a",
  "A",
  "b",
  "B",
  "ä",
  "Ä",
  "İ",
  "ſ",
  "ß",
  "\u0301",
  "漢",
  "😀",
  "%",
  "_",
  "\\",
  '"',
  "'",
  "*",
  " ",
  "\n",
] as const
const words = (most: number) =>
  fc.array(fc.constantFrom(...signs), { minLength: 1, maxLength: most }).map((all) => all.join(""))
/** Generates a part of a written text in the other letter case, or any text. */
const asked = (written: readonly string[]) =>
  fc.oneof(
    words(5),
    fc
      .tuple(fc.constantFrom(...written), fc.nat(30), fc.integer({ min: 1, max: 8 }), fc.boolean())
      .map(([text, from, length, up]) => {
        const part = [...text]
          .slice(from % [...text].length)
          .slice(0, length)
          .join("")
        return up
          ? part.replace(/[a-z]/g, (letter) => letter.toUpperCase())
          : part.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
      }),
  )

// shows: Concepts are listed and searched.
t.test("concepts and Rooms are searched over HTTP, some of them amended", async (t) => {
  const lab = await openLab(t)
  const room = await lab.room("The first")
  const written: string[] = ["The first", "until 100% of it"]
  const texts = fc.sample(words(14), { seed: 14, numRuns: 120 }).map((text) => `${text}.`)
  for (let at = 0; at < texts.length; at += 4) {
    const [label = "", definition = "", title = "", question = ""] = texts.slice(at, at + 4)
    written.push(label, definition, title, question)
    const concepts = {
      lowers: { label, definition },
      [`key_${at}`]: { label: definition, definition: "until 100% of it" },
    }
    await room.ada.write("publish_hypothesis", hypothesis(room, { concepts }))
    const { roomId } = (await lab.ada.write("create_room", { title })).result
    if (at % 8 === 0) await lab.ada.write("amend_room", { roomId, title: question, question: label })
  }
  const aside = openReadConnection(lab.file)
  t.teardown(() => aside.close())
  interface Named {
    readonly name: string
    readonly texts: string
  }
  const all = aside.prepare<Named>(
    `SELECT version_id || ' ' || key AS name, json_array(key, label, definition) AS texts FROM concepts
     ORDER BY version_id DESC, key DESC`,
  )
  const rooms = aside.prepare<Named>(
    "SELECT room_id AS name, json_array(title, question) AS texts FROM rooms ORDER BY room_id DESC",
  )
  const due = (named: readonly Named[], query: string) =>
    named.flatMap(({ name, texts }) =>
      (JSON.parse(texts) as (string | null)[]).some((text) => folded(text ?? "").includes(folded(query))) ? [name] : [],
    )
  await fc.assert(
    fc.asyncProperty(asked(written), fc.integer({ min: 7, max: 50 }), async (query, limit) => {
      const concepts = await everyItem(lab.reader.items("concepts", { query, limit }))
      t.strictSame(
        concepts.map(({ versionId, key }) => `${versionId} ${key}`),
        due(all.all(), query),
      )
      const found = await everyItem(lab.reader.items("rooms", { query, limit }))
      t.strictSame(
        found.map(({ roomId }) => roomId),
        due(rooms.all(), query),
      )
    }),
    { numRuns: 150, seed: 14 },
  )
  t.strictSame(checkData(aside).problems, [], "and a replay of the history builds the same indexes")
})

t.test(
  "a query that is too short for the index or occurs nowhere is searched in steps along the list, and everything " +
    "is found",
  async (t) => {
    const lab = await openLab(t)
    const room = await lab.room()
    const record = (await room.ada.write("publish_hypothesis", hypothesis(room))).result.versionId
    const db = openDatabase(lab.file)
    const ids = Array.from({ length: 6_000 }, (_, n) => `0190aaaa-0000-7000-8000-${n.toString(16).padStart(12, "0")}`)
    const definition = "Nothing of it stands here. ".repeat(20)
    db.exec("BEGIN")
    {
      const row = db.prepare<Record<string, string>>("SELECT * FROM records WHERE version_id = ?").one(record)
      const copy = db.prepare(
        `INSERT INTO records (${Object.keys(row).join(", ")}) VALUES (${Object.keys(row)
          .map(() => "?")
          .join(", ")})`,
      )
      const define = db.prepare("INSERT INTO concepts (version_id, key, label, definition) VALUES (?, 'made', ?, ?)")
      for (const [n, id] of ids.entries()) {
        copy.run(
          ...Object.entries({ ...row, version_id: id, entry_id: id, label: `H${n + 100}` }).map(([, value]) => value),
        )
        define.run(id, n === 3 || n === 5_990 ? "qx" : "so", definition)
      }
      const rooms = db.prepare(
        `INSERT INTO rooms (room_id, title, question, owner_id, opening_thread_id, created_at, state)
          SELECT ?, ?, ?, owner_id, opening_thread_id, created_at, state
          FROM rooms
          WHERE room_id = ?`,
      )
      for (const [n, id] of ids.entries()) rooms.run(id, n === 3 || n === 5_990 ? "QX" : "so", definition, room.roomId)
    }
    db.exec("COMMIT")
    db.close()
    const pages = async (name: "concepts" | "rooms", query: string) => {
      const found: number[] = []
      for (let after: string | undefined; ; ) {
        const page = await lab.reader.read(name, { query, ...(after === undefined ? {} : { after }) })
        found.push(page.items.length)
        t.equal(page.hasMore, page.nextCursor !== null)
        if (page.nextCursor === null) return found
        after = page.nextCursor as string
      }
    }
    for (const name of ["concepts", "rooms"] as const) {
      const [first, ...others] = await pages(name, "qx")
      t.equal(first, 1, `${name}: the newest is found at once`)
      t.ok(
        others.length > 0 && others.length < 6 && others.reduce((sum, count) => sum + count, 0) === 1,
        `then the other: ${others.join(", ")}`,
      )
      const nowhere = await pages(name, "zzqxj")
      t.strictSame(nowhere, [0], "a query that the index rules out compares no texts")
    }
    const shown = await (await fetch(`${lab.house.baseUrl}/concepts?query=zq`)).text()
    t.match(shown, /No newer concept contains/)
    t.match(shown, /rel="next"/)
  },
)

t.test("the index gives every text that contains a query, or says that there may be too many", (t) => {
  fc.assert(
    fc.property(
      fc.array(words(20), { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 1, max: 6 }),
      fc.gen(),
      (texts, most, g) => {
        const db = openDatabase(":memory:")
        try {
          const write = db.prepare("INSERT INTO concept_trigrams (rowid, text) VALUES (?, ?)")
          texts.forEach((text, item) => write.run(item, folded(text)))
          const query = folded(g(asked, texts))
          const among = substrings(db, "concept_trigrams", [most]).among(query)
          if (among === undefined) return
          const found = db
            .prepare<{ item: number }>("SELECT rowid AS item FROM concept_trigrams WHERE concept_trigrams MATCH ?")
            .all(among)
          const due = [...texts.keys()].filter((item) => folded(texts[item] ?? "").includes(query))
          const items = new Set(found.map(({ item }) => item))
          t.ok(due.every((item) => items.has(item)) && items.size < most, JSON.stringify({ query, most, among }))
        } finally {
          db.close()
        }
      },
    ),
    { numRuns: 60 },
  )
  t.end()
})
