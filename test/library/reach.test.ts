/**
 * The reach as a predicate: whatever people share and file, each key sees exactly what a model of three lines allows.
 */
import fc from "fast-check"
import t, { test } from "tap"
import { collectionOf, keyOf, paperId, refused, share, openLibrary } from "./library.ts"

const lab = await openLibrary(t)
const people = { ada: lab.ada, grace: lab.grace }
type Name = keyof typeof people
const other = (name: Name): Name => (name === "ada" ? "grace" : "ada")

interface Shelf {
  readonly id: string
  readonly owner: Name
  readonly shared: boolean
  readonly papers: readonly number[]
}

const shelfPlan = fc.record({
  owner: fc.constantFrom<Name>("ada", "grace"),
  shared: fc.boolean(),
  papers: fc.uniqueArray(fc.nat(7), { maxLength: 4 }),
  chosen: fc.boolean(),
})
const plan = fc.record({
  shelves: fc.array(shelfPlan, { minLength: 1, maxLength: 5 }),
  saved: fc.uniqueArray(fc.nat(7), { maxLength: 4 }),
  reader: fc.constantFrom<Name>("ada", "grace"),
})

/** Whether a key of `reader` may see a Collection. */
const visible = (
  { owner, shared }: Shelf,
  reader: Name,
  reach: "all" | "owned" | "selected",
  chosen: boolean,
): boolean => {
  const has = owner === reader || shared
  return has && (reach === "all" || (reach === "owned" && owner === reader) || (reach === "selected" && chosen))
}

// shows: A saved paper shows the Collections in reach that hold it.
// shows: Adding a paper saves it too where the reach includes the Library.
// shows: A Collection outside the reach answers as one that does not exist.
test("lists, single reads and papers agree with the model, for every reach", async (t) => {
  let round = 0
  await fc.assert(
    fc.asyncProperty(plan, async ({ shelves, saved, reader }) => {
      // Every round has its own papers, so that nothing filed in an earlier one shows.
      const base = ++round * 10
      const id = (paper: number) => paperId(base + paper)
      const built: (Shelf & { chosen: boolean })[] = []
      for (const [index, { owner, shared, papers, chosen }] of shelves.entries()) {
        const made = await collectionOf(people[owner], `${round}/${index}`)
        // Filed by an agent with a selected reach, so that the paper is not saved as well.
        if (papers.length > 0)
          await (await lab.agentOf(people[owner], { reach: "selected", collectionIds: [made] })).write("add_papers", {
            collectionId: made,
            arxivIds: papers.map(id),
          })
        if (shared) await share(people[owner], made, people[other(owner)], other(owner))
        built.push({ id: made, owner, shared, papers, chosen: chosen && (owner === reader || shared) })
      }
      if (saved.length > 0) await people[reader].write("save_papers", { arxivIds: saved.map(id) })
      const keys = {
        all: await keyOf(people[reader]),
        owned: await keyOf(people[reader], { reach: "owned" }),
        selected: await keyOf(people[reader], {
          reach: "selected",
          collectionIds: built.filter(({ chosen }) => chosen).map((shelf) => shelf.id),
        }),
      }
      for (const reach of ["all", "owned", "selected"] as const) {
        const agent = lab.open(keys[reach])
        const seen = built.filter((shelf) => visible(shelf, reader, reach, shelf.chosen))
        const listed = (await Array.fromAsync(agent.items("library_collections"))).map((collection) => collection.id)
        const ours = new Set(built.map((shelf) => shelf.id))
        fcEqual(listed.filter((each) => ours.has(each)).sort(), seen.map((shelf) => shelf.id).sort())
        for (const shelf of built) {
          if (seen.includes(shelf))
            fcEqual(
              (await agent.read("library_collection", { collectionId: shelf.id })).items.length,
              shelf.papers.length,
            )
          else
            fcEqual(
              (await refused(agent.read("library_collection", { collectionId: shelf.id }))).refusal,
              "unknown_collection",
            )
        }
        for (let paper = 0; paper < 8; paper++) {
          const holding = seen
            .filter(({ papers }) => papers.includes(paper))
            .map((shelf) => shelf.id)
            .sort()
          const isSaved = saved.includes(paper)
          const reachesLibrary = reach !== "selected"
          if (holding.length > 0 || (reachesLibrary && isSaved)) {
            const answer = await agent.read("library_paper", { arxivId: id(paper) })
            fcEqual(
              [answer.saved, answer.collections.map((collection) => collection.id).sort()],
              [reachesLibrary ? isSaved : null, holding],
            )
          } else fcEqual((await refused(agent.read("library_paper", { arxivId: id(paper) }))).refusal, "unknown_paper")
        }
        if (reach === "selected") continue
        const page = (await Array.fromAsync(agent.items("library_papers"))).filter(({ paperId: each }) =>
          Array.from({ length: 8 }, (_, paper) => id(paper)).includes(each),
        )
        fcEqual(
          page
            .map(({ arxivId, collections }) => [arxivId, collections.map((collection) => collection.id).sort()])
            .sort(),
          saved
            .map((paper) => [
              id(paper),
              seen
                .filter(({ papers }) => papers.includes(paper))
                .map((shelf) => shelf.id)
                .sort(),
            ])
            .sort(),
        )
      }
    }),
    { numRuns: 12 },
  )
  t.pass("in every round")
})

function fcEqual(found: unknown, wanted: unknown): void {
  const [one, two] = [JSON.stringify(found), JSON.stringify(wanted)]
  if (one !== two) throw new Error(`found ${one}, wanted ${two}`)
}
