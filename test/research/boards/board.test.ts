/**
 * A board is declared before any ranking: attempts with its code and data count, and a best group is named only if it
 * is distinguishable.
 */
import t from "tap"
import type { WriteInput } from "research-room/client"
import { sha256 } from "../../support/bodies.ts"
import { openLab, refusalOf } from "../../support/lab.ts"
import { reportedAt } from "../record/work.ts"
import { arm, type Metrics, measuring } from "../measurements/measured.ts"

const lab = await openLab(t)
const room = await lab.room()
const { roomId, threadId } = room
const { experimentId } = await measuring(lab, room)
const { url, commit } = lab.house.repositories.public
type Board = WriteInput<"declare_board">

const declare = (more: Partial<Board> = {}) =>
  room.ada.write("declare_board", {
    ...{
      roomId,
      threadId,
      title: "Error on the shared set",
      metric: "error",
      direction: "lower" as const,
      over: "seed",
    },
    ...{ evaluator: { repository: { url, commit }, argv: ["evaluate"] }, data: [sha256("a")], ...more },
  })
const materialIds = new Map<string, string>()
async function material(name: string): Promise<string> {
  const known = materialIds.get(name)
  if (known !== undefined) return known
  const { result } = await room.ada.write("register_material", { roomId, name, reference: sha256(name) })
  materialIds.set(name, result.materialId)
  return result.materialId
}

interface Run {
  readonly metrics?: Metrics
  readonly argv?: string[]
  readonly data?: string
  readonly more?: Partial<WriteInput<"register_attempt">>
  readonly ending?: Partial<WriteInput<"report_attempt_event">>
}
async function run({
  metrics = [],
  argv = ["evaluate", "--arm"],
  data = "a",
  more = {},
  ending = {},
}: Run): Promise<string> {
  const attemptId = crypto.randomUUID()
  const inputs = [{ materialId: await material(data), name: "data" }]
  const { affordances } = await lab.reader.read("experiment", { experimentId })
  const expected = more.intent === "reproduction" ? {} : affordances.expected
  const launch = { intent: "exploratory" as const, repository: { url, commit }, argv, configuration: {}, inputs }
  await room.ada.write("register_attempt", { attemptId, experimentId, ...expected, ...launch, ...more })
  for (const event of ["started", "succeeded"] as const) {
    const now = (await lab.reader.read("attempt", { attemptId })).affordances.expected
    await room.ada.write("report_attempt_event", {
      ...{ attemptId, event, ...now, reportedAt },
      ...(event === "succeeded" ? { metrics, ...ending } : {}),
    })
  }
  return attemptId
}

const { boardId, label } = (await declare()).result
const board = () => lab.reader.read("board", { boardId })

t.test("without an attempt the board says so", async (t) => {
  t.equal(label, "B1")
  t.match(await board(), {
    label: "B1",
    metric: "error",
    direction: "lower",
    by: ["arm"],
    over: "seed",
    rows: [],
    best: null,
    attempts: 0,
  })
  t.match((await board()).sentence, /^No attempt/)
  t.same(
    (await lab.reader.read("room_boards", { roomId })).items.map(({ boardId: id }) => id),
    [boardId],
  )
  t.equal((await lab.reader.read("room", { roomId })).counts.board, 1)
})

t.test("two arms with close values are not told apart", async (t) => {
  await run({ metrics: [...arm("cold", [5.1, 5.4, 4.9, 5.2, 5.0]), ...arm("warm", [5.0, 5.3, 5.1, 4.9, 5.2])] })
  const { rows, best, lead, sentence } = await board()
  t.same(
    rows.map(({ rank, key, n }) => [rank, key.arm, n]),
    [
      [1, "warm", 5],
      [2, "cold", 5],
    ],
  )
  t.equal(best, null)
  t.ok(lead !== null && lead.low <= 0 && lead.high >= 0)
  t.match(sentence, /^No clear winner: warm ahead of cold by 0\.02/)
})

t.test("attempts with other code or data do not count, but their number is shown", async (t) => {
  await run({ argv: ["other"], metrics: arm("outside", [1, 1, 1]) })
  await run({ data: "b", metrics: arm("elsewhere", [1, 1, 1]) })
  await run({ ending: { metrics: [], message: "No metric." } })
  const { rows, attempts, measured, leftOut } = await board()
  t.same(
    rows.map(({ key }) => key.arm),
    ["warm", "cold"],
  )
  t.match({ attempts, measured, leftOut }, { attempts: 2, measured: 1, leftOut: { otherEvaluator: 1, otherData: 1 } })
})

t.test("a clearly lower group is named best, with the comparisons that the interval allows for", async (t) => {
  const attemptId = await run({ metrics: arm("hot", [3.1, 3.3, 2.9, 3.0, 3.2]) })
  const said = await board()
  t.same(said.best, { arm: "hot" })
  t.match(
    said.sentence,
    /^hot is best, ahead of warm by \d\.\d+ \(98\.33 % interval \d.* to \d.*, 5 pairs\)\. The interval allows for 3 gr/,
  )
  t.equal(said.lead?.level, 0.05 / 3)

  const reproduction = { verdict: "reproduces" as const, explanation: "It did." }
  await run({
    metrics: arm("hot", [9, 9, 9]),
    more: { intent: "reproduction", reproduces: { attemptId } },
    ending: { reproduction },
  })
  const [first] = (await board()).rows
  t.match(
    first,
    { key: { arm: "hot" }, n: 5, reproductions: 1, failedReproductions: 0 },
    "a reproduction is counted but changes no mean",
  )
})

t.test(
  "a baseline adds differences corrected for their number, and the other direction reverses the order",
  async (t) => {
    const higher = (await declare({ direction: "higher", baseline: { arm: "cold" } })).result.boardId
    const { rows, best } = await lab.reader.read("board", { boardId: higher })
    t.same(
      rows.map(({ key }) => key.arm),
      ["cold", "warm", "hot"],
    )
    t.equal(best, null)
    const page = async (id: string) => (await fetch(`${lab.house.baseUrl}/boards/${id}`)).text()
    t.match(await page(higher), /Differences from the baseline/)
    t.notMatch(await page(boardId), /Differences from the baseline/, "a board without a baseline has no such table")
    t.match(
      rows.map(({ isBaseline, contrast }) => [isBaseline, contrast?.corrected?.isDistinct]),
      [
        [true, undefined],
        [false, false],
        [false, true],
      ],
    )
  },
)

t.test("with values in different units no best group is named", async (t) => {
  await run({ metrics: arm("frozen", [1, 1.1, 1.2], { unit: "%" }) })
  await run({ metrics: arm("molten", [1, 1.1, 1.2], { unit: "nat" }) })
  t.match(await board(), {
    best: null,
    unit: null,
    sentence: /^No group is named best: .*different units, % and nat\.$/,
  })
})

t.test("an invalid board is refused, with its path", async (t) => {
  const paths = async (more: Partial<Board>) => (await refusalOf(declare(more))).issues?.map(({ path }) => path)
  t.same(await paths({ by: ["arm", "seed"] }), ["/over"])
  t.same(await paths({ where: { arm: "hot" } }), ["/where/arm"])
  t.same(await paths({ baseline: { size: 50 } }), ["/baseline"])
  t.same(await paths({ data: ["abc"] }), ["/data/0"])
  t.equal((await refusalOf(lab.reader.read("board", { boardId: crypto.randomUUID() }))).refusal, "unknown_board")
})

t.test("pages, Markdown, search and the export show the board", async (t) => {
  const get = async (path: string) => (await fetch(`${lab.house.baseUrl}${path}`)).text()
  t.match(await get(`/boards/${boardId}`), /3\. hot/)
  t.match(await get(`/rooms/${roomId}/boards`), /Error on the shared set/)
  const written = await get(`/api/research/boards/${boardId}?format=markdown`)
  t.match(written, /\| 1 \| frozen \| 3 \|/)
  t.match(written, /\nNoise from run to run: sd [\d.]+.* over seeds \(n \d+\)\.\n/)
  const { items } = await lab.reader.read("search", { query: "shared set", roomId })
  t.same(
    items
      .filter(({ kind }) => kind === "board")
      .map(({ id }) => id)
      .includes(boardId),
    true,
  )
})
