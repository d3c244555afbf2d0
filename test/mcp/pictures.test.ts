/**
 * A picture by MCP: uploaded as over HTTP, with the same refusals, then named by a write. A program on the agent's
 * machine reads it from a file.
 */
import { randomFillSync } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { startResearchRoom } from "research-room/testing"
import tap from "tap"
import { limits } from "../../src/contract/limits.ts"
import { ask } from "../support/ask.ts"
import { encoded, png } from "../support/pictures.ts"
import { executable } from "../support/program.ts"
import { temporaryFolder } from "../support/service.ts"
import { type Agent, eras, overHttp, overStdio } from "./agent.ts"

const house = await startResearchRoom()
tap.teardown(() => house.close())
const { baseUrl, credentials } = house
const { token } = credentials.member_all
const { openingThreadId: threadId } = house.rooms.empty
const sent = (bytes: Buffer, mediaType = "image/png") => ({ data: bytes.toString("base64"), mediaType })
const upload = async ({ call }: Agent, input: object) => {
  const { text, isError, body } = await call("upload_figure", input)
  return { text, isError, digest: String(body.digest), ...body }
}
const overHttpIt = async (bytes: Buffer, type = "image/png") =>
  (
    await ask(`${baseUrl}/api/agent/research/figures`, {
      raw: new Uint8Array(bytes),
      headers: { "content-type": type },
      token,
    })
  ).body

/** A picture almost at the size limit, which does not shrink when it is encoded again. */
function largest(): Buffer {
  const small = png({ width: 4, height: 4 })
  return Buffer.concat([small, randomFillSync(Buffer.alloc(limits.figureBytes - small.length))])
}

for (const era of eras)
  tap.test(`over HTTP, ${era}`, async (t) => {
    const agent = await overHttp(baseUrl, token, era)
    t.teardown(agent.close)
    const told = await upload(agent, sent(png({ shade: 31 })))
    t.match(told, { isError: false, schemaVersion: 3, width: 12, height: 8 })
    t.equal(told.digest, (await overHttpIt(png({ shade: 31 }))).digest, "the same picture as over HTTP")
    await agent.write("post_message", {
      threadId,
      text: "See.",
      figures: [{ digest: told.digest, alt: "A dark shade." }],
    })
    t.equal(
      (await fetch(`${baseUrl}/api/research/figures/${told.digest}`)).status,
      200,
      "a write names it, and it is served",
    )

    const { jpeg, webp } = await encoded(png({ shade: 32 }))
    t.notOk((await upload(agent, sent(jpeg, "image/jpeg"))).isError)
    t.notOk((await upload(agent, sent(webp, "image/webp"))).isError)
    const uri = { ...sent(png()), data: `data:image/png;base64,${png().toString("base64")}` }
    t.notOk((await upload(agent, uri)).isError, "a data URI is taken as the picture it contains")
    t.notOk((await upload(agent, sent(largest()))).isError, "as large as over HTTP")
  })

tap.test("other files are refused as over HTTP, and only a picture may be large", async (t) => {
  const agent = await overHttp(baseUrl, token)
  t.teardown(agent.close)
  const refusal = async (input: object, by = agent) => {
    const { isError, body, text } = await by.call("upload_figure", input)
    t.ok(isError)
    return body.refusal ?? text
  }
  for (const [bytes, type] of [
    [png(), "image/jpeg"],
    [png(), "image/svg+xml"],
    [png().subarray(0, 60), "image/png"],
    [png({ width: 60_000, height: 60_000, rows: 10 }), "image/png"],
    [Buffer.alloc(limits.figureBytes + 1), "image/png"],
  ] as const) {
    const { refusal: code } = await overHttpIt(bytes, type)
    t.equal(await refusal(sent(bytes, type)), code, `${type}: ${String(code)}`)
  }
  t.match(await refusal({ mediaType: "image/png" }), /Give data \(base64\) and mediaType/)
  t.match(
    await refusal({ path: "/etc/hostname" }),
    /Give data \(base64\) and mediaType, or log/,
    "the service reads no files for callers",
  )
  const posting = await overHttp(baseUrl, credentials.member_post_only.token)
  t.teardown(posting.close)
  t.equal(await refusal(sent(png()), posting), "permission_missing")
  const nobody = await overHttp(baseUrl)
  t.teardown(nobody.close)
  t.match(await refusal(sent(png()), nobody), /not available to you/)

  const long = { text: "x".repeat(limits.requestBodyBytes) }
  await t.rejects(
    agent.call("write", { operation: "post_message", input: { threadId, ...long } }),
    /which only upload_figure may be/,
  )
  await t.rejects(
    agent.call("upload_figure", { ...sent(png()), more: "x".repeat(limits.figureMessageBytes) }),
    /413|over 1400000 bytes/,
  )
})

tap.test("what a program printed is uploaded as text, and named by an attempt's event", async (t) => {
  const agent = await overHttp(baseUrl, token)
  t.teardown(agent.close)
  const log = "epoch 1 loss 0.5\nTraceback: the gradients are not finite\n"
  const told = await upload(agent, { log })
  t.match(told, { isError: false, lines: 2, bytes: log.length, cut: null })
  const { body: same } = await ask(`${baseUrl}/api/agent/research/logs`, {
    raw: new TextEncoder().encode(log),
    headers: { "content-type": "text/plain" },
    token,
  })
  t.equal(told.digest, same.digest, "the same log as over HTTP")
  const posting = await overHttp(baseUrl, credentials.member_post_only.token)
  t.teardown(posting.close)
  t.match(await upload(posting, { log }), { isError: true, refusal: "permission_missing" })
  t.match(await upload(agent, { log: "x".repeat(limits.requestBodyBytes + 1) }), { isError: false, lines: 1 })
})

tap.test("the program for pipes reads a file of the agent's own machine, and sends no other file", async (t) => {
  const folder = temporaryFolder()
  const file = (name: string, bytes: Buffer | string) => {
    writeFileSync(join(folder, name), bytes)
    return { path: join(folder, name) }
  }
  const agent = await overStdio(executable(), { RESEARCH_ROOM_URL: baseUrl, RESEARCH_ROOM_TOKEN: token })
  t.teardown(agent.close)
  const { tools } = await agent.client.listTools()
  t.match(tools.find(({ name }) => name === "upload_figure")?.inputSchema.properties, {
    path: { type: "string" },
    data: {},
  })
  const told = await upload(agent, file("curve.png", png({ shade: 33 })))
  t.match(told, { isError: false, width: 12, height: 8 })
  t.equal(told.digest, (await upload(agent, sent(png({ shade: 33 })))).digest, "its bytes unchanged")
  t.notOk((await upload(agent, file("largest.png", largest()))).isError)
  t.match(await upload(agent, file("keys.png", "-----BEGIN")), {
    isError: true,
    text: /not a PNG, JPEG or WebP file\. Nothing was sent/,
  })
  t.match(await upload(agent, file("over.png", Buffer.alloc(limits.figureBytes + 1))), {
    isError: true,
    text: /1000001 bytes/,
  })
  t.match(await upload(agent, { path: folder }), { isError: true, text: /There is no file/ })
  t.match(await upload(agent, { path: join(folder, "\u0000") }), { isError: true, text: /There is no file/ })
})
