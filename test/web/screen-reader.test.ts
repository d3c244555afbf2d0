/** The written transcripts of five tasks match what a screen reader gets from the pages. */
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import t, { type Test } from "tap"
import { signIn } from "./pages.ts"
import { demoInBrowser } from "./scene.ts"
import { watched } from "./watched.ts"

t.setTimeout(180_000)
const { demo, browser, at } = await demoInBrowser()
const { page, context } = await watched(browser, demo.baseUrl)
t.teardown(() => context.close())
const { roomId, openingThreadId } = demo.rooms.main
const ask = async <T>(path: string): Promise<T> => (await (await fetch(at(path))).json()) as T
const { hypotheses, conclusions } = await ask<{
  hypotheses: { versionId: string; label: string }[]
  conclusions: { checkpointId: string }[]
}>(`/api/research/rooms/${roomId}/research-context`)
const { items: attempts } = await ask<{ items: { attemptId: string; label: string }[] }>(
  `/api/research/attempts?roomId=${roomId}&status=failed`,
)

/** The tasks as written down: the lines of each, by its heading. */
const written = readFileSync(join(dirname(import.meta.dirname), "..", ".github/screen-reader.md"), "utf8")
const tasks = new Map(
  [...written.matchAll(/^## (.+)\n[^`]*?(?:`[^`\n]+`[^`]*?)*```\n([\s\S]+?)```/gm)].map(([, name = "", lines = ""]) => [
    name,
    lines.trim().split("\n"),
  ]),
)
const plain = (line: string) => line.trim().replace(/^- '(.*)'(:?)$/, "- $1$2")

async function isHeard(t: Test, task: string, path: string): Promise<void> {
  const lines = tasks.get(task)
  if (lines === undefined) return void t.fail(`${task} is not written down`)
  await page.goto(at(path))
  // The script adds the slider to a picture of curves.
  if ((await page.locator("figure.curves").count()) > 0) await page.getByRole("slider").first().waitFor()
  const tree = (await page.locator("body").ariaSnapshot()).split("\n").map(plain)
  let from = 0
  for (const line of lines) {
    const found = tree.findIndex((each, index) => index >= from && (each === line || each.startsWith(`${line}:`)))
    t.ok(found >= 0, `${task}: ${line}`)
    if (found >= 0) from = found + 1
  }
  const levels = tree.flatMap((line) => /heading .*\[level=(\d)\]/.exec(line)?.[1] ?? []).map(Number)
  t.equal(levels.filter((level) => level === 1).length, 1, "one first heading")
  t.strictSame(
    levels.filter((level, index) => index > 0 && level > (levels[index - 1] ?? 0) + 1),
    [],
    "no heading level is skipped",
  )
  const buttons = tree.flatMap((line) => /^- button "(.+?)"/.exec(line)?.[1] ?? [])
  t.strictSame(
    buttons.filter((name) => name.trim() === ""),
    [],
    "every button has a name",
  )
  for (const landmark of ["- banner", "- main", "- contentinfo"])
    t.ok(
      tree.some((line) => line.startsWith(landmark)),
      landmark,
    )
}

t.test("each task is written down", (t) => {
  t.equal(tasks.size, 5)
  for (const [task, lines] of tasks) t.ok(lines.length > 5, task)
  t.end()
})

t.test("a reader judges a hypothesis and a conclusion", async (t) => {
  const h4 = hypotheses.find(({ label }) => label === "H4")?.versionId
  await isHeard(t, "Reader: how strong is this hypothesis?", `/records/${h4}`)
  await isHeard(t, "Reader: what did the group conclude?", `/checkpoints/${conclusions[0]?.checkpointId}`)
})

t.test("an engineer finds out why something failed, and answers", async (t) => {
  const a24 = attempts.find(({ label }) => label === "A24")?.attemptId
  await isHeard(t, "Engineer: why did it fail?", `/attempts/${a24}`)
  await signIn(page, demo, "member")
  await isHeard(t, "Engineer: answer in a Thread", `/threads/${openingThreadId}`)
})

t.test("an owner looks up who may write", async (t) => {
  await context.clearCookies()
  await signIn(page, demo, "owner")
  await isHeard(t, "Owner: who may write here?", `/rooms/${roomId}/people`)
})
