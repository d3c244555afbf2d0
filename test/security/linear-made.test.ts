/** No regular expression that `src` builds from text at run time takes more than linear time. */
import { globSync } from "node:fs"
import { test } from "tap"
import { growing, noteMade, repeats, writtenIn } from "./patterns.ts"

/** Files that build expressions inside a function, and why those are linear. */
const madeLater: Readonly<Record<string, string>> = {
  "src/web/pages/record-parts.ts": "the labels of a record's own concepts as they stand, one or the other; shown below",
  "src/ledger/journal/withheld.ts": "words that were withheld as they stand",
  "src/edge/edge.ts": "the name of the cookie of a session, in what this program sets",
  "src/edge/requests/routes.ts": "the paths of this program, with ids of any letters but a slash",
}

test("every expression that src builds from text is linear", async (t) => {
  const made = noteMade()
  const starts = /^src\/(?:main|command-line|web\/client\/|app\/\w+\/\w+-thread)/
  const files = globSync("src/**/*.ts", { exclude: ["**/*.d.ts"] }).sort()
  for (const file of files) if (!starts.test(file)) await import(`../../${file}`)
  const { startResearchRoom } = await import("research-room/testing")
  const house = await startResearchRoom()
  t.equal((await fetch(`${house.baseUrl}/nowhere`)).status, 404)
  await house.close()
  const patterns = [...made.values()].filter(({ file }) => file.includes("/src/") && !file.includes("node_modules"))
  // If one place builds dozens, such as the paths of all reads, only the longest are checked.
  const longest = [...Map.groupBy(patterns, ({ file }) => file).values()].flatMap((made) =>
    made.toSorted((one, other) => other.source.length - one.source.length).slice(0, 5),
  )
  // The prover does not read sets of classes. Each is one class, or a run of one that starts at a sign of it: nothing
  // is tried twice.
  const [ofSets, others] = [
    longest.filter(({ flags }) => flags.includes("v")),
    longest.filter(({ flags }) => !flags.includes("v")),
  ]
  t.ok(ofSets.every(({ file }) => /src\/contract\/(?:words|folding)\.ts/.test(file)))
  t.strictSame(await growing(others), [])
  const seen = new Set(patterns.map(({ file }) => file.slice(file.indexOf("src/"))))
  const unseen = files.flatMap((file) =>
    writtenIn(file).makes.flatMap((line) => (seen.has(`${file}:${line}`) ? [] : [file])),
  )
  t.strictSame(
    [...new Set(unseen)],
    Object.keys(madeLater).sort(),
    "every other place that builds them is listed above",
  )
})

test("a pattern built from the labels of many concepts repeats nothing, so it is linear in the text", async (t) => {
  const made = noteMade()
  const { wording } = await import("../../src/web/pages/record-parts.ts")
  const label = "(a+)*.{1,}".repeat(16)
  const concepts = Object.fromEntries(
    Array.from({ length: 330 }, (_, at) => [
      `c${at}`,
      { label: `${label}${String.fromCodePoint(0x4e00 + at)}`, definition: "d" },
    ]),
  )
  wording("a".repeat(4_000), concepts)
  const patterns = [...made.values()].filter(({ file }) => file.includes("/pages/record-parts.ts"))
  t.equal(patterns.length, 1)
  t.strictSame(patterns.filter(({ source }) => repeats(source)).length, 0)
})
