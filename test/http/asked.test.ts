/**
 * Code that only moves changes no answer of a read. Every read of the contract is asked in the demo and in the study,
 * of several things and with each of its parameters, by those whom it serves: with words and bounds of its schema, and
 * with ids and names that earlier answers had. `asked.txt` has a line for each answer (test/support/pinned.ts).
 */
import { join } from "node:path"
import t from "tap"
import { isStreamed, isText, type Read } from "../../src/contract/definitions/read.ts"
import { pathTo, reads } from "../../src/contract/reads/index.ts"
import { discoveryRoutes } from "../../src/discovery/routes.ts"
import { type Parameter, pathParameters, queryParameters } from "../../src/discovery/openapi-parts.ts"
import { holdPinned, openSameDemo, openSameStudy, steady } from "../support/pinned.ts"
import { addressOf } from "../support/routes.ts"

/** These tell of the machine, or of the time that went by. */
const VARY = ["metrics", "health_ready", "health_live", "admin_overview", "session", "python_client"]
/** These need a secret that no answer shows: a token, or the id that a sender chose. */
const SECRET = ["invitation", "receipt"]
/** Most things of one kind that a read is asked about, and that are asked with each parameter. */
const THINGS = 6
const WITH_PARAMETERS = 2
/** Most values of one parameter. */
const VALUES = 4
/** Members whose values are those of another parameter, too. */
const ALIKE: Readonly<Record<string, readonly string[]>> = {
  versionId: ["target", "targetVersionId", "findingVersionId", "hypothesisVersionId", "focus", "like"],
  userId: ["assigneeId", "targetAuthorId"],
  username: ["author", "user"],
  entryId: ["targetEntryId"],
  attemptId: ["attemptIds", "attempts"],
  experimentId: ["experiments", "proposalId"],
  id: ["collectionId"],
}
/** What no answer has under its name. */
const GIVEN: Readonly<Record<string, readonly string[]>> = {
  at: ["1", "40", "90"],
  metric: ["error", "pass@64"],
  query: ["error", "the labels"],
  text: [
    "Shifting lowers the error by 0.02 at 50 labels, 2.4 points; entropy fell to 0.31 of 1.2.",
    "entropy of the policy",
  ],
  since: ["2026-11-14T08:00:00Z"],
  by: ["arm", "arm,labels", "seed"],
  over: ["seed", "labels"],
  against: ["arm:baseline"],
  where: ["labels:50", "labels:!50", "steps:none"],
  pool: ["--updates", "seed"],
  split: ["test", "held-out"],
  wait: ["0"],
  operation: ["register_attempt", "publish_finding", "save_papers", "room_brief", "all"],
}
/** A list goes on after items of its own: an id of another list would stand anywhere in it. */
const CURSORS = ["after", "offset"]
/** Parameters that a read needs, though its schema cannot say so, or without which the others mean little. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  attempt_table: ["roomId"],
  room_similar: ["text"],
  experiment_measurements: ["metric"],
  room_measurements: ["metric"],
}
/** Parameters that mean little alone. */
const TOGETHER: Readonly<Record<string, readonly string[]>> = {
  experiment_measurements: [
    "metric=error&by=arm,labels&over=seed&against=arm:baseline",
    "metric=error&by=arm,labels&over=seed&against=arm:baseline&points=1",
    "metric=error&by=labels&over=seed&where=arm:baseline&format=csv",
    "metric=error&by=arm&over=seed&against=arm:baseline&where=labels:400&format=markdown",
  ],
  room_measurements: [
    "format=json",
    "format=markdown",
    "metric=error&by=arm,labels&over=seed&against=arm:baseline&format=markdown",
    "metric=error&by=arm,labels&over=seed&against=arm:baseline&pool=--updates",
    "metric=pass@64&split=held-out",
  ],
  search: ["query=error&kinds=finding", "query=entropy&limit=2&after=2", "query=%22test%20error%22", "query=err*"],
  room_provenance: ["depth=5"],
  skill: ["part=capabilities&operation=all", "part=capabilities&operation=report_attempt_event"],
  research_schema: ["operation=report_attempt_event&compact=1", "operation=post_message,claim_work&compact=1"],
  publication_schema: ["operation=publish_finding&compact=1", "operation=publish_finding&example=1"],
  library_schema: ["operation=save_papers&compact=1"],
}

/** Texts whose numbers are resolved to runs, with numbers that are right, rounded, wrong, of others or of nothing. */
const TEXTS = [
  "Shifting lowers the error by 2.3 points at 50 labels, 95 % 1.9 to 2.7, and by 0.4 at 400.",
  "The error of smoothing at 50 labels is 0.1985 ± 0.006 (n = 10); the baseline has 0.21.",
  "| arm | labels | error |\n|---|---|---|\n| baseline | 50 | 0.210 |\n| shift | 50 | 0.1875 |\n| shift | 400 | 0.5 |",
  "After 1,000 updates the error falls from 0.209 to 0.201, a third less than after 5,000.",
  "With 10 seeds A1 took 5,000 updates; the 3 changes of A2 cost -0.9 points, and 42 % of all runs were lost.",
  "Cutout raises the error by 0.78 points (50 labels), 0.37 (100) and .17 (400), i.e. by 3 to 5 percent.",
  "The error of cutout at 50 labels is 0.0078 above the baseline's, at 400 labels 0.0017; shift gives 0.19, no 0.18.",
  "Dropout changes nothing: +0.0012, −0.0008 and 3e-4. See F5, H3 and 2401.01234v2, section 4.2.",
]

const answers = new Map<string, string>()
/** The values of parameters that are known, by name. */
type Found = Map<string, Set<string>>
const given = (): Found => new Map(Object.entries(GIVEN).map(([name, values]) => [name, new Set(values)]))

/** Asks the reads that a caller may call, until no answer has shown an id of a new kind. */
async function askAll(
  baseUrl: string,
  who: string,
  surfaces: readonly string[],
  headers: Readonly<Record<string, string>>,
  found: Found,
): Promise<string[]> {
  const keep = (name: string, value: string) => {
    for (const each of [name, ...(ALIKE[name] ?? [])]) {
      if (each in GIVEN) continue
      const values = found.get(each) ?? new Set()
      if (values.size < THINGS) found.set(each, values.add(value))
    }
  }
  function gather(value: unknown): void {
    if (Array.isArray(value)) for (const each of value) gather(each)
    else if (typeof value === "object" && value !== null)
      for (const [name, each] of Object.entries(value)) {
        if ((typeof each === "string" && each.length < 100) || typeof each === "number") keep(name, String(each))
        else gather(each)
      }
  }
  /** @returns whether there is such a thing */
  async function ask(name: string, path: string, asked: string): Promise<boolean> {
    const response = await fetch(baseUrl + path, { headers })
    const text = await response.text()
    const type = response.headers.get("content-type") ?? ""
    if (type.startsWith("application/json")) {
      const answer = JSON.parse(text) as Readonly<Record<string, unknown>>
      gather(answer)
      for (const [cursor, from] of [
        ["after", answer.nextCursor],
        ["offset", answer.nextOffset],
      ] as const)
        if (typeof from === "string" || typeof from === "number") found.set(cursor, new Set([String(from)]))
    }
    const whole = `${response.status} ${type} ${response.headers.get("link") ?? ""}\n${text}`
    answers.set(`${who} ${name} ${asked}`, steady(whole.replaceAll(baseUrl, "")))
    return response.status !== 404
  }
  const firstOf = (name: string): string => [...(found.get(name) ?? [])][0] ?? ""
  function valuesOf({ name, schema }: Parameter): readonly string[] {
    const { enum: words = [], items, const: only, minimum, maximum, default: otherwise } = schema
    const some = [...(found.get(name) ?? [])].slice(0, VALUES)
    if (only !== undefined) return [String(only)]
    if (words.length > 0) return words
    if (items?.enum !== undefined) return [...items.enum, items.enum.join()]
    if (items !== undefined && some.length > 1) return [...some, some.slice(0, 3).join()]
    if (some.length > 0 || minimum === undefined || maximum === undefined) return some
    return [...new Set([minimum, Number(otherwise ?? minimum + 1), maximum])].map(String)
  }
  const mine = [...reads, ...discoveryRoutes].filter(
    ({ name, surface, method, mediaType }) =>
      surfaces.includes(surface) &&
      method === "GET" &&
      isText(mediaType) &&
      !isStreamed(mediaType) &&
      ![...VARY, ...SECRET].includes(name),
  )
  /** @returns whether everything that its path and its query need is known, and it was asked */
  async function askRead(read: Read<string>): Promise<boolean> {
    const [first, ...others] = pathParameters(read.path).map(({ name }) => name)
    const parameters = queryParameters(read.query.entries)
    const required = [
      ...parameters.flatMap(({ name, required }) => (required ? [name] : [])),
      ...(NEEDED[read.name] ?? []),
    ]
    if ([...(first === undefined ? [] : [first]), ...others, ...required].some((name) => firstOf(name) === ""))
      return false
    for (const cursor of CURSORS) found.delete(cursor)
    const needed = Object.fromEntries(required.map((name) => [name, firstOf(name)]))
    const values = Object.fromEntries(others.map((id) => [id, firstOf(id)]))
    let further = WITH_PARAMETERS
    for (const [index, thing] of (first === undefined ? [""] : [...(found.get(first) ?? [])]).entries()) {
      const path = addressOf(read.path, first === undefined ? values : { ...values, [first]: thing })
      const asking = (query: string | Record<string, string>, as: string | number = "") =>
        ask(read.name, `${path}?${new URLSearchParams(query)}`.replace(/\?$/, ""), `${index} ${as}`.trim())
      if (!(await asking(needed)) || further === 0) continue
      further -= 1
      for (const parameter of parameters)
        for (const [at, value] of valuesOf(parameter).entries())
          await asking({ ...needed, [parameter.name]: value }, `${parameter.name} ${at}`)
      for (const [at, query] of (TOGETHER[read.name] ?? []).entries()) await asking(query, `together ${at}`)
    }
    return true
  }
  const done = new Set<string>()
  for (let before = -1; before < done.size; ) {
    before = done.size
    for (const read of mine) if (!done.has(read.name) && (await askRead(read))) done.add(read.name)
  }
  return mine.map(({ name }) => name).filter((name) => !done.has(name))
}

t.test("every read answers what it answered before", async (t) => {
  const { baseUrl, credentials, keys, people, signIn } = await openSameDemo(t)
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  const found = given()
  const cookie = await signIn(people.owner)
  const agent = bearer(credentials.main_member_all.token)
  const missed = [
    ...(await askAll(baseUrl, "reader", ["key"], bearer(keys.all.token), found)),
    ...(await askAll(baseUrl, "owner", ["session", "operator", "visitor"], { cookie }, found)),
    ...(await askAll(baseUrl, "agent", ["public", "credential"], agent, given())),
  ]
  t.same(missed, [], "every read was asked")
  const { own, roomId, idOf } = await openSameStudy(t)
  await askAll(own.baseUrl, "study", ["public", "discovery"], {}, given())
  for (const [index, text] of TEXTS.entries())
    for (const [about, more] of Object.entries({
      room: {},
      F7: { versionId: idOf("F7") },
      A1: { attemptIds: [idOf("A1")] },
    })) {
      const response = await fetch(`${own.baseUrl}${pathTo("check_text", { roomId })}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ text, ...more }),
      })
      answers.set(`study check_text ${index} ${about}`, steady(`${response.status}\n${await response.text()}`))
    }
  const statuses = Object.groupBy(answers.values(), (answer) => answer.slice(0, 3))
  for (const [status, all = []] of Object.entries(statuses)) t.comment(`${status}: ${all.length}`)
  holdPinned(t, join(import.meta.dirname, "asked.txt"), answers)
})
