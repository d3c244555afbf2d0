/**
 * Withholds in a file of 200 MB while others write (`test/withholding/pieces.test.ts`). `PROVE_SCALE` scales its size.
 */
import { spawnSync } from "node:child_process"
import { join } from "node:path"

const megabytes = Math.max(2, Math.round(200 * Number(process.env.PROVE_SCALE ?? 1)))
const file = join(import.meta.dirname, "../../withholding/pieces.test.ts")
const { status, stdout } = spawnSync(process.execPath, [...process.execArgv, file], {
  encoding: "utf8",
  stdio: ["ignore", "pipe", "inherit"],
  env: { ...process.env, WITHHOLDING_MB: String(megabytes), TAP_TIMEOUT: "7200", WITHHOLDING_MS: "2000" },
})
const told = (what: RegExp) => stdout.match(what)?.[0] ?? "not measured"
if (status !== 0) process.stderr.write(stdout)
console.log(
  `three withholdings in ${megabytes} MB: ${told(/the longest of \d+ writes took \d+ ms/)}; ` +
    `${told(/the serving thread was held for \d+ ms of processor time at most/)}; ` +
    told(/the files were cleaned in \d+ s/),
)
process.exitCode = status === 0 ? 0 : 1
