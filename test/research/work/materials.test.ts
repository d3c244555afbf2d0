/**
 * Materials: each known once by its content, wherever it is registered; reported on by members of Rooms that registered
 * it.
 */
import type { ResearchRoomClient, WriteInput } from "research-room/client"
import t from "tap"
import { launch, nobody, sha256 } from "../../support/bodies.ts"
import { openInside, refusalOf } from "../../support/lab.ts"
import { experimentIn, leadTo, planFor } from "./situations.ts"

const lab = await openInside(t, { people: ["ada", "grace", "mary", "anna"] })
const { reader } = lab
const first = await lab.room("First", ["ada", "grace"])
const second = await lab.room("Second", ["mary", "anna"])
const inFirst = (more: Partial<WriteInput<"register_material">>) =>
  first.ada.write("register_material", { roomId: first.roomId, reference: sha256("1"), name: "Counts", ...more })
const inSecond = (more: Partial<WriteInput<"register_material">>) =>
  second.mary.write("register_material", { roomId: second.roomId, reference: sha256("1"), name: "Counts", ...more })

// shows: A material keeps the label of the Room that registered it first; elsewhere it is marked, with that Room.
t.test("the same reference is the same material, in one Room and across Rooms, and takes no label", async (t) => {
  const own = await inFirst({
    name: "Counts of the first",
    description: "As registered first.",
    sizeBytes: 412,
    mediaType: "application/json",
  })
  t.match(own, {
    result: { label: "M1", existing: false },
    target: { kind: "material", label: "M1" },
    targetId: own.result.materialId,
  })
  const { materialId } = own.result
  t.match(await inFirst({ name: "Another name" }), { result: { materialId, label: "M1", existing: true } })
  t.match(await inSecond({ name: "Another name", sizeBytes: 1 }), {
    roomId: second.roomId,
    result: { materialId, label: "M1", existing: true },
  })
  t.match(
    (await inSecond({ reference: sha256("2") })).result,
    { label: "M1", existing: false },
    "the second Room's own first label",
  )
  t.match((await inFirst({ reference: sha256("3") })).result, { label: "M2", existing: false }, "no label was used up")

  const read = await reader.read("material", { materialId })
  t.match(read, {
    label: "M1",
    name: "Counts of the first",
    sizeBytes: 412,
    materialOriginRoom: first.roomId,
    labelFromOtherRoom: false,
    content: { name: "Counts of the first" },
  })
  const here = (await reader.read("room_materials", { roomId: first.roomId })).items
  t.match(
    here.map(({ label, labelFromOtherRoom }) => `${label} ${labelFromOtherRoom}`),
    ["M1 false", "M2 false"],
  )
  const there = (await reader.read("room_materials", { roomId: second.roomId })).items
  t.match(
    there.map(({ label, labelFromOtherRoom, materialOriginRoom }) => [label, labelFromOtherRoom, materialOriginRoom]),
    [
      ["M1", true, first.roomId],
      ["M1", false, second.roomId],
    ],
  )
  t.match((await reader.read("room", { roomId: first.roomId })).counts, { material: 2 })
  t.match((await reader.read("room", { roomId: second.roomId })).counts, { material: 1 })
})

// shows: A grant limited to Threads applies to what originated there.
// shows: skill: material_thread
t.test("materials and Threads", async (t) => {
  const { threadId: aside } = (await first.ada.write("create_thread", { roomId: first.roomId, title: "Aside" })).result
  t.equal((await inFirst({ reference: sha256("4") })).threadId, first.threadId, "the opening Thread if none is named")
  t.equal((await inFirst({ reference: sha256("5"), threadId: aside })).threadId, aside)
  t.match(
    await refusalOf(inFirst({ reference: sha256("6"), threadId: second.threadId })),
    { status: 404, refusal: "room_unavailable" },
    "a Thread of another Room",
  )
  t.match(await refusalOf(inFirst({ reference: sha256("6"), threadId: nobody })), {
    status: 404,
    refusal: "room_unavailable",
  })
})

// shows: Materials are found by valuesDigest.
t.test("materials with the same values are found by their digest", async (t) => {
  const valuesDigest = sha256("a")
  for (const digit of ["7", "8", "9"]) await inFirst({ reference: sha256(digit), valuesDigest })
  await inSecond({ reference: `hf://datasets/lab/counts@${"b".repeat(40)}/part.parquet`, valuesDigest })
  await inFirst({ reference: sha256("b"), valuesDigest: sha256("b") })
  const found = await reader.read("materials", { valuesDigest })
  t.equal(found.items.length, 4, "from every Room")
  t.ok(found.items.every((material) => material.valuesDigest === valuesDigest && !material.labelFromOtherRoom))
  const pages: number[] = []
  for await (const page of reader.pages("materials", { valuesDigest, limit: 3 })) pages.push(page.items.length)
  t.same(pages, [3, 1])
  t.same((await reader.read("materials", { valuesDigest: sha256("c") })).items, [])
  t.match(await refusalOf(reader.read("materials", { valuesDigest: "a".repeat(64) })), {
    status: 422,
    refusal: "invalid_parameter",
    issues: [{ path: "/valuesDigest" }],
  })
  const all: string[] = []
  for await (const { materialId } of reader.items("materials", { limit: 4 })) all.push(materialId)
  t.same(all, [...new Set(all)].sort(), "each once, in the order of their ids")
  t.ok(all.length > 8)
})

// shows: A material is referenced by digest or a pinned reference.
t.test("references that are accepted, and those that are not", async (t) => {
  const [forty, sixtyFour] = ["0123456789abcdef0123456789abcdef01234567", "0123456789abcdef".repeat(4)]
  const good = [
    `sha256:${sixtyFour}`,
    `hf://models/lab/model@${forty}`,
    `hf://datasets/lab/data@${forty}/a/b c.json`.replace(" ", "%20"),
    `hf://spaces/lab/app@${forty}`,
    `git://git.example.org/lab/work@${forty}`,
    `git://git.example.org/lab/work@${sixtyFour}`,
    `git://git.example.org:9418/lab/work@${forty}/data/α.csv`,
  ]
  const bad = [
    "",
    "sha256:",
    `sha256:${"A".repeat(64)}`,
    `sha256:${"a".repeat(63)}`,
    `sha256:${"a".repeat(65)}`,
    `SHA256:${sixtyFour}`,
    `sha512:${sixtyFour}`,
    sixtyFour,
    ` sha256:${sixtyFour}`,
    `sha256:${sixtyFour}\n`,
    `hf://models/lab/model@main`,
    `hf://models/lab/model@${sixtyFour}`,
    `hf://models/lab/model`,
    `hf://things/lab/model@${forty}`,
    `hf://models/model@${forty}`,
    `hf://models/lab/model@${forty}/`,
    `hf://models/lab/model@${forty}/a b`,
    `git://git.example.org/lab/work@HEAD`,
    `git://git.example.org/lab/work@${forty.toUpperCase()}`,
    `git://git.example.org/lab/work@${"a".repeat(41)}`,
    `git://git.example.org/work@${forty}`,
    `git:///lab/work@${forty}`,
    `git://-/lab/work@${forty}`,
    `git://user@git.example.org/lab/work@${forty}`,
    `git+https://git.example.org/lab/work@${forty}`,
    `https://git.example.org/lab/work@${forty}`,
    `git://git.example.org/lab/work@${forty}/\u0000`,
    `git://git.example.org/lab/work@${forty}/\uD800`,
  ]
  for (const reference of good) {
    const { result } = await first.ada.write("register_material", { roomId: first.roomId, reference, name: "Good" })
    const read = await reader.read("material", { materialId: result.materialId })
    t.match(read, { reference, digest: reference.startsWith("sha256:") ? reference : null }, reference)
  }
  for (const reference of bad) {
    t.match(
      await refusalOf(inFirst({ reference })),
      { status: 422, refusal: "invalid_schema", issues: [{ path: "/reference" }] },
      JSON.stringify(reference),
    )
  }
  for (const uri of [
    "https://a",
    "s3://bucket/key",
    "gs://bucket/key",
    "hf://models/a/b",
    "git://host/a/b",
    "doi:10.5281/zenodo.1",
    "ipfs:QmX",
    "ipfs://QmX/a",
    "https://a/~ada@lab?by=ada@lab#ada@lab",
    "hf://datasets/a/b@0123456789012345678901234567890123456789",
    "doi:10.5281/a@b",
  ]) {
    t.match(
      await first.ada.write(
        "register_material",
        { roomId: first.roomId, reference: sha256("1"), name: "Counts", location: uri },
        { rehearse: true },
      ),
      { rehearsed: true } as object,
      uri,
    )
  }
  for (const uri of [
    "http://a",
    "ftp://a",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "https:",
    "https://a b",
    "//a",
    "HTTPS://a",
  ]) {
    t.match(
      await refusalOf(inFirst({ location: uri })),
      { refusal: "invalid_schema", issues: [{ path: "/location" }] },
      uri,
    )
  }
  // A location is public, so it must not contain a user or password, however a URL parser would find them.
  for (const uri of [
    "https://ada:secret@a/d",
    "https://ada@a",
    "https:ada:secret@a/d",
    "https:/ada:secret@a/d",
    "https:\\\\ada:secret@a/d",
    "https://a\\@b/d",
    "https:///ada:secret@a",
    "s3://key:secret@bucket/key",
    "git://ada@host/a/b",
    "git:ada@host/a/b",
  ]) {
    t.match(
      await refusalOf(inFirst({ location: uri })),
      { refusal: "invalid_schema", issues: [{ path: "/location" }] },
      uri,
    )
  }
})

t.test("members of a Room that has registered a material report on it there", async (t) => {
  const { materialId } = (await inFirst({ reference: sha256("d") })).result
  const report = (who: ResearchRoomClient, more: Partial<WriteInput<"report_material_location">> = {}) =>
    who.write("report_material_location", { materialId, uri: "https://example.org/d", state: "available", ...more })
  const seen = async () => (await reader.read("material", { materialId })).obtainability

  t.equal(await seen(), "unreported")
  t.match(await report(first.grace), { roomId: first.roomId, result: { materialId, obtainability: "obtainable" } })
  t.match(
    await refusalOf(report(second.mary)),
    { status: 403, refusal: "not_a_member" },
    "a Room that did not register it",
  )
  await inSecond({ reference: sha256("d") })
  t.match(await report(second.mary, { state: "restricted", explanation: "Asks for a name." }), {
    roomId: second.roomId,
    threadId: second.threadId,
    result: { obtainability: "disputed" },
  })
  t.match(
    await report(first.grace, { state: "restricted" }),
    { result: { obtainability: "restricted" } },
    "both say the same now",
  )
  t.match(
    await report(second.mary, { state: "restricted", observedDigest: sha256("e") }),
    { result: { obtainability: "disputed" } },
    "not what the reference promises",
  )
  t.match(await report(second.mary, { state: "unavailable" }), { result: { obtainability: "disputed" } })
  t.match(await report(first.grace, { state: "unavailable" }), { result: { obtainability: "unobtainable" } })

  const { locations } = await reader.read("material", { materialId })
  t.same(
    locations.map(({ reporter, state }) => `${reporter.username} ${state}`),
    [
      "grace unavailable",
      "mary unavailable",
      "mary restricted",
      "grace restricted",
      "mary restricted",
      "grace available",
    ],
    "newest first, none lost",
  )
  t.match(locations[4], { roomId: second.roomId, explanation: "Asks for a name.", observedDigest: null })
})

t.test("people in the browser report in a Room they belong to", async (t) => {
  const { materialId } = (await inFirst({ reference: sha256("e") })).result
  const report = (who: "ada" | "anna") =>
    lab.write(who, "report_material_location", { materialId, uri: "https://example.org/e", state: "available" })
  await t.rejects(report("anna"), { code: "not_a_member" }, "none of her Rooms registered it")
  await inSecond({ reference: sha256("e") })
  t.match(await report("anna"), { roomId: second.roomId }, "her own Room, not the one that registered it first")
  t.match(await report("ada"), { roomId: first.roomId })
  await lab.write("ada", "add_member", { roomId: first.roomId, username: "anna" })
  t.match(await report("anna"), { roomId: first.roomId }, "of several Rooms, the one that registered it first")
  await lab.archive(first.roomId)
  t.match(await report("anna"), { roomId: second.roomId }, "unless that one is archived")
  await t.rejects(report("ada"), { code: "room_unavailable" })
  await lab.restore(first.roomId)
})

// shows: Attempts consume and produce materials, plans require them.
t.test("consumers, producers and plans that require it are counted over all Rooms", async (t) => {
  const { materialId, label } = (await inFirst({ reference: sha256("0") })).result
  const client = second.mary
  const required = [{ materialId, purpose: "It is what is counted." }]
  const { planId, made } = await planFor(await experimentIn("claimed", second, second.anna, client), client, {
    requiredMaterials: required,
  })
  const attemptId = crypto.randomUUID()
  const receipt = await client.write("register_attempt", {
    attemptId,
    experimentId: made.experimentId,
    intent: "planned",
    planId,
    ...made.expected,
    ...launch,
    inputs: [
      { materialId, name: "counts" },
      { materialId, name: "again" },
    ],
  })
  const guard = await leadTo("started", attemptId, client)
  const outputs = [{ outputLabel: "copy", digest: sha256("0"), materialId }]
  await client.write("report_attempt_event", {
    attemptId,
    ...guard,
    event: "succeeded",
    reportedAt: "2026-11-20T09:30:00Z",
    outputs,
  })

  const read = await reader.read("material", { materialId })
  // As seen from the material's own Room.
  const elsewhere = { labelFromOtherRoom: true, originRoomId: second.roomId }
  const own = { id: attemptId, label: receipt.result.label, roomId: second.roomId, ...elsewhere }
  t.same(read.consumedBy, {
    total: 2,
    items: [
      { ...own, name: "counts" },
      { ...own, name: "again" },
    ],
  })
  t.same(read.producedBy, { total: 1, items: [{ ...own, name: "copy" }] })
  t.same(read.requiredBy, {
    total: 1,
    items: [{ id: planId, label: "P1", roomId: second.roomId, ...elsewhere, name: "It is what is counted." }],
  })
  const attempt = await reader.read("attempt", { attemptId })
  t.match(
    attempt.inputs[0]?.material,
    { label, labelFromOtherRoom: true, materialOriginRoom: first.roomId },
    "seen from the second Room, its label is from another Room",
  )
  t.match(attempt.planMatch, { materialsMatchPlan: true, deviations: [] })
  t.match((await reader.read("plan", { planId })).requiredMaterials, [
    { material: { label, labelFromOtherRoom: true }, purpose: "It is what is counted." },
  ])
})
