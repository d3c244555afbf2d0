/**
 * One guided loop: from a hypothesis to its verdict by following the one next action of each page, with a script and
 * without. The finding and its verdict on the hypothesis are one form, sent together; the changes are shown before.
 */
import type { BrowserContextOptions, Page } from "playwright-core"
import t, { type Test } from "tap"
import { violations } from "./axe.ts"
import { signIn } from "./pages.ts"
import { demoInBrowser } from "./scene.ts"
import { watched } from "./watched.ts"

t.setTimeout(240_000)
const { demo, browser, at } = await demoInBrowser()
const { roomId } = demo.rooms.empty
const { url, commit } = demo.repositories.public
const CLAIM = "A linear warm-up lowers the loss."
const FOUND = "With a linear warm-up the loss is lower by 0.07 nats."

/** The one next action under the title, as a link or a button. */
const next = (page: Page, name: string | RegExp) =>
  page.locator(".next-act").first().locator("a, button").filter({ hasText: name }).first()
const steps = async (page: Page): Promise<string> => (await page.locator(".steps").innerText()).replace(/\s+/g, " ")

async function loop(t: Test, options: BrowserContextOptions, isScripted: boolean): Promise<void> {
  const { page, context, troubles } = await watched(browser, demo.baseUrl, options, [422])
  await signIn(page, demo, "owner")
  const done = (operation: string) => page.waitForURL(new RegExp(`done=${operation}`))
  const label = async () => (await page.locator(".meta .label").first().innerText()).trim()

  await page.goto(at(`/rooms/${roomId}`))
  await page
    .getByRole("link", { name: /^(Write down a hypothesis|Publish a hypothesis)$/ })
    .first()
    .click()
  await page.getByLabel("What do you claim?").fill(CLAIM)
  await page.getByLabel("Where does it hold?").fill("Small models.")
  if (isScripted) await page.locator("[data-structure] .tag").first().waitFor()
  await page.getByRole("button", { name: "Publish the hypothesis" }).click()
  if (!isScripted) {
    t.match(
      await page.locator("#changes").innerText(),
      /proposed from your sentence/,
      "without a script there is one preview before it is sent",
    )
    await page.getByRole("button", { name: "Publish the hypothesis" }).click()
  }
  await done("publish_hypothesis")
  const [hypothesis, hypothesisAt] = [await label(), new URL(page.url()).pathname]
  t.match(await steps(page), new RegExp(`^Hypothesis ${hypothesis}`))

  await next(page, "Propose an experiment").click()
  await page.getByLabel("What do you want to find out?").fill("Is the loss lower with a warm-up?")
  await page.getByLabel("On what?").fill("One model.")
  t.ok(
    await page.getByRole("checkbox", { name: new RegExp(`^${hypothesis}:`) }).isChecked(),
    "the hypothesis is already chosen",
  )
  await page.getByRole("button", { name: "Propose the experiment" }).click()
  await done("propose_experiment")
  await next(page, "Take it").click()
  await done("take_experiment")

  await next(page, "Pin the plan").click()
  await page.getByLabel("Public repository").fill(url)
  await page.getByLabel("Commit").fill(commit)
  await page.getByLabel("How will it be done?").fill("Two arms.")
  await page.getByText("Arms and what would count as success").click()
  await page.locator("[name='/protocol/arms/0/name']").fill("warm-up")
  await page.locator("[name='/protocol/arms/0/argv']").fill("python train.py --warmup 400")
  await page.getByRole("button", { name: "Pin the plan" }).click()
  await done("accept_plan")

  await next(page, "Register an attempt: warm-up").click()
  t.equal(
    await page.locator("[name='/argv']").inputValue(),
    "python train.py --warmup 400",
    "the arm's command is filled in",
  )
  await page.getByRole("button", { name: "Register the attempt" }).click()
  await done("register_attempt")
  const attempt = await label()
  await next(page, "Report what happened").click()
  await page.getByLabel("It succeeded").check()
  await page.getByRole("button", { name: "Report it" }).click()
  await done("report_attempt_event")
  t.notMatch(await page.locator("main").innerText(), /is final/, "no page is a dead end")

  await next(page, "Publish a finding").click()
  t.ok(
    await page
      .getByRole("checkbox", { name: new RegExp(`^${attempt}:`) })
      .first()
      .isChecked(),
    "the attempt is already chosen",
  )
  t.equal(await page.getByLabel("Where does it hold?").inputValue(), "One model.", "so is its scope")
  t.match(
    await page.locator(".says legend").first().innerText(),
    new RegExp(`What does this say about ${hypothesis}\\?`),
  )
  await page.getByLabel("What did you find?").fill(FOUND)
  await page.getByLabel("How did it come out?").selectOption("positive")
  if (isScripted) await page.locator("[data-structure] .tag").first().waitFor()
  await page.locator("select[name='/says/towardHypothesis/0/verdict']").selectOption("supports")
  await page.locator("select[name='/says/towardQuestion/verdict']").selectOption("answers")
  if (!isScripted) await page.getByRole("button", { name: "See what changes" }).click()
  await page.locator("#changes li").waitFor()
  t.match(
    (await page.locator("#changes").innerText()).replace(/\s+/g, " "),
    new RegExp(`^${hypothesis}: untested → supported, by its author alone`),
    "the changes are shown before",
  )
  if (isScripted) t.same(await violations(page), [])
  await page.getByRole("button", { name: "Publish the finding" }).click()
  await done("publish_finding")
  const finding = await label()
  t.match(
    await steps(page),
    new RegExp(`^Hypothesis ${hypothesis} .*Attempt ${attempt} .*Finding ${finding} .*Verdict: supports`),
  )
  t.match(
    await page.locator("#live-answers").innerText(),
    /supports[\s\S]*With a linear warm-up the loss is lower/,
    "the finding itself is the explanation",
  )

  await page.goto(at(hypothesisAt))
  t.match(await steps(page), new RegExp(`Finding ${finding} .*Verdict: supported`))
  await page.goto(at(`/rooms/${roomId}`))
  t.match(
    (await page.locator("#live-found li").first().innerText()).replace(/\s+/g, " "),
    new RegExp(`^${finding} .*${hypothesis}`),
  )
  t.same(troubles(), [])
  await context.close()
}

t.test("with a script", (t) => loop(t, {}, true))
t.test("without one", (t) => loop(t, { javaScriptEnabled: false }, false))

t.test(
  "a fault in the verdict is shown beside its field, and neither the finding nor the verdict is stored",
  async (t) => {
    const { page, context } = await watched(browser, demo.baseUrl, {}, [422])
    await signIn(page, demo, "owner")
    const { items } = (await (await fetch(at(`/api/research/experiments?roomId=${roomId}`))).json()) as {
      items: { experimentId: string }[]
    }
    const before = (
      (await (await fetch(at(`/api/research/rooms/${roomId}`))).json()) as { counts: { finding: number } }
    ).counts.finding
    await page.goto(
      at(`/do/publish_finding?roomId=${roomId}&/provenance/execution/experimentId=${items[0]?.experimentId}`),
    )
    await page.getByLabel("What did you find?").fill("A linear warm-up lowers the loss everywhere.")
    await page.getByLabel("How did it come out?").selectOption("positive")
    await page.locator("[data-structure] .tag").first().waitFor()
    await page.getByRole("button", { name: "Add a hypothesis" }).click()
    await page.locator("[name='/says/towardHypothesis/1/versionId']").fill("H99")
    await page.locator("select[name='/says/towardHypothesis/1/verdict']").selectOption("supports")
    await page.getByRole("button", { name: "Publish the finding" }).click()
    await page.waitForSelector("#refused")
    const faults = await page.locator(".field.wrong .fault").allTextContents()
    t.match(faults, [
      /“H99” is not a hypothesis of this Room/,
      /Say whether it answers the question/,
      /Choose the attempts it comes from/,
    ])
    t.notMatch(
      await page.locator("#refused").innerText(),
      /says|toward|versionId|Write 2/,
      "without names of the interface",
    )
    const after = ((await (await fetch(at(`/api/research/rooms/${roomId}`))).json()) as { counts: { finding: number } })
      .counts.finding
    t.equal(after, before, "neither is stored")
    await context.close()
  },
)
