/**
 * No answer except an export is over 4 MB, however much it lists: the longest texts, many of them, from every public
 * read.
 */
import { join } from "node:path"
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { pathNames } from "../../src/contract/definitions/operation.ts"
import { isStreamed } from "../../src/contract/definitions/read.ts"
import { reads } from "../../src/contract/reads/index.ts"
import { limits } from "../../src/contract/limits.ts"
import { temporaryFolder } from "../support/service.ts"
import { finding, hypothesis } from "../support/bodies.ts"
import { Filler } from "../research/record/filler.ts"

const data = temporaryFolder()
const house = await startResearchRoom({ data })
t.teardown(() => house.close())
const filler = new Filler(join(data, "research-room.db"))
t.teardown(() => filler.close())
const owner = filler.person(house.people.owner.username)

interface Page {
  readonly items: readonly { readonly linkId: string }[]
  readonly hasMore: boolean
  readonly links: { readonly next: string | null }
}

/** Four bytes per character, at the maximum length of a text. */
const long = (characters: number) => "𝔴".repeat(characters)
const statement = long(3_900)
const ids: Record<string, string> = await filler.fill(() => {
  const { roomId, openingThreadId: threadId } = filler.does(owner, "create_room", { title: "Much" }).result
  const place = { roomId, threadId }
  const { experimentId } = filler.does(owner, "propose_experiment", {
    ...place,
    question: statement,
    scope: statement,
    hypotheses: [],
  }).result
  filler.does(owner, "take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })
  const worst = Array.from({ length: 70 }, () => {
    const body = hypothesis(place)
    return filler.does(owner, "publish_hypothesis", { ...body, assertion: { ...body.assertion, wording: statement } })
      .result.versionId
  })
  // Each of them is disputed with long texts, many times.
  for (const [index, targetVersionId] of worst.entries())
    for (let round = 0; round < 6; round += 1)
      filler.does(owner, "assert_correction", {
        targetVersionId,
        explanation: `${round}${long(1_990)}`,
        correction: statement,
        replacementVersionId: worst[(index + 1) % worst.length] as string,
      })
  const on = worst.slice(0, 20).map((versionId) => ({ versionId, explanation: long(500) }))
  const [versionId = ""] = Array.from({ length: 60 }, () => {
    const body = finding(place)
    const assertion = { ...body.assertion, wording: statement }
    return filler.does(owner, "publish_finding", {
      ...body,
      assertion,
      references: on.map((each) => ({ ...each, purpose: "derived_from" as const })),
    }).result.versionId
  }).reverse()
  for (const index of worst.keys())
    filler.does(owner, "link_experiment_finding", {
      experimentId,
      findingVersionId: versionId,
      towardHypothesis: [0, 1, 2, 3, 4, 5, 6].map((step) => ({
        versionId: worst[(index + step) % worst.length] as string,
        verdict: "supports" as const,
        explanation: long(1_900),
      })),
      towardQuestion: { verdict: "answers", explanation: long(1_000) },
    })
  for (let message = 0; message < 80; message += 1) filler.does(owner, "post_message", { threadId, text: long(14_000) })
  const { timelineWatermark } = filler.instance.tables.threads.summary(threadId) as { timelineWatermark: number }
  const { checkpointId } = filler.does(owner, "post_research_checkpoint", {
    threadId,
    expectedWatermark: timelineWatermark,
    coversThrough: 1,
    state: "concluded",
    synthesis: long(5_000),
    conclusion: long(3_000),
    openQuestions: Array.from({ length: 3 }, () => long(1_000)),
    citations: worst.slice(0, 50),
  }).result
  return {
    roomId,
    threadId,
    experimentId,
    proposalId: experimentId,
    versionId,
    checkpointId,
    hypothesisId: worst[0] ?? "",
  }
})

t.test("every public read of the largest texts is within the limit", async (t) => {
  const asked = reads
    .filter(({ surface, mediaType }) => surface === "public" && !isStreamed(mediaType))
    .filter(({ path }) => pathNames(path).every((name) => ids[name] !== undefined))
  let largest = 0
  for (const { name, path } of asked) {
    for (const one of path.includes("{versionId}") ? [ids.versionId, ids.hypothesisId] : [undefined]) {
      const filled = path.replace(/\{([a-zA-Z]+)\}/g, (_, id: string) =>
        id === "versionId" && one !== undefined ? one : (ids[id] ?? ""),
      )
      const query =
        name === "search" ? "?query=much" : name === "thread_replies" ? `?targetEntryId=${ids.threadId}` : ""
      const response = await fetch(`${house.baseUrl}${filled}${query}`)
      const bytes = (await response.arrayBuffer()).byteLength
      largest = Math.max(largest, bytes)
      t.ok(bytes <= limits.pageBytes, `${name}: ${response.status}, ${bytes} bytes`)
    }
  }
  t.ok(largest > 1_000_000, `the largest has ${largest} bytes`)
})

t.test("a page with room for fewer than fifty continues at the next item, and nothing is left out", async (t) => {
  for (const path of [
    `/api/research/rooms/${ids.roomId}/links`,
    `/api/research/experiments/${ids.experimentId}/findings`,
  ]) {
    const found: string[] = []
    let pages = 0
    let url: string | null = path
    for (; url !== null && pages < 100; pages += 1) {
      const page = (await (await fetch(`${house.baseUrl}${url}`)).json()) as Page
      found.push(...page.items.map(({ linkId }) => linkId))
      t.equal(page.hasMore, page.links.next !== null)
      url = page.links.next
    }
    t.strictSame(found, [...new Set(found)].sort(), `${path}: ${found.length} links`)
    t.equal(found.length, path.endsWith("/links") ? 420 : 70)
    if (path.endsWith("/links"))
      t.ok(pages > Math.ceil(found.length / 50), `${pages} pages: fewer than fifty have room`)
  }
})
