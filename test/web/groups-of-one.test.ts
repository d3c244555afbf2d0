/**
 * Comparing says which group is best, and whether that is noise. Groups of one run are told as such and averaged where
 * that gives repeats; the best is bold beside what it was told apart from; a value without a step is a dot.
 */
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { violations } from "./axe.ts"
import { launch } from "./browser.ts"
import { built } from "./built.ts"
import { watched } from "./watched.ts"

t.setTimeout(240_000)
built()
const house = await startResearchRoom()
const browser = await launch()
t.teardown(async () => {
  await browser.close()
  await house.close()
})
const ada = await house.browser(house.people.owner)
const { url, commit } = house.repositories.public
const reportedAt = "2026-11-20T09:30:00.000Z"

interface Run {
  readonly argv: readonly string[]
  readonly metrics: readonly object[]
}

/** Makes a Room with an experiment of these runs. @returns the path of their comparison, and the first attempt's */
async function compared(title: string, runs: readonly Run[]) {
  const { roomId, openingThreadId: threadId } = (await ada.write("create_room", { title })).result
  const { experimentId } = (
    await ada.write("propose_experiment", {
      ...{ roomId, threadId, question: "Which schedule is best?", scope: "One model.", hypotheses: [] },
    })
  ).result
  await ada.write("take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })
  const ids: string[] = []
  for (const { argv, metrics } of runs) {
    const attemptId = crypto.randomUUID()
    ids.push(attemptId)
    await ada.write("register_attempt", {
      ...{ attemptId, experimentId, intent: "exploratory", expectedRevision: 2, expectedStatus: "claimed" },
      ...{ repository: { url, commit }, argv: ["python", "train.py", ...argv], configuration: {}, inputs: [] },
    })
    const at = { attemptId, reportedAt }
    const started = { event: "started", expectedRevision: 1, expectedStatus: "registered" } as const
    await ada.write("report_attempt_event", { ...at, ...started })
    const succeeded = { event: "succeeded", expectedRevision: 2, expectedStatus: "started", metrics } as const
    await ada.write("report_attempt_event", { ...at, ...succeeded } as never)
  }
  return {
    path: `${house.baseUrl}/attempts/compare?ids=${ids.join(",")}`,
    first: `${house.baseUrl}/attempts/${ids[0]}`,
  }
}
const line = (text: string): string => text.replace(/\s+/g, " ").trim()
const textOf = async (path: string): Promise<string> =>
  line(
    (await (await fetch(path)).text())
      .replace(/<(?:style|script)[^]*?<\/(?:style|script)>/g, "")
      .replace(/<[^>]*>/g, " "),
  )

const change = { early: -0.9, late: -0.1, none: 0, both: -0.2 }
/** Sixteen runs whose arms have the seed in their names. */
const named = Object.entries(change).flatMap(([schedule, by], at) =>
  [1, 2, 3, 4].map((seed): Run => {
    const value = 12 + by + 0.3 * Math.sin(12.9 * seed) + 0.05 * Math.sin(78.2 * (at + 4 * seed))
    return {
      argv: ["--schedule", schedule, "--seed", String(seed)],
      metrics: [{ name: "error", unit: "%", value, dimensions: { arm: `${schedule} s${seed}`, seed } }],
    }
  }),
)

t.test("arms with the seed in their names are averaged, and the page says so", async (t) => {
  const { path } = await compared("Names with seeds", named)
  const text = await textOf(path)
  t.match(text, /Averaged over arm: each of its values has one seed only/)
  t.match(text, /early is best: error 11\.\d+ %, lower than both by 0\.\d+ % \(9\d\.?\d* % interval .*, 4 pairs\)/)
  t.match(text, /told apart from all 3 others\. It is not noise\. Noise: sd/)

  for (const javaScriptEnabled of [true, false]) {
    const { page, context, troubles } = await watched(browser, house.baseUrl, { javaScriptEnabled })
    await page.goto(path)
    const results = page.getByRole("group", { name: "Settings and results" })
    t.equal(await results.locator("tbody tr").count(), 4)
    t.match(line(await results.locator("tr", { has: page.locator("strong") }).innerText()), /^early .* 4 11\.\d+ ±/)
    // Grouped by the arm each group is one run: nothing is best, and one press leads back.
    await page.getByRole("list", { name: "Average over" }).getByRole("link", { name: "arm" }).click()
    await page.waitForURL(/by=arm/)
    await page.getByRole("list", { name: "Group by", exact: true }).getByRole("link", { name: "schedule" }).click()
    await page.getByText("Each group is one run (n = 1)").waitFor()
    t.equal(await results.locator("tbody tr").count(), 16)
    t.equal(await results.locator("strong").count(), 0, "a single run is never best")
    t.match(await results.locator("tbody tr").first().innerText(), /n = 1/)
    if (javaScriptEnabled) t.same(await violations(page), [])
    await page.getByRole("note").getByRole("link", { name: "Average over arm and group by schedule" }).click()
    await results.locator("strong").waitFor()
    t.equal(await results.locator("tbody tr").count(), 4)
    // Sorted by a column, then the other way round.
    await results.getByRole("link", { name: /^error/ }).click()
    await page.waitForURL(/sort=/)
    t.equal(await results.getByRole("columnheader", { name: /^error/ }).getAttribute("aria-sort"), "ascending")
    t.match(await results.locator("tbody tr").first().innerText(), /^early/)
    await results.getByRole("link", { name: /^error/ }).click()
    await page.waitForURL(/order=descending/)
    t.match(await results.locator("tbody tr").last().innerText(), /^early/)
    t.same(troubles(), [])
    await context.close()
  }
})

t.test("nothing is bold beside a single run that it cannot be told apart from", async (t) => {
  const single: Run = {
    argv: ["--schedule", "shown"],
    metrics: [{ name: "pass@64", value: 0.878, dimensions: { arm: "shown", seed: 1 } }],
  }
  const several = ["early", "late"].flatMap((arm, at) =>
    [1, 2, 3].map((seed): Run => {
      const value = 0.657 - 0.1 * at + 0.002 * seed
      return { argv: ["--schedule", arm], metrics: [{ name: "pass@64", value, dimensions: { arm, seed } }] }
    }),
  )
  const { path } = await compared("One run beside three", [...several, single])
  const { page, context } = await watched(browser, house.baseUrl)
  await page.goto(path)
  const results = page.getByRole("group", { name: "Settings and results" })
  t.equal(await results.locator("strong").count(), 0)
  t.match(await results.getByRole("row", { name: /^shown/ }).innerText(), /0\.878.*n = 1/)
  t.match(
    line(await page.getByRole("region", { name: "Which is best" }).innerText()),
    /No clear winner: shown ahead of early by 0\.21\d*, no spread known\. shown is one run \(n = 1\), which nothing/,
  )
  const without = await compared("Without it", several)
  await page.goto(without.path)
  t.match(line(await results.locator("tr", { has: page.locator("strong") }).innerText()), /^early .* 0\.66\d* ±/)
  await context.close()
})

t.test("where only the arms' names part the runs, the page says that nothing repeats, and names no best", async (t) => {
  const { path } = await compared(
    "Names alone",
    named.map(({ metrics }) => ({ argv: [], metrics })),
  )
  for (const address of [path, `${path}&by=arm`]) {
    const text = await textOf(address)
    t.match(text, /Each group is one run \(n = 1\).* Each value of arm has one seed only\./)
    t.match(text, /If the seed is part of its name, report the name without it: then runs repeat each other\./)
    t.match(text, /Which is best No answer: early s1 has the lowest error, but each is one run \(n = 1\)\./)
    t.notMatch(text, /Average over arm and/, "there is nothing else to group by")
  }
})

t.test("a value without a step, or with one step, is a dot with its value and no curve", async (t) => {
  const told = (metrics: readonly object[]): Run => ({ argv: ["--rate", "1"], metrics })
  const { path, first } = await compared("Values", [
    told([
      { name: "accuracy", value: 0.91 },
      { name: "recall", value: 0.83 },
      { name: "loss", value: 2, step: 7 },
    ]),
    told([
      { name: "accuracy", value: 0.94 },
      { name: "accuracy", value: 0.95 },
      { name: "recall", value: 0.8 },
      { name: "loss", value: 3, step: 7 },
    ]),
  ])
  const { page, context, troubles } = await watched(browser, house.baseUrl)
  for (const address of [first, `${path}&view=attempts`, `${path}&view=groups`]) {
    await page.goto(address)
    t.equal(await page.locator("figure.curves").count(), 0, address)
    t.equal(await page.locator("input[type=range]").count(), 0)
  }
  await page.goto(`${path}&view=attempts`)
  const accuracy = page.locator("figure.dots", { has: page.getByRole("heading", { name: "accuracy" }) })
  t.match(line(await accuracy.innerText()), /A1 .*0\.91 A2 .*0\.95/)
  t.equal(await accuracy.locator("tbody circle").count(), 2)
  t.equal(await page.locator("figure.dots").count(), 3)
  await page.goto(first)
  const values = page.locator("figure.dots").first()
  t.match(line(await values.innerText()), /accuracy 0\.91 .*recall 0\.83/)
  t.same(await violations(page), [])
  t.same(troubles(), [])
  await context.close()
})
