/**
 * How long the first and the last page of the Library's longest lists take, over HTTP:
 * `node_modules/.bin/node --conditions=research-room-source test/library/pages.ts`
 */
import { isoTime } from "../../src/ledger/world.ts"
import { wholeScope } from "../../src/library/papers/scope.ts"
import { collectionOf, keyOf, paperIds, openLibrary, toldOf } from "./library.ts"

const lab = await openLibrary({ teardown: () => undefined })
const { ada, userIds: ids, baseUrl } = lab
const { ledger, tables, world } = lab.instance
const { saved, tags, collections, papers } = tables.library
const at = () => isoTime(world.now())
const all = paperIds(0, 20_000)

/** Does what a write would do, without its limit of fifty. */
const fill = (collectionId: string, arxivIds: readonly string[]) =>
  collections.add(
    collections.mustFind(wholeScope(ids.ada), collectionId),
    arxivIds.map((paperId) => ({ paperId })),
    ids.ada,
    at(),
    (paperId) => [paperId],
  )

const full = await collectionOf(ada, "Full")
await ledger.transact(() => {
  for (const [index, arxivId] of all.entries()) {
    papers.put(
      toldOf(arxivId, `A title of paper ${index} that is about as long as titles are`, {
        authors: ["Ada Lovelace", "Grace Hopper", "Emmy Noether"],
        abstract: "x".repeat(1_200),
        categories: ["cs.LG"],
        published: at(),
      }),
      "import",
      at(),
    )
  }
  saved.save(
    ids.ada,
    all.map((paperId) => ({ paperId })),
    at(),
  )
  tags.add(ids.ada, all, ["all"])
  fill(full, all.slice(0, 1_000))
  for (let made = 1; made < 200; made++) {
    const collectionId = world.id()
    collections.create(collectionId, ids.ada, `Collection ${made}`, at())
    fill(collectionId, all.slice(19_000 + made * 4, 19_020 + made * 4))
  }
})

const [key, selected] = [await keyOf(ada), await keyOf(ada, { reach: "selected", collectionIds: [full] })]

async function time(what: string, path: string, token = key): Promise<void> {
  const times: number[] = []
  let bytes = 0
  for (let run = 0; run < 100; run++) {
    const begun = performance.now()
    bytes = (
      await (
        await fetch(`${baseUrl}/api/agent/library/${path}`, { headers: { authorization: `Bearer ${token}` } })
      ).text()
    ).length
    times.push(performance.now() - begun)
  }
  times.sort((one, two) => one - two)
  console.log(
    `${what.padEnd(46)} median ${times[50]?.toFixed(2)} ms, 95th of 100 ${times[94]?.toFixed(2)} ms, ${bytes} bytes`,
  )
}

await time("20,000 saved papers, first page", "papers")
await time("20,000 saved papers, last page", "papers?offset=19950")
await time("20,000 saved papers, by title, last page", "papers?sort=title&offset=19950")
await time("a word of all of them", "papers?query=title")
await time("a word of all of them, the last page by publication", "papers?query=title&sort=published&offset=19950")
await time("the beginning of a word of all of them", "papers?query=tit")
await time("twelve words of all of them", "papers?query=a+title+of+paper+that+is+about+as+long+as+titles+are")
await time("one of them", "papers?query=19876")
await time("a tag of all of them", "papers?tag=all&sort=title&offset=19950")
await time("their tags", "tags")
await time("all of them as BibTeX", "papers?format=bibtex")
await time("a Collection of 1,000, first page", `collections/${full}`)
await time("a Collection of 1,000, last page", `collections/${full}?offset=950`)
await time("the same through a selected reach", `collections/${full}?offset=950`, selected)
await time("200 Collections, first page", "collections")
await time("200 Collections, last page", "collections?offset=150")
await time("one paper", `paper?arxivId=${all[19_500]}`)
await lab.close()
