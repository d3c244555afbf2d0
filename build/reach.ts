/**
 * Tests the served documents with tools of other languages: `npm run reach`. It needs Python 3.10 or newer, and access
 * to its registry; without Go, or without Cargo and Java, it says that it leaves out those languages. It installs the
 * tools into dist/reach in the versions named here, and reports what each of them makes of
 *
 * - the served schemas: a thousand bodies of each operation, which each validator must accept or refuse as the service
 * does;
 * - the OpenAPI document: whether kin-openapi accepts it, and whether clients generated from it in TypeScript, Python,
 * Go and Rust compile, post, propose, page and follow;
 * - the measurement table: whether every number of two hundred layouts agrees with SciPy;
 * - a Room as an SQLite file: whether pandas, Datasette and DuckDB read its views.
 *
 * `npm test` runs the tools from npm too.
 */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { startResearchRoom } from "../src/client/testing.ts"

const root = dirname(import.meta.dirname)
const place = join(root, "dist/reach")
const python = join(place, "venv", process.platform === "win32" ? "Scripts" : "bin", "python")

const pythonTools = [
  "jsonschema==4.26.0",
  "jsonschema-rs==0.60.3",
  "openapi-python-client==0.29.1",
  "datamodel-code-generator==0.89.0",
  "openapi-generator-cli==7.26.0",
  "pydantic[email]==2.14.3",
  "scipy==1.17.1",
  "statsmodels==0.15.0",
  "pandas==3.1.1",
  "datasette==0.65.5",
  "duckdb==1.5.5",
  "duckdb-extensions==1.5.5",
  "duckdb-extension-sqlite-scanner==1.5.5",
]
const goTools = [
  "github.com/getkin/kin-openapi@v0.152.0",
  "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2",
  "github.com/oapi-codegen/runtime@v1.8.0",
]

/** Runs a command and shows its output. @throws Error if it fails */
async function run(
  command: string,
  parameters: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const [code] = (await once(
    spawn(command, parameters, { cwd, stdio: "inherit", env: { ...process.env, ...env } }),
    "close",
  )) as [number]
  if (code !== 0) throw new Error(`${command} ${parameters.join(" ")} ended with ${code}`)
}

/** Whether all the commands that a language needs are here; says so if not. */
function has(language: string, ...commands: readonly (readonly [command: string, version: string])[]): boolean {
  const missing = commands.filter(([command, version]) => spawnSync(command, [version]).status !== 0)
  for (const [command] of missing) process.stdout.write(`${language} is left out: ${command} is not installed.\n`)
  return missing.length === 0
}
const hasGo = has("Go", ["go", "version"])
const hasRust = has("Rust", ["cargo", "--version"], ["java", "-version"])

rmSync(place, { recursive: true, force: true })
mkdirSync(place, { recursive: true })
await run("python3", ["-m", "venv", "venv"], place)
await run(python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...pythonTools], place)
const go = join(place, "go")
cpSync(join(root, "build/reach"), place, { recursive: true })
const rust = join(place, "rust")
if (hasGo) {
  await run("go", ["get", ...goTools], go)
  await run("go", ["mod", "download"], join(root, "test/contract/validators"))
}

await run("npm", ["run", "-s", "tap", "--", "test/contract/made-clients.test.ts"], root)
process.stdout.write("openapi-typescript and @hey-api/openapi-ts: as above\n")
const validators = [
  "run",
  "-s",
  "tap",
  "--",
  "--timeout=1500",
  "test/contract/validators.test.ts",
  "test/client/python.test.ts",
]
await run("npm", validators, root, { REACH_PYTHON: python, REACH_BODIES: process.env.REACH_BODIES ?? "1000" })
const agreeing = ["agreement", "pooled-agreement"].map((name) => `test/research/measurements/${name}.test.ts`)
await run("npm", ["run", "-s", "tap", "--", ...agreeing], root, { PYTHON_WITH_SCIPY: python })

const instance = await startResearchRoom()
try {
  const document = join(place, "openapi.json")
  writeFileSync(document, await (await fetch(`${instance.baseUrl}/api/openapi.json`)).text())
  const given = [instance.baseUrl, instance.credentials.member_all.token, instance.rooms.empty.roomId]

  const room = join(place, "room.sqlite")
  const bytes = await fetch(`${instance.baseUrl}/api/research/rooms/${instance.rooms.main.roomId}/room.sqlite`)
  writeFileSync(room, Buffer.from(await bytes.arrayBuffer()))
  await run(python, ["with-sqlite-file.py", room], place)

  await run(
    python,
    ["-m", "openapi_python_client", "generate", "--path", document, "--output-path", "made", "--meta", "none"],
    place,
  )
  await run(python, ["with-openapi-python-client.py", ...given], place)
  const models = [
    "--input-file-type",
    "openapi",
    "--output-model-type",
    "pydantic_v2.BaseModel",
    "--output",
    "models.py",
  ]
  await run(python, ["-m", "datamodel_code_generator", "--input", document, ...models], place)
  await run(python, ["with-datamodel.py", ...given], place)

  if (hasGo) {
    mkdirSync(join(go, "made"))
    const generator = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen"
    await run("go", ["run", "./valid", document], go)
    await run("go", ["run", generator, "-config", "oapi.yaml", document], go)
    await run("go", ["mod", "tidy"], go)
    await run("go", ["run", "./work", ...given], go)
  }
  if (hasRust) {
    // Its own check does not know OpenAPI 3.1; kin-openapi and the suite check the document.
    const options = ["--skip-validate-spec", "--additional-properties=packageName=made"]
    const generate = ["generate", "-g", "rust", "-i", document, "-o", join(rust, "made")]
    await run(join(dirname(python), "openapi-generator-cli"), [...generate, ...options], place)
    await run("cargo", ["run", "--quiet", "--", ...given], rust)
  }
} finally {
  await instance.close()
}
