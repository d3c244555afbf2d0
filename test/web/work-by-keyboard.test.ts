/** Each form in which people write work and its results, filled and sent without a mouse. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Page } from "playwright-core"
import t from "tap"
import { action, hypothesis as hypothesisOf } from "../support/bodies.ts"
import { violations } from "./axe.ts"
import {
  at,
  browser,
  demo,
  filled,
  isHalf,
  page,
  read,
  roomId,
  threadId,
  troubles,
  wholeStatement,
} from "./by-keyboard.ts"
import { Typist } from "./typist.ts"

t.setTimeout(240_000)

async function write(operation: string, body: object): Promise<{ result: { versionId?: string } }> {
  const response = await fetch(`${demo.baseUrl}/api/agent/research/${operation}`, {
    method: "POST",
    headers: { authorization: `Bearer ${demo.credentials.owner_all?.token}`, "content-type": "application/json" },
    body: JSON.stringify({ schemaVersion: 3, requestId: crypto.randomUUID(), ...body }),
  })
  const answer = (await response.json()) as { result: { versionId?: string } }
  if (!response.ok) throw new Error(`${operation}: ${JSON.stringify(answer)}`)
  return answer
}

/** Publishes a hypothesis with that sentence, as a program does. */
const published = async (wording: string): Promise<string> => {
  const body = action(hypothesisOf({ roomId, threadId }))
  const { result } = await write("publish_hypothesis", { ...body, assertion: { ...body.assertion, wording } })
  return result.versionId ?? ""
}
const hypothesis = await published("A linear warm-up lowers the loss at step 1,000.")
await published("Longer ramp lowers variance.")

let experiment = ""
t.test("an experiment", async (t) => {
  const { id } = await filled("propose_experiment", at, async (typist) => {
    await typist.write("What do you want to find out?", "Is the loss lower with a ramp?")
    await typist.write("On what?", "One model, five seeds.")
    await typist.tick("H1: A linear warm-up lowers the loss at step 1,000. (by your agent owner, everything)")
    await typist.send("Propose the experiment")
  })
  experiment = id
  t.match(await read(`/experiments/${id}`), {
    question: "Is the loss lower with a ramp?",
    hypotheses: [{ versionId: hypothesis }],
  })
})

const expected = async (): Promise<object> => (await read(`/experiments/${experiment}`)).affordances.expected

t.test(
  "in a Room of several Threads one is picked by its title; in a Room of one there is nothing to pick",
  async (t) => {
    await page.goto(`${demo.baseUrl}/do/propose_experiment?roomId=${roomId}`)
    t.equal(await page.getByLabel("In which Thread?").count(), 0)
    const main = demo.rooms.main.roomId
    const { items } = await read(`/rooms/${main}/threads`)
    const { title, threadId: wanted } = items.at(-1)
    const { id } = await filled("propose_experiment", `roomId=${main}`, async (typist) => {
      await typist.write("In which Thread?", "no such Thread")
      await typist.write("What do you want to find out?", "Which Thread is this?")
      await typist.write("On what?", "Titles.")
      await typist.send("Propose the experiment")
      await page.waitForSelector("#refused")
      t.match(await page.textContent("main"), /“no such Thread” is not a thread of this Room/)
      await page.getByLabel("In which Thread?").fill("")
      await typist.write("In which Thread?", title)
      await typist.send("Propose the experiment")
    })
    t.equal((await read(`/experiments/${id}`)).threadId, wanted)
  },
)

t.test("a plan, which starts from what the experiment says; a conflict shows what changed", async (t) => {
  await write("take_experiment", { experimentId: experiment, ...(await expected()) })
  const { url, commit } = demo.repositories.public
  await page.goto(`${demo.baseUrl}/do/accept_plan?experimentId=${experiment}`)
  const typist = new Typist(page)
  await typist.write("Public repository", url)
  await typist.write("Commit", commit)
  await typist.write("How will it be done?", "Train five seeds with and without the ramp.")
  await typist.unfold("Arms and what would count as success")
  await typist.write("Arm 1: Name", "ramp")
  await typist.write("Arm 1: Command", `python train.py --warmup 400 --name "with a ramp"`)
  await write("report_experiment_status", { experimentId: experiment, ...(await expected()), status: "in_progress" })
  await typist.send("Pin the plan")
  await page.waitForSelector("#refused")
  t.match(await page.textContent("#refused"), /Status\s*was claimed, is now in progress/)
  t.equal(await page.inputValue("[name='/protocol/summary']"), "Train five seeds with and without the ramp.")
  t.same(await violations(page), [])
  await new Typist(page).send("Pin the plan")
  await page.waitForURL(/done=accept_plan/)
  const { content } = await read(`/plans/${new URL(page.url()).pathname.split("/").at(-1)}`)
  t.match(content, { intent: "confirmatory", hypotheses: [hypothesis], premises: [], repository: { url, commit } })
  t.same(content.protocol.arms, [
    { name: "ramp", argv: ["python", "train.py", "--warmup", "400", "--name", "with a ramp"] },
  ])
})

/** Follows the link with that name on the open page, with the keyboard. */
const followed = async (name: string): Promise<Typist> => {
  await page.getByRole("link", { name, exact: true }).focus()
  await page.keyboard.press("Enter")
  await page.waitForURL(/\/do\//)
  return new Typist(page)
}

t.test(
  "an attempt from registration to its end, and the outcome of the experiment, each from its own page",
  async (t) => {
    await page.goto(`${demo.baseUrl}/experiments/${experiment}`)
    let typist = await followed("Register a planned attempt")
    t.equal(
      await page.inputValue("[name='/repository/commit']"),
      demo.repositories.public.commit,
      "it starts with the plan's pins",
    )
    await typist.write("Command", "python train.py --warmup 400")
    await typist.send("Register the attempt")
    await page.waitForURL(/done=register_attempt/)
    const id = new URL(page.url()).pathname.split("/").at(-1) ?? ""
    for (const [link, done] of [
      ["Say that it started", "started"],
      ["Report its failure", "failed"],
    ] as const) {
      typist = await followed(link)
      t.equal(await page.isVisible("text=The failure"), done === "failed", "only a failure asks for its stage")
      if (done === "failed") {
        await typist.write("Where did it fail?", "training")
        await typist.write("How?", "The node was taken away.")
      }
      await typist.send("Report it")
      await page.waitForURL(/done=report_attempt_event/)
    }
    t.match(await read(`/attempts/${id}`), {
      intent: "planned",
      outcome: "failed",
      failure: { stage: "training", explanation: "The node was taken away." },
      argv: ["python", "train.py", "--warmup", "400"],
      planMatch: { commitMatchesPlan: true },
    })
    await page.goto(`${demo.baseUrl}/experiments/${experiment}`)
    typist = await followed("Give the experiment back")
    await typist.write("What should the next person know?", "One of five seeds was lost.")
    await typist.send("Give it back")
    await page.waitForURL(/done=release_experiment/)
    typist = await followed("Take the experiment")
    await typist.send("Take it")
    await page.waitForURL(/done=take_experiment/)
    typist = await followed("Say that it is under way")
    await typist.send("Report it")
    await page.waitForURL(/done=report_experiment_status/)
    t.match(await read(`/experiments/${experiment}`), { status: "in_progress" })
  },
)

const attemptId = crypto.randomUUID()
let finding = ""
t.test("a finding: its attempts and the output that shows it are chosen, and no digest is copied", async (t) => {
  const { url, commit } = demo.repositories.public
  const run = {
    attemptId,
    experimentId: experiment,
    intent: "exploratory",
    repository: { url, commit },
    argv: ["python"],
    configuration: {},
    inputs: [],
  }
  await write("register_attempt", { ...run, ...(await expected()) })
  const event = async (event: string, more: object = {}) => {
    const { affordances } = await read(`/attempts/${attemptId}`)
    await write("report_attempt_event", {
      attemptId,
      event,
      ...affordances.expected,
      reportedAt: new Date().toISOString(),
      ...more,
    })
  }
  const digest = `sha256:${"9f".repeat(32)}`
  await event("started")
  await event("succeeded", { outputs: [{ outputLabel: "metrics.json", digest }] })
  const { id, typist } = await filled("publish_finding", at, async (typist) => {
    await wholeStatement(typist, "With a linear warm-up the loss is 0.07 nats lower.", "What did you find?")
    await typist.write("How did it come out?", "positive")
    await typist.write("Where does it hold?", "One model.")
    await typist.tick("A2: exploratory attempt of E1, succeeded (by your agent owner, everything)")
    await typist.unfold("What shows it: outputs, failures, materials, papers")
    await typist.write("Kind", "an output")
    await typist.write("Output", "A2: metrics.json")
    await typist.write("What it shows", "The loss of all seeds.")
    await typist.send("Publish the finding")
  })
  finding = id
  const { content } = await read(`/records/${id}`)
  isHalf(t, "publish_finding", typist.fields, content)
  t.match(content, { outcome: "positive", retrospective: false, materials: [], references: [] })
  t.same(content.provenance, {
    execution: { experimentId: experiment, attemptIds: [attemptId], baselineAttemptIds: [] },
    papers: [],
  })
  t.same(content.evidence, [
    { kind: "attempt_output", attemptId, outputLabel: "metrics.json", digest, explanation: "The loss of all seeds." },
  ])
})

t.test("a cited claim, from the address of its paper", async (t) => {
  const { id, typist } = await filled("publish_cited_claim", at, async (typist) => {
    await typist.write("Which paper?", "https://arxiv.org/abs/1706.03762")
    await typist.write("What does it say, word for word?", "We varied the learning rate.")
    await typist.write("Section", "5.3")
    await wholeStatement(typist, "A linear warm-up lowers the early loss.", "What does it claim, in your words?")
    await typist.write("Where does it hold?", "Transformers.")
    await typist.send("Publish the claim")
  })
  const { content } = await read(`/records/${id}`)
  isHalf(t, "publish_cited_claim", typist.fields, content)
  t.match(content, {
    paper: { arxivId: "1706.03762" },
    locator: { section: "5.3" },
    quote: "We varied the learning rate.",
  })
})

t.test("a material", async (t) => {
  const reference = `sha256:${"ab".repeat(32)}`
  const { id } = await filled("register_material", at, async (typist) => {
    await typist.write("What is it?", "Token counts")
    await typist.write("Which one exactly?", reference)
    await typist.send("Register the material")
  })
  t.match(await read(`/materials/${id}`), { name: "Token counts", reference })
})

t.test("links: to the question and a hypothesis, a correction, a successor, a dispute, a retraction", async (t) => {
  const link = await filled(
    "link_experiment_finding",
    `findingVersionId=${finding}&experimentId=${experiment}`,
    async (typist) => {
      await typist.write("Hypothesis 1: The finding", "supports")
      await typist.write("Hypothesis 1: How so?", "The predicted difference was seen.")
      await typist.write("The finding", "answers it")
      await typist.write("How so?", "For this model, yes.")
      await typist.send("Publish the verdict")
    },
  )
  t.match(await read(`/links/${link.id}`), {
    towardQuestion: { verdict: "answers", explanation: "For this model, yes." },
    towardHypothesis: [{ versionId: hypothesis, verdict: "supports" }],
  })
  const correction = await filled("assert_correction", `targetVersionId=${finding}`, async (typist) => {
    await typist.write("What should it say?", "0.06 nats.")
    await typist.write("What is wrong with it?", "A rounding error.")
    await typist.send("Publish the correction")
  })
  t.match(await read(`/links/${correction.id}`), { kind: "corrects", explanation: "A rounding error." })
  const dispute = await filled("assert_dispute", `targetVersionId=${finding}`, async (typist) => {
    await typist.write("What speaks against it?", "Seed 3 diverged.")
    await typist.unfold("Records that speak against it")
    await typist.tick("C1: A linear warm-up lowers the early loss. (by you)")
    await typist.send("Dispute it")
  })
  t.match(await read(`/links/${dispute.id}`), { kind: "disputes", explanation: "Seed 3 diverged." })
  const superseded = await filled("assert_supersession", `targetVersionId=${hypothesis}`, async (typist) => {
    await typist.write("The record that replaces it", "H2")
    await typist.write("Why?", "It is sharper.")
    await typist.send("Say that it is superseded")
  })
  t.match(await read(`/links/${superseded.id}`), { kind: "supersedes", replacement: { label: "H2" } })
  const retraction = await filled("assert_retraction", `targetVersionId=${finding}`, async (typist) => {
    await typist.write("Why?", "The wrong split was read.")
    await typist.send("Retract it")
  })
  t.match(await read(`/links/${retraction.id}`), { kind: "retracts" })
})

t.test("a checkpoint, for everything up to now", async (t) => {
  const { thread } = await read(`/threads/${threadId}/context`)
  const { id } = await filled("post_research_checkpoint", `threadId=${threadId}`, async (typist) => {
    await typist.write("Where do things stand?", "It is *lower*.")
    await typist.write("Is the question settled?", "yes")
    await typist.write("The conclusion, in a sentence or two", "A ramp lowers the early loss.")
    await typist.send("Post the checkpoint")
  })
  t.match(await read(`/checkpoints/${id}`), {
    state: "concluded",
    coversThrough: thread.timelineWatermark,
    conclusion: "A ramp lowers the early loss.",
  })
})

t.test("a credential: only its name is required", async (t) => {
  await page.goto(`${demo.baseUrl}/do/issue_credential?roomId=${roomId}`)
  const typist = new Typist(page)
  await typist.write("The agent's name", "sweep agent")
  await typist.send("Issue the credential")
  const token = (await page.locator(".command code").first().textContent()) ?? ""
  const identity = await fetch(`${demo.baseUrl}/api/agent/research/identity`, {
    headers: { authorization: `Bearer ${token.trim()}` },
  })
  t.equal(identity.status, 200, "and the agent appears under that name")
  t.same(await violations(page), [])
  const folder = mkdtempSync(join(tmpdir(), "research-room-lines-"))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const textOf = async (part: string) => (await page.locator(`${part} .command code`).textContent()) ?? ""
  const environment = await textOf("section[aria-labelledby=environment]")
  for (const name of ["curl", "python"]) {
    const { status, stdout, stderr } = await shell(`${environment}\n${await textOf(`#${name}`)}`, folder)
    t.equal(status, 0, `the lines for ${name} run as they stand`, { stderr })
    t.match(stdout, demo.people.owner.username, "and the service confirms who it is")
  }
  const settings = (await textOf("#claude-code")).replaceAll(`\${RESEARCH_ROOM_TOKEN}`, token.trim())
  const mcp = JSON.parse(settings) as { mcpServers: Record<string, { url: string; headers: Record<string, string> }> }
  const { url = "", headers = {} } = mcp.mcpServers["research-room"] ?? {}
  const listed = await fetch(url, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
  })
  t.match(await listed.text(), '"write"', "the MCP settings may write")
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"])
  await page.getByRole("button", { name: "Copy the token" }).click()
  await page.getByRole("button", { name: "Copied" }).waitFor()
})

/** Runs lines as a person pastes them; the service answers from this process, so nothing may block it. */
async function shell(lines: string, cwd: string): Promise<{ status: number; stdout: string; stderr: string }> {
  const running = spawn("bash", ["-ec", lines], { cwd, env: { ...process.env, HOME: cwd } })
  let [stdout, stderr] = ["", ""]
  running.stdout.setEncoding("utf8").on("data", (piece: string) => (stdout += piece))
  running.stderr.setEncoding("utf8").on("data", (piece: string) => (stderr += piece))
  const [status] = (await once(running, "close")) as [number]
  return { status, stdout, stderr }
}

/** The forms as they are opened, to be checked in every way. */
const opened = (): string[] => [
  `publish_hypothesis?${at}`,
  `publish_finding?${at}`,
  `publish_cited_claim?${at}`,
  `propose_experiment?${at}`,
  `accept_plan?experimentId=${experiment}`,
  `register_material?${at}`,
  `link_experiment_finding?findingVersionId=${finding}&experimentId=${experiment}`,
  `register_attempt?experimentId=${experiment}`,
  `report_attempt_event?attemptId=${attemptId}`,
  `amend_experiment?experimentId=${experiment}`,
  `report_experiment_status?experimentId=${experiment}`,
  `reuse_record?threadId=${threadId}`,
  `create_thread?roomId=${roomId}`,
  `assert_correction?targetVersionId=${hypothesis}`,
  `assert_supersession?targetVersionId=${hypothesis}`,
  `assert_dispute?targetVersionId=${hypothesis}`,
  `post_research_checkpoint?threadId=${threadId}`,
  `issue_credential?roomId=${roomId}`,
]

/** The faults of a form when everything in it is unfolded. */
async function faultsOf(looking: Page, path: string): Promise<string[]> {
  await looking.goto(`${demo.baseUrl}/do/${path}`)
  await looking.evaluate("for (const folded of document.querySelectorAll('details.fold')) folded.open = true")
  const wider = await looking.evaluate("Math.max(0, document.documentElement.scrollWidth - innerWidth)")
  return [...(await violations(looking)), ...(wider === 0 ? [] : [`${wider} px wider than the screen`])].map(
    (fault) => `${path}: ${fault}`,
  )
}

for (const colorScheme of ["light", "dark"] as const)
  t.test(`each form has no fault with everything unfolded, wide and on a phone, ${colorScheme}`, async (t) => {
    for (const viewport of [
      { width: 1280, height: 800 },
      { width: 390, height: 844 },
    ]) {
      const context = await browser.newContext({
        viewport,
        colorScheme,
        storageState: await page.context().storageState(),
      })
      const looking = await context.newPage()
      for (const path of opened()) t.same(await faultsOf(looking, path), [])
      await context.close()
    }
  })

t.test("no page had an error", async (t) => t.same(troubles(), []))
