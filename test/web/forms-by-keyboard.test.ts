/** Each form that people write research with, filled and sent without a mouse; what was accepted is read back over HTTP. */
import type { Page } from "playwright-core"
import t from "tap"

import { type OperationName, operationOf } from "../../src/contract/operations/index.ts"
import { fill } from "../../src/web/forms/draft.ts"
import { formOf } from "../../src/web/forms/fields.ts"
import { violations } from "./axe.ts"
import { signIn } from "./pages.ts"
import { Typist } from "./typist.ts"
import { demoInBrowser } from "./scene.ts"
import { watched } from "./watched.ts"

t.setTimeout(240_000)
const { demo, browser } = await demoInBrowser()
const { roomId, openingThreadId: threadId } = demo.rooms.empty
const at = `roomId=${roomId}&threadId=${threadId}`

// biome-ignore lint/suspicious/noExplicitAny: answers of every kind are looked into
type Answer = any
const read = async (path: string): Promise<Answer> => (await fetch(`${demo.baseUrl}/api/research${path}`)).json()
async function write(operation: string, body: object): Promise<Answer> {
  const response = await fetch(`${demo.baseUrl}/api/agent/research/${operation}`, {
    method: "POST",
    headers: { authorization: `Bearer ${demo.credentials.owner_all?.token}`, "content-type": "application/json" },
    body: JSON.stringify({ schemaVersion: 3, requestId: crypto.randomUUID(), ...body }),
  })
  const answer = (await response.json()) as Answer
  if (!response.ok) throw new Error(`${operation}: ${JSON.stringify(answer)}`)
  return answer
}

const { page, troubles } = await watched(browser, demo.baseUrl, {}, [409, 422])
await signIn(page, demo, "owner")

/** Opens a form, lets somebody fill it, and gives the id in the address that it leads to. */
async function filled(operation: string, query: string, fill: (typist: Typist) => Promise<void>): Promise<{ id: string; typist: Typist }> {
  await page.goto(`${demo.baseUrl}/do/${operation}?${query}`)
  const typist = new Typist(page)
  const began = performance.now()
  await fill(typist)
  await page.waitForURL(/done=/)
  t.comment(`${operation}: ${typist.fields} fields, ${typist.keys} keys beside the text, ${Math.round(performance.now() - began)} ms`)
  return { id: new URL(page.url()).pathname.split("/").at(-1) ?? "", typist }
}

const wholeStatement = async (typist: Typist, wording: string, of: string): Promise<void> => {
  await typist.write(of, wording)
  await typist.write("Words that say what happens", "lowers")
  await typist.write("What they mean here", "Makes the mean over seeds smaller.")
  await typist.write("Role 1: What stands in it", "a linear warm-up")
  await typist.write("Role 2: What stands in it", "0.07 nat")
}

/** Fields of a hypothesis that had to be written or chosen when forms were drawn from schemas alone, with as little in them as can be. */
const HYPOTHESIS_BEFORE = 13

/** Inputs that the schema has for what was accepted, without those that the page knows. */
function inputsOf(operation: OperationName, content: object): number {
  const draft = new URLSearchParams()
  fill(draft, formOf(operationOf(operation)), "", content)
  return [...draft.keys()].filter((name) => !name.startsWith("#") && !["/roomId", "/threadId", "/kind"].includes(name)).length
}

/** That a form asks for at most half of what the schema has inputs for. */
function isHalf(t: { ok(is: boolean, what: string): unknown }, operation: OperationName, fields: number, content: object): void {
  const before = inputsOf(operation, content)
  t.ok(fields * 2 <= before, `${operation} asks for ${fields} fields, its schema has ${before} for the same`)
}

let hypothesis = ""
t.test("a hypothesis: at most half of the fields that it had", async (t) => {
  const { id, typist } = await filled("publish_hypothesis", at, async (typist) => {
    await wholeStatement(typist, "A linear warm-up lowers the loss at step 1,000.", "What do you claim?")
    await typist.write("Where does it hold?", "Models of 50 million parameters.")
    await typist.send("Publish the hypothesis")
  })
  t.ok(typist.fields * 2 <= HYPOTHESIS_BEFORE, `${typist.fields} of ${HYPOTHESIS_BEFORE}`)
  hypothesis = id
  const { content } = await read(`/records/${id}`)
  isHalf(t, "publish_hypothesis", typist.fields, content)
  t.match(content, {
    kind: "hypothesis",
    scope: "Models of 50 million parameters.",
    concepts: { lowers: { label: "lowers", definition: "Makes the mean over seeds smaller." } },
    assertion: {
      predicate: { type: "concept", key: "lowers" },
      roles: [
        { role: "cause", definition: "What is changed.", value: { type: "text", value: "a linear warm-up" } },
        { role: "effect", definition: "What is measured.", value: { type: "decimal", value: "0.07", unit: "nat" } },
      ],
    },
  })
})

t.test("words are marked in the sentence, a word is borrowed, a role brings its meaning, a premise is picked by its label", async (t) => {
  const { id } = await filled("publish_hypothesis", at, async (typist) => {
    await typist.write("What do you claim?", "Longer ramp lowers variance.")
    // The first two words are selected, from the start of the sentence.
    await typist.press("Control+Home")
    for (let count = 0; count < "Longer ramp".length; count += 1) await typist.press("Shift+ArrowRight")
    await typist.send("in a role")
    t.equal(await page.inputValue("[name='/assertion/roles/0/value']"), "Longer ramp")
    t.equal(await page.evaluate("document.activeElement.name"), "/assertion/roles/0/role", "and the role is asked next")
    await page.keyboard.press("Shift+Tab")
    await typist.write("Role 2: What stands in it", "variance")
    await typist.send("Add a role")
    await page.waitForSelector("[name='/assertion/roles/2/role']")
    await page.locator("[name='/assertion/roles/2/role']:focus").waitFor()
    await typist.write("Role 3: Role", "comparison")
    await typist.write("Role 3: What stands in it", "no ramp")
    t.equal(await page.inputValue("[name='/assertion/roles/2/definition']"), "What it is compared with.")
    await typist.write("Where does it hold?", "Anywhere.")
    await typist.unfold("Premises it rests on")
    await typist.write("Record it rests on", "H1")
    await typist.write("Why it is needed", "The ramp must work at all.")
    // Back up to the word that says what happens.
    await page.locator("[name='/concepts/0/label']").focus()
    await page.keyboard.type("lowers, as H1 means it")
    await typist.send("Publish the hypothesis")
  })
  const { content } = await read(`/records/${id}`)
  t.same(content.assertion.predicate, { type: "concept_ref", versionId: hypothesis, key: "lowers" })
  t.same(content.concepts, {})
  t.same(content.premises, [{ versionId: hypothesis, explanation: "The ramp must work at all." }])
  t.equal(content.assertion.roles[2].definition, "What it is compared with.")
})

t.test("what is near to it shows while it is written, with and without a script", async (t) => {
  await page.goto(`${demo.baseUrl}/do/publish_hypothesis?${at}`)
  await page.keyboard.type("A linear warm-up lowers the loss at step 900.")
  await page.locator("#near .cards li").first().waitFor()
  t.match(await page.textContent("#near"), /H1.*A linear warm-up lowers the loss at step 1,000/s)
  t.same(await violations(page), [])
  const plain = await browser.newContext({ javaScriptEnabled: false, storageState: await page.context().storageState() })
  const still = await plain.newPage()
  await still.goto(`${demo.baseUrl}/do/publish_hypothesis?${at}`)
  await still.getByLabel("What do you claim?").fill("A linear warm-up lowers the loss at step 900.")
  await still.getByRole("button", { name: "Was it tried before?" }).click()
  t.match(await still.textContent("#near"), /H1/)
  t.equal(await still.getByLabel("What do you claim?").inputValue(), "A linear warm-up lowers the loss at step 900.")
  await still.getByRole("button", { name: "Add a word" }).click()
  t.equal(await still.locator("[data-row='/concepts']").count(), 2, "rows are added without a script too")
  await plain.close()
})

t.test("a refusal speaks of the research, beside each field; the first has the focus, and the draft survives a reload", async (t) => {
  await page.goto(`${demo.baseUrl}/do/publish_hypothesis?${at}`)
  await page.evaluate("localStorage.clear()")
  await page.goto(`${demo.baseUrl}/do/publish_hypothesis?${at}`)
  const typist = new Typist(page)
  await typist.write("What do you claim?", "Ramps help.")
  await typist.write("Role 1: What stands in it", "a ramp")
  await typist.send("Add a role")
  await page.locator("[name='/assertion/roles/2/role']:focus").waitFor()
  await typist.write("Role 3: Role", "dose")
  await typist.write("Role 3: What stands in it", "400 steps")
  await page.reload()
  await page.waitForSelector(".saved-draft")
  t.equal(await page.inputValue("[name='/assertion/roles/2/role']"), "dose", "a row that was added comes back with what was in it")
  await typist.unfold("Premises it rests on")
  await typist.write("Record it rests on", "something about ramps")
  await page.keyboard.press("Enter")
  await page.waitForSelector("#refused")
  const told = await page.locator(".field.wrong .fault").allTextContents()
  t.same(told.slice(0, 4), [
    "Say which words of the sentence say what happens.",
    "Role 2 has nothing in it yet.",
    "Role 3 has no meaning yet.",
    "Say where it is meant to hold.",
  ])
  t.match(told[4], /“something about ramps” is not a record of this Room/)
  t.equal(await page.evaluate("document.activeElement.name"), "/concepts/0/label")
  t.notMatch(await page.textContent("#refused"), /predicate|versionId|definition|assertion/, "no name of the interface")
  t.same(await violations(page), [])
})

let experiment = ""
t.test("an experiment", async (t) => {
  const { id } = await filled("propose_experiment", at, async (typist) => {
    await typist.write("What do you want to find out?", "Is the loss lower with a ramp?")
    await typist.write("On what?", "One model, five seeds.")
    await typist.tick("H1: A linear warm-up lowers the loss at step 1,000.")
    await typist.send("Propose the experiment")
  })
  experiment = id
  t.match(await read(`/experiments/${id}`), { question: "Is the loss lower with a ramp?", hypotheses: [{ versionId: hypothesis }] })
})

const expected = async (): Promise<object> => (await read(`/experiments/${experiment}`)).affordances.expected

t.test("a Room of several Threads: one is picked by its title; in a Room of one there is nothing to pick", async (t) => {
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
})

t.test("a plan, which begins with what the experiment says; a conflict shows what changed", async (t) => {
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
  await typist.send("Accept the plan")
  await page.waitForSelector("#refused")
  t.match(await page.textContent("#refused"), /Status\s*was claimed, is now in progress/)
  t.equal(await page.inputValue("[name='/protocol/summary']"), "Train five seeds with and without the ramp.")
  t.same(await violations(page), [])
  await new Typist(page).send("Accept the plan")
  await page.waitForURL(/done=accept_plan/)
  const { content } = await read(`/plans/${new URL(page.url()).pathname.split("/").at(-1)}`)
  t.match(content, { intent: "confirmatory", hypotheses: [hypothesis], premises: [], repository: { url, commit } })
  t.same(content.protocol.arms, [{ name: "ramp", argv: ["python", "train.py", "--warmup", "400", "--name", "with a ramp"] }])
})

/** Follows the link of that name on the page that is open, by the keyboard. */
const followed = async (name: string): Promise<Typist> => {
  await page.getByRole("link", { name, exact: true }).focus()
  await page.keyboard.press("Enter")
  await page.waitForURL(/\/do\//)
  return new Typist(page)
}

t.test("an attempt from its first word to its last, and what becomes of the experiment, each from the page where it stands", async (t) => {
  await page.goto(`${demo.baseUrl}/experiments/${experiment}`)
  let typist = await followed("Register a planned attempt")
  t.equal(
    await page.inputValue("[name='/repository/commit']"),
    demo.repositories.public.commit,
    "it begins with what the plan is pinned to",
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
    t.equal(await page.isVisible("text=The failure"), done === "failed", "only a failure is asked for its place")
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
  await typist.write("What should the next person to take it know?", "One of five seeds was lost.")
  await typist.send("Give it back")
  await page.waitForURL(/done=release_experiment/)
  typist = await followed("Take the experiment")
  await typist.send("Take it")
  await page.waitForURL(/done=take_experiment/)
  typist = await followed("Say that it is under way")
  await typist.send("Say so")
  await page.waitForURL(/done=report_experiment_status/)
  t.match(await read(`/experiments/${experiment}`), { status: "in_progress" })
})

const attemptId = crypto.randomUUID()
let finding = ""
t.test("a finding: its attempts and the output that shows it are chosen, no digest is copied", async (t) => {
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
    await write("report_attempt_event", { attemptId, event, ...affordances.expected, reportedAt: new Date().toISOString(), ...more })
  }
  const digest = `sha256:${"9f".repeat(32)}`
  await event("started")
  await event("succeeded", { outputs: [{ outputLabel: "metrics.json", digest }] })
  const { id, typist } = await filled("publish_finding", at, async (typist) => {
    await wholeStatement(typist, "With a linear warm-up the loss is 0.07 nats lower.", "What did you find?")
    await typist.write("How did it come out?", "positive")
    await typist.write("Where does it hold?", "One model.")
    await typist.tick("A2: exploratory attempt of E1, succeeded")
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
  t.same(content.provenance, { execution: { experimentId: experiment, attemptIds: [attemptId], baselineAttemptIds: [] }, papers: [] })
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

t.test("links: toward the question and a hypothesis, a correction, what supersedes, a dispute, a retraction", async (t) => {
  const link = await filled("link_experiment_finding", `findingVersionId=${finding}&experimentId=${experiment}`, async (typist) => {
    await typist.write("The finding", "answers it")
    await typist.write("How so?", "For this model, yes.")
    await typist.write("Hypothesis 1: The finding", "supports")
    await typist.write("Hypothesis 1: How so?", "The predicted difference was seen.")
    await typist.send("Relate them")
  })
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
    await typist.tick("C1: A linear warm-up lowers the early loss.")
    await typist.send("Dispute it")
  })
  t.match(await read(`/links/${dispute.id}`), { kind: "disputes", explanation: "Seed 3 diverged." })
  const superseded = await filled("assert_supersession", `targetVersionId=${hypothesis}`, async (typist) => {
    await typist.write("The record that stands in its place", "H2")
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
    await typist.write("What has it come to?", "It is *lower*.")
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

t.test("a credential: its name is all that must be said", async (t) => {
  await page.goto(`${demo.baseUrl}/do/issue_credential?roomId=${roomId}`)
  const typist = new Typist(page)
  await typist.write("What is it for?", "sweep agent")
  await typist.send("Issue the credential")
  const token = (await page.locator(".command code").first().textContent()) ?? ""
  const identity = await fetch(`${demo.baseUrl}/api/agent/research/identity`, { headers: { authorization: `Bearer ${token.trim()}` } })
  t.equal(identity.status, 200, "and the agent is known by it")
})

/** The forms as they are opened, for a look from every side. */
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

/** What is wrong with a form when everything in it is unfolded. */
async function faultsOf(looking: Page, path: string): Promise<string[]> {
  await looking.goto(`${demo.baseUrl}/do/${path}`)
  await looking.evaluate("for (const folded of document.querySelectorAll('details.fold')) folded.open = true")
  const wider = await looking.evaluate("Math.max(0, document.documentElement.scrollWidth - innerWidth)")
  return [...(await violations(looking)), ...(wider === 0 ? [] : [`${wider} px wider than the screen`])].map((fault) => `${path}: ${fault}`)
}

for (const colorScheme of ["light", "dark"] as const)
  t.test(`each form is whole with everything unfolded, wide and on a phone, ${colorScheme}`, async (t) => {
    for (const viewport of [
      { width: 1280, height: 800 },
      { width: 390, height: 844 },
    ]) {
      const context = await browser.newContext({ viewport, colorScheme, storageState: await page.context().storageState() })
      const looking = await context.newPage()
      for (const path of opened()) t.same(await faultsOf(looking, path), [])
      await context.close()
    }
  })

t.test("nothing went wrong on any page", async (t) => t.same(troubles(), []))
