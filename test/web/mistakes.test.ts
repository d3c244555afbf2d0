/**
 * Mistakes that people make in forms, with the script and without it: nothing is stored, what was written stays in the
 * form, and a sentence names the field and says what to write instead.
 */
import type { Page } from "playwright-core"
import { Browser } from "research-room/testing"
import t from "tap"
import { signIn } from "./pages.ts"
import { demoInBrowser } from "./scene.ts"

t.setTimeout(240_000)
const { demo, browser, at } = await demoInBrowser()
const { roomId, openingThreadId: threadId } = demo.rooms.main
const { url, commit } = demo.repositories.public
const ada = await Browser.signIn({ baseUrl: demo.baseUrl }, demo.people.owner)
const inRoom = `roomId=${roomId}&threadId=${threadId}`
const propose = async () => {
  const asked = { roomId, threadId, question: "Does it hold?", scope: "One model.", hypotheses: [] }
  return (await ada.write("propose_experiment", asked)).result.experimentId
}
const experimentId = await propose()
await ada.write("take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })
const attemptId = crypto.randomUUID()
await ada.write("register_attempt", {
  ...{ attemptId, experimentId, expectedRevision: 2, expectedStatus: "claimed", intent: "exploratory" },
  ...{ repository: { url, commit }, argv: ["run"], configuration: {}, inputs: [] },
})
const invited = await ada.request("POST", "/api/invitations", { roomId })
const { token } = (await invited.json()) as { token: string }
const invitation = `/invitations/${token}`

interface Mistake {
  readonly name: string
  /** The page with the form. */
  readonly path: string | (() => Promise<string>)
  /** What is written into the inputs, by their names. */
  readonly written: Readonly<Record<string, string>>
  /** Anything else that happens before the form is sent. */
  readonly also?: (page: Page) => Promise<unknown>
  readonly send: string
  readonly status: number
  /** The input that has the focus then. */
  readonly field?: string
  readonly says: RegExp
  /** Inputs whose text is not given back. */
  readonly lost?: readonly string[]
}

const proposal = `/do/propose_experiment?${inRoom}`
const plan = `/do/accept_plan?experimentId=${experimentId}`
const code = { "/repository/url": url, "/repository/commit": commit, "/protocol/summary": "Two arms." }
const finding = {
  "/assertion/wording": "With a warm-up the loss falls.",
  "/scope": "Small models.",
  "/provenance/execution/attemptIds": "A1",
}

const MISTAKES: readonly Mistake[] = [
  {
    name: "what is required is left empty",
    path: proposal,
    written: { "/scope": "One model." },
    send: "Propose the experiment",
    status: 422,
    field: "/question",
    says: /^Say what you want to find out\.$/,
  },
  {
    name: "a label is mistyped",
    path: proposal,
    written: { "/question": "Is it?", "/scope": "One model.", "/hypotheses": "H99" },
    send: "Propose the experiment",
    status: 422,
    field: "/hypotheses",
    says: /^“H99” is not a hypothesis of this Room\.$/,
  },
  {
    name: "one of two labels, joined by a word, names nothing",
    path: proposal,
    written: { "/question": "Is it?", "/scope": "One model.", "/hypotheses": "h1 and H99" },
    send: "Propose the experiment",
    status: 422,
    field: "/hypotheses",
    says: /^“H99” is not a hypothesis of this Room\.$/,
  },
  {
    name: "a short commit is unknown",
    path: plan,
    written: { ...code, "/repository/commit": "abc1234" },
    send: "Pin the plan",
    status: 422,
    field: "/repository/commit",
    says: /No commit that this Room has run begins with “abc1234”\. Give all of it: git rev-parse abc1234 /,
  },
  {
    name: "a commit is not in the repository",
    path: plan,
    written: { ...code, "/repository/commit": "a".repeat(40) },
    send: "Pin the plan",
    status: 422,
    field: "/repository/commit",
    says: /^The repository has no such commit\.$/,
  },
  {
    name: "a repository's address has no owner",
    path: plan,
    written: { ...code, "/repository/url": "https://github.com/name" },
    send: "Pin the plan",
    status: 422,
    field: "/repository/url",
    says: /“https:\/\/github\.com\/name” names no owner\. Give the whole address: https:\/\/github\.com\/owner\/name\./,
  },
  {
    name: "a whole paragraph stands for a repository, and is not repeated",
    path: plan,
    written: { ...code, "/repository/url": "The repository is the one that we always use. ".repeat(4).trim() },
    send: "Pin the plan",
    status: 422,
    field: "/repository/url",
    says: /^(?!.*we always use).*[Rr]epository/,
  },
  {
    name: "a number has a comma",
    path: `/do/report_attempt_event?attemptId=${attemptId}`,
    written: { "/message": "It ran.", "/cost/gpuHours": "1,5" },
    also: (page) => page.getByLabel("It succeeded").check(),
    send: "Report it",
    status: 422,
    field: "/cost/gpuHours",
    says: /^“1,5” has a comma\. Write it with a point: 1\.5\.$/,
  },
  {
    name: "a setting has no name",
    path: `/do/publish_finding?${inRoom}`,
    written: { ...finding, "/effects/0/metric": "error", "/effects/0/of": "arm shift" },
    send: "Publish the finding",
    status: 422,
    field: "/outcome",
    says: /“arm shift” has no colon\. Write arm: shift\./,
  },
  {
    name: "a paper is named by its author",
    path: `/do/publish_cited_claim?${inRoom}`,
    written: {
      ...{ "/paper/arxivId": "Smith 2020", "/quote": "It falls.", "/assertion/wording": "The loss falls." },
      ...{ "/scope": "Small models.", "/locator/page": "3" },
    },
    send: "Publish the claim",
    status: 422,
    field: "/paper/arxivId",
    says: /^Which paper\? This must be an arXiv id such as 2401\.01234 or hep-th\/9901001\.$/,
  },
  {
    name: "settings are not JSON",
    path: `/do/register_attempt?experimentId=${experimentId}&intent=exploratory`,
    written: { "/repository/url": url, "/repository/commit": commit, "/argv": "run", "/configuration": "{rate: 0.1}" },
    send: "Register the attempt",
    status: 422,
    field: "/configuration",
    says: /^Configuration: This is not a JSON object\. Names and texts stand in double quotes, as in \{"rate": 0\./,
  },
  {
    name: "a token would expire in the past",
    path: `/do/issue_credential?roomId=${roomId}`,
    written: { "/label": "night agent", "/expiresAt": "2020-01-01T00:00:01" },
    send: "Issue the credential",
    status: 422,
    field: "/expiresAt",
    says: /^Expires at: This must be in the future, at most 366 days ahead\.$/,
  },
  {
    name: "nothing is ticked",
    path: `/do/issue_credential?roomId=${roomId}`,
    written: { "/label": "night agent" },
    also: async (page) => {
      for (const box of await page.locator("[name='/permissions']").all()) await box.uncheck()
    },
    send: "Issue the credential",
    status: 422,
    field: "/permissions",
    says: /^Choose at least one thing that it may do\.$/,
  },
  {
    name: "nothing is changed",
    path: `/do/amend_room?roomId=${roomId}`,
    written: {},
    send: "Change it",
    status: 422,
    says: /Fill in at least one: Title, Question or Licence\./,
  },
  {
    name: "a person's name is misspelled",
    path: `/do/add_member?roomId=${roomId}`,
    written: { "/username": "gracce" },
    send: "Add them",
    status: 404,
    field: "/username",
    says: /^There is no user named gracce\. Check how it is spelled, or invite them with a link instead\.$/,
  },
  {
    name: "a new name has a space",
    path: invitation,
    written: { username: "ada lovelace", password: "a long password" },
    send: "Create the account",
    status: 422,
    field: "username",
    says: /letters, digits, dot, dash and underscore/,
    lost: ["password"],
  },
  {
    name: "a new name is taken",
    path: invitation,
    written: { username: "grace", password: "a long password" },
    send: "Create the account",
    status: 409,
    field: "username",
    says: /^The name grace is taken; choose another\.$/,
    lost: ["password"],
  },
  {
    name: "somebody has taken it meanwhile",
    path: async () => `/do/amend_experiment?experimentId=${await propose()}`,
    written: { "/question": "Does it hold at 3 sizes?", "/explanation": "Two were too few." },
    also: async (page) => {
      const id = new URL(page.url()).searchParams.get("experimentId") ?? ""
      await ada.write("take_experiment", { experimentId: id, expectedRevision: 1, expectedStatus: "open" })
    },
    send: "Change it",
    status: 409,
    says: /What changed while you wrote.*Status\s+was open, is now claimed.*Your draft is below as you wrote it/s,
  },
]

for (const javaScriptEnabled of [true, false])
  t.test(javaScriptEnabled ? "with the script" : "without a script", async (t) => {
    const context = await browser.newContext({ javaScriptEnabled })
    const page = await context.newPage()
    t.teardown(() => context.close())
    await signIn(page, demo, "owner")
    for (const mistake of MISTAKES)
      await t.test(mistake.name, async (t) => {
        const { path, written, also, send, status, field, says, lost = [] } = mistake
        const isNew = path === invitation
        const of = isNew ? await (await browser.newContext({ javaScriptEnabled })).newPage() : page
        const input = (name: string) =>
          of.locator(`[name="${name}"]:is(textarea, select, input:not([type=hidden]))`).last()
        await of.goto(at(typeof path === "string" ? path : await path()))
        for (const fold of await of.locator("main details").all())
          await fold.evaluate((details) => details.setAttribute("open", ""))
        await also?.(of)
        for (const [name, text] of Object.entries(written)) await input(name).fill(text)
        const sendIt = async () => {
          const answered = of.waitForResponse((response) => response.request().isNavigationRequest())
          await of.getByRole("button", { name: send, exact: true }).click()
          return (await answered).status()
        }
        // Words and roles that are proposed from a sentence are shown before anything is sent.
        let answer = await sendIt()
        if (answer === 200) answer = await sendIt()
        await of.waitForLoadState()
        t.equal(answer, status)
        const said = of.locator(".refused, .banner[role=alert]").first()
        t.match(await said.innerText(), /Not stored|Correct what is marked|is taken/)
        const sentences =
          field === undefined
            ? [await said.innerText()]
            : await of.locator(isNew ? ".fault" : ".refused li").allInnerTexts()
        t.ok(
          sentences.some((sentence) => says.test(sentence)),
          `says: ${sentences.join(" | ")}`,
        )
        for (const [name, text] of Object.entries(written))
          if (!lost.includes(name)) t.equal(await input(name).inputValue(), text, `${name} is kept`)
        // A draft would be found in the next form about the same.
        if (javaScriptEnabled) await of.evaluate("localStorage.clear()")
        if (field === undefined) return
        const wrong = of.locator("form [aria-invalid=true]").first()
        t.equal(await wrong.getAttribute("name"), field, "the field is marked")
        if (javaScriptEnabled)
          t.ok(await wrong.evaluate((element) => element === element.ownerDocument.activeElement), "it has the focus")
        if (isNew) await of.context().close()
      })
  })

t.test("a command that may be left empty is not missing", async (t) => {
  const page = await (await browser.newContext()).newPage()
  t.teardown(() => page.context().close())
  await signIn(page, demo, "owner")
  await page.goto(at(`/do/declare_board?${inRoom}`))
  for (const [name, text] of Object.entries({
    ...{ "/title": "Coverage", "/metric": "coverage", "/evaluator/repository/url": url },
    "/evaluator/repository/commit": commit,
  }))
    await page.locator(`[name="${name}"]`).fill(text)
  await page.locator('[name="/direction"]').selectOption("higher")
  await page.getByRole("button", { name: "Declare the board" }).click()
  await page.waitForURL(/\/boards\//)
  t.match(await page.textContent("main"), "Coverage")
})
