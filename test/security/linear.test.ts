/**
 * No regular expression in `src` that reads a stranger's text takes more than linear time. `linear-made.test.ts` checks
 * those built at run time, `linear-packages.test.ts` those of packages.
 */
import { globSync } from "node:fs"
import { test } from "tap"
import { growing, writtenIn } from "./patterns.ts"

test("an expression that is not linear is reported", async (t) => {
  const told = await growing([
    { source: "\\|.*$", flags: "", file: "a" },
    { source: "^(a+)+$", flags: "", file: "b" },
    { source: "^[a-z]+$", flags: "", file: "c" },
  ])
  t.strictSame(told, ["/\\|.*$/ in a: 2nd degree polynomial", "/^(a+)+$/ in b: exponential"])
})

test("every expression in src is linear", async (t) => {
  const files = globSync("src/**/*.ts", { exclude: ["**/*.d.ts"] }).sort()
  t.ok(files.length > 300)
  const written = files.map((file) => ({ file, ...writtenIn(file) }))
  t.strictSame(await growing(written.flatMap(({ patterns }) => patterns)), [])
})
