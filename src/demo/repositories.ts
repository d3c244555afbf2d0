/** The demo's own bare repositories: one public, one not, written object by object so that no git program is needed. */
import { createHash } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { deflateSync } from "node:zlib"

export interface DemoRepositories {
  readonly public: { readonly url: string; readonly commit: string; readonly otherCommit: string }
  readonly private: { readonly url: string; readonly commit: string }
}

/** A host of the demo's own, so that nobody outside is ever asked about it. */
const HOST = "git.example.org"
const AUTHOR = "Ada <ada@example.org> 1793610000 +0000"

const trainer = `# Writes the loss of a toy model after so many steps of warm-up.
import json, sys
warmup = int(sys.argv[sys.argv.index("--warmup") + 1])
print(json.dumps({"loss": round(3.5 - min(warmup, 400) / 5000, 4)}))
`

/** Writes an object as git keeps a loose one, and returns its id. */
function writeObject(repository: string, type: "blob" | "tree" | "commit", content: Buffer): string {
  const stored = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content])
  const id = createHash("sha1").update(stored).digest("hex")
  const file = join(repository, "objects", id.slice(0, 2), id.slice(2))
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, deflateSync(stored))
  return id
}

/** Makes a bare repository with one file and a commit for each message, and returns the commits, oldest first. */
function makeRepository(folder: string, name: string, messages: readonly string[], { isPublic }: { isPublic: boolean }): string[] {
  const repository = join(folder, HOST, `${name}.git`)
  mkdirSync(join(repository, "refs", "heads"), { recursive: true })
  mkdirSync(join(repository, "objects"), { recursive: true })
  writeFileSync(join(repository, "HEAD"), "ref: refs/heads/main\n")
  writeFileSync(join(repository, "config"), "[core]\n\trepositoryformatversion = 0\n\tbare = true\n")
  if (isPublic) writeFileSync(join(repository, "git-daemon-export-ok"), "")

  const blob = writeObject(repository, "blob", Buffer.from(trainer))
  const tree = writeObject(repository, "tree", Buffer.concat([Buffer.from("100644 train.py\0"), Buffer.from(blob, "hex")]))
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

/** Makes the demo's repositories below `folder`. */
export function makeRepositories(folder: string): DemoRepositories {
  const [commit = "", otherCommit = ""] = makeRepository(
    folder,
    "warm-up-lab/training",
    ["Train with a linear warm-up.", "Average over seeds."],
    { isPublic: true },
  )
  const [hidden = ""] = makeRepository(folder, "warm-up-lab/unpublished", ["Not for everyone yet."], { isPublic: false })
  return {
    public: { url: `https://${HOST}/warm-up-lab/training`, commit, otherCommit },
    private: { url: `https://${HOST}/warm-up-lab/unpublished`, commit: hidden },
  }
}
