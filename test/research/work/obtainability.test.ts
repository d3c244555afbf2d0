/** Whether people can get a material: every combination of reports, and what must not affect the result. */
import fc from "fast-check"
import t from "tap"
import { obtainabilityOf, type Report } from "../../../src/research/materials/materials.ts"
import { sha256 } from "../../support/bodies.ts"

const states = ["available", "restricted", "unavailable"] as const
const [uri, elsewhere] = ["https://data.example.org/one", "s3://bucket/two"]
const [promised, other] = [sha256("1"), sha256("2")]

/** The rule of protocol.md, applied to the newest reports only. */
function asWritten(newest: readonly Report[], digest: string | null): string {
  if (newest.length === 0) return "unreported"
  const differs =
    digest !== null && newest.some(({ observedDigest }) => observedDigest !== null && observedDigest !== digest)
  const places = [...new Set(newest.map(({ uri }) => uri))].map((uri) => newest.filter((report) => report.uri === uri))
  const disagree = (on: readonly Report[]) => {
    const digests = on.map(({ observedDigest }) => observedDigest).filter((one) => one !== null)
    return new Set(on.map(({ state }) => state)).size > 1 || new Set(digests).size > 1
  }
  if (differs || places.some(disagree)) return "disputed"
  const any = (state: Report["state"]) => newest.some((report) => report.state === state)
  return any("available") ? "obtainable" : any("restricted") ? "restricted" : "unobtainable"
}

const permutations = <T>(items: readonly T[]): T[][] =>
  items.length < 2
    ? [[...items]]
    : items.flatMap((item, index) =>
        permutations(items.filter((_, place) => place !== index)).map((rest) => [item, ...rest]),
      )

/** Everything that one reporter can report. */
const said = states.flatMap((state) => [null, promised, other].map((observedDigest) => ({ state, observedDigest })))

// shows: skill: obtainability
t.test("no reports", async (t) => {
  t.equal(obtainabilityOf([], promised), "unreported")
  t.equal(obtainabilityOf([], null), "unreported")
})

t.test("one reporter", async (t) => {
  const one = (state: Report["state"], observedDigest: string | null = null) =>
    obtainabilityOf([{ reporterId: "a", uri, state, observedDigest }], promised)
  t.same(
    states.map((state) => one(state)),
    ["obtainable", "restricted", "unobtainable"],
  )
  t.same(
    states.map((state) => one(state, promised)),
    ["obtainable", "restricted", "unobtainable"],
  )
  t.same(
    states.map((state) => one(state, other)),
    ["disputed", "disputed", "disputed"],
    "content with another digest is a different thing",
  )
  t.equal(
    obtainabilityOf([{ reporterId: "a", uri, state: "available", observedDigest: other }], null),
    "obtainable",
    "a pinned reference promises no digest",
  )
})

// shows: Obtainability is derived from attributed location reports.
t.test("every combination of up to three reporters, in every order", async (t) => {
  let count = 0
  const wrong: string[] = []
  const hold = (reports: Report[]) => {
    for (const digest of [promised, null]) {
      for (const order of permutations(reports)) {
        count += 1
        if (obtainabilityOf(order, digest) !== asWritten(reports, digest)) wrong.push(JSON.stringify({ order, digest }))
      }
    }
  }
  for (const a of said) {
    for (const b of said) {
      hold([
        { reporterId: "a", uri, ...a },
        { reporterId: "b", uri, ...b },
      ])
      for (const c of said)
        hold([
          { reporterId: "a", uri, ...a },
          { reporterId: "b", uri, ...b },
          { reporterId: "c", uri: elsewhere, ...c },
        ])
    }
  }
  t.same(wrong, [])
  t.equal(count, 2 * (9 ** 2 * 2 + 9 ** 3 * 6))
})

t.test("one place that has it is enough, and only reports on the same URI can disagree", async (t) => {
  const gone = { reporterId: "a", uri, state: "unavailable", observedDigest: null } as const
  const there = { ...gone, uri: elsewhere, state: "available" } as const
  t.equal(obtainabilityOf([gone, there], promised), "obtainable", "one reporter, two places")
  t.equal(obtainabilityOf([gone, { ...there, reporterId: "b" }], promised), "obtainable", "two reporters, two places")
  t.equal(obtainabilityOf([gone, { ...there, state: "restricted" }], promised), "restricted")
  t.equal(obtainabilityOf([gone, { ...there, uri, reporterId: "b" }], promised), "disputed")
  const [seen, seenThere] = [
    { ...gone, state: "available", observedDigest: promised } as const,
    { ...there, observedDigest: other },
  ]
  t.equal(
    obtainabilityOf([seen, seenThere], null),
    "obtainable",
    "a pinned reference, packed differently in another place",
  )
  t.equal(
    obtainabilityOf([seen, { ...seenThere, uri, reporterId: "b" }], null),
    "disputed",
    "on one URI they cannot both be right",
  )
  t.equal(
    obtainabilityOf([seen, seenThere], promised),
    "disputed",
    "and the digest of a reference applies to every place",
  )
})

const reports = fc.array(
  fc.record({
    reporterId: fc.constantFrom("a", "b", "c", "d"),
    uri: fc.constantFrom(uri, elsewhere),
    state: fc.constantFrom(...states),
    observedDigest: fc.constantFrom(null, promised, other),
  }),
  { maxLength: 12 },
)

// shows: Obtainability is derived from attributed location reports.
// shows: skill: obtainability
t.test(
  "only each reporter's newest report on each URI counts, and the order among reporters does not matter",
  async (t) => {
    const newest = (all: readonly Report[]) =>
      all.filter(
        (report, index) =>
          !all.slice(index + 1).some(({ reporterId, uri }) => reporterId === report.reporterId && uri === report.uri),
      )
    fc.assert(
      fc.property(
        reports,
        fc.constantFrom(null, promised),
        (all, digest) => obtainabilityOf(all, digest) === asWritten(newest(all), digest),
      ),
      { numRuns: 500 },
    )
    // Grouping by reporter keeps each reporter's order and changes the order among them.
    fc.assert(
      fc.property(reports, fc.shuffledSubarray(["a", "b", "c", "d"], { minLength: 4 }), (all, order) => {
        const regrouped = order.flatMap((who) => all.filter(({ reporterId }) => reporterId === who))
        return obtainabilityOf(regrouped, promised) === obtainabilityOf(all, promised)
      }),
      { numRuns: 500 },
    )
    t.equal(
      obtainabilityOf(
        [
          { reporterId: "a", uri, state: "available", observedDigest: other },
          { reporterId: "a", uri, state: "available", observedDigest: promised },
        ],
        promised,
      ),
      "obtainable",
      "a reporter's newer report replaces the older one",
    )
  },
)
