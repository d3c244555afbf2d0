/** Request bodies: every violation named, every size limit kept, no text that crashes the service. */
import { startResearchRoom } from "research-room/testing"
import tap, { test } from "tap"
import { canonicalJson, type Json } from "../../src/contract/json.ts"
import { limits } from "../../src/contract/limits.ts"
import { type Answer, type Asked, ask } from "../support/ask.ts"
import { action, type Body, freshId, hypothesis, message } from "../support/bodies.ts"

const house = await startResearchRoom()
tap.teardown(() => house.close())
const { roomId, openingThreadId: threadId } = house.rooms.empty
const token = house.credentials.member_all.token
const messages = `${house.baseUrl}/api/agent/threads/${threadId}/messages`
const publishing = `${house.baseUrl}/api/agent/research/publish_hypothesis`

const post = (asked: Asked, url = messages): Promise<Answer> => ask(url, { token, method: "POST", ...asked })
const pathsOf = ({ body }: Answer): unknown[] => (body.issues as unknown as { path: string }[]).map(({ path }) => path)
const alive = () => ask(`${house.baseUrl}/api/health/live`)

// shows: Its body takes exactly the fields, lengths, patterns and variants of the table, and rejects unknown properties
//   at every depth.
// shows: skill: schema
// shows: Every refusal has the envelope, with committed, retryable, retryAfter, current and issues.
// shows: skill: refused
// shows: 422 for a schema violation, a malformed cursor or parameter, an unknown exact reference.
test("every violation is named by its path, including missing and unknown properties", async (t) => {
  const answer = await post(
    {
      body: action({
        ...hypothesis({ roomId: "room", threadId }),
        scope: " ",
        extra: 1,
        assertion: {
          wording: "",
          predicate: { type: "concept", key: "No" },
          roles: [{ role: "a", definition: "b", value: { type: "decimal", value: "01", unit: "" } }],
          more: true,
        },
      }),
    },
    publishing,
  )
  t.equal(answer.status, 422)
  t.strictSame(
    new Set(pathsOf(answer)),
    new Set([
      "/roomId",
      "/scope",
      "/extra",
      "/assertion/wording",
      "/assertion/predicate/key",
      "/assertion/roles",
      "/assertion/roles/0/value/value",
      "/assertion/roles/0/value/unit",
      "/assertion/more",
    ]),
  )
  t.strictSame(new Set(pathsOf(await post({ body: {} }))), new Set(["/schemaVersion", "/clientMessageId", "/text"]))
  t.strictSame(
    pathsOf(await post({ body: message("a~b/c", { "a~b/c": 1 }) })),
    ["/a~0b~1c"],
    "a JSON Pointer escapes special characters",
  )
})

test(
  "a body in which everything is wrong is refused briefly: it lists so many violations, and says that there are " +
    "more",
  async (t) => {
    const many = 500_000
    const flood = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`k${n}`, 0]))
    for (const [what, answer] of Object.entries({
      "a list much too long": await post(
        { body: action({ ...hypothesis({ roomId, threadId }), premises: Array(many).fill(0) }) },
        publishing,
      ),
      "unknown properties": await post({ body: message("Too much.", flood) }),
      "names in a dictionary": await post(
        { body: action({ ...hypothesis({ roomId, threadId }), concepts: flood }) },
        publishing,
      ),
    })) {
      t.equal(answer.status, 422, what)
      t.ok(pathsOf(answer).length <= limits.issues + 1, `${what}: ${pathsOf(answer).length} are listed`)
      t.ok(answer.text.length < 50_000)
    }
    const premises = pathsOf(
      await post({ body: action({ ...hypothesis({ roomId, threadId }), premises: Array(many).fill(0) }) }, publishing),
    )
    t.ok(premises.includes("/premises"), "one of them says that the list is too long")
    t.notOk(premises.includes(`/premises/${limits.premises + 1}`), "and items beyond the limit are not checked")
  },
)

test("a refusal never repeats what was sent: it may be a secret", async (t) => {
  const { text } = await post({
    body: message("", { password: "correct horse battery staple", schemaVersion: "correct horse" }),
  })
  t.notMatch(text, /correct horse/)
})

test("text that is not JSON in UTF-8 is refused with the reason", async (t) => {
  const whole = JSON.stringify(message("héllo"))
  const cases: readonly [string, Buffer | string, RegExp][] = [
    ["nothing", "", /it is empty/],
    ["spaces", " \n\t", /it is empty/],
    ["cut off", whole.slice(0, -1), /cannot be parsed/],
    ["two values", `${whole}${whole}`, /cannot be parsed/],
    ["a comma too many", whole.replace("}", ",}"), /cannot be parsed/],
    ["a number JSON does not have", whole.replace('"schemaVersion":3', '"schemaVersion":NaN'), /cannot be parsed/],
    ["Latin-1", Buffer.from(whole, "latin1"), /not valid UTF-8/],
    ["UTF-16", Buffer.from(whole, "utf16le"), /not valid UTF-8|cannot be parsed/],
    [
      "an overlong sequence",
      Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')]),
      /not valid UTF-8/,
    ],
    [
      "a surrogate in UTF-8",
      Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
      /not valid UTF-8/,
    ],
  ]
  for (const [what, raw, sentence] of cases) {
    const answer = await post({ raw: typeof raw === "string" ? raw : new Uint8Array(raw) })
    t.strictSame([answer.status, answer.body.refusal, pathsOf(answer)], [422, "invalid_schema", [""]], what)
    t.match(answer.body.error, sentence, what)
  }
  for (const escaped of ["\\ud800", "\\udc00\\ud800", "\\u0000"]) {
    const answer = await post({ raw: whole.replace("llo", escaped) })
    t.strictSame([answer.status, pathsOf(answer)], [422, ["/text"]], `${escaped} in a text`)
  }
})

// shows: 415 for what is not JSON.
test("the content type must say JSON in UTF-8", async (t) => {
  const raw = JSON.stringify(message())
  for (const type of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/jsonp",
    "text/json",
    "application/json; charset=latin1",
    "application/json+x",
    "",
  ]) {
    t.match((await post({ raw, headers: { "content-type": type } })).body, { refusal: "not_json" }, type)
  }
  for (const type of [
    "application/json",
    "APPLICATION/JSON",
    "application/json; charset=utf-8",
    'application/json;charset="UTF-8"',
  ]) {
    t.equal((await post({ body: message(), headers: { "content-type": type } })).status, 200, type)
  }
})

test("a body with a content encoding is refused with 415, whatever it contains", async (t) => {
  for (const encoding of ["gzip", "br", "deflate", "zstd", "gzip, br", "GZIP", "made-up"]) {
    const answer = await post({ body: message(), headers: { "content-encoding": encoding } })
    t.strictSame([answer.status, answer.body.refusal], [415, "not_json"], encoding)
    t.equal(answer.headers.get("accept-encoding"), "identity", "and the accepted encoding is named")
  }
  t.equal((await post({ body: message(), headers: { "content-encoding": "identity" } })).status, 200)
})

test("names that every object inherits count as unknown properties like others", async (t) => {
  for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty", "prototype"]) {
    const raw = JSON.stringify(message()).replace(/}$/, `,"${name}":{"schemaVersion":3,"polluted":true}}`)
    const answer = await post({ raw })
    t.strictSame([answer.status, pathsOf(answer)], [422, [`/${name}`]], name)
    const inside = JSON.stringify(action(hypothesis({ roomId, threadId }))).replace(
      '"premises":[]',
      `"premises":[{"versionId":"${freshId()}","explanation":"x","${name}":1}]`,
    )
    t.strictSame(pathsOf(await post({ raw: inside }, publishing)), [`/premises/0/${name}`], `${name} in a premise`)
  }
  t.equal(({} as { polluted?: boolean }).polluted, undefined)
  const concepts = JSON.stringify(action(hypothesis({ roomId, threadId }))).replace(
    '"concepts":{',
    '"concepts":{"constructor":{"label":"constructor","definition":"Puts things together."},',
  )
  t.equal((await post({ raw: concepts }, publishing)).status, 200, "such a name is valid as a concept's key")
})

test("deep nesting is refused everywhere, and crashes nothing", async (t) => {
  const nested = (levels: number, inner = "1") => `${"[".repeat(levels)}${inner}${"]".repeat(levels)}`
  const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`
  const whole = JSON.stringify(message())
  for (const levels of [limits.nesting + 2, 2_000, 100_000]) {
    for (const raw of [
      nested(levels),
      objects(levels),
      whole.replace(/"text":"[^"]*"/, `"text":${nested(levels)}`),
      whole.replace(/}$/, `,"x":${objects(levels)}}`),
    ]) {
      if (raw.length > limits.requestBodyBytes) continue
      t.match((await post({ raw })).body, { refusal: "invalid_schema" }, `${levels} levels: ${raw.slice(0, 20)}…`)
    }
    const attempt = {
      schemaVersion: 3,
      requestId: freshId(),
      attemptId: freshId(),
      experimentId: freshId(),
      intent: "exploratory",
      expectedRevision: 1,
      expectedStatus: "claimed",
      repository: house.repositories.public,
      argv: ["x"],
      inputs: [],
    }
    const raw = JSON.stringify({
      ...attempt,
      repository: { url: attempt.repository.url, commit: attempt.repository.commit },
    }).replace(/}$/, `,"configuration":{"a":${objects(levels)}}}`)
    t.match(
      (await post({ raw }, `${house.baseUrl}/api/agent/research/register_attempt`)).body,
      { refusal: "invalid_schema", retryable: false },
      `${levels} levels in a field for any JSON`,
    )
  }
  t.match((await post({ raw: nested(100_000, "") })).status, 422)
  t.equal((await alive()).status, 200)
})

// shows: 413 for a body over 1 MiB and for content over 60,000 bytes.
// shows: Content has at most 60,000 bytes.
// shows: skill: content_size
test("the content of a write may have 60,000 bytes of canonical JSON and not one more", async (t) => {
  /** Makes a hypothesis whose canonical content has that many bytes; `client` does not count. */
  function weighing(bytes: number): Body {
    const id = freshId()
    const premise = (explanation: string): Body => ({
      purpose: "related",
      versionId: house.rooms.main.roomId,
      explanation,
    })
    const build = (rest: string): Body =>
      action({
        ...hypothesis({ roomId, threadId }),
        requestId: id,
        references: [...Array.from({ length: 19 }, () => premise("𝔞".repeat(735))), premise(rest)],
      })
    const spare = bytes - Buffer.byteLength(canonicalJson(build("") as Json))
    return { ...build("x".repeat(spare)), client: { name: "n".repeat(200), model: "m".repeat(200) } }
  }
  const over = await post({ body: weighing(limits.contentBytes + 1) }, publishing)
  t.strictSame([over.status, over.body.refusal], [413, "content_too_large"])
  const within = await post({ body: weighing(limits.contentBytes) }, publishing)
  t.strictSame(
    [within.status, within.body.refusal],
    [422, "unknown_reference"],
    "one byte less passes to the next check",
  )
  t.equal((await post({ body: message("𝔞".repeat(14_900)) })).status, 200)
  t.equal((await post({ body: message("𝔞".repeat(15_000)) })).status, 413, "bytes are counted, not characters")
  t.equal(
    (await post({ raw: JSON.stringify(message("a")).replace('"a"', `"${"\\u0061".repeat(15_000)}"`) })).status,
    200,
    "and the bytes of the canonical text, not of the escapes that were sent",
  )
})
