/** The ledger of runs: who ran what, with which settings and seeds, and what came of it, on every door. */
import { execFile } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import t from "tap"
import { openStudy } from "../../support/study.ts"

const study = await openStudy(t)
const { own, reader, roomId } = study

const all = async () => {
  const { items } = await reader.read("room_ledger", { roomId })
  return new Map(items.map((run) => [run.label, run]))
}

t.test("each attempt is one line, in the order of registration", async (t) => {
  const runs = await all()
  const attempts = await reader.read("attempts", { roomId, order: "label", limit: 50 })
  t.same(
    [...runs.keys()],
    attempts.items.map(({ label }) => label),
  )
  t.match(runs.get("A1"), {
    registrant: { username: "ada" },
    command: "python mlp.py",
    settings: { updates: /^(1000|5000)$/ },
    measured: { arm: /baseline/, labels: "50, 100, 400" },
    seeds: "0-9",
    findings: [{ role: "producing", verdicts: Array }],
  })
})

t.test("who reproduced what, with which code and verdict, and what each finding says", async (t) => {
  const runs = [...(await all()).values()]
  const again = runs.filter(({ reproduces }) => reproduces !== null)
  t.ok(again.length >= 3, `${again.length} reproductions`)
  for (const { label, attemptId, reproduces } of again) {
    const { reproduction } = await reader.read("attempt", { attemptId })
    t.equal(reproduces?.implementation ?? null, reproduction?.implementation ?? null, `${label}: its implementation`)
    t.equal(reproduces?.verdict === null, reproduction === null, `${label}: a verdict once it is over`)
  }
  t.ok(
    again.some(({ reproduces }) => reproduces?.implementation === "own"),
    "who used an implementation of their own is told",
  )
  const f1 = runs.flatMap(({ findings }) => findings.filter(({ label }) => label === "F1"))
  t.ok(f1.length > 0)
  t.match(f1[0], { outcome: String, verdicts: [/^(supports|contradicts|inconclusive) H\d+/] })
})

t.test("it is paged, and narrowed as the list of attempts is", async (t) => {
  const whole = [...(await all()).keys()]
  const paged: string[] = []
  for (let after = 0; ; ) {
    const page = await reader.read("room_ledger", { roomId, limit: 3, after })
    paged.push(...page.items.map(({ label }) => label))
    if (!page.hasMore) break
    after = Number(page.nextCursor)
  }
  t.same(paged, whole)
  const [first] = (await all()).values()
  const { experimentId = "", findings = [] } = first ?? {}
  const findingVersionId = findings[0]?.versionId ?? ""
  for (const filter of [
    { agent: "mcp-agent" },
    { experimentId },
    { findingVersionId },
    { intent: "reproduction" },
  ] as const) {
    const [runs, attempts] = await Promise.all([
      reader.read("room_ledger", { roomId, ...filter }),
      reader.read("attempts", { roomId, ...filter, order: "label", limit: 50 }),
    ])
    t.ok(runs.items.length > 0, JSON.stringify(filter))
    t.same(
      runs.items.map(({ label }) => label),
      attempts.items.map(({ label }) => label),
      JSON.stringify(filter),
    )
  }
  t.equal((await fetch(`${own.baseUrl}/api/research/rooms/${crypto.randomUUID()}/ledger`)).status, 404)
})

t.test(
  "as Markdown it is a line an attempt, in less than a quarter of the list's bytes; Python reads it too",
  async (t) => {
    const response = await fetch(`${own.baseUrl}/api/research/rooms/${roomId}/ledger.md`)
    const text = await response.text()
    const runs = await all()
    t.equal(text.match(/^- \*\*A\d+\*\* /gmu)?.length, runs.size)
    t.match(text, /^- \*\*A1\*\* .*registrant ada · agent http-agent; .*settings \(updates \d+\).*seeds 0-9/mu)
    const attempts = await (await fetch(`${own.baseUrl}/api/research/attempts?roomId=${roomId}`)).text()
    t.ok(text.length * 4 < attempts.length, `${text.length} of ${attempts.length} bytes`)

    const folder = t.testdir()
    writeFileSync(
      join(folder, "research_room.py"),
      Buffer.from(await (await fetch(`${own.baseUrl}/research_room.py`)).arrayBuffer()),
    )
    const script =
      "from research_room import Room; " +
      `print(len(list(Room('${own.baseUrl}').all_room_ledger(room_id='${roomId}'))))`
    const { stdout } = await promisify(execFile)("python3", ["-c", script], { cwd: folder })
    t.equal(stdout.trim(), String(runs.size))
  },
)
