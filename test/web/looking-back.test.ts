/**
 * A page as of an earlier entry: the state then, what has happened since, links that stay at that moment, and no
 * actions.
 */
import t, { type Test } from "tap"
import { violations } from "./axe.ts"
import { signIn } from "./pages.ts"
import { demoInBrowser } from "./scene.ts"
import { watched } from "./watched.ts"

t.setTimeout(240_000)
const { demo, browser } = await demoInBrowser()
const { roomId } = demo.rooms.main
const shots = process.env.SHOTS
interface Record {
  readonly versionId: string
  readonly label: string
  readonly status: string
}
const ask = async <T>(path: string): Promise<T> => (await (await fetch(demo.baseUrl + path)).json()) as T
const { activityWatermark, publications, conclusions } = await ask<{
  activityWatermark: number
  publications: Record[]
  conclusions: { checkpointId: string }[]
}>(`/api/research/rooms/${roomId}/research-context`)
const { page, context, troubles } = await watched(browser, demo.baseUrl, { colorScheme: "light" }, [404, 422])
t.teardown(() => context.close())
const at = (path: string) => page.goto(demo.baseUrl + path)
const main = page.locator("#main")
const note = page.getByRole("note", { name: "An earlier moment" })

/** Checks with axe that the page is accessible and no wider than the screen, in both themes and on a phone. */
async function isWhole(t: Test, name: string): Promise<void> {
  for (const [width, colorScheme] of [
    [1280, "light"],
    [1280, "dark"],
    [390, "light"],
    [390, "dark"],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    t.same(await violations(page), [], `${name} has no violation at ${width}, ${colorScheme}`)
    t.equal(
      await page.evaluate("Math.max(0, document.documentElement.scrollWidth - innerWidth)"),
      0,
      `${name} is not wider than the screen`,
    )
    if (shots !== undefined)
      await page.screenshot({ path: `${shots}/${name}-${width}-${colorScheme}.png`, fullPage: true })
  }
  await page.setViewportSize({ width: 1280, height: 900 })
  t.same(troubles(), [])
}

/** Asserts that the page has no form that writes and no link to one, for a member who has them on the current page. */
async function nothingToDo(t: Test): Promise<void> {
  t.equal(await main.locator('form[method="post"]').count(), 0)
  t.equal(await main.locator('a[href*="/do/"]').count(), 0)
  t.equal(await page.locator("#main[data-room]").count(), 0, "it follows nothing")
}

await signIn(page, demo, "member")

t.test(
  "A Room as of an entry names its moment and what has happened since, and its links stay at that moment",
  async (t) => {
    await at(`/rooms/${roomId}`)
    t.ok((await main.locator('a[href*="/do/"]').count()) > 0, "the current page has actions")
    t.equal(await note.count(), 0)
    await at(`/rooms/${roomId}?at=120`)
    t.match(
      await note.textContent(),
      new RegExp(`As of entry 120, .*${activityWatermark - 120} entries in this Room since`, "s"),
    )
    await nothingToDo(t)
    await isWhole(t, "room-then")

    await page.getByRole("navigation", { name: "Room" }).getByRole("link", { name: "Hypotheses" }).click()
    t.match(page.url(), /\/hypotheses\?at=120$/)
    t.equal(await note.count(), 1)
    await nothingToDo(t)
    await page.locator(".cards a.wording").first().click()
    t.match(page.url(), /\/records\/[0-9a-f-]+\?at=120$/)
    await nothingToDo(t)
    await page.getByRole("link", { name: "Now", exact: true }).click()
    t.notMatch(page.url(), /at=/)
    t.equal(await note.count(), 0)
  },
)

t.test(
  "A record that has fallen since stood then; its page gives its present standing and what was said of it",
  async (t) => {
    const fallen = publications.find(
      ({ status }) => status === "corrected" || status === "disputed" || status === "retracted",
    )
    if (fallen === undefined) throw new Error("the demo has no record that has fallen")
    const { items } = await ask<{ items: { sequence: number; target: { id: string } }[] }>(
      `/api/research/rooms/${roomId}/activity?kinds=publish_finding,publish_hypothesis`,
    )
    const published = items.find(({ target }) => target.id === fallen.versionId)?.sequence
    await at(`/records/${fallen.versionId}?at=${published}`)
    t.match(await note.textContent(), new RegExp(`Now:.*${fallen.status}`, "s"))
    t.ok((await note.locator("ul.since li").count()) > 0)
    t.equal(await main.locator("#live-standing .banner").count(), 0, "nothing was held against it then")
    await nothingToDo(t)
    await isWhole(t, "record-then")
  },
)

t.test("A conclusion's page names the entry that posted it, and links to the Room as of that entry", async (t) => {
  await at(`/checkpoints/${conclusions[0]?.checkpointId}`)
  await page.getByRole("link", { name: "as it was posted" }).click()
  t.match(page.url(), /\?at=[0-9]+$/)
  t.equal(await note.count(), 1)
  await nothingToDo(t)
  await isWhole(t, "checkpoint-then")
  await page.goBack()
  await page.getByRole("link", { name: "the Room as it stood then" }).click()
  t.match(page.url(), new RegExp(`/rooms/${roomId}\\?at=[0-9]+$`))
})

t.test("Experiments and attempts too; a read without an earlier state shows the present", async (t) => {
  await at(`/rooms/${roomId}/experiments?at=150`)
  await page.locator("#live-experiments a").first().click()
  t.match(page.url(), /\/experiments\/[0-9a-f-]+\?at=150$/)
  await nothingToDo(t)
  await isWhole(t, "experiment-then")
  await page.locator("#live-attempts tbody a").first().click()
  t.match(page.url(), /\/attempts\/[0-9a-f-]+\?at=150$/)
  await nothingToDo(t)
  await isWhole(t, "attempt-then")
  await page.getByRole("navigation", { name: "Room" }).getByRole("link", { name: "Attempts" }).click()
  t.match(page.url(), /\/attempts\?at=150$/)
  const { compared } = await ask<{ compared: number }>(`/api/research/attempt-table?roomId=${roomId}&at=150`)
  const now = await ask<{ compared: number }>(`/api/research/attempt-table?roomId=${roomId}`)
  t.ok(compared > 0 && compared < now.compared, `${compared} of ${now.compared}`)
  t.match(await main.textContent(), `${compared} attempts`)
  await page.getByRole("button", { name: "Filter" }).click()
  await page.waitForLoadState()
  t.match(page.url(), /at=150/, "a selection stays at that moment")
  t.equal(await note.count(), 1)
  await nothingToDo(t)
  t.notMatch(
    await page.getByRole("navigation", { name: "Room" }).getByRole("link", { name: "People" }).getAttribute("href"),
    /at=/,
  )
})

t.test("Curves and comparisons of an attempt as of an entry ask for the points of that moment", async (t) => {
  const { items } = await ask<{ items: { attemptId: string; label: string; status: string }[] }>(
    `/api/research/attempts?roomId=${roomId}`,
  )
  const [one] = items
  const moment = 150
  await at(`/attempts/${one?.attemptId}?at=${moment}`)
  const figure = page.locator("[data-curves]").first()
  t.match(
    await figure.getAttribute("data-values"),
    new RegExp(`[?&]at=${moment}`),
    "the slider reads the points of that moment",
  )
  const values = await ask<{ asOf: { sequence: number } }>((await figure.getAttribute("data-values")) ?? "")
  t.equal(values.asOf.sequence, moment)
  await figure.getByRole("link", { name: "Log axis" }).click()
  await page.locator("[data-curves]").first().getByRole("link", { name: "Linear axis" }).waitFor()
  await page.locator("[data-curves]").first().getByRole("link", { name: "Link to this view" }).click()
  t.match(page.url(), new RegExp(`/attempts/curves.*at=${moment}`))
  t.equal(await note.count(), 1, "zooming in keeps that moment")
  await page.getByText("Range", { exact: true }).click()
  await page.getByLabel("From step").fill("1")
  await page.getByRole("button", { name: "Show", exact: true }).click()
  await page.waitForURL(/from=1/)
  t.match(page.url(), new RegExp(`at=${moment}`))
  await isWhole(t, "curves-then")
  await at(
    `/attempts/compare?view=attempts&ids=${items
      .slice(0, 2)
      .map(({ attemptId }) => attemptId)
      .join(",")}&at=${moment}`,
  )
  t.match(await page.locator("[data-curves]").first().getAttribute("data-values"), new RegExp(`at=${moment}`))
  await isWhole(t, "compare-then")
})

t.test("Lists, Threads, materials and links show the moment too, and their links stay at it", async (t) => {
  const moment = 60
  const rows = async (section: string, of: string) => {
    await at(`/rooms/${roomId}/${section}${of}`)
    return main.locator("[data-entry]").count()
  }
  for (const section of ["threads", "materials", "links", "activity"]) {
    const [then, now] = [await rows(section, `?at=${moment}`), await rows(section, "")]
    t.ok(then > 0 && (section === "activity" || then < now), `${section}: ${then} then, ${now} now`)
    await at(`/rooms/${roomId}/${section}?at=${moment}`)
    t.equal(await note.count(), 1)
    await nothingToDo(t)
    await isWhole(t, `${section}-then`)
    if (section === "activity") continue
    const object = main.locator(`#live-list a[href*="/${section}/"]`).first()
    await object.click()
    t.match(
      page.url(),
      new RegExp(`/${section}/[0-9a-f-]+\\?at=${moment}$`),
      `${section}: it lists what there was then`,
    )
    // The address changes before the page has loaded.
    await note.waitFor()
    t.equal(await note.count(), 1)
    await nothingToDo(t)
    await isWhole(t, `${section.slice(0, -1)}-then`)
  }
  await at(`/rooms/${roomId}/activity?at=${moment}`)
  t.equal(await main.locator(`#activity-${moment}`).count(), 1)
  t.equal(await main.locator(`#activity-${moment + 1}`).count(), 0, "nothing that was added later")
  await at(`/rooms/${roomId}/graph?at=${moment}`)
  t.equal(await note.count(), 1)
})

t.test("A page without an earlier state says that it shows the present", async (t) => {
  await at(`/rooms/${roomId}/people?at=60`)
  t.match(await page.getByRole("note", { name: "The present" }).textContent(), "how things stand now")
  await at(`/rooms/${roomId}/people`)
  t.equal(await page.getByRole("note", { name: "The present" }).count(), 0)
})

t.test("An invalid moment gets a page that says so", async (t) => {
  for (const [wrong, says] of [
    ["0", "Something in this address is wrong"],
    ["soon", "Something in this address is wrong"],
    [String(activityWatermark + 1), "at must be"],
  ] as const) {
    t.equal((await at(`/rooms/${roomId}?at=${wrong}`))?.status(), 422)
    t.match(await main.textContent(), says)
  }
  t.equal(
    (await at(`/records/${publications.at(-1)?.versionId}?at=1`))?.status(),
    404,
    "before it was published it is not found",
  )
})
