/** The picture of measured differences: it says what the JSON says, and each cell leads to its sources. */
import { readFileSync } from "node:fs"
import t from "tap"
import { arm, measuring, type Metrics } from "../research/measurements/measured.ts"
import { http } from "../research/measurements/doors/doors.ts"
import { tellThreeSizes } from "../research/measurements/doors/three-sizes.ts"
import { hypothesis } from "../support/bodies.ts"
import { openLab } from "../support/lab.ts"
import { violations } from "./axe.ts"
import { launch } from "./browser.ts"
import { built } from "./built.ts"
import { watched } from "./watched.ts"

t.setTimeout(180_000)
built()
const lab = await openLab(t)
const { baseUrl } = lab.house
const browser = await launch()
t.teardown(() => browser.close())
const told = await tellThreeSizes(lab, http)
const text = async (path: string) => (await fetch(baseUrl + path)).text()

/** The rows of a picture as a person reads them: the head, then the cells. */
const ROWS = `[...document.querySelectorAll(".effects .whiskers tbody tr")].map((row) => [...row.children].map((cell) \
=> cell.textContent.replace(/\\s+/g, " ").trim()))`

t.test("the first page of a Room shows each difference of its table, as its JSON has it", async (t) => {
  const { page, context, troubles } = await watched(browser, baseUrl, { viewport: { width: 1440, height: 900 } })
  await page.goto(`${baseUrl}/rooms/${told.roomId}`)
  const rows = (await page.evaluate(ROWS)) as string[][]
  const { table } = await lab.reader.read("room_table", { roomId: told.roomId })
  const groups = table?.groups ?? []
  t.equal(groups.length, 21)
  const digits = (value: number) => value.toFixed(3).replace("-", "−")
  for (const { key, contrast, mean, isBaseline } of groups) {
    const cell = rows.find(([name]) => name === String(key.arm))?.[[50, 100, 400].indexOf(Number(key.labels)) + 1] ?? ""
    if (isBaseline) t.ok(cell.startsWith(`${(mean ?? 0).toFixed(2)} %`), cell)
    else {
      const { estimate = 0, low, high, pairs, isDistinct } = contrast ?? {}
      const apart = isDistinct === true ? ", told apart," : ""
      const interval = `${digits(low ?? 0)} to ${digits(high ?? 0)}`
      t.ok(cell.startsWith(`${digits(estimate)}${apart} ${interval} n ${pairs}`), `${cell} is ${digits(estimate)}`)
    }
  }
  const bold = await page.locator(".whiskers b").count()
  t.equal(bold, groups.filter(({ contrast }) => contrast?.isDistinct === true).length, "bold is told apart")
  t.match(rows[1]?.join(" "), /^shift .*reproduced by 1 other/, "the best comes first, with who reproduced it")
  t.same(await violations(page), [])
  await page.setViewportSize({ width: 390, height: 844 })
  t.equal(await page.evaluate("document.documentElement.scrollWidth"), 390, "on a phone nothing overflows")
  t.same(await violations(page), [])
  t.same(troubles(), [])
  await context.close()
})

t.test("a cell leads to what it rests on, by keyboard and without a script", async (t) => {
  const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 1280, height: 800 } })
  const page = await context.newPage()
  await page.goto(`${baseUrl}/rooms/${told.roomId}`)
  await page.locator(".whiskers td.told a").first().focus()
  await page.keyboard.press("Enter")
  await page.waitForURL(/cell=arm%3Ashift/)
  t.equal(await page.locator("#cell").innerText(), "shift, labels 50")
  const sources = page.getByRole("table", { name: "What shift, labels 50 rests on" })
  t.match(await sources.innerText(), /F1 ada.*\n.*[\s\S]*F2 grace.*same code at another commit[\s\S]*All runs/)
  await page.locator("summary", { hasText: "10 values by seed" }).click()
  const [own, base] = ["shift", "baseline"].map((name) =>
    page
      .getByRole("table", { name: "Values" })
      .getByRole("row")
      .nth(1)
      .getByRole("cell")
      .nth(name === "shift" ? 0 : 1),
  )
  t.match(await own?.innerText(), /^\d+\.\d+$/)
  t.match(await base?.innerText(), /^\d+\.\d+$/)
  await page.locator("summary", { hasText: "attempt" }).click()
  t.match(await page.getByRole("table", { name: "Attempts" }).innerText(), /A1.*ada.*python train\.py/s)
  await context.close()
})

t.test("a finding shows its own contrasts, with reproductions below and one sentence on them", async (t) => {
  const { page, context, troubles } = await watched(browser, baseUrl, { viewport: { width: 1440, height: 900 } })
  await page.goto(`${baseUrl}/records/${told.findings[0]}`)
  const rows = (await page.evaluate(ROWS)) as string[][]
  const { effects } = await lab.record({ versionId: told.findings[0] ?? "" })
  const shift = rows.slice(
    0,
    rows.findIndex(([head]) => head === "smoothing − baseline"),
  )
  t.match(
    shift.map(([head]) => head),
    ["shift − baseline", "This finding", /F2 grace.* at another commit/, "Together", "All runs of the Room"],
  )
  const digits = (value: number | null | undefined) => (value ?? 0).toFixed(3).replace("-", "−")
  for (const [at, { estimate, low, high, pairs }] of effects.slice(0, 3).entries())
    t.equal(shift[1]?.[at + 1], `${digits(estimate)} ${digits(low)} to ${digits(high)} n ${pairs}`)
  const [again] = effects[0]?.reproductions ?? []
  t.ok(shift[2]?.[1]?.startsWith(`${digits(again?.estimate)} ${digits(again?.low)}`), "its reproduction too")
  t.ok(shift[3]?.[1]?.startsWith(digits(effects[0]?.pooled?.estimate)), "and what they come to together")
  t.match(await page.locator(".verdict-of").innerText(), /^Reproduced by grace .*\(same code at another commit\)\.$/)
  const bottom = async (place: string) => {
    const box = await page.locator(place).first().boundingBox()
    return (box?.y ?? 1e6) + (box?.height ?? 0)
  }
  for (const place of ["h1", ".effects", ".verdict-of"])
    t.ok((await bottom(place)) <= 900, `${place} is on the first screen`)
  t.same(await violations(page), [])
  await page.goto(`${baseUrl}/records/${told.hypothesis}`)
  const lines = ((await page.evaluate(ROWS)) as string[][]).map((row) => row.join(" ")).join("\n")
  t.match(lines, /^shift − baseline\nF1 ada.* −3\.21 −3\.42 to −3\.01 .*\n.*F2 grace.* −3\.16 /)
  t.same(troubles(), [])
  await context.close()
})

t.test("a checkpoint's page has its answer and its table", async (t) => {
  const room = await lab.room("Answered")
  const lines = await measuring(lab, room)
  const attempt = await lines.attempt([...arm("baseline", [5, 6, 5.5]), ...arm("shift", [4, 5.1, 4.4])])
  await lines.publish(room.ada, [attempt])
  const { timelineWatermark } = (await lab.reader.read("thread_context", { threadId: room.threadId })).thread
  const { result } = await room.ada.write("post_research_checkpoint", {
    ...{ threadId: room.threadId, state: "concluded" as const, expectedWatermark: timelineWatermark },
    ...{ coversThrough: timelineWatermark, synthesis: "Measured once.", conclusion: "A shift helps.", citations: [] },
    ...{
      openQuestions: [],
      answer: "A shift lowers the error by one.",
      table: { metric: "error", by: ["arm"], against: "arm:baseline" },
    },
  })
  const page = await text(`/checkpoints/${result.checkpointId}`)
  t.match(page, /A shift lowers the error by one\./)
  t.match(page, /<figure class="effects">[\s\S]*−1\.00/)
  t.match(await text(`/rooms/${room.roomId}`), /A shift lowers the error by one\.[\s\S]*<figure class="effects">/)
})

t.test("it is copied as Markdown, CSV, SVG and PNG", async (t) => {
  const { page, context, troubles } = await watched(browser, baseUrl, {
    permissions: ["clipboard-read", "clipboard-write"],
  })
  await page.goto(`${baseUrl}/rooms/${told.roomId}`)
  await page.getByRole("link", { name: "Markdown" }).click()
  await page.locator(".copies .copied").waitFor()
  const markdown = String(await page.evaluate("navigator.clipboard.readText()"))
  t.match(markdown, /\| arm \| labels 50 \| labels 100 \| labels 400 \|/)
  t.match(markdown, /\| shift \| \*\*−3\.213\*\* \(−3\.421 to −3\.006\), n 10; reproduced by 1 other \|/)
  const path = (await page.getByRole("link", { name: "CSV" }).getAttribute("href")) ?? ""
  const csv = await text(path)
  t.equal(csv.split("\r\n").length, 1 + 21 + 1, "a line for each cell")
  const few = await text(`${path}&where=labels:50`)
  t.equal(few.split("\r\n").length, 1 + 7 + 1, "those at one size, if one is asked for")
  const [saved] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "PNG" }).click()])
  const png = readFileSync(await saved.path())
  t.equal(png.subarray(1, 4).toString(), "PNG")
  t.ok(png.readUInt32BE(16) > 1_000 && png.length > 20_000, "it is drawn at twice its size")
  const svg = await fetch(`${baseUrl}${path.replace("csv", "svg")}`)
  t.equal(svg.headers.get("content-type"), "image/svg+xml; charset=utf-8")
  t.match(await svg.text(), /<svg xmlns[\s\S]*−3\.213/)
  t.same(troubles(), [])
  await context.close()
})

t.test("a fraction is shown in percent and points, with the exact value at hand", async (t) => {
  const room = await lab.room("Fractions")
  const lines = await measuring(lab, room)
  const values = (name: string, all: number[]): Metrics => arm(name, all, { unit: "fraction" })
  const attempt = await lines.attempt([
    ...values("baseline", [0.062, 0.058, 0.06, 0.061]),
    ...values("shift", [0.021, 0.019, 0.02, 0.022]),
    ...values("alone", [0.05]),
    ...values("diverging", [0.06]),
    { name: "error", value: "NaN", dimensions: { arm: "lost", seed: 0 } },
  ])
  const { result } = await lines.publish(room.ada, [attempt])
  const page = await text(`/rooms/${room.roomId}`)
  t.match(page, /difference from baseline in percentage points/)
  t.match(page, /<b title="−0\.03975[^"]*">−3\.975<span/)
  t.match(page, /6\.02 %/)
  t.match(page, /no finite value/, "a diverged run has no place on the axis")
  t.match(page, /no spread known/, "nor one value an interval")
  const { effects } = await lab.record(result)
  t.match(effects[0]?.sentence, /: −3\.975 points, 95 % /)
})

t.test("a difference across commits says so without hovering, on every page and in every copy", async (t) => {
  const room = await lab.room("Apart")
  const lines = await measuring(lab, room)
  const { url, commit } = lab.house.repositories.public
  const old = { url, commit }
  const other = { url, commit: lab.house.repositories.public.otherCommit }
  const attempts = [
    await lines.attempt(arm("baseline", [9, 9.1, 9.2, 9.15]), { repository: old }),
    await lines.attempt(arm("shift", [1, 1.15, 1.18, 1.13]), { repository: other }),
  ]
  const { result } = await lines.publish(room.ada, attempts)
  const seen = async (path: string) => {
    const page = await browser.newPage()
    await page.goto(baseUrl + path)
    const text = (await page.locator("main").innerText()).replaceAll(/\s+/g, " ")
    await page.close()
    return text
  }
  const table = `/rooms/${room.roomId}/table?metric=error&by=arm&over=seed&against=arm:baseline`
  for (const path of [`/rooms/${room.roomId}`, table])
    t.match(await seen(path), /−8\.\d+ .* n 4 †.*† compared across experiments, commits or settings/, path)
  t.match(
    await seen(`${table}&cell=arm:shift`),
    /4 pairs; not told apart .*; compared across 2 commits, never told apart/,
  )
  t.match(await seen(`/records/${result.versionId}`), /shift − baseline is compared across 2 commits\./)
  const { result: idea } = await room.ada.write("publish_hypothesis", hypothesis(room))
  await room.ada.write("link_experiment_finding", {
    ...{ experimentId: lines.experimentId, findingVersionId: result.versionId },
    towardHypothesis: [{ versionId: idea.versionId, verdict: "supports", explanation: "So." }],
    towardQuestion: { verdict: "answers", explanation: "So." },
  })
  t.match(await seen(`/records/${idea.versionId}`), /F1 ada.* · across 2 commits −7\.99/)
  t.match(await text(`${table}&format=markdown`), /n 4; compared across 2 commits, never told apart \|/)
  t.match(await text(`${table}&format=csv`), /compared across 2 commits/)
})

t.test("of 200 arms by 50 sizes it shows twelve, and leads to the others", async (t) => {
  const room = await lab.room("Large")
  const lines = await measuring(lab, room)
  const attempts: string[] = []
  for (let part = 0; part < 50; part += 2)
    attempts.push(
      await lines.attempt(
        Array.from({ length: 2 }, (_, at) => 10 * (part + at + 1)).flatMap((labels) =>
          Array.from({ length: 201 }, (_, at) => ({
            name: "error",
            value: at === 0 ? 5 : 5 + ((at * 7_919) % 211) / 100,
            dimensions: { arm: at === 0 ? "baseline" : `arm${at}`, labels, seed: 0 },
          })),
        ),
      ),
    )
  const effect = { ...lines.shift, of: { arm: "arm7" }, where: { labels: 10 } }
  await lines.publish(room.ada, attempts.slice(0, 1), [effect])
  const page = await text(`/rooms/${room.roomId}`)
  t.equal(page.match(/<tr><th scope="row">arm/g)?.length, 11)
  t.match(page, />189 more rows and 42 more columns</)
  t.ok(Buffer.byteLength(page) < 120_000, `${Buffer.byteLength(page)} bytes`)
  const whole = await text(`/rooms/${room.roomId}/table?rows=25&columns=10`)
  t.match(whole, /<strong aria-current="page">26 to 50<\/strong>/)
  t.match(whole, /labels 110/)
  t.notMatch(whole, /labels 100</)
})
