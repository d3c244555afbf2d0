/** What a client can discover: every document contains all of the registry, and nothing else. */
import { Ajv2020 } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import fc from "fast-check"
import t from "tap"
import { actions } from "../../src/contract/operations/actions.ts"
import * as answers from "../../src/discovery/routes.ts"
import { discoveryRoutes } from "../../src/discovery/routes.ts"
import { bootstrap, healthLive, healthReady, llmsTxt } from "../../src/discovery/bootstrap.ts"
import { manifest } from "../../src/discovery/manifest.ts"
import { openApiRoutes } from "../../src/discovery/openapi-routes.ts"
import { readFigure } from "../../src/contract/definitions/attachments.ts"
import { bundle, example, schemaAnswer, schemaIndex, schemaOf } from "../../src/discovery/schemas.ts"
import { enumerations } from "../../src/contract/schema/enumerations.ts"
import { inputSchema } from "../../src/contract/definitions/json-schema.ts"
import type { SchemaDocument } from "../../src/contract/definitions/operation.ts"
import { limits } from "../../src/contract/limits.ts"
import { checkBody, type Operation } from "../../src/contract/definitions/operation.ts"
import { operationNamed, operations } from "../../src/contract/operations/index.ts"
import { reads } from "../../src/contract/reads/index.ts"
import { RateLimits } from "../../src/edge/limits/rate-limits.ts"
import { Refusal, refusals } from "../../src/contract/refusals.ts"
import { states } from "../../src/contract/states.ts"
import { check } from "../../src/contract/schema/validation.ts"
import { protocolVersion, schemaVersions } from "../../src/contract/service.ts"
import { bodies } from "./bodies.ts"

const baseUrl = "https://rooms.example.org/lab"
const facts = {
  baseUrl,
  instanceId: "0198f3a0-0000-7000-8000-00000000000a",
  lineage: [],
  rates: null,
  softwareVersion: "1.2.3",
}
const made = manifest(facts)
const agentOperations = operations.filter(({ surface }) => surface === "agent")
const documents: SchemaDocument[] = ["research", "publication", "library"]
const names = (things: readonly { readonly name: string }[]) => things.map(({ name }) => name).sort()

// shows: The manifest is served at both of its addresses; the index in plain text leads to every document.
// shows: The protocol version and the schema versions are in the manifest and in health.
t.test("The manifest matches its own schema", (t) => {
  t.match(check(answers.manifest, JSON.parse(JSON.stringify(made))), { ok: true }, "it has its own schema")
  t.equal(made.protocolVersion, 9, "the number in the protocol; compared with itself it could become outdated")
  t.same(made.supportedOrigins, ["https://rooms.example.org"], "an origin has no path")
  t.end()
})

// shows: Rooms, membership, credentials and archiving have no agent route.
t.test("The manifest lists every operation that an agent can call", (t) => {
  t.same(names(made.operations), names(agentOperations), "those, and none of the browser's")
  const schemaPaths = discoveryRoutes.map(({ path }) => `${baseUrl}${path}`)
  for (const entry of made.operations) {
    const schema = inputSchema(operationNamed(entry.name) as Operation, baseUrl) as {
      required: string[]
      properties: object
      $id: string
    }
    const named = [...entry.expected, ...entry.requiredWhen.flatMap(({ field, when }) => [field, when.field])]
    t.match(
      entry,
      { required: schema.required, inputSchemaUrl: schema.$id, exampleUrl: `${schema.$id}&example=1` },
      `${entry.name}, as its schema has it`,
    )
    const sound =
      entry.required.includes(entry.idempotencyKey) &&
      named.every((field) => Object.hasOwn(schema.properties, field)) &&
      schemaPaths.includes(entry.inputSchemaUrl.split("?")[0] as string)
    t.ok(sound, `${entry.name}: the routes it names exist`)
  }
  t.end()
})

// shows: The manifest lists every operation, read, refusal, limit, state table, enumeration, label and the steps to
//   start by.
t.test("The manifest lists every read that needs no session", (t) => {
  const open = reads.filter(({ surface }) => ["public", "credential", "key"].includes(surface))
  t.same(names(made.reads), names([...open, ...discoveryRoutes, readFigure]))
  const asRegistered = [...open, ...discoveryRoutes].map(({ name, path, cursor, query }) => ({
    name,
    path: `/lab${path}`,
    cursor,
    parameters: Object.keys(query.entries),
  }))
  t.same(
    made.reads.slice(0, -1).map(({ name, path, cursor, parameters }) => ({ name, path, cursor, parameters })),
    asRegistered,
  )
  t.match(made.reads.at(-1), { method: "GET", path: "/lab/api/research/figures/{digest}" }, "and a picture")
  t.match(made.batch, { method: "POST", path: "/lab/api/agent/research/batch" })
  t.match(made.uploads, [
    { method: "POST", path: "/lab/api/agent/research/figures", permissions: ["publish_records"] },
    { path: "/lab/api/agent/research/logs" },
  ])
  t.end()
})

// shows: The manifest lists every operation, read, refusal, limit, state table, enumeration, label and the steps to
//   start by.
t.test("The manifest holds every refusal, limit, state table, enumeration and label", (t) => {
  t.same(
    made.refusals.map(({ code }) => code),
    Object.keys(refusals),
  )
  const rates = /^(?:addressRequests|callerReads|callerWrites|refusedCredentials)(?:PerMinute|AtOnce)$/
  t.same(
    made.limits,
    Object.fromEntries(Object.entries(limits).filter(([name]) => !rates.test(name))),
    "no rate without limits",
  )
  t.same(manifest({ ...facts, rates: new RateLimits().numbers }).limits, limits, "and otherwise the limits in force")
  t.same(made.states, states)
  t.match(made.enumerations, enumerations)
  t.equal(new Set(made.labels.map(({ prefix }) => prefix)).size, made.labels.length, "no two kinds share a letter")
  t.end()
})

// shows: Health tells the slices served and the protocol version.
t.test("Every slice is served", (t) => {
  t.same(made.slices, enumerations.slice)
  const served = new Set(openApiRoutes().map(({ slice }) => slice))
  t.same(
    enumerations.slice.filter((slice) => !served.has(slice)),
    [],
    "each has a route",
  )
  t.end()
})

// shows: The manifest lists every operation, read, refusal, limit, state table, enumeration, label and the steps to
//   start by.
t.test("A client that lost everything can recover by steps that exist", (t) => {
  const everything = [...discoveryRoutes, ...reads]
  for (const { read, path, parameters } of bootstrap) {
    const found = everything.find(({ name }) => name === read)
    t.ok(
      found?.path === path && parameters.every((name) => Object.hasOwn(found.query.entries, name)),
      `${read} is there, with its parameters`,
    )
  }
  t.same(
    bootstrap.map(({ step }) => step),
    bootstrap.map((_, index) => index + 1),
    "numbered without a gap",
  )
  t.end()
})

// shows: Health tells the slices served and the protocol version.
// shows: The protocol version and the schema versions are in the manifest and in health.
t.test("Health says which instance answers, and what it can do", (t) => {
  const ready = healthReady(facts, null)
  t.match(check(answers.healthReady, ready), { ok: true })
  t.same(ready, {
    status: "ready",
    protocolVersion,
    schemaVersions,
    slices: enumerations.slice,
    instanceId: facts.instanceId,
    lineage: [],
    softwareVersion: "1.2.3",
    datedAhead: null,
  })
  t.match(check(answers.healthLive, healthLive()), { ok: true })
  t.end()
})

// shows: Schemas are served by operation, with an example, and as a bundle with example bodies.
t.test("Every operation is in one schema document, with a schema and an example that matches it", (t) => {
  const listed = documents.flatMap((document) => schemaIndex(document, facts).operations)
  t.same(names(listed), names(agentOperations), "none is missing, none is there twice")
  const ajv = addFormats.default(new Ajv2020({ strict: true, strictRequired: false }))
  for (const document of documents) {
    t.match(check(answers.schemaDocument, schemaIndex(document, facts)), { ok: true })
    for (const { name, inputSchema: bundled, exampleBody } of bundle(document, facts).operations) {
      t.same(
        { bundled, exampleBody },
        { bundled: schemaOf(document, name, facts), exampleBody: example(document, name) },
        `${name}: bundled as it is alone`,
      )
      const taken = ajv.compile(bundled)(exampleBody)
      t.ok(
        taken && checkBody(operationNamed(name) as Operation, exampleBody).ok,
        `${name}: both validators accept its example`,
      )
    }
  }
  t.end()
})

t.test("A compact schema has at most 4 KB and accepts every body that the whole schema accepts", (t) => {
  for (const document of documents) {
    for (const { name } of schemaIndex(document, facts).operations) {
      const compact = schemaAnswer(document, { operation: name, compact: "1" }, facts)
      const bytes = Buffer.byteLength(JSON.stringify(compact))
      t.ok(bytes <= 4_096, `${name}: ${bytes} bytes`)
      const whole = schemaOf(document, name, facts)
      const reader = addFormats.default(new Ajv2020({ strict: false }))
      const takesShort = reader.compile(compact)
      const takesWhole = reader.compile(whole)
      t.ok(takesShort(example(document, name)), `${name}: its example`)
      const { example: first, otherExamples } = operationNamed(name) as Operation
      for (const body of [first, ...otherExamples]) t.ok(takesWhole(body), `${name}: each example in it`)
      t.equal((compact as { examples: unknown[] }).examples.length, 1 + otherExamples.length)
      for (const text of fc.sample(bodies(whole), 40)) {
        const body: unknown = JSON.parse(text)
        if (takesWhole(body) && !takesShort(body)) t.fail(`${name}: ${reader.errorsText(takesShort.errors)}`, { body })
      }
    }
  }
  const conclude = JSON.stringify(
    schemaAnswer("research", { operation: "post_research_checkpoint", compact: "1" }, facts),
  )
  t.match(
    conclude,
    "conclusion is required when, and taken only when, state is concluded.",
    "a condition is a sentence",
  )
  const intents = schemaAnswer("research", { operation: "register_attempt", compact: "1" }, facts) as {
    examples: { intent: string }[]
  }
  t.same(
    intents.examples.map(({ intent }) => intent).sort(),
    [...enumerations.attemptIntent].sort(),
    "an example for each intent",
  )
  t.end()
})

t.test("Compact schemas of several operations come in one document, with shared parts written once", (t) => {
  const names = "accept_plan,register_attempt,publish_finding"
  type Several = { operations: { title: string; $comment?: string }[]; $defs: object; $comment: string }
  const told = schemaAnswer("research", { operation: names, compact: "1" }, facts) as unknown as Several
  t.same(
    told.operations.map(({ title }) => title),
    names.split(","),
    "of either document of research",
  )
  t.hasOwnProps(told.$defs, ["repository", "expectedStatus"])
  t.ok(told.operations.every(({ $comment }) => $comment === undefined) && told.$comment.includes("requestId"))
  const apart = names
    .split(",")
    .map((operation) => JSON.stringify(schemaAnswer("research", { operation, compact: "1" }, facts)).length)
  t.ok(JSON.stringify(told).length < apart.reduce((sum, each) => sum + each) - 300)
  const research = agentOperations.filter(({ family }) => family === "research").map(({ name }) => name)
  const some = (count: number) => ({ operation: research.slice(0, count).join(","), compact: "1" as const })
  t.match(schemaAnswer("research", some(20), facts), { operations: { length: 20 } }, "twenty at a time")
  t.throws(() => schemaAnswer("research", some(21), facts), { code: "invalid_parameter" })
  t.throws(() => schemaAnswer("research", { operation: "accept_plan,nothing", compact: "1" }, facts), {
    code: "unknown_operation",
  })
  t.throws(() => schemaAnswer("research", { operation: "save_papers", compact: "1" }, facts), {
    code: "unknown_operation",
  })
  t.end()
})

// shows: Schemas are served by operation, with an example, and as a bundle with example bodies.
t.test("A schema route answers according to its parameters", (t) => {
  const [document] = documents as [SchemaDocument]
  const name = schemaIndex(document, facts).operations[0]?.name as string
  t.same(schemaAnswer(document, {}, facts), schemaIndex(document, facts), "nothing: the index")
  t.same(
    schemaAnswer(document, { operation: name }, facts),
    schemaOf(document, name, facts),
    "an operation: its schema",
  )
  t.same(
    schemaAnswer(document, { operation: name, example: "1" }, facts),
    example(document, name),
    "with example: its example",
  )
  t.same(schemaAnswer(document, { bundle: "1" }, facts), bundle(document, facts), "bundle: all of it")
  const refused = (query: object) => {
    try {
      schemaAnswer(document, query, facts)
    } catch (error) {
      if (error instanceof Refusal) return { status: error.status, code: error.code }
    }
    return undefined
  }
  const elsewhere = schemaIndex("publication", facts).operations[0]?.name
  for (const operation of ["no_such_operation", "constructor", "", elsewhere]) {
    t.same(refused({ operation }), { status: 404, code: "unknown_operation" }, `${operation} is not in it`)
  }
  t.same(refused({ example: "1" }), { status: 422, code: "invalid_parameter" }, "an example of nothing")
  t.same(refused({ compact: "1" }), { status: 422, code: "invalid_parameter" }, "the short form of nothing")
  t.same(
    refused({ compact: "1", operation: name, example: "1" }),
    { status: 422, code: "invalid_parameter" },
    "two answers at once",
  )
  t.same(refused({ bundle: "1", operation: name }), { status: 422, code: "invalid_parameter" }, "a bundle of one")
  t.end()
})

// shows: The manifest is served at both of its addresses; the index in plain text leads to every document.
t.test("/llms.txt links to every document", (t) => {
  const text = llmsTxt(facts)
  t.match(text, /^# .+\n\n> .+\n/u, "a title and a summary, as the convention requires")
  for (const { path, name } of discoveryRoutes) t.ok(name === "llms_txt" || text.includes(baseUrl + path), name)
  t.end()
})

t.test("Names are unique", (t) => {
  const all = [...names(operations), ...names(reads), ...names(actions), ...names(discoveryRoutes)]
  t.same(
    all.filter((name, index) => all.indexOf(name) !== index),
    [],
  )
  t.end()
})
