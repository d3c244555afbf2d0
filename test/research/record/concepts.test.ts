/** Concepts: each read by its record and key, and all in a searchable list. */
import t from "tap"
import { hypothesis, nobody } from "../../support/bodies.ts"
import { everyItem, openLab, refusedAs } from "../../support/lab.ts"

const lab = await openLab(t)
const { reader } = lab
const room = await lab.room()
const { roomId } = room

const lowers = { label: "lowers", definition: "Makes the mean smaller." }
const define = async (concepts: Record<string, { label: string; definition: string }>) =>
  (await room.ada.write("publish_hypothesis", hypothesis(room, { concepts: { lowers, ...concepts } }))).result
const namesOf = (items: readonly { recordLabel: string; key: string }[]) =>
  items.map(({ recordLabel, key }) => `${recordLabel} ${key}`)

// shows: Concepts are read by record and key.
t.test("a concept is read by its record and key", async (t) => {
  const { versionId, label } = await define({ constructor_x: { label: "Ἀρχή 100%_", definition: "A beginning." } })
  const concept = await reader.read("record_concept", { versionId: versionId.toUpperCase(), key: "constructor_x" })
  t.strictSame(concept, {
    schemaVersion: 3,
    versionId,
    key: "constructor_x",
    label: "Ἀρχή 100%_",
    definition: "A beginning.",
    recordLabel: label,
    recordKind: "hypothesis",
    roomId,
  })
  for (const key of ["raises", "CONSTRUCTOR_X", "constructor"])
    t.equal(await refusedAs(reader.read("record_concept", { versionId, key })), "404 room_unavailable", key)
  t.equal(await refusedAs(reader.read("record_concept", { versionId: nobody, key: "lowers" })), "404 unknown_record")
})

t.test("another record borrows a concept by reference", async (t) => {
  const base = await define({ warm_up: { label: "warm-up", definition: "A ramp." } })
  const predicate = { type: "concept_ref", versionId: base.versionId, key: "warm_up" } as const
  const { assertion } = hypothesis(room)
  const borrowed = { assertion: { ...assertion, predicate }, concepts: {} }
  const { result } = await room.grace.write("publish_hypothesis", hypothesis(room, borrowed))
  t.strictSame((await lab.record(result)).content.assertion, borrowed.assertion)
  t.equal(
    await refusedAs(reader.read("record_concept", { versionId: result.versionId, key: "warm_up" })),
    "404 room_unavailable",
    "it defines none itself",
  )
})

// shows: Concepts are listed and searched.
t.test("the list has the newest record first, and over all pages each concept once", async (t) => {
  const made: string[] = []
  for (let record = 0; record < 4; record += 1) {
    const { label } = await define({
      beta: { label: "beta", definition: "B." },
      gamma: { label: "gamma", definition: "C." },
    })
    made.push(`${label} beta`, `${label} gamma`, `${label} lowers`)
  }
  const newest = made.toReversed()
  for (const limit of [1, 2, 5, 50]) {
    const found = await everyItem(reader.items("concepts", { limit }))
    t.strictSame(namesOf(found).slice(0, newest.length), newest, `pages of ${limit}`)
    t.equal(new Set(found.map(({ versionId, key }) => `${versionId} ${key}`)).size, found.length)
  }
  const first = await reader.read("concepts", { limit: 5 })
  await define({ later: { label: "later", definition: "L." } })
  const second = await reader.read("concepts", { limit: 5, after: first.nextCursor as string })
  t.strictSame(namesOf(second.items), newest.slice(5, 10), "records published meanwhile shift nothing between pages")
  t.equal(await refusedAs(reader.read("concepts", { after: "nowhere" })), "422 invalid_parameter /after")
})

// shows: Concepts are listed and searched.
t.test(
  "a search matches substrings of keys, labels and definitions; wildcard characters are taken literally",
  async (t) => {
    const rare = await define({
      tau_mix: { label: "Mischzeit", definition: "Steps until 100% of it is forgotten." },
      tauxmix: { label: "A decoy", definition: "Steps until 1000 of it are forgotten." },
      zz: { label: "A back\\slash", definition: 'It\'s "quoted".' },
    })
    const found = async (query: string) => namesOf(await everyItem(reader.items("concepts", { query, limit: 1 })))
    const at = (...keys: string[]) => keys.map((key) => `${rare.label} ${key}`)
    t.strictSame(await found("tau_m"), at("tau_mix"), "in a key; an underscore is no wildcard")
    t.strictSame(await found("MISCHZ"), at("tau_mix"), "in a label, in either letter case")
    t.strictSame(
      await found("100%"),
      [...at("tau_mix"), ...(await found("Ἀρχή"))],
      "in a definition; a percent sign is no wildcard",
    )
    t.strictSame(await found("until 1"), at("tauxmix", "tau_mix"))
    t.strictSame(await found("back\\s"), at("zz"))
    t.strictSame(await found("It's \"q"), at("zz"))
    t.strictSame(await found("nobody says this"), [])
    t.equal(await refusedAs(reader.read("concepts", { query: "" })), "422 invalid_parameter /query")
  },
)
