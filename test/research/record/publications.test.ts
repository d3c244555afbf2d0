/** Cited claims, a paper's records, and lists of publications. */
import t from "tap"
import { page } from "../../../src/contract/answers/parts.ts"
import { recordSummary } from "../../../src/contract/nouns/record-answers.ts"
import { check } from "../../../src/contract/schema/validation.ts"
import { because, claim, finding, hypothesis } from "../../support/bodies.ts"
import { holds } from "./holds.ts"
import { everyItem, openLab, refusedAs } from "../../support/lab.ts"

const lab = await openLab(t)
const { reader, house } = lab
const room = await lab.room()

/** Returns the labels of a paper's records, for a path sent exactly as given. */
async function labelsAt(path: string): Promise<string[]> {
  const response = await fetch(`${house.baseUrl}/api/research/papers/${path}/publications`)
  const body = (await response.json()) as { items: { label: string }[] }
  const checked = check(page(recordSummary), body)
  if (!checked.ok) throw new Error(`${path}: ${JSON.stringify(body)}`)
  return body.items.map(({ label }) => label)
}

t.test("a cited claim quotes a paper and gives the location of the quote", async (t) => {
  const body = claim(room, {
    paper: { arxivId: "1706.03762v5", version: 5 },
    locator: { section: "5.3", page: "7", figure: "2" },
  })
  const { target, result, warnings } = await room.grace.write("publish_cited_claim", body)
  holds(t, target, { kind: "cited_claim", label: "C1" })
  t.strictSame(warnings, [])
  const record = await lab.record(result)
  holds(t, record, {
    kind: "cited_claim",
    label: "C1",
    status: "current",
    notices: [],
    outcome: null,
    execution: null,
    materials: [],
    warnings: [],
    premises: [],
    references: [],
    provenanceSummary: "A claim of a paper, quoted by its author.",
    usedBy: { premises: 0, references: 0, evidence: 0, reuses: 0 },
    content: { paper: { arxivId: "1706.03762", version: 5 }, quote: body.quote, locator: body.locator },
  })
  const locator = { chapter: "1" } as never
  t.equal(
    await refusedAs(
      room.ada.write(
        "publish_cited_claim",
        claim(room, { locator, quote: " ", paper: { arxivId: "17060.3762", version: 0 } }),
      ),
    ),
    "422 invalid_schema /paper/arxivId /paper/version /quote /locator/chapter",
  )
})

// shows: Publications are listed of all Rooms, of one, and of a paper.
t.test("ids of the new and the old style, with the slash plain or escaped", async (t) => {
  const made: Record<string, string[]> = {}
  for (const arxivId of [
    "2401.01234",
    "0704.0001",
    "hep-th/9901001",
    "math.GT/0309136",
    "alg-geom/9202001",
    "cs.CL/0701001",
    "supr-con/9608001",
  ]) {
    made[arxivId] = [(await room.ada.write("publish_cited_claim", claim(room, { paper: { arxivId } }))).result.label]
  }
  for (const path of ["2401.01234", "2401.01234v2"]) t.strictSame(await labelsAt(path), made["2401.01234"], path)
  t.strictSame(await labelsAt("0704.0001"), made["0704.0001"])
  for (const path of ["hep-th/9901001", "hep-th%2F9901001", "hep-th%2f9901001", "hep-th/9901001v3"])
    t.strictSame(await labelsAt(path), made["hep-th/9901001"], path)
  for (const path of ["math.GT/0309136", "math.GT%2F0309136", "math/0309136"])
    t.strictSame(await labelsAt(path), made["math.GT/0309136"], path)
  t.strictSame(
    (await reader.read("paper_publications", { arxivId: "hep-th/9901001" })).items.map(({ label }) => label),
    made["hep-th/9901001"],
    "and by the client",
  )
  t.strictSame(await labelsAt("2401.99999"), [], "a paper that nobody quoted has no records")
  for (const arxivId of [
    "nonsense",
    "2413.01234",
    "hep-th/99010",
    "x/y/z",
    "hep-th/9913001",
    "hep-th/9900001",
    "hep-th/8901001",
    "hep-th/1001001",
    "hep-th.AG/9901001",
    "hep-xx/9901001",
    "history/9901001",
    "q-fin/0901001",
  ])
    t.equal(await refusedAs(reader.read("paper_publications", { arxivId })), "422 invalid_parameter /arxivId")
  const post = await fetch(`${house.baseUrl}/api/research/papers/hep-th/9901001/publications`, { method: "POST" })
  t.strictSame([post.status, post.headers.get("allow")], [405, "GET, HEAD, OPTIONS"], "the longer path is a read too")
})

t.test("a paper's records include findings that quote it or come from it, each once, newest first", async (t) => {
  const paper = (arxivId: string) => ({ kind: "paper", arxivId, locator: {}, quote: "So." }) as const
  const labelOf = async (more: Parameters<typeof finding>[1]) =>
    (await room.ada.write("publish_finding", finding(room, more))).result.label
  const labels = [
    await labelOf({ evidence: [paper("2305.00001"), paper("2305.00001v2")] }),
    await labelOf({ provenance: { papers: ["arXiv:2305.00001v4", "A talk on 2305.00001"] } }),
    await labelOf({ provenance: { papers: ["https://arxiv.org/abs/2305.00001"] }, evidence: [paper("2305.00001")] }),
    (await room.ada.write("publish_cited_claim", claim(room, { paper: { arxivId: "2305.00001" } }))).result.label,
  ]
  await labelOf({ provenance: { papers: ["2305.00001 and others"] } })
  t.strictSame(await labelsAt("2305.00001"), labels.toReversed())
  const pages = await everyItem(reader.pages("paper_publications", { arxivId: "2305.00001", limit: 3 }))
  t.strictSame(
    pages.map(({ items, nextCursor, hasMore }) => [items.length, nextCursor, hasMore]),
    [
      [3, 3, true],
      [1, null, false],
    ],
    "paged by offset",
  )
  t.match(pages[0]?.links.next, /\/api\/research\/papers\/2305\.00001\/publications\?.*after=3/)
  t.strictSame(
    pages.flatMap(({ items }) => items.map(({ label }) => label)),
    labels.toReversed(),
  )
})

// shows: Publications carry status, notices and a summary of where they come from.
// shows: Publications are listed of all Rooms, of one, and of a paper.
t.test(
  "lists of publications: of all Rooms and of one, newest first, page by page, each with its current status",
  async (t) => {
    const own = await lab.room()
    const first = (await own.ada.write("publish_hypothesis", hypothesis(own))).result
    const made = [first]
    for (let more = 0; more < 3; more += 1) {
      made.push((await own.grace.write("publish_finding", finding(own, {}, `Finding ${more}`))).result)
      made.push((await own.mary.write("publish_cited_claim", claim(own, {}, `Claim ${more}`))).result)
    }
    await own.mary.write("assert_dispute", { targetVersionId: first.versionId, explanation: because })
    const all = made.map(({ label }) => label).toReversed()
    const pages = await everyItem(reader.pages("room_publications", { roomId: own.roomId, limit: 3 }))
    t.strictSame(
      pages.map(({ items }) => items.map(({ label }) => label)),
      [all.slice(0, 3), all.slice(3, 6), all.slice(6)],
    )
    holds(t, pages.at(-1)?.items, [
      {
        ...first,
        status: "disputed",
        notices: [
          {
            kind: "disputes",
            label: "L1",
            explanation: because,
            author: { username: "mary" },
            replacementVersionId: null,
            correction: null,
          },
        ],
        wording: "A ramp lowers the loss.",
        provenanceSummary: /prediction/,
        outcome: null,
      },
    ])

    const later = (await own.ada.write("publish_finding", finding(own))).result
    const onwards = await reader.read("room_publications", {
      roomId: own.roomId,
      limit: 3,
      after: pages[0]?.nextCursor as string,
    })
    t.strictSame(
      onwards.items.map(({ label }) => label),
      all.slice(3, 6),
      "records published meanwhile shift nothing between pages",
    )
    const everywhere = await everyItem(reader.items("publications", { limit: 50 }))
    t.strictSame(
      everywhere.slice(0, 8).map(({ versionId }) => versionId),
      [later, ...made.toReversed()].map(({ versionId }) => versionId),
    )
    t.ok(
      everywhere.some(({ roomId }) => roomId === room.roomId) &&
        everywhere.some(({ roomId }) => roomId === house.rooms.main.roomId),
      "of every Room",
    )
    t.equal(new Set(everywhere.map(({ versionId }) => versionId)).size, everywhere.length, "each once")
    for (const after of ["x", Buffer.from("[1]").toString("base64url"), first.versionId])
      t.equal(await refusedAs(reader.read("publications", { after })), "422 invalid_parameter /after")
    t.equal(await refusedAs(reader.read("room_publications", { roomId: crypto.randomUUID() })), "404 room_unavailable")
  },
)

t.test("the hypotheses list, and a record read under both of its paths", async (t) => {
  const own = await lab.room()
  const labels: string[] = []
  for (let made = 0; made < 3; made += 1)
    labels.push((await own.ada.write("publish_hypothesis", hypothesis(own))).result.label)
  await own.ada.write("publish_finding", finding(own))
  t.strictSame(
    (await everyItem(reader.items("hypotheses", { roomId: own.roomId, limit: 1 }))).map(({ label }) => label),
    labels,
    "in the order they were published, hypotheses only",
  )
  const [second] = (await reader.read("hypotheses", { roomId: own.roomId, label: "H2" })).items
  t.equal(second?.label, "H2")
  t.equal(await refusedAs(reader.read("hypotheses", { label: "H2" })), "422 invalid_parameter /roomId")
  const versionId = second?.versionId ?? ""
  t.strictSame(
    await reader.read("hypothesis", { versionId }),
    await reader.read("record", { versionId: versionId.toUpperCase() }),
  )
  const { versionId: found } = (await reader.read("room_publications", { roomId: own.roomId, limit: 1 })).items[0] as {
    versionId: string
  }
  t.equal(
    await refusedAs(reader.read("hypothesis", { versionId: found })),
    "404 unknown_record",
    "a finding is not a hypothesis",
  )
  t.equal(await refusedAs(reader.read("record", { versionId: "F1" })), "404 unknown_record")
})

t.test("a card appears in the timeline, the list of records and the publications", async (t) => {
  const own = await lab.room()
  const client = { name: "finder", version: "2" }
  const { result, entry } = await own.ada.write("publish_finding", { ...finding(own), client })
  const shown = { versionId: result.versionId, kind: "finding", label: "F1", status: "current", notices: [] }
  const cards = (await reader.read("thread_records", { threadId: own.threadId })).items
  holds(t, cards, [
    { entryId: entry?.entryId, kind: "publication", card: { ...shown, reused: false, note: null, client } },
  ])
  holds(t, (await reader.read("thread_timeline", { threadId: own.threadId, kinds: ["publication"] })).items, cards)
  holds(t, (await reader.read("room_publications", { roomId: own.roomId })).items, [
    { ...shown, outcome: "positive", provenanceSummary: /^Paperless results/, wording: finding(own).assertion.wording },
  ])
  holds(t, (await reader.read("publications", { limit: 1 })).items, [shown])
  t.strictSame((await lab.record(result)).client, client)
  t.notOk("client" in (await lab.record(result)).content, "content is compared and digested without client")
})
