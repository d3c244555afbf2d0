/**
 * The served schemas mean the same in other languages: Python's and Go's validators accept exactly the bodies that the
 * service accepts. They run if the machine has them; `npm run reach` installs them and tries a thousand bodies of each
 * operation.
 */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import fc from "fast-check"
import t from "tap"
import { agentOperations } from "../../src/discovery/manifest.ts"
import { inputSchema } from "../../src/contract/definitions/json-schema.ts"
import { checkBody } from "../../src/contract/definitions/operation.ts"
import { bodies, holdsHalfCharacter, jsonText } from "./bodies.ts"
import { everySpoiling } from "./spoiling.ts"

const { REACH_PYTHON: python = "python3", REACH_BODIES: number = "50" } = process.env
const folder = fileURLToPath(new URL("./validators/", import.meta.url))
const script = `${folder}verdicts.py`

interface Validator {
  readonly name: string
  readonly command: string
  readonly parameters: readonly string[]
  /** A command that checks whether it is installed. */
  readonly probe: readonly string[]
}
const validators: readonly Validator[] = [
  ...["jsonschema", "jsonschema-rs"].map((name) => ({
    name,
    command: python,
    parameters: [script, name],
    probe: [script, name, "--probe"],
  })),
  {
    name: "santhosh-tekuri/jsonschema",
    command: "go",
    parameters: ["run", "."],
    probe: ["list", "-m", "-f", "{{.Version}}", "github.com/santhosh-tekuri/jsonschema/v6"],
  },
]

/** Only installed modules are used; none is fetched unless the environment allows it. */
const env = { GOPROXY: "off", GOFLAGS: "-mod=mod", GOSUMDB: "off", ...process.env }
const run = (command: string, parameters: readonly string[], input = "") =>
  spawnSync(command, parameters, { cwd: folder, env, input, encoding: "utf8", maxBuffer: 1 << 28 })

const subjects = agentOperations.map((operation) => {
  const schema = inputSchema(operation, "https://rooms.example.org")
  const spoilt = [...everySpoiling(schema, operation.example)].map(jsonText)
  const texts = [...spoilt, ...fc.sample(bodies(schema), { numRuns: Number(number), seed: 15 })].filter(
    (text) => !holdsHalfCharacter(JSON.parse(text)),
  )
  return {
    name: operation.name,
    schema,
    bodies: texts,
    taken: texts.map((text) => checkBody(operation, JSON.parse(text)).ok),
  }
})
const input = subjects.map(({ name, schema, bodies }) => `${JSON.stringify({ name, schema, bodies })}\n`).join("")

interface Told {
  readonly name: string
  readonly taken?: readonly boolean[]
  readonly error?: string
}

for (const { name, command, parameters, probe } of validators) {
  // shows: Schemas and examples of every operation are served and true.
  t.test(`${name} accepts the bodies that the service accepts, and no others`, (t) => {
    const found = run(command, probe)
    if (found.status !== 0) {
      t.comment(`${name} is not on this machine`)
      return t.end()
    }
    const { stdout, stderr } = run(command, parameters, input)
    const told = stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Told)
    t.equal(told.length, subjects.length, `version ${found.stdout.trim()} looked at every schema`, { stderr })
    for (const [index, { taken = [], error }] of told.entries()) {
      const subject = subjects[index]
      if (subject === undefined) continue
      const parted = subject.bodies.filter((_, at) => taken[at] !== subject.taken[at])
      t.strictSame(
        { error, parted: parted.slice(0, 3) },
        { error: undefined, parted: [] },
        `${subject.name}: ${subject.bodies.length} bodies`,
      )
    }
    t.end()
  })
}
