/** A record is one screen, then folds: sentence, picture, verdict and next step are read without scrolling. */
import type { Page } from "playwright-core"
import { ResearchRoomClient } from "research-room/client"
import t, { type Test } from "tap"
import { openStudy } from "../support/study.ts"
import { violations } from "./axe.ts"
import { signIn } from "./pages.ts"
import { demoInBrowser } from "./scene.ts"
import { watched } from "./watched.ts"

t.setTimeout(240_000)
const { demo, browser, at } = await demoInBrowser()
const study = await openStudy(t)
const SIZE = { width: 1440, height: 900 }
const PHONE = { width: 390, height: 844 }

/** Where the parts of the first screen begin and end, and which headings are read before anything is unfolded. */
const SEEN = `(() => {
  const parts = {
    sentence: "h1",
    verdict: ".bearing",
    picture: ".picture :is(.effects, .claimed, .intervals, figure, .banner, .table, blockquote, .empty)",
    next: ".next-act",
  }
  return {
    places: Object.fromEntries(Object.entries(parts).flatMap(([part, place]) => {
      const found = document.querySelector("#main .first " + place)
      if (found === null) return []
      const { top, bottom } = found.getBoundingClientRect()
      // On a phone the beginning of a picture is shown, with a link to all of it.
      const shown = found.closest(".picture")?.getBoundingClientRect().bottom ?? bottom
      return [[part, [Math.round(top), Math.round(Math.min(bottom, shown))]]]
    })),
    headings: [...document.querySelectorAll("#main :is(h1, h2, h3)")].filter((each) => each.checkVisibility()).length,
    nexts: document.querySelectorAll("#main .next-act").length,
    width: document.documentElement.scrollWidth,
    shown: document.querySelector(".first .picture").clientHeight,
    whole: document.querySelector(".first .picture").scrollHeight,
  }
})()`
interface Seen {
  readonly places: Readonly<Record<string, readonly [top: number, bottom: number]>>
  readonly headings: number
  readonly nexts: number
  readonly width: number
  /** The height of the picture's place, and of the picture. */
  readonly shown: number
  readonly whole: number
}

/** What an object's page must show at once; a page without one of them has a reason. */
interface Kind {
  readonly name: string
  readonly path: string
  /** Whether nothing can be done next: it was taken back. */
  readonly isOver?: boolean
  /** Whether it has a picture: what was measured, planned, quoted or reported. */
  readonly isDrawn?: boolean
}

/** Checks one page in one size. On a phone a high picture is cut, never to less than what says something. */
async function checkScreen(t: Test, page: Page, { name, isOver = false, isDrawn = true }: Kind, phone: boolean) {
  const { places, headings, nexts, width, shown, whole } = (await page.evaluate(SEEN)) as Seen
  const { height, width: wide } = phone ? PHONE : SIZE
  for (const part of ["sentence", "verdict", "picture", "next"]) {
    if ((part === "next" && isOver) || (part === "picture" && !isDrawn)) continue
    const found = places[part]?.[1]
    t.ok(found !== undefined && found <= height, `${name}, ${wide} px: the ${part} ends at ${found}`)
  }
  if (phone) t.ok(shown >= Math.min(whole - 1, 144), `${name}: ${shown} of ${whole} px of the picture`)
  t.ok(headings <= 8, `${name} has ${headings} headings`)
  t.equal(nexts, isOver ? 0 : 1, `${name} offers one next step`)
  t.equal(width, wide, `${name} is as wide as the screen`)
}

/** Checks pages on a desktop and a phone, light and dark, and how long they are. */
async function checkKinds(t: Test, page: Page, baseUrl: string, kinds: readonly Kind[], withAxe: boolean) {
  for (const kind of kinds) {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize(colorScheme === "light" ? SIZE : PHONE)
      await page.goto(`${baseUrl}${kind.path}`)
      await checkScreen(t, page, kind, colorScheme === "dark")
      await page.setViewportSize(colorScheme === "light" ? PHONE : SIZE)
      await checkScreen(t, page, kind, colorScheme === "light")
      if (withAxe)
        t.same(await violations(page, colorScheme === "light" ? "all" : "colour"), [], `${kind.name}, ${colorScheme}`)
    }
    const html = await (await fetch(`${baseUrl}${kind.path}`)).text()
    t.ok(html.length <= 60_000, `${kind.name}: ${html.length} bytes`)
    const tally = /<ul class="weight">[^]*?<\/ul>/.exec(html)?.[0] ?? ""
    if (tally.includes("reproduction")) t.notMatch(html, "Not yet repeated by anyone", kind.name)
  }
}

/** The pages of each kind of object in a Room: one of each kind and state. */
async function kindsIn(reader: ResearchRoomClient, roomId: string): Promise<Kind[]> {
  const { hypotheses, publications, conclusions, syntheses, findingLinks } = await reader.read("room_context", {
    roomId,
  })
  const { items: experiments } = await reader.read("experiments", { roomId })
  const { items: attempts } = await reader.read("attempts", { roomId })
  const { items: materials } = await reader.read("room_materials", { roomId })
  const { items: links } = await reader.read("room_links", { roomId })
  const firstOf = <T>(all: readonly T[], key: (one: T) => string) =>
    [...Map.groupBy(all, key).values()].flatMap((same) => same.slice(0, 1))
  const reviews = publications.flatMap(({ reviewed }) => reviewed?.newest.slice(0, 1) ?? []).slice(0, 1)
  const plans = await Promise.all(
    firstOf(experiments, ({ status }) => status).map(({ experimentId }) => reader.read("experiment", { experimentId })),
  )
  return [
    ...firstOf([...hypotheses, ...publications], ({ kind, status }) => `${kind} ${status}`).map(
      ({ kind, label, status, versionId }) => ({
        ...{ name: `${kind} ${label}`, path: `/records/${versionId}`, isOver: status === "retracted" },
      }),
    ),
    ...experiments.map(({ label, experimentId }) => ({ name: label, path: `/experiments/${experimentId}` })),
    ...firstOf(attempts, ({ status, intent }) => `${status} ${intent}`).map(({ label, attemptId }) => ({
      ...{ name: label, path: `/attempts/${attemptId}` },
    })),
    ...plans.flatMap(({ acceptedPlans }) =>
      acceptedPlans.map(({ label, planId }) => ({ name: label, path: `/plans/${planId}` })),
    ),
    ...materials.map(({ label, materialId }) => ({ name: label, path: `/materials/${materialId}` })),
    ...firstOf(links, ({ kind }) => kind).map(({ kind, linkId }) => ({ name: kind, path: `/links/${linkId}` })),
    ...findingLinks.slice(0, 1).map(({ linkId }) => ({ name: "a finding's verdicts", path: `/links/${linkId}` })),
    ...reviews.map(({ linkId }) => ({ name: "a review", path: `/links/${linkId}` })),
    ...[...conclusions, ...syntheses].map(({ state, checkpointId }) => ({
      ...{ name: `a checkpoint (${state})`, path: `/checkpoints/${checkpointId}` },
    })),
  ]
}

t.test("every kind of object says on its first screen what it is, what was measured, and what is next", async (t) => {
  const reader = new ResearchRoomClient({ baseUrl: demo.baseUrl })
  const { page, context, troubles } = await watched(browser, demo.baseUrl, { viewport: SIZE })
  await signIn(page, demo, "member")
  const kinds = await kindsIn(reader, demo.rooms.main.roomId)
  const names = kinds.map(({ name }) => name).join(", ")
  for (const one of [
    "hypothesis",
    "finding",
    "cited_claim",
    "E1",
    "A1",
    "P1",
    "M1",
    "disputes",
    "verdicts",
    "checkpoint",
  ])
    t.match(names, one)
  // axe reads each page of the demo in both themes elsewhere.
  await checkKinds(t, page, demo.baseUrl, kinds, false)
  t.same(troubles(), [])
  await context.close()
})

t.test("so do those of three agents, with who repeated what and with which code", async (t) => {
  const page = await browser.newPage({ viewport: SIZE })
  const kinds = await kindsIn(study.reader, study.roomId)
  t.ok(kinds.length >= 12, `${kinds.length} pages`)
  await checkKinds(t, page, study.own.baseUrl, kinds, true)
  await page.setViewportSize(SIZE)
  await page.goto(`${study.own.baseUrl}/records/${study.idOf("F1")}`)
  const margin = await page.getByRole("complementary", { name: "Verdict and next step" }).innerText()
  t.match(margin, /Reproduced by .*python-agent \(same code at another commit\)/)
  t.match(margin, /Reproduced by .*mcp-agent \(own implementation\)/)
  t.match(await page.locator(".whiskers").innerText(), /python-agent · same code at another commit/)
  t.notMatch(margin, /Untested/)
  t.notMatch(await page.locator("#main").innerText(), /No evidence was given/)
  await page.goto(`${study.own.baseUrl}/records/${study.idOf("H2")}`)
  t.match(await page.locator(".verdict").first().innerText(), /in part: .*F2 supports it at 50 and 100 labels/)
  t.match(await page.locator("#live-bears").innerText(), /F2 .*at 50 and 100 labels/, "and beside F2")
  await page.goto(`${study.own.baseUrl}/records/${study.idOf("F2")}`)
  t.match(await page.locator("#live-answers").innerText(), /supports\s+H2 at 50 and 100 labels/)
  await page.goto(`${study.own.baseUrl}/records/${study.idOf("F5")}`)
  const noise = /dropout − baseline at labels 50, 100 and 400 is smaller than the noise/
  t.match(await page.locator("#effects .uses li").allInnerTexts(), [noise], "one sentence for three places")
  await page.goto(`${study.own.baseUrl}/people/ada`)
  const metas = await page.locator("#main .cards .meta").allInnerTexts()
  t.ok(metas.length > 0 && metas.every((meta) => meta.includes("in Cheap changes for few labels")), "in which Room")
  await page.close()
})

t.test("an attempt says what it counts as, and on a phone what each number is", async (t) => {
  const page = await browser.newPage({ viewport: PHONE })
  const { reproductions, attempts, experiments } = study
  await page.goto(`${study.own.baseUrl}/attempts/${study.idOf(reproductions.atOtherCommit)}`)
  const main = await page.locator("#main").innerText()
  t.match(main, /As a reproduction:\s+reproduces/, "its author said that it is inconclusive")
  const told = `getComputedStyle(document.querySelector(".intervals td[data-is=n]"), "::before").content`
  t.equal(await page.evaluate(told), '"n "')
  await page.goto(`${study.own.baseUrl}/attempts/${study.idOf(attempts.silent)}`)
  t.match(await page.locator("#main").innerText(), /No metric reported yet/, "it has not ended")
  await page.goto(`${study.own.baseUrl}/experiments/${study.idOf(experiments.noisy)}`)
  t.match(await page.locator(".not-now").first().innerText(), /register an attempt \(assignee or any member\)\./)
  await page.goto(`${study.own.baseUrl}/rooms/${study.roomId}/graph`)
  t.match(await page.locator(".says .effect").allInnerTexts(), [/^−2\.39\d* points −2\.66/], "with its unit")
  await page.close()
})

t.test("an attempt draws first what a finding's effects use, and a plan's page says what will be run", async (t) => {
  const page = await browser.newPage({ viewport: SIZE })
  const { items } = await new ResearchRoomClient({ baseUrl: demo.baseUrl }).read("attempts", {
    ...{ roomId: demo.rooms.main.roomId, order: "label" },
  })
  await page.goto(at(`/attempts/${items[0]?.attemptId}`))
  const figures = page.locator(".first figure.curves h3")
  t.same(await figures.allInnerTexts(), ["pass@64 (held-out)", "pass@1 (held-out)"], "of its ten metrics over steps")
  t.match(await page.locator("#more-metrics").innerText(), /^Other metrics/, "the others are folded")
  t.match(await page.locator("#ran summary").innerText(), /node toy\.js --seed 1/)
  await page.goto(at(`/threads/${demo.rooms.main.openingThreadId}`))
  const banner = page.getByRole("note", { name: "Checkpoint" })
  t.match(await banner.innerText(), /Open, with a checkpoint\s+In the toy, GRPO finds faster/, "what holds so far")
  await page.close()
})

/** The lines beside findings that are cut, in full. */
const CUT = `[...document.querySelectorAll(".found .meta")]
  .filter((line) => line.scrollWidth > line.clientWidth).map((line) => line.innerText)`

/** How far the picture goes on beyond its place, in pixels. */
const HIDDEN = `(() => {
  const place = document.querySelector(".whiskers")
  return Math.max(0, place.scrollWidth - place.clientWidth)
})()`

t.test(
  "the first page of their Room says which change helps, how sure, who repeated it, and what is open",
  async (t) => {
    const page = await browser.newPage({ viewport: SIZE })
    await page.goto(`${study.own.baseUrl}/rooms/${study.roomId}`)
    const seen = (await page.evaluate(`[...document.querySelectorAll("#main *")]
    .filter((each) => each.children.length === 0 || each.matches("tr, p, li"))
    .filter((each) => { const { bottom, height } = each.getBoundingClientRect(); return height > 0 && bottom <= 900 })
    .map((each) => each.innerText?.replace(/\\\\s+/g, " ")).join("\\n")`)) as string
    t.match(seen, /Shifting the digits by a pixel helps most at every size/, "the answer")
    const rows = (await page.evaluate(`[...document.querySelectorAll(".whiskers tbody tr")]
    .filter((row) => row.getBoundingClientRect().bottom <= 900)
    .map((row) => row.innerText.replace(/\\s+/g, " "))`)) as string[]
    const shift = rows.find((row) => row.startsWith("shift"))
    t.match(
      shift,
      /−2\.\d\d ?, told apart, −\d\.\d\d to −\d\.\d\d n \d+.*reproduced by 2 others/,
      "how sure, and who repeated it",
    )
    t.match(shift, /−1\.\d\d ?, told apart,.*−0\.\d\d/, "at each size")
    t.equal(rows[0], "updates 5000", "the settings that most rows share stand first, once")
    t.ok(rows.filter((row) => !/^(?:baseline|updates)/.test(row)).length >= 9, "and beside it the others")
    t.equal(await page.evaluate(HIDDEN), 0, "no column of the picture is scrolled away")
    t.same(await page.evaluate(CUT), [], "what a finding answers is not cut")
    t.match(
      await page.getByRole("list", { name: "Repeated by others" }).innerText(),
      /F1 Reproduced by .*python-agent \(same code at another commit\), .*mcp-agent \(own implementation\)\.\s+F6 Not/,
      "who repeated what, with which code",
    )
    t.match(
      await page.locator("#live-hypotheses").innerText(),
      /supported in part[^]*contradicted\s+from its author alone; F1 reproduced by 2 other agents/,
      "half right has a word, and what others reproduced counts for the hypothesis too",
    )
    t.match(seen, /Answer the dispute of F7[^]*Settle the reproductions of F6/, "what is open")
    t.match(seen, "Do shifting and smoothing add up?", "and what the group itself left open")
    await page.setViewportSize({ width: 390, height: 844 })
    const places = await page
      .locator(".answer .said, .whiskers tr:has(.whisker)")
      .evaluateAll((all) => all.map((each) => Math.round(each.getBoundingClientRect().bottom)))
    t.ok((places[0] ?? 999) < 400, `the answer ends at ${places[0]} on a phone`)
    t.ok((places[1] ?? 999) < 844, `the first row of the picture ends at ${places[1]}, on its first screen`)
    await page.goto(study.own.baseUrl)
    const room = page.getByRole("listitem").filter({ hasText: "Cheap changes for few labels" })
    t.match(await room.innerText(), /Shifting the digits by a pixel helps most at every size/, "Home says the answer")
    t.notMatch(await room.innerText(), /Which cheap change/, "and not the question")
    await page.close()
  },
)

t.test("a finding that was reviewed and not reproduced says so, and not that nobody checked it", async (t) => {
  const page = await browser.newPage({ viewport: SIZE })
  const path = `${study.own.baseUrl}/records/${study.idOf("F10")}`
  const told = async () => {
    await page.goto(path)
    const evidence = /Evidence: ([^.]+)\./.exec(await (await fetch(`${path}.md`)).text())?.[1]
    return [await page.locator(".bearing").innerText(), evidence]
  }
  t.same(await told(), ["Not yet checked by anyone", "not yet checked by anyone"])
  await study.agents["python-agent"].write("submit_review", {
    target: study.idOf("F10"),
    verdict: "agrees_with_reservations",
    checked: ["numbers"],
    explanation: "The numbers are as stated; ten seeds are few.",
  })
  t.same(await told(), ["Reviewed, not reproduced yet", "reviewed, not reproduced yet"])
  await page.locator("#reviews summary").first().click()
  const done = page.getByRole("list", { name: "What reviewers did" }).getByRole("listitem")
  t.match(await done.allInnerTexts(), [
    /^ran it again\s+nobody yet$/,
    /^recomputed the numbers\s+grace/,
    /^read the code\s+nobody yet$/,
    /^looked at the data\s+nobody yet$/,
    /^read the text\s+nobody yet$/,
  ])
  await page.goto(`${study.own.baseUrl}/rooms/${study.roomId}/findings`)
  const row = page.locator("li[data-entry]").filter({ hasText: "F10" }).first()
  t.match(await row.innerText(), /reviewed, not reproduced yet/)
  await page.close()
})
