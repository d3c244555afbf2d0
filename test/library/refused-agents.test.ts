/** Agents that the Library refuses: faulty requests, and tokens that are not personal keys. */
import t, { test } from "tap"
import { ask } from "../support/ask.ts"
import { freshId } from "../support/bodies.ts"
import { collectionOf, keyOf, paperId, paperIds, openLibrary } from "./library.ts"

const lab = await openLibrary(t)
const { ada, baseUrl } = lab
const library = `${baseUrl}/api/agent/library`

// shows: The Library's refusals are those of its table.
// shows: A refusal carries the schema version of what was refused.
test("a faulty request is refused with the Library's own codes", async (t) => {
  const token = await keyOf(ada)
  const body = { schemaVersion: 1, requestId: freshId(), arxivIds: ["2403.00001"] }
  const url = `${library}/save_papers`
  const cases = {
    "no such operation": [`${library}/burn_papers`, { token, body }, 404, "unknown_operation"],
    "no such place": [`${library}`, { token }, 404, "unknown_operation"],
    "the wrong method": [url, { token }, 405, "method_not_allowed"],
    "from a page": [url, { token, body, headers: { origin: baseUrl } }, 403, "browser_origin"],
    "a read from a page": [`${library}/papers`, { token, headers: { origin: baseUrl } }, 403, "browser_origin"],
    "no JSON": [url, { token, raw: "x", headers: { "content-type": "text/plain" } }, 415, "not_json"],
    "broken JSON": [url, { token, raw: "{" }, 422, "invalid_request"],
    "too large": [url, { token, raw: `"${"x".repeat(1_048_576)}"` }, 413, "request_too_large"],
    "the version of another family": [url, { token, body: { ...body, schemaVersion: 3 } }, 422, "invalid_request"],
    "no such query": [`${url}?dry=1`, { token, body }, 422, "invalid_request"],
    "no ids": [url, { token, body: { ...body, arxivIds: [] } }, 422, "invalid_request"],
    "too many ids": [url, { token, body: { ...body, arxivIds: paperIds(0, 51) } }, 422, "invalid_request"],
    "the same id twice": [
      url,
      { token, body: { ...body, arxivIds: ["2403.00001", "2403.00001"] } },
      422,
      "invalid_request",
    ],
    "no id of arXiv": [
      url,
      { token, body: { ...body, arxivIds: ["10.1000/182", "2413.00001", "arXiv:2401.00001"] } },
      422,
      "invalid_request",
    ],
    "a reply to nothing": [
      `${library}/post_note`,
      {
        token,
        body: {
          schemaVersion: 1,
          requestId: freshId(),
          collectionId: await collectionOf(ada, "Replies", ["2403.00002"]),
          arxivId: "2403.00002",
          text: "?",
          replyToNoteId: freshId(),
        },
      },
      422,
      "invalid_request",
    ],
    "no paper named": [`${library}/paper`, { token }, 422, "invalid_request"],
  } as const
  for (const [what, [address, request, status, refusal]] of Object.entries(cases)) {
    t.match(await ask(address, request), { status, body: { schemaVersion: 1, refusal } }, what)
  }
  const issues = (
    await ask(url, { token, body: { ...body, arxivIds: ["10.1000/182", "2403.00001", "x"], colour: "red" } })
  ).body.issues as unknown as { path: string }[]
  t.strictSame(issues.map(({ path }) => path).sort(), ["/arxivIds/0", "/arxivIds/2", "/colour"])
  t.equal(
    (await ask(url, { token, body: { ...body, arxivIds: ["2403.00001v1", "2403.00001v2"] } })).status,
    200,
    "two versions of one paper are one paper",
  )
})

// shows: Research routes refuse a personal key and Library routes a Room credential: 401.
test("only a personal key opens the Library, and it opens nothing else", async (t) => {
  const token = await keyOf(ada)
  const { result: room } = await ada.write("create_room", { title: "A Room" })
  const { result: credential } = await ada.write("issue_credential", {
    roomId: room.roomId,
    label: "agent",
    permissions: ["post_thread"],
  })
  const tokens = {
    none: undefined,
    "a Room credential": credential.token,
    "an unknown key": `${token.slice(0, -7)}${token.at(-7) === "a" ? "b" : "a"}${token.slice(-6)}`,
    "a key cut short": token.slice(0, -1),
    "something else": "Bearer",
  }
  for (const [what, wrong] of Object.entries(tokens)) {
    for (const path of [
      "identity",
      "collections",
      "papers",
      `paper?arxivId=${paperId(1)}`,
      `annotations?arxivId=${paperId(1)}`,
    ]) {
      const answer = await ask(`${library}/${path}`, { token: wrong })
      t.match(
        answer,
        { status: 401, body: { schemaVersion: 1, refusal: "not_authorized", retryable: false } },
        `${what}: ${path}`,
      )
      t.equal(answer.headers.get("www-authenticate"), "Bearer")
    }
    t.match(
      await ask(`${library}/create_collection`, {
        token: wrong,
        body: { schemaVersion: 1, requestId: freshId(), name: "Nobody's" },
      }),
      { status: 401, body: { refusal: "not_authorized" } },
    )
  }
  for (const path of [
    "/api/agent/research/identity",
    `/api/agent/rooms/${room.roomId}/status`,
    `/api/agent/rooms/${room.roomId}/access`,
    "/api/agent/receipts?operation=save_papers&requestId=00000000-0000-0000-0000-000000000000",
  ]) {
    t.match(
      await ask(`${baseUrl}${path}`, { token }),
      { status: 401, body: { schemaVersion: 3, refusal: "not_authenticated" } },
      `a key at ${path}`,
    )
  }
  const message = { schemaVersion: 3, clientMessageId: freshId(), text: "With a key." }
  t.match(await ask(`${baseUrl}/api/agent/threads/${room.openingThreadId}/messages`, { token, body: message }), {
    status: 401,
    body: { schemaVersion: 3, refusal: "not_authenticated" },
  })
  t.strictSame(
    (await ask(`${baseUrl}/api/agent/rooms/${room.roomId}/access`, { token: credential.token })).body.operations
      ?.toString()
      .includes("save_papers"),
    false,
  )
})

test("a Room credential learns nothing of its own person's deliveries to the Library", async (t) => {
  const { result: room } = await ada.write("create_room", { title: "A Room of one's own" })
  const { result: credential } = await ada.write("issue_credential", {
    roomId: room.roomId,
    label: "agent",
    permissions: ["post_thread"],
  })
  const requestId = freshId()
  await ada.write("save_papers", { requestId, arxivIds: [paperId(700)] })
  const receipt = (operation: string, id: string) =>
    ask(`${baseUrl}/api/agent/receipts?operation=${operation}&requestId=${id}`, { token: credential.token })
  const [stored, never, nonsense] = [
    await receipt("save_papers", requestId),
    await receipt("save_papers", freshId()),
    await receipt("no_such_operation", requestId),
  ]
  t.strictSame([stored.status, stored.text], [never.status, never.text])
  t.strictSame([stored.status, stored.text], [nonsense.status, nonsense.text], "as if there were no such operation")
})
