/**
 * A malformed id in a path: 404 with the code of the kind that was requested, and a sentence that says that it is not
 * an id.
 */
import tap, { test } from "tap"
import { unknownIn } from "../../src/contract/objects/objects.ts"
import { browserPath, pathNames } from "../../src/contract/definitions/operation.ts"
import { operations } from "../../src/contract/operations/index.ts"
import { reads } from "../../src/contract/reads/index.ts"
import { codeIn } from "../../src/contract/refusals.ts"
import { ask } from "../support/ask.ts"
import { action } from "../support/bodies.ts"
import { openLab } from "../support/lab.ts"
import { addressOf } from "../support/routes.ts"

const lab = await openLab(tap)
const { house } = lab
const { roomId, openingThreadId: threadId } = house.rooms.main
const known = { roomId, threadId, key: "lowers" }
const isId = (name: string) => name.endsWith("Id") && name !== "arxivId"
const sentence = (name: string, value: string) =>
  new RegExp(`^${name} in the path is "${value}", which is not an id: .*UUID`)

test("a label or a truncated id in the path of a read", async (t) => {
  const needed: Readonly<Record<string, string>> = {
    thread_replies: `targetEntryId=${threadId}`,
    room_similar: "text=warm",
  }
  for (const { name, path, surface, method } of reads) {
    if (surface !== "public") continue
    for (const id of pathNames(path).filter(isId)) {
      for (const value of ["h3", roomId.slice(0, 35)]) {
        const { status, body } = await ask(
          `${house.baseUrl}${addressOf(path, { ...known, [id]: value })}?${needed[name] ?? ""}`,
          method === "POST" ? { body: { text: "1" } } : {},
        )
        t.equal(status, 404, `${name} with ${id} ${value}`)
        t.ok(
          unknownIn(id === "proposalId" ? "experimentId" : id).includes(body.refusal as never),
          `${name}: ${body.refusal}`,
        )
        t.match(body.error, sentence(id, value), name)
      }
    }
  }
})

test("and in the path of a write, by an agent and by a person", async (t) => {
  const token = house.credentials.main_owner_all.token
  for (const operation of operations.filter(({ family }) => family === "research")) {
    const { name, path, method, delivery, example } = operation
    for (const id of pathNames(path).filter(isId)) {
      const at = addressOf(operation.surface === "agent" ? path : browserPath(operation), {
        ...known,
        userId: lab.userIds.grace,
        [id]: "h3",
      })
      const { requestId, ...rest } = action({ ...example, schemaVersion: 3 })
      const body = { ...rest, [delivery]: requestId }
      const answer =
        operation.surface === "agent"
          ? await ask(`${house.baseUrl}${at}`, { token, body })
          : await lab.at("ada", method, at, body as never)
      t.equal(answer.status, 404, `${name} with ${id}: ${JSON.stringify(answer.body)}`)
      t.ok(
        unknownIn(id).some((code) => codeIn(code, "research") === String(answer.body.refusal)),
        `${name}: ${answer.body.refusal}`,
      )
      t.match(answer.body.error, sentence(id, "h3"), name)
    }
  }
})

test("a well-formed id that does not exist keeps the ordinary sentence", async (t) => {
  const { body } = await ask(`${house.baseUrl}/api/research/experiments/0198f3a0-5b1e-7c44-9d8e-2f6a1b3c4d5e`)
  t.match(body, { refusal: "unknown_experiment", error: "There is no such experiment." })
})
