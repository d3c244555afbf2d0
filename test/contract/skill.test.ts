/** The skill: an agent with nothing else finds in it all that it needs, and its commands work when pasted. */
import { execFile } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { promisify } from "node:util"
import t from "tap"
import { entryDigest, firstPreviousDigest } from "../../src/contract/reads/activity.ts"
import { discoveryRoutes } from "../../src/discovery/routes.ts"
import { skillAdvice, skillRules } from "../../src/discovery/skill-rules.ts"
import { skill } from "../../src/discovery/skill.ts"
import { checkBody } from "../../src/contract/definitions/operation.ts"
import { batch } from "../../src/contract/operations/batch.ts"
import { agentReads } from "../../src/discovery/manifest.ts"
import { schemaAnswer } from "../../src/discovery/schemas.ts"
import { operationNamed, operations } from "../../src/contract/operations/index.ts"
import { reads } from "../../src/contract/reads/index.ts"
import { refusals } from "../../src/contract/refusals.ts"

const place = { baseUrl: "https://rooms.example.org/lab" }
const start = skill(undefined, place)
const reading = skill("reading", place)
const capabilities = skill("capabilities", place, "all")
const examples = skill("examples", place)
const agentOperations = operations.filter(({ surface }) => surface === "agent")

t.test("It is short enough to read whole", (t) => {
  t.ok(Buffer.byteLength(start) <= 6_000, `${Buffer.byteLength(start)} bytes`)
  t.ok(Buffer.byteLength(reading) <= 5_000, `and the documents it links to: ${Buffer.byteLength(reading)} bytes`)
  t.end()
})

t.test("Every rule in it is shown by a test, and it contains nothing else", (t) => {
  const listed = readFileSync(join(import.meta.dirname, "../interface.txt"), "utf8").split("\n")
  t.same(
    listed.flatMap((line) => /^skill: (\w+)$/.exec(line)?.[1] ?? []).sort(),
    Object.keys(skillRules).sort(),
    "each rule is a sentence of interface.txt, which fails if no test shows it",
  )
  const rules = Object.values(skillRules)
  const advice = Object.values(skillAdvice)
  t.same(
    [...rules, ...advice].filter((sentence) => `${start}${reading}`.split(sentence).length !== 2),
    [],
    "each rule is there once",
  )
  const imperative = /^(?:Send|Refer|Write|Make|Copy|After|Keep|Start|Read|Answer|Publish|Treat|Never) /
  t.same(
    advice.filter((sentence) => !imperative.test(sentence)),
    [],
    "advice tells the reader what to do, and says nothing about the service",
  )
  // The rest is names of things and where they are: nothing that a service could break.
  const left = [...rules, ...advice].reduce((text, sentence) => text.replace(sentence, ""), `${start}${reading}`)
  t.same(
    left.match(
      /\b(?:must|never|always|only|cannot|refused|accepted|means|answers|at most|may be|is not|are not)\b[^\n]*/g,
    ) ?? [],
    [],
  )
  t.end()
})

t.test("One operation can be requested alone", (t) => {
  for (const operation of agentOperations) {
    const { name, method, path, body } = operation
    const one = skill("capabilities", place, name)
    const untold = Object.keys(body.entries).filter((field) => !one.includes(`\`${field}\``))
    t.ok(one.startsWith(`# ${name}\n`) && one.includes(`\`${method} ${path}\``) && untold.length === 0, name, {
      untold,
    })
    t.ok(
      one.includes(`?operation=${name}`) && Buffer.byteLength(one) < 12_000,
      `${name}: its schema, in ${Buffer.byteLength(one)} bytes`,
    )
    const command = /<<'JSON'\n([\s\S]*?)\nJSON\n/.exec(skill("examples", place, name))?.[1]
    t.ok(command !== undefined && checkBody(operation, JSON.parse(command)).ok, `${name}: and as a command`)
  }
  t.throws(() => skill("capabilities", place, "constructor"), { code: "unknown_operation" })
  t.throws(() => skill(undefined, place, "post_message"), { code: "invalid_parameter" })
  t.throws(() => skill("reading", place, "post_message"), { code: "invalid_parameter" })
  t.end()
})

t.test("Any read's parameters, with their bounds, cost at most 12 kB: the index, then the read", (t) => {
  const index = skill("capabilities", place)
  t.ok(Buffer.byteLength(index) <= 12_000, `the index has ${Buffer.byteLength(index)} bytes`)
  const named = [...agentOperations, ...agentReads].filter(
    ({ name }) => !new RegExp(`(?:^- |[:,] )${name}\\b`, "mu").test(index),
  )
  t.same(named, [], "every operation and every read is in it")
  for (const { name, path, query } of agentReads) {
    const one = skill("capabilities", place, name)
    t.ok(Buffer.byteLength(one) <= 5_000, `${name}: ${Buffer.byteLength(one)} bytes`)
    const untold = Object.keys(query.entries).filter((parameter) => !one.includes(`\`${parameter}\``))
    t.same([one.includes(path), untold], [true, []], name)
    const schema = schemaAnswer("research", { operation: name }, place) as { properties: object }
    const least = [...Object.keys(query.entries)].filter((parameter) => !Object.hasOwn(schema.properties, parameter))
    t.same(least, [], `${name}: its schema has each parameter`)
    t.ok(JSON.stringify(schema).length <= 8_000, `${name}: ${JSON.stringify(schema).length} bytes`)
  }
  t.match(skill("capabilities", place, "room_ledger"), /`limit`: .*1 to 200/, "bounds are told")
  t.end()
})

t.test("An unknown name is answered with the nearest", (t) => {
  const near = (name: string) =>
    /The nearest are (.*)\.$/.exec(String(messageOf(() => skill("capabilities", place, name))))?.[1]
  t.match(near("measurements"), /room_measurements/)
  t.match(near("get_attempt"), /^attempt/)
  t.match(near("publish_findings"), /^publish_finding/)
  const asked = () => schemaAnswer("research", { operation: "measurments", compact: "1" }, place)
  t.match(messageOf(asked), /The nearest are .*measurements/)
  t.end()
})

function messageOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    return (error as Error).message
  }
  return ""
}

t.test("Its reference lists every refusal and its remedy", (t) => {
  const told = (code: string, remedy: string) =>
    capabilities.split("\n").some((line) => line.startsWith(`| \`${code}\``) && line.includes(remedy))
  t.strictSame(
    Object.entries(refusals).filter(([code, { remedy }]) => !told(code, remedy)),
    [],
  )
  t.end()
})

// shows: The skill is served with its references of capabilities and examples.
t.test("Its capabilities list every operation, field by field, and every read", (t) => {
  for (const { name, method, path, body, summary } of agentOperations) {
    const section = capabilities.split(`### ${name}\n`)[1]?.split("\n### ")[0] ?? ""
    const headed = section.includes(`\`${method} ${path}\``) && section.includes(summary)
    const untold = Object.keys(body.entries).filter(
      (field) => !`${section}${capabilities.split("## Operations")[0]}`.includes(`\`${field}\``),
    )
    t.ok(headed && untold.length === 0, `${name} and all of its body`, { untold })
  }
  const open = [...reads.filter(({ surface }) => ["public", "credential", "key"].includes(surface)), ...discoveryRoutes]
  t.strictSame(
    open.filter(({ method, path }) => !capabilities.includes(`| \`${method} ${path}\` |`)),
    [],
    "every read",
  )
  t.end()
})

// shows: The skill is served with its references of capabilities and examples.
t.test("Its examples are commands whose bodies are accepted", (t) => {
  for (const operation of agentOperations) {
    const section = examples.split(`### ${operation.name}\n`)[1] ?? ""
    const body = /<<'JSON'\n([\s\S]*?)\nJSON\n/.exec(section)?.[1]
    t.ok(body !== undefined && checkBody(operation, JSON.parse(body)).ok, operation.name)
  }
  t.strictSame(
    examples.split("\n").filter((line) => line.startsWith("curl") && line.includes("{")),
    [],
    "with nothing left in braces in a path",
  )
  t.end()
})

t.test("It names only what exists, and in whole sentences", (t) => {
  const paths = new Set([...reads, ...discoveryRoutes, ...operations, batch].map(({ path }) => path))
  const named = [...`${start}${reading}${capabilities}`.matchAll(/`(?:GET|POST|PATCH|DELETE) ([^`?]+)/g)].map(
    (match) => match[1] as string,
  )
  t.strictSame(
    named.filter((path) => !paths.has(path)),
    [],
    "every path",
  )
  for (const text of [start, reading, capabilities, examples]) {
    const prose = text.replace(/```[\s\S]*?```/g, "")
    t.strictSame(
      prose.split("\n").filter((line) => /undefined|\[object| {2}\|$/.test(line)),
      [],
      "no gap where a value should stand",
    )
    t.ok(text.startsWith("# ") && text.endsWith("\n"))
  }
  t.ok(
    operationNamed("post_message") && start.includes("`post_message`"),
    "operations appear in its prose by their names",
  )
  t.end()
})

// shows: skill: chain
t.test("Its program proves a feed whole, and finds what was rewritten", async (t) => {
  const chain = (count: number) => {
    const items: (Parameters<typeof entryDigest>[0] & { digest: string })[] = []
    for (let sequence = 1; sequence <= count; sequence++) {
      const entry = {
        sequence,
        kind: "create_thread",
        at: "2026-11-20T09:30:00.000Z",
        actor: { userId: "u", username: "ada – é 𝔞" },
        operation: "create_thread",
        target: { kind: "thread", id: `t${sequence}`, label: null },
        threadId: `t${sequence}`,
        entryId: null,
        contentDigest: "sha256:c",
        previousDigest: items.at(-1)?.digest ?? firstPreviousDigest,
      }
      items.push({ ...entry, digest: entryDigest(entry) })
    }
    return items
  }
  let feed = chain(5)
  const server = createServer((request, response) => {
    const after = Number(new URL(request.url ?? "/", "http://feed").searchParams.get("after"))
    response.end(JSON.stringify({ items: feed.slice(after, after + 2), hasMore: after + 2 < feed.length }))
  }).listen(0, "127.0.0.1")
  t.teardown(() => server.close())
  await new Promise((resolve) => server.once("listening", resolve))

  const program = join(t.testdir({}), "verify-feed.mjs")
  writeFileSync(program, /```js\n([\s\S]*?)\n```/.exec(examples)?.[1] ?? "")
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/lab`
  const run = async (...kept: string[]) =>
    promisify(execFile)(process.execPath, [program, base, "room", ...kept]).then(
      ({ stdout }) => stdout,
      ({ stderr }: { stderr: string }) => stderr,
    )

  t.match(await run(), /^5 entries/, "whole, over several pages")
  const keptDigest = feed[2]?.digest as string
  t.match(await run(keptDigest), /^5 entries/, "with the digest kept on the last visit")
  feed = feed.map((entry) => (entry.sequence === 3 ? { ...entry, kind: "post_message" } : entry))
  t.match(await run(), /^Entry 3 /, "one entry rewritten")
  feed = chain(5).filter(({ sequence }) => sequence !== 2)
  t.match(await run(), /^Entry 3 /, "one entry removed")
  feed = chain(2)
  t.match(await run(keptDigest), /no longer in this feed/, "the end cut off, or everything rewritten")
})
