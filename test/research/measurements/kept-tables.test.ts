/** A checkpoint rests on a table, which is kept as it was and tells which values have moved. */
import t from "tap"
import { type LabRoom, openLab, refusalOf } from "../../support/lab.ts"
import { posting } from "../record/posting.ts"
import { overHttp } from "../../mcp/agent.ts"
import { untilClean } from "../../support/clean.ts"
import { arm, measuring, pairs } from "./measured.ts"

const lab = await openLab(t)
const { conclude } = posting(lab.reader)
const table = { metric: "error", by: ["arm"], against: "arm:baseline", over: "seed" }
const answer = "Shift."

const brief = async (room: LabRoom, query: string) =>
  (await fetch(`${lab.house.baseUrl}/api/research/rooms/${room.roomId}/brief?${query}`)).text()

t.test("a table is kept with its groups, and tells the one that moved", async (t) => {
  const room = await lab.room()
  const lines = await measuring(lab, room)
  await lines.attempt(pairs(-1))
  const other = { ...table, metric: "loss" }
  t.match((await refusalOf(conclude(room.ada, room.threadId, { table: other }))).issues, [
    { path: "/table", message: /is not reported here/ },
  ])
  const { result } = await conclude(room.ada, room.threadId, { answer, table })
  const read = async () => {
    const { table: kept } = await lab.reader.read("checkpoint", { checkpointId: result.checkpointId })
    if (kept === null) throw new Error("no table")
    return kept
  }
  const before = await read()
  t.match(before, { ...table, split: null, unit: null, comparisons: 1, isStale: false, moved: [] })
  t.match(before.groups[1], { key: { arm: "shift" }, n: 5, contrast: { pairs: 5, isDistinct: true } })
  t.match(await lab.reader.read("room_table", { roomId: room.roomId }), {
    from: { kind: "checkpoint", id: result.checkpointId },
    table: before,
  })

  const told = await brief(room, "format=markdown")
  t.match(told, "Shift.", "the brief tells the answer")
  t.match(told, "error against arm:baseline over seed: difference ± half of its 95 % interval")
  t.match(told, /\| shift \| −1\.000 ±0\.0\d+\* \|/, "and the table below it")
  t.match(JSON.parse(await brief(room, "budget=4000")), { stands: [{ says: "Shift.", table: /\| shift \|/ }] })
  const page = await (await fetch(`${lab.house.baseUrl}/checkpoints/${result.checkpointId}.md`)).text()
  t.match(page, /## The table it rests on\n\nerror against arm:baseline/, "and so does its document")

  await lines.attempt(arm("shift", [1, 2, 3, 4, 5]))
  const after = await read()
  t.same(after.groups, before.groups, "what was kept stays")
  t.match(after, { isStale: true, moved: [{ key: { arm: "shift" }, now: { n: 5 } }] })
  t.match(await brief(room, "format=markdown"), "1 of its values have moved since")
})

t.test("without a checkpoint, the Room has the table of its newest finding's metric and baseline", async (t) => {
  const room = await lab.room()
  t.match(await lab.reader.read("room_table", { roomId: room.roomId }), { from: null, table: null })
  t.notMatch(JSON.parse(await brief(room, "")), { table: /./ })
  const lines = await measuring(lab, room)
  const attemptId = await lines.attempt([...pairs(-1), ...arm("blur", [1, 2, 3, 4, 5])])
  const { result } = await lines.publish(room.ada, [attemptId])
  const { from, table } = await lab.reader.read("room_table", { roomId: room.roomId })
  t.match(from, { kind: "finding", id: result.versionId, label: "F1" })
  t.same(
    table?.groups.map(({ key }) => key.arm),
    ["baseline", "blur", "shift"],
    "with all that is compared with that baseline",
  )
  t.match(JSON.parse(await brief(room, "")), { table: /\| shift \|/ })
  const { text } = {
    text: await (await fetch(`${lab.house.baseUrl}/api/research/rooms/${room.roomId}/table?format=markdown`)).text(),
  }
  t.match(text, /\| blur \|/)
})

t.test("groups with one value of a setting stand in one column with those that it parts", async (t) => {
  const room = await lab.room()
  const lines = await measuring(lab, room)
  const updates = (count: number) => ({ argv: ["python", "train.py", "--updates", String(count)] })
  await lines.attempt([...pairs(-1), ...arm("blur", [1, 2, 3, 4, 5])], updates(5000))
  const { result } = await conclude(room.ada, room.threadId, { answer, table })
  const kept = async () => (await lab.reader.read("checkpoint", { checkpointId: result.checkpointId })).table
  t.match(await kept(), { isStale: false })
  await lines.attempt(pairs(-2), updates(1000))
  t.match(await kept(), { isStale: false, moved: [] }, "runs with another setting move nothing that was kept")
  const { result: renewed } = await conclude(room.ada, room.threadId, { answer, table })
  const text = await (await fetch(`${lab.house.baseUrl}/checkpoints/${renewed.checkpointId}.md`)).text()
  t.match(text, /^\| arm \| updates 1000 \| updates 5000 \|$/m, "two columns, not a third one without a setting")
  t.match(text, /^\| blur \| {2}\| −2\.\d+ /m)
})

t.test(
  "of 200 arms by 50 sizes, the rows that the text names and the largest are kept; the others are counted",
  async (t) => {
    const room = await lab.room()
    const lines = await measuring(lab, room)
    for (let part = 0; part < 50; part += 2)
      await lines.attempt(
        [10 * (part + 1), 10 * (part + 2)].flatMap((labels) =>
          Array.from({ length: 201 }, (_, at) => ({
            name: "error",
            // Only one value a cell; those of arm150 differ most from the baseline, those of arm7 hardly.
            value: at === 0 ? 5 : 5 + (at === 150 ? 9 : at === 7 ? 0.01 : ((at * 7_919) % 211) / 100),
            dimensions: { arm: at === 0 ? "baseline" : `arm${at}`, labels, seed: 0 },
          })),
        ),
      )
    const large = { ...table, by: ["arm", "labels"] }
    const { result } = await conclude(room.ada, room.threadId, { answer: "It is arm7.", table: large })
    const { table: kept } = await lab.reader.read("checkpoint", { checkpointId: result.checkpointId })
    const arms = new Set(kept?.groups.map(({ key }) => String(key.arm)))
    t.equal(arms.size, 12, "whole rows, the baseline among them")
    t.ok(["baseline", "arm7", "arm150"].every((name) => arms.has(name)))
    t.notOk(arms.has("arm1"))
    t.match(kept, { leftOut: { rows: 189, groups: 9_450 }, isStale: false, moved: [] })
    t.match(kept?.groups.find(({ key }) => key.arm === "arm7")?.contrast, { low: null, isDistinct: false })
    const text = await (await fetch(`${lab.house.baseUrl}/checkpoints/${result.checkpointId}.md`)).text()
    t.match(text, /and 1\d\d more rows/)
    const page = await (await fetch(`${lab.house.baseUrl}/checkpoints/${result.checkpointId}`)).text()
    t.equal(page.match(/<th scope="row">(?:baseline|arm\d+)</g)?.length, 12, "the page shows twelve rows")
    t.match(page, "189 more rows and 42 more columns")
    t.ok(page.length <= 60_000, `${page.length} bytes`)
    const small = await brief(room, "format=markdown&budget=4000")
    t.match(small, "| arm150 |")
    t.match(small, /^ {2}\| arm \| labels 10 \|(?: labels \d+ \|){10} labels 500 \|\n/m, "twelve of fifty columns")
    t.match(small, /and 1\d\d more rows, 38 more columns/)
  },
)

t.test("odd values: runs that diverged, one value, a setting of 10,000 characters", async (t) => {
  const room = await lab.room()
  const lines = await measuring(lab, room)
  await lines.attempt([...pairs(-1), ...arm("once", [5]), { ...arm("broken", [0])[0], name: "error", value: "NaN" }], {
    configuration: { recipe: "x".repeat(10_000) },
  })
  await lines.attempt(pairs(-1), { configuration: { recipe: "y".repeat(10_000) } })
  const { result } = await conclude(room.ada, room.threadId, { answer, table })
  const read = async () => (await lab.reader.read("checkpoint", { checkpointId: result.checkpointId })).table
  const kept = await read()
  const cell = (name: string) => kept?.groups.find(({ key }) => key.arm === name)
  t.match(cell("broken"), { n: 0, mean: null, contrast: null })
  t.match(cell("once"), { n: 1, low: null })
  for (const { settings } of kept?.groups ?? [])
    t.ok(
      typeof settings.recipe === "string" && settings.recipe.length <= 200,
      "of a long setting its beginning and a digest",
    )
  t.ok(JSON.stringify(kept).length < 10_000)
  const text = await (await fetch(`${lab.house.baseUrl}/checkpoints/${result.checkpointId}.md`)).text()
  t.match(text, /\| broken \| –/)
})

t.test("a cell without a partner has no difference, and what diverged no partner", async (t) => {
  const room = await lab.room()
  const lines = await measuring(lab, room)
  const at = (labels: number) => ({ dimensions: { labels } })
  await lines.attempt([
    ...pairs(-1).map((each) => ({ ...each, dimensions: { ...each.dimensions, labels: 50 } })),
    ...arm("shift", [4, 4.1, 4.2], at(100)),
    ...arm("baseline", [5, 5.1, 5.2], at(400)),
    ...(["NaN", "Infinity", "-Infinity"] as const).flatMap((value, seed) =>
      ["baseline", "shift"].map((name) => ({
        ...{ name: "error", value: name === "shift" ? 3 : value, dimensions: { arm: name, labels: 900, seed } },
      })),
    ),
  ])
  const { result } = await conclude(room.ada, room.threadId, { answer, table: { ...table, by: ["arm", "labels"] } })
  const { table: kept } = await lab.reader.read("checkpoint", { checkpointId: result.checkpointId })
  const cell = (name: string, labels: number) =>
    kept?.groups.find(({ key }) => key.arm === name && key.labels === labels)
  t.match(cell("shift", 50)?.contrast, { pairs: 5, isDistinct: true })
  t.match(cell("shift", 100), { n: 3, contrast: null })
  t.equal(cell("shift", 400), undefined, "nothing is made up for a cell that nobody measured")
  t.match(cell("baseline", 900), { n: 0, mean: null })
  t.match(cell("shift", 900), { n: 3, contrast: null })
  t.equal(kept?.comparisons, 1, "what cannot be compared is in no correction")
  const document = await (await fetch(`${lab.house.baseUrl}/checkpoints/${result.checkpointId}.md`)).text()
  t.match(document, /\| shift \| −1\.000 ±0\.0\d+\* \|/)
  for (const path of [`/checkpoints/${result.checkpointId}`, `/rooms/${room.roomId}`])
    t.equal((await fetch(lab.house.baseUrl + path)).status, 200, path)
  t.match((await refusalOf(conclude(room.ada, room.threadId, { table: { ...table, against: "arm:none" } }))).issues, [
    { path: "/table", message: /^against names no group; arm is one of / },
  ])
})

t.test("attempts that were withheld whole are in no table, and neither are their settings", async (t) => {
  const room = await lab.room()
  const { roomId } = room
  const lines = await measuring(lab, room)
  const secret = "/home/somebody/secret-7f3a"
  const asOf = (recipe: string) => ({ configuration: { recipe }, argv: ["python", "train.py", "--recipe", recipe] })
  await lines.attempt(pairs(-1), asOf("plain"))
  const losses = pairs(-3).map((each) => ({ ...each, name: "loss" }))
  const gone = await lines.attempt([...pairs(-2), ...losses], asOf(secret))
  const measured = async () =>
    lab.reader.read("room_measurements", {
      roomId,
      metric: "error",
      by: ["arm"],
      over: "seed",
      against: "arm:baseline",
    })
  const { result: ofLoss } = await conclude(room.ada, room.threadId, { answer, table: { ...table, metric: "loss" } })
  const { result } = await conclude(room.ada, room.threadId, { answer, table })
  const kept = async (checkpointId = result.checkpointId) =>
    (await lab.reader.read("checkpoint", { checkpointId })).table
  t.match(JSON.stringify(await kept()), secret)
  const { items } = await lab.reader.read("room_activity", { roomId, include: "content" } as never)
  /** Withholds the registration and the outcome of an attempt, whole; in the report of its start is nothing to hide. */
  async function withhold(attemptId: string): Promise<void> {
    for (const each of items.filter(({ target }) => target.id === attemptId))
      if (/"(?:argv|metrics)":/.test(JSON.stringify(each)))
        await lab.ada.write("withhold_content", {
          ...{ roomId, of: { sequence: each.sequence }, fields: [""], reason: "personal_data" },
          explanation: "It names somebody.",
        })
  }
  t.notOk("removed" in (await measured()).leftOut, "nothing is withheld yet")
  await withhold(gone)
  await untilClean(lab.file)
  const now = await measured()
  t.equal(now.leftOut.removed?.attempts, 1, "the table says of how many attempts values are not in it")
  t.equal((await kept())?.removed?.attempts, 1)
  t.equal((await kept(ofLoss.checkpointId))?.removed?.attempts, 1, "and where none is left")
  const says = /Not in it: values of 1 attempt that were withheld, of this metric or of another\./
  const query = "metric=error&by=arm&over=seed&against=arm:baseline"
  for (const path of [
    `/api/research/rooms/${roomId}/measurements?${query}&format=markdown`,
    `/api/research/rooms/${roomId}/brief?format=markdown`,
    `/rooms/${roomId}/table?${query}`,
    `/rooms/${roomId}`,
    `/checkpoints/${result.checkpointId}`,
    `/checkpoints/${result.checkpointId}.md`,
    `/experiments/${lines.experimentId}`,
  ])
    t.match(await (await fetch(lab.house.baseUrl + path)).text(), says, path)
  t.same([...new Set(now.groups.flatMap(({ attempts }) => attempts.map(({ label }) => label)))], ["A1"])
  t.match(now.groups, [{ n: 5 }, { n: 5, mean: 4.2, contrast: { pairs: 5 } }])
  for (const path of [
    `/checkpoints/${result.checkpointId}`,
    `/checkpoints/${result.checkpointId}.md`,
    `/rooms/${roomId}`,
    `/api/research/rooms/${roomId}/table`,
    `/api/research/checkpoints/${result.checkpointId}`,
    `/api/research/rooms/${roomId}/brief?format=markdown&budget=64000`,
    `/rooms/${roomId}/attempts`,
  ]) {
    const response = await fetch(lab.house.baseUrl + path)
    t.equal(response.status, 200, path)
    t.notMatch(await response.text(), "secret-7f3a", path)
  }
  t.same([...new Set((await kept())?.groups.flatMap(({ attempts }) => attempts))], ["A1"])
  t.match(await kept(ofLoss.checkpointId), { groups: [], moved: [] }, "of withheld attempts alone nothing is left")
  t.equal((await fetch(`${lab.house.baseUrl}/checkpoints/${ofLoss.checkpointId}`)).status, 200)
  const { result: renewed } = await conclude(room.ada, room.threadId, { answer, table })
  const { table: again } = await lab.reader.read("checkpoint", { checkpointId: renewed.checkpointId })
  t.match(again, { isStale: false, groups: [{ n: 5 }, { contrast: { pairs: 5 } }] })
})

t.test("a metric in one split is found without it; of several, every refusal names them", async (t) => {
  const room = await lab.room()
  const { roomId, threadId, ada } = room
  const lines = await measuring(lab, room)
  const of = (split: string) => pairs(-1).map((each) => ({ ...each, split }))
  const one = await lines.attempt(of("test"))
  const { url, commit } = lab.house.repositories.public
  const board = {
    ...{ roomId, threadId, title: "Error", metric: "error", direction: "lower" as const, over: "seed" },
    ...{ evaluator: { repository: { url, commit } }, data: [] },
  }
  const query = { roomId, metric: "error", by: ["arm"], against: "arm:baseline" }
  t.match(await lab.reader.read("room_measurements", query), { split: "test", groups: [{ n: 5 }, { n: 5 }] })
  const { result: found } = await lines.publish(ada, [one])
  t.match((await lab.record(found)).effects, [{ split: "test", pairs: 5 }])
  const { result: declared } = await ada.write("declare_board", board)
  t.match(await lab.reader.read("board", { boardId: declared.boardId }), { split: "test", measured: 1 })
  const { result: concluded } = await conclude(ada, threadId, { answer, table })
  t.match((await lab.reader.read("checkpoint", { checkpointId: concluded.checkpointId })).table, { split: "test" })

  const other = await lines.attempt(of("train"))
  const named = /must be given: error is reported with split=test and with split=train/
  const refused = async (work: Promise<unknown>, path: string) =>
    t.match((await refusalOf(work)).issues, [{ path, message: named }], path)
  await refused(lab.reader.read("room_measurements", query), "/split")
  await refused(lines.publish(ada, [one, other]), "/effects/0/split")
  await refused(ada.write("declare_board", board), "/split")
  await refused(conclude(ada, threadId, { answer, table }), "/table")
  t.match(await conclude(ada, threadId, { answer, table: { ...table, split: "train" } }), { result: {} })
})

t.test("a table comes through a batch, its rehearsal, and MCP", async (t) => {
  const room = await lab.room()
  const { roomId, threadId } = room
  const lines = await measuring(lab, room)
  await lines.attempt(pairs(-1))
  const { result } = await lab.ada.write("issue_credential", {
    ...{ roomId, label: "doors", permissions: ["post_thread"] },
  })
  const watermark = async () => (await lab.reader.read("thread_context", { threadId })).thread.timelineWatermark
  const body = (read: number, asked: object) => ({
    ...{ requestId: crypto.randomUUID(), schemaVersion: 3, threadId, state: "concluded", synthesis: "So." },
    ...{ expectedWatermark: { $after: read }, coversThrough: { $after: read }, openQuestions: [], citations: [] },
    ...{ answer, conclusion: "It does.", table: asked },
  })
  const send = async (asked: object, query = "") => {
    const said = {
      operation: "post_message",
      params: { threadId },
      body: { clientMessageId: crypto.randomUUID(), text: "Now." },
    }
    const writes = [said, { operation: "post_research_checkpoint", body: body(await watermark(), asked) }]
    const sent = await fetch(`${lab.house.baseUrl}/api/agent/research/batch${query}`, {
      method: "POST",
      headers: { authorization: `Bearer ${result.token}`, "content-type": "application/json" },
      body: JSON.stringify({ schemaVersion: 3, writes }),
    })
    return { status: sent.status, body: (await sent.json()) as { issues?: object[]; receipts?: object[] } }
  }
  const wrong = await send({ ...table, metric: "loss" }, "?rehearse=1")
  t.match(wrong, { status: 422, body: { issues: [{ path: "/writes/1/body/table", message: /is not reported here/ }] } })
  const before = await watermark()
  t.match(await send(table, "?rehearse=1"), { status: 200, body: { receipts: [{}, { rehearsed: true }] } })
  t.equal(await watermark(), before, "a rehearsal stores nothing")
  t.match(await send(table), { status: 200 })
  const shown = async () => (await lab.reader.read("room_table", { roomId })).table
  const first = await shown()
  t.match(first, { metric: "error", groups: [{}, { contrast: { pairs: 5, isDistinct: true } }] })

  const agent = await overHttp(lab.house.baseUrl, result.token)
  const { requestId: _fresh, ...input } = body(await watermark(), table)
  const written = await agent.call("write", { writes: [{ operation: "post_research_checkpoint", input }] })
  t.notOk(written.isError, written.text)
  await agent.close()
  t.same(await shown(), first, "the same table through every door")
})
