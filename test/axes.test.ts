/**
 * What cuts across the code has one owner each (.github/house.md). This counts the files of src outside of the owner
 * that name it. A count that is higher than wanted may only fall: lower the number here when it does.
 */
import { globSync, readFileSync } from "node:fs"
import t from "tap"

interface Axis {
  /** The files and folders that own it, its definition in the contract among them. */
  readonly owner: readonly string[]
  readonly named: RegExp
  /** Where the word means something else. */
  readonly other?: readonly string[]
  /** The most files that should name it, and how many do now if there are more. */
  readonly most: number
  readonly now?: number
}

const axes: Readonly<Record<string, Axis>> = {
  past: {
    owner: ["edge/", "app/past/", "research/past/", "web/pages/past.ts", "contract/definitions/read.ts"],
    named: /\b(?:asOf\w*|[pP]asts?|\w*Pasts?|past[A-Z]\w*|past_too_large|momentAsked)\b(?! [a-z$])|past\.ts/,
    most: 15,
  },
  withheld: {
    owner: ["contract/nouns/withholding.ts", "ledger/", "rooms/withholding.ts"],
    // Neither in sentences, nor as the operation in a list of all.
    named: /(?<!\b(?:a|be|for|is|was|were) )\b(?!withhold_content)\w*[wW]ith(?:held|hold)\w*/,
    most: 30,
  },
  batch: {
    owner: ["ledger/", "contract/operations/batch.ts"],
    named: /\b[bB]atch\w*|\w+Batch\w*/,
    // Papers that are fetched and stored together, and texts that are rendered together.
    other: ["library/", "renderer/", "discovery/skill-capabilities.ts"],
    most: 10,
  },
  figures: {
    owner: [
      "attachments/",
      "contract/definitions/attachments.ts",
      "http/attachments.ts",
      "ledger/journal/attachments.ts",
    ],
    // Numbers are formatted by `figure()` and `figureOn()`, and curves are drawn in an HTML figure.
    named: /(?<!measurements\/)\bfigures\b|\b(?:is|upload|read|keep|uploaded|pathOf)Figure\w*|\bfigure(?!On\b)[A-Z]\w*/,
    // The numbers of an effect.
    other: ["research/measurements/", "contract/answers/measurements.ts", "web/pages/effect"],
    most: 25,
  },
  "agent's name": {
    owner: ["ledger/journal/", "contract/answers/parts.ts"],
    // The name as a member, a column or a variable, or SQL that reads it; not agents in sentences.
    named:
      /(?<!User-|\b(?:an|another|its|of|other|own|your) )\bagent\b(?=\??(?:[,:)}\]]| \}| [=!?]| &&|$))|\bAGENT\w*\(/m,
    // The client of a connection, and the program that a key of the Library was given to.
    other: [
      "edge/requests/forward.ts",
      "app/replication/replication.ts",
      "app/webhooks/sending.ts",
      "library/",
      "contract/library/",
      "commands/library.ts",
    ],
    most: 60,
  },
  boards: {
    owner: ["research/boards/", "contract/nouns/boards.ts", "web/pages/board.ts"],
    // Neither exports of TensorBoard, nor the places of the pages.
    named: /(?<!\/)\b(?!Tensor)(?:[bB]oards?|board[A-Z]\w*|\w+Boards?|\w+_boards?)\b/,
    most: 10,
  },
  leases: {
    owner: ["research/experiments/", "contract/nouns/experiments.ts"],
    named: /\b[lL]eases?\b|\blease[A-Z]\w*|\w+Leases?\b/,
    most: 8,
  },
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

for (const [name, { owner, named, other = [], most, now }] of Object.entries(axes))
  t.test(`at most ${now ?? most} files outside of its owner name the ${name}`, async (t) => {
    const stands = (path: string, places: readonly string[]) => places.some((place) => path.startsWith(place))
    const naming = files.flatMap(([path, code]) => (named.test(code) ? [path] : []))
    const outside = naming.filter((path) => !stands(path, owner) && !stands(path, other))
    t.comment(`${outside.length} (wanted: ${most})`)
    t.ok(outside.length <= (now ?? most), `${outside.length}: ${outside.join(" ")}`)
    t.ok(now === undefined || now > most, "a ratchet that reached its aim is taken out of the table")
    for (const place of [...owner, ...other])
      t.ok(
        naming.some((path) => path.startsWith(place)),
        `${place} has the word`,
      )
  })
