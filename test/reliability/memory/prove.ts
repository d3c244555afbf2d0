/**
 * A service with the memory that operation.md names, read by two dozen for a minute
 * (`test/operation/memory-bound.test.ts`). `PROVE_SCALE` scales how long.
 */
import { spawnSync } from "node:child_process"
import { join } from "node:path"

const seconds = Math.max(10, Math.round(60 * Number(process.env.PROVE_SCALE ?? 1)))
const file = join(import.meta.dirname, "../../operation/memory-bound.test.ts")
const { status, stdout } = spawnSync(process.execPath, [...process.execArgv, file], {
  encoding: "utf8",
  stdio: ["ignore", "pipe", "inherit"],
  env: { ...process.env, MEMORY_SECONDS: String(seconds) },
})
if (status !== 0) process.stderr.write(stdout)
const measured = stdout.match(/\d+ MB: .*/g) ?? ["no control group may be made here"]
console.log(`${seconds} s each: ${measured.join("; ")}`)
process.exitCode = status === 0 ? 0 : 1
