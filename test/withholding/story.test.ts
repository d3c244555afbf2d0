/**
 * A token gets into a message by mistake; the Room's owner withholds it, and everybody can see that something was
 * withheld.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import tap, { test } from "tap"
import { checkData } from "../../src/check/check.ts"
import { openReadConnection } from "../../src/ledger/storage/opening.ts"
import { ask } from "../support/ask.ts"
import { action, message } from "../support/bodies.ts"
import { openLab } from "../support/lab.ts"
import { untilClean } from "../support/clean.ts"

const lab = await openLab(tap)
const { house, folder, file } = lab

const SECRET = "hf_kT9sQ2mV7xLpB4nR8wZ1cD6y"
const read = async (path: string) =>
  (await ask(`${house.baseUrl}/api/research${path}`)).body as never as Record<string, never>
const withhold = (who: "ada" | "grace" | "mary" | "nobody", roomId: string, more: object) =>
  lab.at(
    who,
    "POST",
    `/api/rooms/${roomId}/withholdings`,
    action({ reason: "secret", explanation: "A token, revoked since.", ...more }),
  )

test("a message that contains a token", async (t) => {
  const { roomId, threadId } = await lab.place()
  const body = { threadId, ...message(`The token is ${SECRET}.`) }
  const { entry } = await lab.grace.write("post_message", body as never)
  const entryId = entry?.entryId ?? ""
  const before = await read(`/threads/${threadId}/timeline?after=0`)
  const answer = await withhold("ada", roomId, { of: { entryId }, fields: ["/text"] })
  t.equal(answer.status, 200, JSON.stringify(answer.body))
  t.match(answer.body.result, { fields: ["/text"], reason: "secret", mayStillHold: /Backups made before now/ })

  const after = await read(`/threads/${threadId}/timeline?after=0`)
  t.match((after.items as unknown as object[])[0], {
    entryId,
    message: { text: { withheld: { by: { username: "ada" }, reason: "secret" } } },
  })
  t.notMatch(JSON.stringify(after), SECRET)
  t.match(JSON.stringify(before), SECRET)
  for (const path of [
    `/rooms/${roomId}/activity?include=summary,content,write`,
    `/search?query=${SECRET}`,
    `/threads/${threadId}/messages`,
    `/rooms/${roomId}/brief`,
  ]) {
    const found = JSON.stringify(await read(path))
    t.notMatch(found, new RegExp(`(?<!query=)${SECRET}`), path)
  }
  t.match(await read(`/rooms/${roomId}/activity?kinds=content_withheld`), {
    items: [{ kind: "content_withheld", actor: { username: "ada" } }],
  })
  const again = await lab.grace.write("post_message", body as never)
  t.match(again, { replayed: true, entry: { entryId } }, "a retry of the original write is still recognised")
  await untilClean(file)
  for (const name of ["research-room.db", "research-room.db-wal", "research-room.db-shm"])
    t.notOk(readFileSync(join(folder, name)).includes(SECRET), name)
  const aside = openReadConnection(file)
  t.strictSame(checkData(aside).problems, [], "and the tables still match the journal")
  aside.close()
})

test("who may withhold, and what is refused", async (t) => {
  const { roomId, threadId } = await lab.place()
  const other = await lab.place()
  const { entry } = await lab.grace.write("post_message", { threadId, ...message(`Again ${SECRET}.`) } as never)
  const of = { entryId: entry?.entryId }
  const fields = ["/text"]
  t.match(await withhold("grace", roomId, { of, fields }), {
    status: 403,
    body: { refusal: "role_required", current: { needed: ["owner"] } },
  })
  t.match(await withhold("mary", roomId, { of, fields }), { status: 403, body: { refusal: "not_a_member" } })
  const archiving = (who: "grace" | "mary") =>
    lab.at(who, "POST", `/api/rooms/${roomId}/archive`, action({ reason: "No." }))
  t.match(await archiving("grace"), { status: 403, body: { refusal: "role_required" } }, "like archiving")
  t.match(await archiving("mary"), { status: 403, body: { refusal: "not_a_member" } })
  t.equal((await withhold("nobody", roomId, { of, fields })).status, 401)
  const refusals = [
    [{ of: { entryId: "0198f3a0-0000-7000-8000-000000000009" }, fields }, "/of"],
    [{ of: { versionId: "0198f3a0-0000-7000-8000-000000000009" }, fields }, "/of"],
    [{ of: { sequence: 99 }, fields }, "/of"],
    [{ of, fields: ["/nowhere"] }, "/fields/0"],
    [{ of, fields: ["/text", "/clientMessageId"] }, "/fields/1"],
    [{ of, fields: [] }, "/fields"],
    [{ of: {}, fields }, "/of"],
    [{ of, fields: ["text"] }, "/fields/0"],
    [{ of, fields, reason: "because" }, "/reason"],
    [{ of, fields, explanation: " " }, "/explanation"],
  ] as const
  for (const [body, path] of refusals) {
    const { status, body: told } = await withhold("ada", roomId, body)
    t.match({ status, issues: told.issues }, { status: 422, issues: [{ path }] }, `${path} ${JSON.stringify(body)}`)
  }
  t.match(
    await withhold("ada", other.roomId, { of, fields }),
    { status: 422, body: { issues: [{ path: "/of" }] } },
    "of another Room",
  )
  t.match(JSON.stringify(await read(`/threads/${threadId}/messages`)), SECRET, "and nothing of it is withheld")

  const said = action({ of, fields, reason: "secret", explanation: "Revoked." })
  const at = `/api/rooms/${roomId}/withholdings`
  t.match(await lab.at("ada", "POST", `${at}?rehearse=1`, said), { status: 200, body: { rehearsed: true } })
  t.match(JSON.stringify(await read(`/threads/${threadId}/messages`)), SECRET, "a rehearsal removes nothing")
  await lab.at("ada", "POST", `/api/rooms/${roomId}/archive`, action({ reason: "Done." }))
  const first = await lab.at("ada", "POST", at, said)
  t.match(
    first,
    { status: 200, body: { result: { fields: ["/text"], mayStillHold: /Backups/ } } },
    "in an archived Room too",
  )
  const replayed = await lab.at("ada", "POST", at, said)
  t.match(replayed, { status: 200, body: { replayed: true, result: { fields: ["/text"] } } })
  t.notOk("mayStillHold" in (replayed.body.result as object), "the note on remaining places is shown once")
  t.match(
    await withhold("ada", roomId, { of, fields }),
    { status: 409, body: { refusal: "state_conflict" } },
    "the second time there is nothing left",
  )
  t.notMatch(JSON.stringify(await read(`/threads/${threadId}/messages`)), SECRET)
  const audit = await (await (await house.browser("owner")).request("GET", "/admin/audit")).text()
  t.match(audit, /withheld something from a public record/, "the audit log has it")
  t.notMatch(audit, SECRET)
})

test("an operator who is neither owner nor member withholds in another's Room", async (t) => {
  const { result } = await lab.grace.write("create_room", { title: "Grace's own" })
  const { roomId, openingThreadId: threadId } = result
  const { entry } = await lab.grace.write("post_message", { threadId, ...message(`Once more ${SECRET}.`) } as never)
  const said = { of: { entryId: entry?.entryId }, fields: ["/text"] }
  t.match(await withhold("mary", roomId, said), { status: 403, body: { refusal: "not_a_member" } })
  t.match(await withhold("ada", roomId, said), { status: 200, body: { result: { fields: ["/text"] } } })
  t.match(await read(`/threads/${threadId}/messages`), {
    items: [{ message: { text: { withheld: { by: { username: house.people.owner.username } } } } }],
  })
  t.match(await withhold("grace", roomId, said), { status: 409 }, "its owner finds it done")
})

test("words that are also names, ids and codes are removed only from what people wrote", async (t) => {
  const { roomId, threadId } = await lab.place()
  const proposal = { roomId, threadId, question: "member", scope: "hypothesis", hypotheses: [] }
  await lab.grace.write("propose_experiment", proposal as never)
  // Its receipt says that the first is similar, so its journal row has the first one's kind, its state and the same
  // words.
  const near = await lab.grace.write("propose_experiment", {
    ...proposal,
    question: "member of the experiment",
    scope: "hypothesis",
  } as never)
  const whole = await lab.ada.write("propose_experiment", {
    ...proposal,
    question: "experiment",
    scope: "open",
  } as never)
  const withheld = await withhold("ada", roomId, { of: { sequence: 3 }, fields: [""] })
  t.equal(withheld.status, 200, withheld.text)
  const { experimentId } = (near as unknown as { result: { experimentId: string } }).result
  t.match(await read(`/experiments/${experimentId}`), {
    status: "open",
    proposer: { username: lab.grace === undefined ? "" : house.people.member.username },
  })
  const activity = await read(`/rooms/${roomId}/activity`)
  t.match(activity, {
    items: [
      { operation: "create_room" },
      { operation: "add_member" },
      { operation: "propose_experiment", target: { kind: "experiment" } },
    ],
  })
  const { experimentId: third } = (whole as unknown as { result: { experimentId: string } }).result
  t.match(
    await read(`/experiments/${third}`),
    { question: "experiment", status: "open" },
    "the same words of others stay",
  )
  await untilClean(file)
  const aside = openReadConnection(file)
  t.strictSame(checkData(aside).problems, [])
  aside.close()
})
