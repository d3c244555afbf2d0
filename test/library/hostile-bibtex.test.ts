/** BibTeX made to cost as much as possible: it is refused, nothing of it is kept, and nobody else waits for it. */
import { monitorEventLoopDelay } from "node:perf_hooks"
import t from "tap"
import { limits } from "../../src/contract/limits.ts"
import { bibtexFiles } from "../reliability/hostile/files.ts"
import { collectionOf, paperId, refused, openLibrary } from "./library.ts"

const lab = await openLibrary(t)
const collectionId = await collectionOf(lab.ada, "Hostile")

t.test("Each kind is read or refused in bounded time, and nothing of a refused one is kept", async (t) => {
  const costly = ["doubling", "doublingFar", "oneStringOften"]
  for (const name of costly) {
    const text = bibtexFiles[name]?.() as string
    const refusal = await refused(lab.ada.write("import_papers", { collectionId, text }))
    t.match(refusal, { status: 422, refusal: "invalid_request", issues: ["/text"] }, name)
  }
  const { items } = await lab.ada.read("library_collection", { collectionId })
  t.strictSame(items, [], "the Collection is unchanged")
  const { result } = await lab.ada.write("import_papers", {
    collectionId,
    text: `@misc{a, title={One}, eprint={${paperId(1)}}}`,
  })
  t.strictSame(result.unreadable, [], "and the next import works")
})

t.test("What the parser is slow at ends in time, and one entry of it is read", async (t) => {
  for (const name of ["quotesOpened", "dots", "ofJabRef", "paragraphs", "cases", "monthsAdded"]) {
    const text = bibtexFiles[name]?.() as string
    const whole = await lab.ada
      .write("import_papers", { collectionId: await collectionOf(lab.ada, `Slow ${name}`), text })
      .then(() => "read")
      .catch((error) => error.refusal)
    t.ok(["read", "invalid_request"].includes(whole), `${name}: ${whole}`)
    const entries = text.split(/^(?=@)/m)
    const { result } = await lab.ada.write("import_papers", { collectionId, text: `${entries[0]}${entries.at(-1)}` })
    t.strictSame(result.unreadable, [], `one entry of ${name} is read`)
  }
})

t.test("Others can read and write meanwhile without waiting", async (t) => {
  const delay = monitorEventLoopDelay({ resolution: 5 })
  const text = bibtexFiles.nestedInFormula?.() as string
  let isDone = false
  const importing = lab.grace
    .write("import_papers", { collectionId: await collectionOf(lab.grace, "Long"), text })
    .catch(() => undefined)
    .finally(() => (isDone = true))
  delay.enable()
  let others = 0
  while (!isDone) {
    await lab.mary.write("create_collection", { name: `Beside ${others}` }).catch(() => undefined)
    others += 1
  }
  delay.disable()
  await importing
  t.ok(others > 5, `${others} writes in the meantime`)
  t.ok(delay.max < 2_000e6, `the longest wait was ${(delay.max / 1e6).toFixed(0)} ms`)
})

t.test("Of many at once, those beyond the limit are told when to come back", async (t) => {
  const text = bibtexFiles.openEntries?.() as string
  const places = limits.parsingProcesses + limits.parsingWaiting
  const all = await Promise.all(
    Array.from({ length: places + 3 }, () =>
      lab.ada.request("POST", "/api/library/import_papers", {
        collectionId,
        schemaVersion: 1,
        requestId: crypto.randomUUID(),
        text,
      }),
    ),
  )
  const turnedAway = all.filter(({ status }) => status === 503)
  t.equal(turnedAway.length, 3)
  t.ok(turnedAway.every(({ headers }) => Number(headers.get("retry-after")) > 0))
})
