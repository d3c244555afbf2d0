/**
 * What forms offer to choose: the experiment's attempts first, then one's own and one's agents', which say so. Lines of
 * a log are cited by attempt and line; the form fills in the digest.
 */
import { createHash } from "node:crypto"
import { Browser, startResearchRoom } from "research-room/testing"
import t from "tap"
import { ask } from "../support/ask.ts"

const demo = await startResearchRoom()
t.teardown(() => demo.close())
const { baseUrl } = demo
const { roomId, openingThreadId: threadId } = demo.rooms.empty
const ada = await Browser.signIn({ baseUrl }, demo.people.owner)
const grace = await Browser.signIn({ baseUrl }, demo.people.member)
const agent = demo.client("owner_all")
const { url, commit } = demo.repositories.public

/** The session of ada, for forms that she sends. */
const session = await fetch(`${baseUrl}/api/session`, {
  method: "POST",
  headers: { origin: baseUrl, "content-type": "application/json" },
  body: JSON.stringify({ username: demo.people.owner.username, password: demo.people.owner.password }),
})
const cookie = session.headers.getSetCookie()[0]?.split(";")[0] ?? ""

type Writer = Pick<typeof agent, "write">
async function propose(by: Writer, question: string) {
  return (await by.write("propose_experiment", { roomId, threadId, question, scope: "Here.", hypotheses: [] })).result
}
/** Registers an attempt, and reports that it succeeded. */
async function ran(by: Writer, experimentId: string, status: "open" | "claimed", more: object = {}) {
  const attemptId = crypto.randomUUID()
  if (status === "open")
    await by.write("take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })
  await by.write("register_attempt", {
    ...{ attemptId, experimentId, intent: "exploratory", expectedRevision: 2, expectedStatus: "claimed" },
    ...{ repository: { url, commit }, argv: ["run"], configuration: {}, inputs: [] },
  })
  const reportedAt = new Date().toISOString()
  const told = { attemptId, reportedAt }
  await by.write("report_attempt_event", {
    ...{ ...told, event: "started", expectedRevision: 1, expectedStatus: "registered" },
  })
  await by.write("report_attempt_event", {
    ...{ ...told, event: "succeeded", expectedRevision: 2, expectedStatus: "started", ...more },
  })
  return attemptId
}
const text = Array.from({ length: 40 }, (_, line) => `step ${line + 1}`).join("\n")
const digest = `sha256:${createHash("sha256").update(text).digest("hex")}`
await ask(`${baseUrl}/api/agent/research/logs`, {
  ...{ raw: new Uint8Array(Buffer.from(text)), token: demo.credentials.owner_all.token },
  headers: { "content-type": "text/plain" },
})
const hers = await propose(ada, "Is it hers?")
await ran(ada, hers.experimentId, "open")
const agents = await propose(agent, "Is it her agent's?")
const logged = await ran(agent, agents.experimentId, "open", { log: { digest } })
const graces = await propose(grace, "Is it grace's?")
await ran(grace, graces.experimentId, "open")
await ran(grace, graces.experimentId, "claimed")

const form = async (by: Browser, query: string) =>
  (await by.request("GET", `/do/publish_finding?roomId=${roomId}&threadId=${threadId}${query}`)).text()
/** The attempts that the form offers as boxes, in their order. */
const offered = (page: string) =>
  [...page.matchAll(/type="checkbox" name="\/provenance\/execution\/attemptIds"[^>]*>([^<]*)</g)].map(([, of]) => of)

t.test("one's own and one's agents' attempts come first, and say so", async (t) => {
  t.strictSame(offered(await form(ada, "")), [
    "A2: exploratory attempt of E2, succeeded (by your agent owner, everything)",
    "A1: exploratory attempt of E1, succeeded (by you)",
    "A4: exploratory attempt of E3, succeeded",
    "A3: exploratory attempt of E3, succeeded",
  ])
  t.strictSame(
    offered(await form(grace, "")).map((text) => text?.replace(/: .*succeeded/, "")),
    ["A4 (by you)", "A3 (by you)", "A2", "A1"],
  )
})

t.test("before them come the attempts of the experiment that the form is about", async (t) => {
  const page = await form(ada, `&/provenance/execution/experimentId=${graces.experimentId}`)
  t.strictSame(
    offered(page).map((text) => text?.slice(0, 2)),
    ["A4", "A3", "A2", "A1"],
  )
})

/** Sends a finding that cites lines of a log, and returns the page that refuses it, or where it leads. */
async function cite(attempt: string, lines: string) {
  const page = await form(ada, "")
  const hidden = [...page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
  const body = new URLSearchParams(hidden.map(([, name = "", value = ""]) => [name, value]))
  const fields = {
    ...{ "/assertion/wording": "The loss falls.", "/scope": "Here.", "/outcome": "positive" },
    ...{ "#/concepts": "1", "/concepts/0/label": "falls", "/concepts/0/definition": "Gets smaller." },
    ...{ "#/assertion/roles": "2", "/assertion/roles/0/role": "effect", "/assertion/roles/0/value": "the loss" },
    ...{ "/assertion/roles/0/definition": "What is measured.", "/retrospective": "false" },
    ...{ "/assertion/roles/1/role": "cause", "/assertion/roles/1/value": "more steps" },
    ...{ "/assertion/roles/1/definition": "What is changed." },
    ...{ "/provenance/execution/attemptIds": logged, "#/evidence": "1", "/evidence/0/kind": "attempt_log" },
    "/evidence/0|attempt_log/attemptId": attempt,
    "/evidence/0|attempt_log/lines": lines,
    "/evidence/0|attempt_log/explanation": "It printed that.",
  }
  for (const [name, value] of Object.entries(fields)) body.set(name, value)
  const headers = { origin: baseUrl, cookie }
  const response = await fetch(`${baseUrl}/web/publish_finding`, { method: "POST", headers, body, redirect: "manual" })
  return { status: response.status, page: await response.text(), to: response.headers.get("location") ?? "" }
}

t.test("lines of a log are cited without its digest", async (t) => {
  const page = await form(ada, "")
  t.match(page, '<option value="A2: a log of 40 lines">', "the form offers the attempts that have a log")
  t.notMatch(page, "attempt_log/digest", "and does not ask for a digest")
  for (const [lines, sentence] of [
    ["", "Say which lines piece 1 cites."],
    ["the last ones", "“the last ones” is not a line or a range of lines, such as 120 or 120–135."],
    ["39–41", "of the 40"],
  ] as const) {
    const { status, page } = await cite("A2: a log of 40 lines", lines)
    t.ok(status >= 400, `${lines} is refused with ${status}`)
    t.match(page, sentence)
    t.match(page, `aria-describedby="f-evidence-0-attempt-log-lines-hint f-evidence-0-attempt-log-lines-fault"`)
  }
  t.match((await cite("A1", "3")).page, "“A1” has not reported a log.")
  for (const [typed, lines] of [
    ["12–14", [12, 14]],
    ["line 7", [7, 7]],
    ["3 to 5", [3, 5]],
  ] as const) {
    const { status, page, to } = await cite("A2: a log of 40 lines", typed)
    t.equal(status, 303, page.match(/Not stored[^]{0,600}/)?.[0] ?? "it is stored")
    const versionId = /records\/([0-9a-f-]{36})/.exec(to)?.[1] ?? ""
    const { content } = await agent.read("record", { versionId })
    t.match(content, { evidence: [{ kind: "attempt_log", attemptId: logged, digest, lines }] })
  }
})
