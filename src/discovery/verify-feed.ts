/** The program that the skill gives to agents: it recomputes a Room's whole feed and reports whether anything was rewritten. */
import { firstPreviousDigest } from "../contract/answers/chain.ts"
import { pathOf } from "./markdown.ts"

/** A Node program without dependencies; the tests run it. */
export const verifyFeed = (): string => `// node verify-feed.mjs <base URL> <roomId> [<digest kept from the last visit>]
import { createHash } from "node:crypto"

const [base, roomId, kept] = process.argv.slice(2)

// RFC 8785 for what entries hold: members sorted by name, no white space.
const canonical = (value) => {
  if (value === null || typeof value !== "object") return JSON.stringify(value)
  if (Array.isArray(value)) return "[" + value.map(canonical).join(",") + "]"
  return "{" + Object.keys(value).sort().map((name) => JSON.stringify(name) + ":" + canonical(value[name])).join(",") + "}"
}

let [after, previous, seen] = [0, "${firstPreviousDigest}", kept === undefined]
for (;;) {
  const page = await (await fetch(\`\${base}${pathOf("room_activity").replace("{roomId}", "${roomId}")}?after=\${after}\`)).json()
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
