/**
 * What cuts across the code has one owner each (.github/house.md). This counts the files of src outside of the owner
 * that name it. A count that is higher than wanted may only fall: lower the number here when it does.
 */
import { globSync, readFileSync } from "node:fs"
import t from "tap"

interface Axis {
  /** The files and folders that own it. */
  readonly owner: readonly string[]
  readonly named: RegExp
  /** The most files that should name it, and how many do now if there are more. */
  readonly most: number
  readonly now?: number
}

const axes: Readonly<Record<string, Axis>> = {
  past: {
    owner: ["edge/", "app/past/", "research/past/", "web/pages/past.ts", "contract/definitions/past.ts"],
    named: /\b(?:asOf\w*|[pP]asts?|\w*Pasts?|past[A-Z]\w*|past_too_large|momentAsked)\b(?! [a-z$])|past\.ts/,
    most: 15,
  },
  withheld: {
    owner: ["contract/definitions/withheld-text.ts", "ledger/", "rooms/withholding.ts"],
    named: /\w*[wW]ith(?:held|hold)\w*/,
    most: 30,
    now: 42,
  },
  batch: { owner: ["ledger/"], named: /\b[bB]atch\w*|\w+Batch\w*/, most: 10, now: 26 },
  figures: { owner: ["figures/"], named: /\b[fF]igures?\b|\w+Figures?\b/, most: 25, now: 78 },
  "agent's name": { owner: ["ledger/journal/"], named: /\bagents?\b|\bagent[A-Z]\w*|\w+Agents?\b/, most: 60, now: 122 },
  leases: { owner: ["research/experiments/"], named: /\b[lL]eases?\b|\blease[A-Z]\w*|\w+Leases?\b/, most: 8, now: 19 },
}

/** The code of a file without comments and texts; the paths of its imports stay. */
const codeOf = (text: string): string =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/^.*?\/\/ .*$/gm, (line) => line.slice(0, line.indexOf("// ")))
    .replace(/^(?!import|.*\bfrom ".*"$).*$/gm, (line) => line.replace(/"[^"\n]*"/g, '""'))

const files = globSync("**/*.ts", { cwd: "src", exclude: ["**/*.d.ts"] }).map(
  (path) => [path, codeOf(readFileSync(`src/${path}`, "utf8"))] as const,
)

for (const [name, { owner, named, most, now }] of Object.entries(axes))
  t.test(`at most ${now ?? most} files outside of its owner name the ${name}`, async (t) => {
    const naming = files.flatMap(([path, code]) =>
      owner.some((place) => path.startsWith(place)) || !named.test(code) ? [] : [path],
    )
    t.comment(`${naming.length} (wanted: ${most})`)
    t.ok(naming.length <= (now ?? most), `${naming.length}: ${naming.join(" ")}`)
    t.ok(now === undefined || now > most, "a ratchet that reached its aim is taken out of the table")
    t.ok(
      owner.some((place) => files.some(([path, code]) => path.startsWith(place) && named.test(code))),
      "its owner names it",
    )
  })
