/**
 * Grace, who joins with a link, connects an agent, has it run an experiment, publishes the result, and retracts it when
 * it was wrong.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Test } from "tap"
import { png } from "../../support/pictures.ts"
import { temporaryFolder } from "../../support/service.ts"
import { at, comesBy, done, known, nextAct, own, pathOf, type Person, person, repository, roomId } from "./week.ts"

export const grace: Person = await person()
const { page } = grace

export async function joins(t: Test): Promise<void> {
  await comesBy(grace, known.invitation, "grace")
  t.equal(pathOf(grace), known.room, "the link leads into the Room")
  await grace.meets(t, "the Room on arrival")
  await page.goto(at(`${known.room}/connect`))
  await grace.meets(t, "how an agent is connected")
  await page.goto(at(`${known.room}/people`))
  await page.getByRole("link", { name: "Bring an agent" }).click()
  await page.getByLabel("The agent's name").fill("lab-3")
  await page.getByRole("button", { name: "Get its token" }).click()
  known.token = (await page.getByRole("region", { name: "Token" }).locator(".command").innerText()).trim()
  t.match(known.token, /^rrc_/)
  await grace.meets(t, "the new credential")
}

const python = `
import os
from research_room import Room
room = Room()
hypothesis = next(iter(room.all_hypotheses(room_id=os.environ["ROOM"])))
thread = room.create_thread(title="Three seeds of each arm").result.threadId
experiment = room.propose_experiment(thread_id=thread, question="Is the loss lower with a warm-up?", \
scope="One small model.", hypotheses=[hypothesis.versionId]).result.experimentId
room.take_experiment(experiment_id=experiment, expected_revision=1, expected_status="open")
repository = {"url": os.environ["REPOSITORY"], "commit": os.environ["COMMIT"]}
for arm, loss in (("warm-up", 2.61), ("none", 2.74)):
    with room.attempt(experiment, argv=["python", "train.py", "--arm", arm], repository=repository, \
configuration={"arm": arm}, dimensions=["arm", "seed"]) as attempt:
        for seed in (1, 2, 3):
            attempt.log(loss=loss + 0.01 * seed, arm=arm, seed=seed, unit="nat")
print("EXPERIMENT", experiment)
`

/** Her agent works in Python, then reports over MCP. */
export async function works(t: Test): Promise<void> {
  const folder = temporaryFolder()
  writeFileSync(join(folder, "research_room.py"), await (await fetch(at("/research_room.py"))).text())
  writeFileSync(join(folder, "work.py"), python)
  const env = { ...process.env, RESEARCH_ROOM_URL: own.baseUrl, RESEARCH_ROOM_TOKEN: known.token, ROOM: roomId() }
  const told = spawn("python3", ["work.py"], {
    cwd: folder,
    env: { ...env, REPOSITORY: repository.url, COMMIT: repository.commit },
  })
  let text = ""
  for (const stream of [told.stdout, told.stderr])
    stream.setEncoding("utf8").on("data", (piece: string) => (text += piece))
  await once(told, "close")
  const experimentId = /^EXPERIMENT (\S+)$/m.exec(text)?.[1] ?? ""
  t.not(experimentId, "", `the agent works in Python: ${text.slice(-500)}`)
  known.experiment = `/experiments/${experimentId}`
  const { items } = (await (
    await fetch(at(`/api/research/attempts?experimentId=${experimentId}&order=label`))
  ).json()) as {
    items: { attemptId: string }[]
  }
  known.attempts = items.map(({ attemptId }) => attemptId)
  const call = {
    name: "write",
    arguments: { operation: "post_message", input: { threadId: await openingThread(), text: "All runs are in." } },
  }
  const answer = await fetch(at("/mcp"), {
    method: "POST",
    headers: {
      authorization: `Bearer ${known.token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: call }),
  })
  t.notMatch(await answer.text(), /"isError":true/, "and writes over MCP")
}

const openingThread = async (): Promise<string> =>
  ((await (await fetch(at(`/api/research/rooms/${roomId()}`))).json()) as { openingThreadId: string }).openingThreadId

/** What the agent writes over HTTP. */
export async function agentWrites(text: string): Promise<number> {
  const { status } = await fetch(at(`/api/agent/threads/${await openingThread()}/messages`), {
    method: "POST",
    headers: { authorization: `Bearer ${known.token}`, "content-type": "application/json" },
    body: JSON.stringify({ schemaVersion: 3, clientMessageId: crypto.randomUUID(), text }),
  })
  return status
}

/** She registers a run of her own, and pastes its measurements. */
export async function pastesMetrics(t: Test): Promise<void> {
  await page.goto(at(known.experiment))
  t.match(await grace.reads(), /A1.*A2/)
  await grace.meets(t, "the experiment that her agent ran")
  await page.goto(at(`/do/register_attempt?experimentId=${known.experiment.split("/")[2]}&intent=exploratory`))
  await page.getByLabel("Public repository").fill(repository.url)
  await page.getByLabel("Commit").fill(repository.commit)
  await page.locator("[name='/argv']").fill("python train.py --arm warm-up --seed 4")
  await page.getByRole("button", { name: "Register the attempt" }).click()
  await done(grace, "register_attempt")
  for (const said of ["It started", "It succeeded"]) {
    if (said !== "It started") {
      await page.getByText("Add values from a table").click()
      await page.getByLabel("Table", { exact: true }).fill("arm,seed,loss\nwarm-up,4,2.66\n")
      await page.getByRole("button", { name: "Read the table" }).click()
      await page.getByRole("button", { name: "Report the values" }).click()
      await done(grace, "report_attempt_event")
      await grace.meets(t, "the attempt with its values")
    }
    await nextAct(grace, "Report what happened").click()
    await page.getByLabel(said).check()
    await page.getByRole("button", { name: "Report it" }).click()
    await done(grace, "report_attempt_event")
  }
  await page.goto(at(`${known.room}/attempts`))
  await page.getByRole("link", { name: "Select all 3" }).click()
  await page.getByRole("button", { name: /^Compare/ }).click()
  await grace.meets(t, "the comparison of all attempts")
}

/** From the comparison to a finding with its verdict, its effect and a picture. */
export async function publishes(t: Test): Promise<void> {
  await page.goto(at(`/attempts/compare?ids=${known.attempts.join(",")}&against=arm:none`))
  t.match(await grace.reads(), /loss/)
  await page.getByRole("link", { name: "Publish a finding from this view" }).click()
  await page.getByLabel("What did you find?").fill("With a warm-up the loss is lower by 0.13 nats.")
  await page.getByLabel("How did it come out?").selectOption("positive")
  await page.getByLabel("Where does it hold?").fill("One small model, three seeds.")
  await page.locator("[data-structure] .tag").first().waitFor()
  await page.locator("select[name='/says/towardHypothesis/0/verdict']").selectOption("supports")
  await page.locator("select[name='/says/towardQuestion/verdict']").selectOption("answers")
  await page.getByText("Pictures", { exact: true }).first().click()
  const chooser = page.waitForEvent("filechooser")
  await page.getByRole("link", { name: "Upload a picture" }).click()
  await (await chooser).setFiles({
    name: "loss.png",
    mimeType: "image/png",
    buffer: png({ width: 240, height: 120, shade: 160 }),
  })
  await page.getByRole("link", { name: "Upload a picture again" }).waitFor()
  await page.locator("[name='/figures/0/alt']").fill("The loss of both arms.")
  await page.locator("#changes li").waitFor()
  t.match(await grace.reads("#changes"), /^H1: untested → supported, by 1 other person/, "the changes are shown before")
  await grace.meets(t, "the form of a finding")
  await page.getByRole("button", { name: "Publish the finding" }).click()
  await done(grace, "publish_finding")
  known.finding = pathOf(grace)
  t.equal(await page.getByRole("img", { name: "The loss of both arms." }).count(), 1)
  t.match(
    await grace.reads(),
    /loss: warm-up − none in nat, with 95 % intervals .*This finding −0\.1300 −0\.1300 to −0\.1300 n 3/,
    "with its effect",
  )
  await grace.meets(t, "the finding")
}

export async function disputes(t: Test): Promise<void> {
  await page.goto(at(known.hypothesis))
  await page.getByRole("link", { name: "Dispute it" }).first().click()
  await page.getByLabel("What speaks against it?").fill("Lower by how much?")
  await page.getByRole("button", { name: "Dispute it" }).click()
  await page.waitForURL(/done=assert_dispute/)
  await grace.meets(t, "the hypothesis after her dispute")
}

export async function retracts(t: Test): Promise<void> {
  await page.goto(at(known.finding))
  await page.getByRole("link", { name: "Retract it" }).first().click()
  await grace.meets(t, "the form of a retraction")
  await page.getByLabel("Why?").fill("Both arms read the same file of seeds.")
  await page.getByRole("button", { name: "Retract it" }).click()
  await page.waitForURL(/done=assert_retraction/)
  t.match(await grace.reads(), /[Rr]etracted/)
  await page.goto(at(known.finding))
  await grace.meets(t, "the retracted finding")
}
