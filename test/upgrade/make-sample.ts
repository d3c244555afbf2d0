/**
 * Makes the stored sample of today's schema version, before the next version is made: `node_modules/.bin/node
 * --conditions=research-room-source test/upgrade/make-sample.ts`. It refuses to make a sample again: its value is that
 * the code of its own time made it.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { pathNames } from "../../src/contract/definitions/operation.ts"
import { isStreamed, type Read } from "../../src/contract/definitions/read.ts"
import { entryKinds } from "../../src/contract/reads/activity.ts"
import { reads } from "../../src/contract/reads/index.ts"
import { ResearchRoomClient } from "research-room/client"
import { uploadFigure } from "../../src/contract/definitions/attachments.ts"
import { png } from "../support/pictures.ts"
import { startDemo } from "../../src/demo/demo.ts"
import { databaseFile } from "../../src/check/backup.ts"
import type { Db } from "../../src/ledger/storage/database.ts"
import { openDatabase } from "../../src/ledger/storage/opening.ts"
import { latestSchema } from "../../src/ledger/storage/schema.ts"
import { openLog } from "../../src/log.ts"
import { answerTo, type Answered, type Sample, sampleFiles, serveSample } from "./sample.ts"

const version = latestSchema
const files = sampleFiles(version)
if (existsSync(files.data)) throw new Error(`${files.data} exists; a sample is made once.`)

/** Where the ids of a path come from; those of one row belong together. */
const sources: Readonly<Record<string, string>> = {
  roomId: "SELECT room_id AS roomId FROM rooms",
  threadId: "SELECT thread_id AS threadId FROM threads",
  versionId: "SELECT version_id AS versionId FROM records",
  "versionId key": "SELECT version_id AS versionId, key FROM concepts",
  checkpointId: "SELECT checkpoint_id AS checkpointId FROM checkpoints",
  linkId: "SELECT link_id AS linkId FROM research_links UNION ALL SELECT link_id FROM finding_links",
  experimentId: "SELECT experiment_id AS experimentId FROM experiments",
  proposalId: "SELECT experiment_id AS proposalId FROM experiments",
  planId: "SELECT plan_id AS planId FROM plans",
  attemptId: "SELECT attempt_id AS attemptId FROM attempts",
  boardId: "SELECT board_id AS boardId FROM boards",
  materialId: "SELECT material_id AS materialId FROM materials",
  username: "SELECT username FROM people",
  arxivId: `SELECT DISTINCT arxiv_id AS arxivId
    FROM record_papers
    UNION SELECT paper_id
    FROM saved_papers
    WHERE paper_id NOT GLOB '10.*/*' AND instr(paper_id, ':') = 0`,
  paperId: "SELECT DISTINCT paper_id AS paperId FROM saved_papers",
  collectionId: "SELECT collection_id AS collectionId FROM collections",
  "collectionId paperId": "SELECT collection_id AS collectionId, paper_id AS paperId FROM collection_papers",
}

/** Every form of a read: with the existing ids, and with the filters by kind. */
function pathsOf(db: Db, { name, path }: Read): string[] {
  const names = pathNames(path)
  const source = sources[names.join(" ")]
  if (names.length > 0 && source === undefined) throw new Error(`nothing says where the ids of ${path} come from`)
  const rows =
    source === undefined
      ? [{}]
      : db
          .prepare<Record<string, string>>(`${source} ORDER BY 1, 2`.replace(/, 2$/, names.length > 1 ? ", 2" : ""))
          .all()
  const filled = rows.map((row: Record<string, string>) =>
    path.replace(/\{(\w+)\}/g, (_, id: string) => encodeURIComponent(row[id] ?? "")),
  )
  if (name === "search") return filled.flatMap((at) => ["warm-up", "loss", "H1"].map((query) => `${at}?query=${query}`))
  if (name === "thread_timeline")
    return filled.flatMap((at) => [
      at,
      ...[...entryKinds, "message,publication", "publication,take_experiment"].map((kinds) => `${at}?kinds=${kinds}`),
    ])
  if (name === "thread_replies")
    return db
      .prepare<{ id: string; thread: string }>(
        `SELECT entry_id AS id, (SELECT id FROM places WHERE place = thread) AS thread
          FROM timeline_entries
          WHERE reply_count > 0
          ORDER BY 1`,
      )
      .all()
      .map(({ id, thread }) => `${path.replace("{threadId}", thread)}?targetEntryId=${id}`)
  return filled
}

/** Who reads what: everyone what is public, a Room's agent and a person's agent what is theirs. */
const askers: Readonly<Record<string, string | null>> = { public: null, credential: "main_owner_all", key: "all" }
/**
 * Reads without a sample: answers in other formats, endless answers, and a receipt, which is requested by the id of a
 * write.
 */
const leftOut = new Set([...reads.filter(({ mediaType }) => isStreamed(mediaType)).map(({ name }) => name), "receipt"])

const folder = mkdtempSync(join(tmpdir(), "research-room-sample-"))
try {
  const data = join(folder, "data")
  const demo = await startDemo({ data, host: "127.0.0.1", port: 0, deterministic: true, log: openLog("silent") })
  // A picture, since the demo's story has none.
  const { token } = demo.credentials.owner_all
  const headers = { authorization: `Bearer ${token}`, "content-type": "image/png" }
  const uploaded = await fetch(`${demo.baseUrl}${uploadFigure.path}`, {
    method: "POST",
    headers,
    body: new Uint8Array(png()),
  })
  const { digest } = (await uploaded.json()) as { readonly digest: string }
  const author = new ResearchRoomClient({ baseUrl: demo.baseUrl, token })
  const { openingThreadId: threadId } = demo.rooms.empty
  await author.write("post_message", { threadId, text: "As drawn.", figures: [{ digest, alt: "A field." }] })
  await demo.close()
  const { people, rooms, credentials, keys } = demo
  const compact = join(folder, "compact.db")
  const db = openDatabase(databaseFile(data))
  db.prepare("VACUUM INTO ?").run(compact)
  const asked = reads
    .filter(({ name, surface }) => surface in askers && !leftOut.has(name))
    .flatMap((read) => pathsOf(db, read).map((path) => ({ path, as: askers[read.surface] ?? null })))
  db.close()
  const bytes = readFileSync(compact)

  const cast: Sample["cast"] = { people, rooms, credentials, keys }
  const service = await serveSample(data)
  const answered: Answered[] = []
  for (const { path, as } of asked) {
    for (let next: string | null = path; next !== null; ) {
      const answer: Answered = await answerTo(service.port, next, as, cast)
      answered.push(answer)
      const { hasMore, links } = answer.body as { hasMore?: boolean; links?: { next?: string | null } }
      // A feed gives a cursor even at its end.
      next = hasMore === true ? (links?.next ?? null) : null
    }
  }
  await service.close()
  const refused = answered.filter(({ status }) => status !== 200)
  for (const { path, status } of refused) console.log(status, path)

  writeFileSync(files.data, gzipSync(bytes, { level: 9 }))
  writeFileSync(files.answers, gzipSync(JSON.stringify({ cast, answered } satisfies Sample), { level: 9 }))
  console.log(`schema ${version}: ${answered.length} answers, ${refused.length} of them refusals`)
  for (const file of Object.values(files)) console.log(`${file}: ${statSync(file).size} bytes`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
