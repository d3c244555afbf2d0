/** Personal keys: issued and shown once, listed, revoked, expired; in the browser and from the command line. */
import { readFileSync } from "node:fs"
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import t, { test } from "tap"
import { DAY } from "../support/service.ts"
import { collectionOf, everyPermission, keyOf, paperId, refused, share, openLibrary } from "./library.ts"

const lab = await openLibrary(t)
const { ada, grace, mary } = lab

// shows: Keys have permissions and a reach, and are issued by the person in the browser.
test("a token is shown once, and only its digest is kept", async (t) => {
  const request = { requestId: crypto.randomUUID(), label: "once", permissions: everyPermission, reach: "all" } as const
  const { result } = await ada.write("issue_key", request)
  t.match(result.token, /^rrk_[0-9A-Za-z]{36}$/)
  const again = await ada.write("issue_key", request)
  t.match(again, { replayed: true, result: { keyId: result.keyId } })
  t.notOk("token" in again.result, "not in a replay")
  const shown = JSON.stringify(await ada.read("library_keys"))
  t.notMatch(shown, /rrk_\w{5}/)
  t.ok(shown.includes(String(result.token).slice(0, 8)), "except its first characters, by which it is recognised")
  lab.instance.db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").all()
  t.notOk(
    readFileSync(join(lab.folder, "research-room.db")).includes(result.token as string),
    "nor anywhere in the data",
  )
})

test("keys are listed to their person alone, with their permissions and their last use", async (t) => {
  const { result } = await grace.write("issue_key", {
    label: "grace's",
    permissions: ["file_papers"],
    reach: "owned",
    agent: { name: "filer" },
  })
  await lab.open(result.token as string).write("create_collection", { name: "Used" })
  const [key] = (await grace.read("library_keys")).items
  t.match(key, {
    keyId: result.keyId,
    label: "grace's",
    permissions: ["file_papers"],
    reach: "owned",
    collectionIds: null,
    agent: { name: "filer" },
    revokedAt: null,
    lastUsedAt: /Z$/,
  })
  const reader = (await grace.write("issue_key", { label: "reader", permissions: ["read_library"], reach: "all" }))
    .result
  const lastUse = async () =>
    (await grace.read("library_keys")).items.find(({ keyId }) => keyId === reader.keyId)?.lastUsedAt
  t.equal(await lastUse(), null)
  await lab.open(reader.token as string).read("library_identity")
  t.match(await lastUse(), /Z$/, "a read counts as a use")
  t.notOk((await ada.read("library_keys")).items.some(({ keyId }) => keyId === result.keyId))
  t.match(await refused(ada.write("revoke_key", { keyId: result.keyId })), { status: 404, refusal: "unknown_object" })
})

test("a revoked key opens nothing from that moment on", async (t) => {
  const { result } = await ada.write("issue_key", { label: "short-lived", permissions: everyPermission, reach: "all" })
  const agent = lab.open(result.token as string)
  await agent.read("library_papers")
  await ada.write("revoke_key", { keyId: result.keyId })
  t.match(await refused(agent.read("library_identity")), { status: 401, refusal: "not_authorized" })
  t.match(await refused(agent.write("save_papers", { arxivIds: [paperId(1)] })), {
    status: 401,
    refusal: "not_authorized",
  })
  t.match(await refused(ada.write("revoke_key", { keyId: result.keyId })), { status: 409, refusal: "state_conflict" })
})

test("a key expires on time: after 90 days by default, after 366 at most", async (t) => {
  const now = Date.now()
  const { result } = await ada.write("issue_key", { label: "as usual", permissions: everyPermission, reach: "all" })
  t.ok(Math.abs(Date.parse(result.expiresAt) - now - 90 * DAY) < 60_000)
  for (const days of [-1, 367]) {
    t.match(
      await refused(keyOf(ada, { expiresAt: new Date(now + days * DAY).toISOString() })),
      { status: 422, refusal: "invalid_request", issues: ["/expiresAt"] },
      `${days} days`,
    )
  }
  const agent = await lab.agentOf(ada, { expiresAt: new Date(now + DAY).toISOString() })
  await agent.read("library_identity")
  lab.pass(DAY + 1_000)
  t.match(await refused(agent.read("library_identity")), { status: 401, refusal: "not_authorized" })
})

// shows: Keys have permissions and a reach, and are issued by the person in the browser.
test("a selected reach names Collections that the person has, and no other reach names any", async (t) => {
  const [own, theirs, secret] = [
    await collectionOf(ada, "Own"),
    await collectionOf(grace, "Theirs"),
    await collectionOf(grace, "Secret"),
  ]
  await share(grace, theirs, ada, "ada")
  const agent = await lab.agentOf(ada, { reach: "selected", collectionIds: [theirs, own] })
  t.strictSame(
    (await agent.read("library_collections")).items.map(({ name }) => name),
    ["Theirs", "Own"],
  )
  const refuse = async (key: Parameters<typeof keyOf>[1]) => refused(keyOf(ada, key))
  t.match(await refuse({ reach: "selected", collectionIds: [own, secret, crypto.randomUUID()] }), {
    status: 422,
    refusal: "invalid_request",
    issues: ["/collectionIds/1", "/collectionIds/2"],
  })
  t.match(await refuse({ reach: "selected" }), { status: 422, issues: ["/collectionIds"] })
  t.match(await refuse({ reach: "all", collectionIds: [own] }), { status: 422, issues: ["/collectionIds"] })
  t.match(await refuse({ permissions: [] }), { status: 422, issues: ["/permissions"] })
  const maker = await lab.agentOf(ada, { reach: "selected", collectionIds: [] })
  t.strictSame((await maker.read("library_collections")).items, [], "an empty reach, for an agent that makes its own")
  await maker.write("create_collection", { name: "Its own" })
  t.strictSame(
    (await maker.read("library_collections")).items.map(({ name }) => name),
    ["Its own"],
  )
})

test("an operator issues, lists and revokes keys without a browser", async (t) => {
  const main = join(import.meta.dirname, "../../src/main.ts")
  const run = (...words: string[]) =>
    promisify(execFile)(process.execPath, [main, ...words, "--data", lab.folder]).then(
      ({ stdout, stderr }) => ({ stdout, stderr, code: 0 }),
      ({ stdout, stderr, code }: { stdout: string; stderr: string; code: number }) => ({ stdout, stderr, code }),
    )
  const collectionId = await collectionOf(mary, "Mary's")
  const issued = await run(
    "key",
    "issue",
    "--user",
    "mary",
    "--label",
    "from the shell",
    "--reach",
    "selected",
    "--collections",
    collectionId,
    "--permissions",
    "read_library,post_notes",
    "--agent",
    "shell",
  )
  t.match(issued, { code: 0, stdout: /^rrk_\w+\n$/, stderr: /shown this once/ })
  const agent = lab.open(issued.stdout.trim())
  t.match(await agent.read("library_identity"), {
    username: "mary",
    reach: "selected",
    collectionIds: [collectionId],
    permissions: ["read_library", "post_notes"],
    key: { label: "from the shell", agent: { name: "shell" } },
  })
  const listed = await run("key", "list", "--user", "mary")
  const keyId = /[0-9a-f-]{36}/.exec(listed.stdout)?.[0] as string
  t.match(listed.stdout, /selected .* read_library,post_notes +from the shell/)
  t.match(await run("key", "revoke", keyId), { code: 0, stdout: /is revoked since/ })
  t.match(await refused(agent.read("library_identity")), { status: 401 })
  t.match(await run("key", "revoke", keyId), { code: 2, stderr: /was revoked at/ })
  t.match(await run("key", "issue", "--user", "nobody"), { code: 2, stderr: /There is no user named nobody/ })
  t.match(await run("key", "issue", "--user", "mary", "--permissions", "read_minds"), {
    code: 2,
    stderr: /permissions\/0 must be one of read_library/,
  })
  t.match(await run("key", "issue", "--user", "mary", "--reach", "everywhere"), {
    code: 2,
    stderr: /Allowed choices are all, owned, selected/,
  })
})
