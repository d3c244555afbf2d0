/**
 * A form of a signed-in person costs no more than its bytes, however its inputs are named and however many there are.
 */
import { startResearchRoom } from "research-room/testing"
import tap, { test } from "tap"
import { limits } from "../../src/contract/limits.ts"
import { operationNamed } from "../../src/contract/operations/index.ts"
import { ask } from "../support/ask.ts"

const house = await startResearchRoom()
tap.teardown(() => house.close())
const { baseUrl } = house
const { roomId, openingThreadId: threadId } = house.rooms.main
const own = { origin: baseUrl, "content-type": "application/x-www-form-urlencoded" }
const { username, password } = house.people.owner
const session = await ask(`${baseUrl}/api/session`, { body: { username, password }, headers: { origin: baseUrl } })
const cookie = session.headers.getSetCookie()[0]?.split(";")[0] ?? ""

/** Sends a form, and measures how long the service was busy with it: another request is sent right after it. */
async function sent(operation: string, form: string) {
  const begun = performance.now()
  const answer = ask(`${baseUrl}/web/${operation}`, { raw: form, headers: { ...own, cookie }, fetch })
  const beside = ask(`${baseUrl}/api/research/rooms/${roomId}`)
  const [{ status, text }] = await Promise.all([answer, beside])
  return { status, text, milliseconds: performance.now() - begun }
}
const formOf = (inputs: readonly (readonly [string, string])[]) =>
  String(new URLSearchParams(inputs.map((input) => [...input])))
const known = [
  ["/roomId", roomId],
  ["/threadId", threadId],
  ["#/evidence", "1"],
] as const
/** Much more than a request takes here, and a hundredth of what one form used to take. */
const SOON = 3_000

test("an input whose name is as long as a body may be", async (t) => {
  const content = operationNamed("publish_finding")?.contentBytes ?? 0
  const form = `${formOf(known)}&/evidence/${"|".repeat(4 * content)}%0A=x`
  const { status, text, milliseconds } = await sent("publish_finding", form)
  t.equal(status, 413)
  t.match(text, /Nothing was stored\./)

  t.ok(milliseconds < SOON, `${Math.round(milliseconds)} ms`)
})

test("as many inputs as fit in a body", async (t) => {
  const many = Array.from({ length: 40_000 }, (_, at) => [`/e${at % 9}`, ""] as const)
  const { status, text, milliseconds } = await sent("publish_finding", formOf(many))
  t.equal(status, 413)
  t.match(text, /Nothing was stored\./)

  t.ok(milliseconds < SOON, `${Math.round(milliseconds)} ms`)
})

test("the largest accepted form is answered soon", async (t) => {
  const names = ["evidence", "references", "materials", "concepts", "assertion/roles"]
  const counts = names.map((name) => [`#/${name}`, "200"] as const)
  const rows = Array.from({ length: limits.formInputs - counts.length - known.length }, (_, at) => {
    const name = `/${names[at % names.length]}/${at % 200}${"|".repeat(at % 2)}/`
    return [`${name}${at}`, "y"] as const
  })
  const { status, milliseconds } = await sent("publish_finding", formOf([...known.slice(0, 2), ...counts, ...rows]))
  t.equal(status, 422)
  t.ok(milliseconds < SOON, `${Math.round(milliseconds)} ms`)
})
