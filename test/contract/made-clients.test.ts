/**
 * Clients that other programs generate from the OpenAPI document compile, and do the work of an agent: a write, its
 * replay, a message, a proposal, a list page by page, and the feed. `npm run reach` tries other languages.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { build } from "tsup"
import { makeFunctions, makeTypes } from "./generators/make.ts"

const root = dirname(dirname(import.meta.dirname))

/** The work of each client, in its own calls; it returns what it saw. */
const programs = {
  types: `
import createClient from "openapi-fetch"
import type { paths } from "./schema.ts"

export async function work(baseUrl: string, token: string, roomId: string, requestId: string) {
  const { GET, POST } = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${token}\` } })
  const write = () => POST("/api/agent/threads", { body: { schemaVersion: 3, requestId, roomId, title: "By a client \
that was made" } })
  const [first, again] = [await write(), await write()]
  const threadId = first.data?.result.threadId ?? ""
  const message = { schemaVersion: 3, clientMessageId: requestId, text: "Posted by a client" } as const
  const named = { params: { path: { threadId } } }
  const said = await POST("/api/agent/threads/{threadId}/messages", { ...named, body: message })
  const asked = { schemaVersion: 3 as const, requestId: crypto.randomUUID(), roomId, threadId, \
question: "Does it propose?", scope: "Here.", hypotheses: [] }
  const proposed = await POST("/api/agent/research/propose_experiment", { body: asked })
  const titles: string[] = []
  for (let after: number | undefined; ; ) {
    const { data } = await GET("/api/research/rooms/{roomId}/threads", { params: { path: { roomId }, query: { limit: \
1, ...(after === undefined ? {} : { after }) } } })
    for (const { title } of data?.items ?? []) if (typeof title === "string") titles.push(title)
    if (!data?.hasMore || data.nextCursor === null) break
    after = data.nextCursor
  }
  const { data } = await GET("/api/research/rooms/{roomId}/activity", { params: { path: { roomId }, query: { after: 0, \
kinds: ["create_thread"] } } })
  const kinds = typeof data === "string" ? undefined : data?.items.map(({ kind }) => kind)
  return { threadId, same: again.data?.result.threadId, replayed: again.data?.replayed, titles, kinds, \
messageId: said.data?.result.messageId, label: proposed.data?.result.label }
}
`,
  functions: `
import { client } from "./functions/client.gen"
import { createThread, postMessage, proposeExperiment, roomActivity, roomThreads } from "./functions"

export async function work(baseUrl: string, token: string, roomId: string, requestId: string) {
  client.setConfig({ baseUrl, auth: () => token })
  const write = () => createThread({ body: { schemaVersion: 3, requestId, roomId, title: \
"By a client that was made" }, throwOnError: true })
  const [first, again] = [await write(), await write()]
  const { threadId } = first.data.result
  const said = await postMessage({ path: { threadId }, body: { schemaVersion: 3, clientMessageId: requestId, text: \
"Posted by a client" }, throwOnError: true })
  const proposed = await proposeExperiment({ body: { schemaVersion: 3, requestId: crypto.randomUUID(), roomId, \
threadId, question: "Does it propose?", scope: "Here.", hypotheses: [] }, throwOnError: true })
  const titles: string[] = []
  for (let after: number | undefined; ; ) {
    const { data } = await roomThreads({ path: { roomId }, query: { limit: 1, ...(after === undefined ? {} : \
{ after }) }, throwOnError: true })
    for (const { title } of data.items) if (typeof title === "string") titles.push(title)
    if (!data.hasMore || data.nextCursor === null) break
    after = data.nextCursor
  }
  const { data } = await roomActivity({ path: { roomId }, query: { after: 0, kinds: ["create_thread"] }, \
throwOnError: true })
  const kinds = data.items.map(({ kind }) => kind)
  return { threadId, same: again.data.result.threadId, replayed: again.data.replayed, titles, kinds, messageId: \
said.data.result.messageId, label: proposed.data.result.label }
}
`,
}

interface Seen {
  readonly threadId: string
  readonly same: string
  readonly replayed: boolean
  readonly titles: readonly string[]
  readonly kinds: readonly string[]
  readonly messageId: string
  readonly label: string
}

// shows: Schemas and examples of every operation are served and true.
t.test("Clients generated from the OpenAPI document do the work of an agent", async (t) => {
  const instance = await startResearchRoom()
  const folder = mkdtempSync(join(tmpdir(), "research-room-clients-"))
  t.teardown(async () => {
    await instance.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const document = join(folder, "openapi.json")
  writeFileSync(document, await (await fetch(`${instance.baseUrl}/api/openapi.json`)).text())
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }))
  const options = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    module: "preserve",
    moduleResolution: "bundler",
    target: "esnext",
  }
  const compilerOptions = {
    ...options,
    lib: ["esnext", "dom", "dom.iterable"],
    types: [],
    allowImportingTsExtensions: true,
  }
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts", "functions"] }))
  await makeTypes(document, folder)
  await makeFunctions(document, folder)
  for (const [name, program] of Object.entries(programs)) writeFileSync(join(folder, `${name}-program.ts`), program)

  const checked = spawnSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", folder], {
    encoding: "utf8",
  })
  t.equal(checked.stdout, "", "the generated code compiles in strict mode, and so do the programs that use it")

  const { roomId } = instance.rooms.empty
  const { token } = instance.credentials.member_all
  for (const [name, number] of Object.entries({ types: 1, functions: 2 })) {
    const outfile = join(folder, `${name}.mjs`)
    await build({
      entry: { [name]: join(folder, `${name}-program.ts`) },
      outDir: folder,
      outExtension: () => ({ js: ".mjs" }),
      format: "esm",
      target: "node26",
      noExternal: [/./],
      removeNodeProtocol: false,
      silent: true,
      config: false,
    })
    const { work } = (await import(outfile)) as { work(...given: readonly string[]): Promise<Seen> }
    const seen = await work(instance.baseUrl, token, roomId, `0198f3a0-0000-7000-8000-00000000000${number}`)
    t.match(seen, { threadId: /^[0-9a-f-]{36}$/, replayed: true }, `${name}: a write and its replay`)
    t.equal(seen.same, seen.threadId, "which is the same Thread")
    t.match(seen, { messageId: /^[0-9a-f-]{36}$/, label: `E${number}` }, "a message and a proposal")
    t.equal(seen.titles.filter((title) => title === "By a client that was made").length, number, "a list, page by page")
    t.strictSame(seen.kinds, Array(number).fill("create_thread"), "the feed")
  }
})
