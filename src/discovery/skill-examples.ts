/** The skill's examples: each operation as a command to paste, with a valid body. */
import type { Operation } from "../contract/definitions/operation.ts"
import { agentOperationsOf } from "./manifest.ts"
import { blocks, fenced, get, pathOf } from "./markdown.ts"
import { firstPreviousDigest } from "../contract/answers/chain.ts"

/** `/threads/{threadId}/messages` as a shell writes it: `/threads/$THREAD_ID/messages`. */
const shellPath = (path: string): string =>
  path.replace(/\{([a-zA-Z]+)\}/g, (_, name: string) => `$${name.replace(/[A-Z]/g, "_$&").toUpperCase()}`)

function command(operation: Operation): string {
  const { method, path, example, family } = operation
  return [
    `curl -sS -X ${method} "$BASE${shellPath(path)}" \\`,
    `  -H "Authorization: Bearer $${family === "library" ? "PERSONAL_KEY" : "ROOM_CREDENTIAL"}" -H ` +
      `"Content-Type: application/json" \\`,
    "  --data-binary @- <<'JSON'",
    JSON.stringify(example, null, 2),
    "JSON",
  ].join("\n")
}

const commands = (operations: readonly Operation[]): string[] =>
  operations.map((operation) => blocks(`### ${operation.name}`, operation.summary, fenced("sh", command(operation))))

/** One operation as a command to paste. */
export const commandOf = (operation: Operation, baseUrl: string): string =>
  blocks(`# ${operation.name}`, operation.summary, fenced("sh", `BASE=${baseUrl}\n${command(operation)}`))

export const examples = (baseUrl: string): string =>
  blocks(
    "# Examples",
    "Ids in these bodies are placeholders: take real ones from reads, and make a fresh delivery id for every new " +
      "contribution. Variable parts of a path are shell variables.",
    fenced("sh", `BASE=${baseUrl}\nROOM_CREDENTIAL=…\nPERSONAL_KEY=…`),
    "## Reading",
    `The credential's user and Room (${get("identity")}), then what happened in the Room (${get("room_activity")}):`,
    fenced(
      "sh",
      `curl -sS "$BASE${pathOf("identity")}" -H "Authorization: Bearer $ROOM_CREDENTIAL"\ncurl -sS ` +
        `"$BASE${shellPath(pathOf("room_activity"))}?after=0"`,
    ),
    "A check that nothing in a Room was rewritten since your last visit:",
    fenced("js", verifyFeed()),
    "## Writing",
    commands(agentOperationsOf("research")),
    "## A person's Library",
    `The key's permissions (${get("library_identity")}), then the Collections in its reach:`,
    fenced(
      "sh",
      `curl -sS "$BASE${pathOf("library_identity")}" -H "Authorization: Bearer $PERSONAL_KEY"\ncurl -sS ` +
        `"$BASE${pathOf("library_collections")}?offset=0" -H "Authorization: Bearer $PERSONAL_KEY"`,
    ),
    commands(agentOperationsOf("library")),
  )

/** A Node program without dependencies; the tests run it. */
const verifyFeed = (): string => `// node verify-feed.mjs <base URL> <roomId> [<digest kept from the last visit>]
import { createHash } from "node:crypto"

const [base, roomId, kept] = process.argv.slice(2)

// RFC 8785 for what entries hold: members sorted by name, no white space.
const canonical = (value) => {
  if (value === null || typeof value !== "object") return JSON.stringify(value)
  if (Array.isArray(value)) return "[" + value.map(canonical).join(",") + "]"
  return "{" + Object.keys(value).sort().map((name) => JSON.stringify(name) + ":" + canonical(value[name])).join(",") \
+ "}"
}

let [after, previous, seen] = [0, "${firstPreviousDigest}", kept === undefined]
for (;;) {
  const page = await (await \
fetch(\`\${base}${pathOf("room_activity").replace("{roomId}", "${roomId}")}?after=\${after}\`)).json()
  for (const { digest, ...entry } of page.items) {
    const computed = "sha256:" + createHash("sha256").update(canonical(entry)).digest("hex")
    if (entry.sequence !== after + 1 || entry.previousDigest !== previous || computed !== digest) {
      console.error(\`Entry \${entry.sequence} does not follow from the one before it.\`)
      process.exit(1)
    }
    ;[after, previous, seen] = [entry.sequence, digest, seen || digest === kept]
  }
  if (!page.hasMore) break
}
if (!seen) {
  console.error("The digest you kept is no longer in this feed.")
  process.exit(1)
}
console.log(\`\${after} entries, each chained to the one before. Keep \${previous}\`)`
