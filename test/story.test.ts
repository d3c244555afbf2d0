/**
 * The walk: one evening with research-room, from an empty folder to a record that survives a restart. Ada sets up the
 * service and opens a Room; her agent posts, publishes a prediction, repeats itself and contradicts itself; a reader
 * reads it all and proves that nothing was rewritten. Everything happens over HTTP against the executable that `npm run
 * build` makes, with an empty HOME and no Node on the PATH. Each step builds on the one before.
 */
import { ResearchRoomClient } from "research-room/client"
import { Browser } from "research-room/testing"
import { test } from "tap"
import { ask } from "./support/ask.ts"
import { held } from "./support/contract.ts"
import { endAll, executable, newPlace, type Running, serve } from "./support/program.ts"

test("the walk", async (t) => {
  const program = executable()
  const place = newPlace()
  t.teardown(() => {
    endAll()
    place.remove()
  })

  // 1. Start it. It prints its address and, as there are no users yet, a link by which the first person is made, once.
  let service: Running & { readonly baseUrl: string } = await serve(program, ["--data", "evening"], place)
  const [link] = await service.printed(/http\S+\/setup\?token=rru_\w+/)
  const setUpToken = new URL(link).searchParams.get("token")
  const at = (path: string) => `${service.baseUrl}${path}`

  // 2. Ada follows the link. The page it shows sends this form; a browser always adds the Origin.
  const ada = { username: "ada", password: "measure twice, train once" }
  const setUp = await ask(at("/api/setup"), {
    body: { token: setUpToken, ...ada },
    headers: { origin: service.baseUrl },
  })
  t.equal(setUp.status, 200)
  t.match(setUp.body.person, { username: "ada", isOperator: true })
  const again = await ask(at("/api/setup"), {
    body: { token: setUpToken, ...ada },
    headers: { origin: service.baseUrl },
  })
  t.match([again.status, again.body.refusal], [409, "state_conflict"], "the link works once")

  // 3. She signs in, as she will every day from now on.
  const browser = await Browser.signIn({ baseUrl: service.baseUrl, fetch: held }, ada)
  t.match(await browser.read("session"), { person: { username: "ada" } })

  // 4. She makes a Room. It has an opening Thread from the start.
  const made = await browser.write("create_room", {
    title: "Warm-up and early loss",
    question: "How much of the early loss does warm-up explain?",
  })
  const { roomId, openingThreadId } = made.result

  // 5. She issues a credential for her agent. Its token is shown in this answer and nowhere else, ever.
  const issued = await browser.write("issue_credential", {
    roomId,
    label: "sweep agent",
    permissions: ["post_thread", "publish_records"],
  })
  const token = issued.result.token ?? ""
  t.match(token, /^rrc_/)
  const agent = new ResearchRoomClient({
    baseUrl: service.baseUrl,
    token,
    fetch: held,
    client: { name: "sweep-agent", version: "0.4" },
  })

  // 6. The agent finds out who it is.
  t.match(await agent.identity(), {
    username: "ada",
    grants: ["post_thread", "publish_records"],
    credential: { label: "sweep agent" },
    room: { id: roomId, title: "Warm-up and early loss", archived: false },
  })

  // 7. It starts a Thread, posts in it, and replies to itself. Each write carries an id of the agent's own making.
  const thread = { roomId, title: "Does warm-up length change the loss at step 1,000?", requestId: crypto.randomUUID() }
  const started = await agent.write("create_thread", thread)
  const { threadId } = started.result
  const post = {
    threadId,
    text: "Two runs disagree. By *warm-up* I mean $n_w$ steps of linear ramp.",
    clientMessageId: crypto.randomUUID(),
  }
  const posted = await agent.write("post_message", post)
  const reply = {
    threadId,
    text: "The second run used $n_w = 100$.",
    replyToEntryId: posted.entry?.entryId ?? "",
    clientMessageId: crypto.randomUUID(),
  }
  const replied = await agent.write("post_message", reply)
  t.strictSame(
    [started, posted, replied].map(({ entry }) => entry?.sequence),
    [1, 2, 3],
    "each has its place in the Thread",
  )

  // 8. It publishes a hypothesis: exact wording, what the words mean, and where it should hold.
  const prediction = {
    requestId: crypto.randomUUID(),
    kind: "hypothesis",
    roomId,
    threadId,
    assertion: {
      wording: "A linear warm-up of 400 steps lowers the training loss at step 1,000.",
      predicate: { type: "concept", key: "lowers" },
      roles: [
        {
          role: "cause",
          definition: "What differs between the runs.",
          value: { type: "decimal", value: "400", unit: "step" },
        },
        {
          role: "effect",
          definition: "What is measured.",
          value: { type: "text", value: "training loss at step 1,000" },
        },
      ],
    },
    concepts: { lowers: { label: "lowers", definition: "Makes the mean over five seeds smaller." } },
    scope: "Decoder-only models of 10 to 100 million parameters.",
    premises: [],
    references: [],
  } as const
  const published = await agent.write("publish_hypothesis", prediction)
  t.match(published, { target: { kind: "hypothesis", label: "H1" }, result: { label: "H1" }, entry: { sequence: 4 } })
  t.match(await agent.read("hypothesis", { versionId: published.result.versionId }), {
    label: "H1",
    status: "current",
    author: { username: "ada" },
    content: { scope: prediction.scope },
  })

  // 9. The network was unreliable, so it sends everything again. Nothing is done twice: it gets the first receipts
  // again.
  t.match(await agent.write("create_thread", thread), { replayed: true, targetId: started.targetId })
  t.match(await agent.write("post_message", post), { replayed: true, targetId: posted.targetId })
  t.match(await agent.write("post_message", reply), { replayed: true, targetId: replied.targetId })
  t.match(await agent.write("publish_hypothesis", prediction), {
    replayed: true,
    targetId: published.targetId,
    activity: published.activity,
  })

  // 10. The same ids with other content are not retries, and are refused; the refusal says what is stored under the id.
  const conflict = { name: "RefusedError", status: 409, refusal: "request_conflict", committed: false } as const
  await t.rejects(agent.write("create_thread", { ...thread, title: "Something else" }), {
    ...conflict,
    message: /used before/,
  })
  await t.rejects(agent.write("post_message", { ...post, text: "Something else" }), {
    ...conflict,
    message: /used before/,
  })
  await t.rejects(agent.write("post_message", { ...reply, replyToEntryId: published.entry?.entryId ?? "" }), {
    ...conflict,
    message: /used before/,
  })
  await t.rejects(agent.write("publish_hypothesis", { ...prediction, scope: "Everywhere." }), {
    ...conflict,
    message: /used before/,
  })

  // 11. Anyone can read, without an account: the timeline, two entries a page, following the links in the pages.
  const entries: unknown[] = []
  for (let next = `/api/research/threads/${threadId}/timeline?limit=2`; next !== ""; ) {
    const { body: page } = await ask(at(next))
    entries.push(...(page.items as unknown as unknown[]))
    next = String(page.hasMore) === "true" ? String(page.links?.next) : ""
  }
  t.match(entries, [
    { sequence: 1, kind: "create_thread", receipt: { operation: "create_thread" } },
    { sequence: 2, kind: "message", message: { text: post.text, client: { name: "sweep-agent" } }, replyCount: 1 },
    { sequence: 3, kind: "message", message: { text: reply.text }, replyToEntryId: posted.entry?.entryId },
    {
      sequence: 4,
      kind: "publication",
      card: { label: "H1", wording: prediction.assertion.wording, status: "current" },
    },
  ])
  t.equal(entries.length, 4)

  // 12. So is the Room's activity: every accepted write once, in order. A reader who keeps a receipt can prove, by the
  //     digests that chain the entries, that nothing up to it was rewritten.
  const kinds: string[] = []
  for await (const { kind } of agent.items("room_activity", { roomId, limit: 2 })) kinds.push(kind)
  t.strictSame(kinds, ["room_created", "create_thread", "post_message", "post_message", "publish_hypothesis"])
  const proved = await agent.verifyActivity(roomId)
  t.match(proved, { entries: 5, lastSequence: 5, lastDigest: published.activity?.digest })
  t.equal((await agent.verifyActivity(roomId, { from: started.activity ?? undefined })).lastDigest, proved.lastDigest)

  // 13. What it answers tonight ...
  const paths = [
    `/api/research/rooms/${roomId}/threads`,
    `/api/research/rooms/${roomId}/activity`,
    `/api/research/threads/${openingThreadId}/timeline`,
    `/api/research/threads/${threadId}/timeline`,
    `/api/research/records/${published.result.versionId}`,
    `/api/research/concepts`,
    `/api/agent/receipts?operation=publish_hypothesis&requestId=${prediction.requestId}`,
  ]
  /** The bytes of an answer, without the time it was made. */
  const bytes = async (path: string) =>
    (await ask(at(path), path.startsWith("/api/agent") ? { token } : {})).text.replace(/"generatedAt":"[^"]*"/, "")
  const tonight = await Promise.all(paths.map(bytes))
  const { instanceId } = await agent.ready()

  // 14. ... it answers tomorrow, to the byte: shut down cleanly, and started again on the same folder.
  service.signal("SIGTERM")
  t.match(await service.ended(), { code: 0, signal: null })
  service = await serve(program, ["--data", "evening"], place)
  t.notMatch(service.out, /setup\?token/, "there is a user: the link is no longer printed")
  t.strictSame(await Promise.all(paths.map(bytes)), tonight)

  // 15. The agent continues where it was, under the same credential, with the same instance and the same chain.
  const tomorrow = new ResearchRoomClient({ baseUrl: service.baseUrl, token, fetch: held })
  t.equal((await tomorrow.ready()).instanceId, instanceId)
  t.match(await tomorrow.write("publish_hypothesis", prediction), { replayed: true, targetId: published.targetId })
  const next = await tomorrow.write("post_message", { threadId, text: "Good morning. All five seeds have run." })
  t.match(next, { entry: { sequence: 5 }, activity: { sequence: 6 } })
  t.match(
    await tomorrow.verifyActivity(roomId, { from: { sequence: proved.lastSequence, digest: proved.lastDigest } }),
    {
      lastSequence: 6,
    },
  )
  service.signal("SIGTERM")
  t.match(await service.ended(), { code: 0, signal: null })
})
