/** The demo's bare repositories, one public and one private, written object by object so that git is not needed. */
import { createHash } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { deflateSync } from "node:zlib"

export interface DemoRepositories {
  readonly public: { readonly url: string; readonly commit: string; readonly otherCommit: string }
  readonly private: { readonly url: string; readonly commit: string }
}

/** A reserved host, so that no real one is ever contacted. */
const HOST = "git.example.org"
const AUTHOR = "Ada <ada@example.org> 1793610000 +0000"

const program = `// The toy of this lab: a policy over eight ways of solving a problem, trained on whether it solved it.
// Flags: --seed --steps --rate --group --kl --reset --epochs --clip --demonstrations. Writes metrics.json.
import { simulate } from "./simulation.js"
import { writeFileSync } from "node:fs"
const flags = process.argv.slice(2).join(" ").matchAll(/--(\\S+) (\\S+)/g)
const settings = Object.fromEntries(Array.from(flags, ([, name, value]) => [name, Number(value)]))
writeFileSync("metrics.json", JSON.stringify(simulate(settings).points))
`

/** Writes a loose git object. @returns its id */
function writeObject(repository: string, type: "blob" | "tree" | "commit", content: Buffer): string {
  const stored = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content])
  const id = createHash("sha1").update(stored).digest("hex")
  const file = join(repository, "objects", id.slice(0, 2), id.slice(2))
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, deflateSync(stored))
  return id
}

/** Makes a bare repository with one file and a commit for each message. @returns the commits, oldest first */
function makeRepository(
  folder: string,
  name: string,
  messages: readonly string[],
  { isPublic }: { isPublic: boolean },
): string[] {
  const repository = join(folder, HOST, `${name}.git`)
  mkdirSync(join(repository, "refs", "heads"), { recursive: true })
  mkdirSync(join(repository, "objects"), { recursive: true })
  writeFileSync(join(repository, "HEAD"), "ref: refs/heads/main\n")
  writeFileSync(join(repository, "config"), "[core]\n\trepositoryformatversion = 0\n\tbare = true\n")
  if (isPublic) writeFileSync(join(repository, "git-daemon-export-ok"), "")

  const blob = writeObject(repository, "blob", Buffer.from(program))
  const tree = writeObject(
    repository,
    "tree",
    Buffer.concat([Buffer.from("100644 toy.js\0"), Buffer.from(blob, "hex")]),
  )
  const commits: string[] = []
  for (const message of messages) {
    const parent = commits.at(-1)
    const lines = [
      `tree ${tree}`,
      ...(parent === undefined ? [] : [`parent ${parent}`]),
      `author ${AUTHOR}`,
      `committer ${AUTHOR}`,
      "",
      message,
      "",
    ]
    commits.push(writeObject(repository, "commit", Buffer.from(lines.join("\n"))))
  }
  writeFileSync(join(repository, "refs", "heads", "main"), `${commits.at(-1)}\n`)
  return commits
}

export function makeRepositories(folder: string): DemoRepositories {
  const [commit = "", otherCommit = ""] = makeRepository(
    folder,
    "coverage-lab/toy",
    ["Train the toy with group-relative policy gradients.", "Write both splits at step 0 too."],
    { isPublic: true },
  )
  const [hidden = ""] = makeRepository(folder, "coverage-lab/unpublished", ["Not for everyone yet."], {
    isPublic: false,
  })
  return {
    public: { url: `https://${HOST}/coverage-lab/toy`, commit, otherCommit },
    private: { url: `https://${HOST}/coverage-lab/unpublished`, commit: hidden },
  }
}
