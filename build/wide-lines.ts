/**
 * Lists the lines that are wider than 120 columns, in everything that people read here: programs, SQL, styles. The
 * formatter breaks code; strings, templates, SQL and comments are broken by hand. `npm run style` runs it, and
 * `test/house.test.ts`.
 */
import { globSync, readFileSync } from "node:fs"

const WIDEST = 120
/** Where it looks. Samples, pictures, keys and other data have no layout, so their kinds are not among these. */
const READ = ["{src,test,build}/**/*.{ts,cjs,js,sql,py,css,go,sh,yaml}", "schema.sql", "schema.d.ts"]

/** Each line that is too wide, as `file:line`. @param root the folder of the project */
export function wideLines(root: string): string[] {
  const files = globSync(READ, { cwd: root, exclude: (path) => path.includes("node_modules") }).sort()
  return files.flatMap((file) =>
    readFileSync(`${root}/${file}`, "utf8")
      .split("\n")
      .flatMap((line, index) => ([...line].length > WIDEST ? [`${file}:${index + 1}`] : [])),
  )
}

if (import.meta.main) {
  const wide = wideLines(".")
  for (const place of wide) console.error(place)
  if (wide.length > 0) {
    console.error(`${wide.length} lines are wider than ${WIDEST} columns.`)
    process.exitCode = 1
  }
}
