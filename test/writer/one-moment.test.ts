/**
 * Every answer comes from one moment: every route and every page is read while writes come between any two of its
 * statements. Each is read twice: without writes, and with a writer that commits after every statement but the last.
 */
import { rmSync } from "node:fs"
import { join } from "node:path"
import tap, { test } from "tap"
import { createApp } from "../../src/app/serving/surface.ts"
import { createInstance } from "../../src/app/compose/instance.ts"
import { sessionCookie } from "../../src/contract/operations/actions.ts"
import { browserReadPath, isStreamed, type Read } from "../../src/contract/definitions/read.ts"
import { reads } from "../../src/contract/reads/index.ts"
import { startDemo } from "../../src/demo/demo.ts"
import type { Db, Statement } from "../../src/ledger/storage/database.ts"
import { openDatabase, openReadConnection } from "../../src/ledger/storage/opening.ts"
import { realWorld } from "../../src/ledger/world.ts"
import { openLog } from "../../src/log.ts"
import type { Person } from "../../src/people/people.ts"
import { pages } from "../../src/web/pages/index.ts"
import { Filler } from "../research/record/filler.ts"
import { temporaryFolder } from "../support/service.ts"

const data = temporaryFolder()
const log = openLog("silent")
const demo = await startDemo({ data, host: "127.0.0.1", port: 0, deterministic: true, log })
const file = join(data, "research-room.db")
const writer = new Filler(file)
// Nothing here has to last: commits do not wait for the disk.
writer.db.exec("PRAGMA synchronous = OFF")
const { token } = await demo.instance.accounts.signIn(demo.people.owner, "127.0.0.1")
tap.teardown(async () => {
  writer.close()
  await demo.close()
  rmSync(data, { recursive: true, force: true })
})

/** The newest object of each kind, by the name of its path parameter. */
const roomId = demo.rooms.main.roomId
const first = <T extends string>(sql: string, ...values: string[]) =>
  demo.instance.db.prepare<Record<T, string>>(sql).get(...values)
const inRoom = (column: string, table: string) =>
  first<"id">(`SELECT ${column} AS id FROM ${table} WHERE room_id = ? LIMIT 1`, roomId)?.id
const replied = first<"thread_id" | "entry_id">(
  `SELECT (SELECT id FROM places WHERE place = thread) AS thread_id, entry_id
    FROM timeline_entries
    WHERE reply_count > 0`,
)
const concept = first<"version_id" | "key">("SELECT version_id, key FROM concepts")
const paper = first<"collection_id" | "paper_id">(
  `SELECT collection_id, paper_id
    FROM collection_papers
    JOIN collection_members USING (collection_id)
    WHERE user_id = ?`,
  demo.people.owner.userId,
)
const invitation = await demo.instance.accounts.invite(
  demo.instance.tables.people.named(demo.people.owner.username) as Person,
  {},
  () => false,
)
const ids: Readonly<Record<string, string | undefined>> = {
  roomId,
  threadId: replied?.thread_id,
  entryId: replied?.entry_id,
  versionId: concept?.version_id,
  key: concept?.key,
  hypothesis: first<"id">("SELECT version_id AS id FROM records WHERE kind = 'hypothesis'")?.id,
  experimentId: inRoom("experiment_id", "plans"),
  proposalId: inRoom("experiment_id", "plans"),
  planId: inRoom("plan_id", "plans"),
  attemptId: inRoom("attempt_id", "attempts"),
  materialId: first<"id">("SELECT material_id AS id FROM materials")?.id,
  linkId: first<"id">("SELECT link_id AS id FROM finding_links")?.id,
  checkpointId: first<"id">("SELECT checkpoint_id AS id FROM checkpoints")?.id,
  collectionId: paper?.collection_id,
  arxivId: "1706.03762",
  paperId: paper?.paper_id,
  operation: "publish_finding",
  token: invitation.token,
}
const ofPaper = `?paperId=${encodeURIComponent(ids.paperId ?? "")}`
const queries: Readonly<Record<string, string>> = {
  library_paper: ofPaper,
  library_annotations: ofPaper,
  reading_position: ofPaper,
  collection_notes: ofPaper,

  thread_replies: `?targetEntryId=${ids.entryId}`,
  search: "?query=loss",
  "/search": "?query=loss",
  "/attempts/compare": `?ids=${ids.attemptId}`,
  "/do/{operation}": `?roomId=${roomId}`,
}
const addressOf = (path: string, name: string): string =>
  path.replace(/\{(\w+)\}/g, (_, id: string) =>
    encodeURIComponent(ids[id === "versionId" && name === "hypothesis" ? name : id] ?? "none"),
  ) + (queries[name] ?? "")

/** The data as another connection sees it, with a hook before every statement but the first. */
function watched(db: Db, onStatement: (within: boolean) => void, snapshot = db.snapshot.bind(db)): Db {
  const told = <A extends unknown[], B>(call: (...values: A) => B) => {
    return (...values: A) => {
      onStatement(db.inTransaction)
      return call(...values)
    }
  }
  return {
    prepare<Row>(sql: string) {
      const made = db.prepare<Row>(sql)
      return { ...made, get: told(made.get), all: told(made.all) } as Statement<Row>
    },
    exec: (sql) => db.exec(sql),
    get inTransaction() {
      return db.inTransaction
    },
    snapshot,
    close: () => db.close(),
  }
}

/** Posts in a Thread, opens another, renames the Room and files a paper: this changes almost everything. */
let writes = 0
function write(): void {
  writes += 1
  const { owner } = demo.people
  writer.db.exec("BEGIN IMMEDIATE")
  writer.does(owner, "post_message", {
    threadId: ids.threadId ?? "",
    text: `Message ${writes}`,
    replyToEntryId: replied?.entry_id ?? "",
  })
  writer.does(owner, "create_thread", { roomId, title: `Thread ${writes}` })
  writer.does(owner, "amend_room", { roomId, title: `The Room, for the ${writes}th time` })
  writer.db
    .prepare("UPDATE collections SET name = ? WHERE collection_id = ?")
    .run(`Collection ${writes}`, paper?.collection_id ?? "")
  writer.db.exec("COMMIT")
}

/** A second instance on the same data, called without a socket; `whole` is false for one that takes no snapshots. */
function asker(whole: boolean) {
  const seen = { statements: 0, outside: 0, writing: false }
  const db = watched(
    openDatabase(file),
    (within) => {
      seen.statements += 1
      if (!within) seen.outside += 1
      if (seen.writing && seen.statements > 1) write()
    },
    whole ? undefined : (work) => work(),
  )
  tap.teardown(() => db.close())
  const { world, instanceId } = demo.instance
  const instance = createInstance({
    db,
    world: realWorld(() => world.now()),
    instanceId,
    openReader: () => openReadConnection(file),
  })
  const app = createApp({ instance, baseUrl: demo.baseUrl, softwareVersion: "0", log })
  return {
    seen,
    async ask(path: string, headers: Record<string, string>, writing: boolean) {
      Object.assign(seen, { statements: 0, outside: 0, writing })
      const answer = await app.request(path, { headers: { host: new URL(demo.baseUrl).host, ...headers } })
      seen.writing = false
      return {
        status: answer.status,
        text: unvarying(await answer.text()),
        statements: seen.statements,
        outside: seen.outside,
      }
    },
  }
}
/** What is new in every answer: the time it was made, and the ids for submitting a form. */
const unvarying = (text: string): string =>
  text
    .replace(/"generatedAt":"[^"]*"/g, "")
    .replace(/(name="(?:\/says)?\/?(~id|requestId|clientMessageId|attemptId|reportedAt)") value="[^"]*"/g, "$1")
    .replace(/value="[^"]*" (name="(?:\/says)?\/?(~id|requestId|clientMessageId|attemptId|reportedAt)")/g, "$1")

const cookie = { cookie: `${sessionCookie}=${token}` }
const byCredential = { authorization: `Bearer ${demo.credentials.main_owner_all.token}` }
const byKey = { authorization: `Bearer ${demo.keys.all.token}` }
const headersOf: Readonly<Record<Read["surface"], Record<string, string>>> = {
  public: {},
  discovery: {},
  visitor: cookie,
  session: cookie,
  operator: cookie,
  credential: byCredential,
  key: byKey,
}
/**
 * An export has its own snapshot that outlives the request, and is tested in `export-stream.test.ts`; waiting feeds are
 * tested in `feed.test.ts`.
 */
const routes = reads
  .filter(({ mediaType }) => !isStreamed(mediaType))
  .flatMap((read) => {
    const inBrowser = browserReadPath(read)
    const own = { name: read.name, path: addressOf(read.path, read.name), headers: headersOf[read.surface] }
    return inBrowser === null
      ? [own]
      : [own, { name: read.name, path: addressOf(inBrowser, read.name), headers: cookie }]
  })
  .flatMap((route) =>
    route.name === "record"
      ? ["", "?format=bibtex", "?format=csl"].map((query) => ({ ...route, path: route.path + query }))
      : [route],
  )
const asked = [...routes, ...Object.keys(pages).map((name) => ({ name, path: addressOf(name, name), headers: cookie }))]

test("every route and every page shows one moment, whatever is written meanwhile", async (t) => {
  const { ask } = asker(true)
  let several = 0
  for (const { path, headers } of asked) {
    const before = await ask(path, headers, false)
    const meanwhile = await ask(path, headers, true)
    t.same(meanwhile.text, before.text, `${path}: ${before.status}, ${before.statements} statements`)
    t.equal(meanwhile.outside, 0, `${path} reads nothing outside its moment`)
    if (before.status === 200 && before.statements > 1) several += 1
  }
  t.ok(several > 75, `${several} of ${asked.length} found what they look for, with more than one statement`)
  t.ok(writes > 300, `${writes} commits came between`)
})

test("without a snapshot, most answers would be torn", async (t) => {
  const { ask } = asker(false)
  let torn = 0
  for (const { path, headers } of asked) {
    const before = await ask(path, headers, false)
    if ((await ask(path, headers, true)).text !== before.text) torn += 1
  }
  t.ok(torn > 20, `${torn} of ${asked.length}`)
})
