/** The pages of a crate for people: an HTML preview and a README. */
import { escapeHtml } from "../../contract/text.ts"
import { licenceUrl } from "../../contract/nouns/rooms.ts"
import { onlySaid } from "../../contract/unproved.ts"
import { pageOf } from "../../contract/objects/objects.ts"
import { acceptedFolders, linkTo, pathOf } from "./parts.ts"
import type { ExportedRoom } from "./room.ts"

const inAList = (words: readonly string[]): string => `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 \
1rem;color:#1a1a1a;background:#fff}
h1,blockquote{font-family:Georgia,serif}blockquote{margin:0 0 \
.5rem;font-size:1.1rem}table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0;border-top:1px solid \
#ccc}.meta{color:#555}.fallen{font-weight:bold}
code{overflow-wrap:anywhere}`

function* section(title: string, items: Iterable<string>, wrap: readonly [string, string]): Generator<string> {
  let any = false
  for (const item of items) {
    if (!any) yield `<section><h2>${title}</h2>\n${wrap[0]}\n`
    any = true
    yield `${item}\n`
  }
  if (any) yield `${wrap[1]}\n</section>\n`
}

const files: readonly (readonly [path: string, what: string])[] = [
  ["ro-crate-metadata.json", "a description of all files, as RO-Crate 1.2"],
  ["README.md", "how to read and verify it"],
  ["activity.jsonl", "the change feed with its chain of digests"],
  ["history.jsonl", "every accepted write, whole, in order"],
  ["people.jsonl", "the people whom the history names"],
  ["records.jsonl", "the standing of each record"],
  ["experiments.jsonl", "experiments with all their revisions"],
  ["attempts.jsonl", "attempts with their events and outputs"],
  ["metrics.csv", "every point of every metric"],
  ["finding-links.jsonl", "links from findings to experiments"],
  ["reviews.jsonl", "reviews"],
  ["materials.jsonl", "materials and their locations"],
  ["verify.py", "a program that recomputes every digest"],
]

/** Writes ro-crate-preview.html, which needs neither scripts nor a network. */
export function* previewText(room: ExportedRoom): Generator<string> {
  const { roomId, title, question, owner, state, activityWatermark, lastActivityAt, license } = room.summary
  yield `<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><meta name="viewport" ` +
    `content="width=device-width"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head>\n<body>\n<header>` +
    `<h1>${escapeHtml(title)}</h1>\n`
  if (question !== null) yield `<p>${escapeHtml(question)}</p>\n`
  yield `<p class="meta">A Room of ${escapeHtml(owner.username)}, ${state}, as it stood after ${activityWatermark} ` +
    `accepted writes, the last of them at ${lastActivityAt}. ` +
    `${linkTo(`${room.source.baseUrl}${pageOf("room", roomId)}`, "The Room itself")}. ` +
    `${license === null ? "No licence has been stated." : `Licence: ${linkTo(licenceUrl(license), license)}.`}</p>` +
    "</header>\n<main>\n"
  yield* section("Where it stands", room.parts.checkpoints.previewed(), ["", ""])
  yield* section("Statements", room.parts.records.previewed(), ["", ""])
  yield* section("Experiments", room.parts.experiments.previewed(), [
    "<table><thead><tr><th>Label</th><th>Question</th><th>Status</th><th>Attempts</th><th>Proposed " +
      "by</th></tr></thead><tbody>",
    "</tbody></table>",
  ])
  yield* section(
    "Threads",
    room.threads.map((thread) => `<li>${linkTo(pathOf.timeline(thread.sequence, thread.threadId), thread.title)}</li>`),
    ["<ol>", "</ol>"],
  )
  yield* section(
    "Files",
    files.map(([path, what]) => `<li>${linkTo(path, path)}: ${what}</li>`),
    ["<ul>", "</ul>"],
  )
  yield "</main>\n</body>\n</html>\n"
}

export const readmeText = ({
  summary,
  source: { baseUrl },
}: ExportedRoom): string => `# ${escapeHtml(summary.title.replace(/\s+/g, " "))}

${escapeHtml(summary.question ?? "A Room of public research.")}

This is the whole record of a Room of research-room, exported as an RO-Crate 1.2 as it stood after \
${summary.activityWatermark} accepted writes.
Open ro-crate-preview.html to read it. The Room itself is at ${baseUrl}${pageOf("room", summary.roomId)}.

- \`ro-crate-metadata.json\` describes everything here. Attempts are executions in the sense of the Process Run \
Crate profile.
- ${inAList(acceptedFolders.map((folder) => `\`${folder}/\``))} hold what was accepted, byte for byte: canonical \
JSON (RFC 8785).
- \`history.jsonl\` holds every accepted write in order, one per line: the \`operation\`, its author and time, \
the ids in
  its path, its body, and the ids it was given. Line N belongs to line N of \`activity.jsonl\`, \
whose \`contentDigest\` covers the body.
- \`timelines/\` holds each Thread. Files ending in \`.jsonl\` have one object per line.
- \`metrics.csv\` holds every metric point; NaN, Infinity and -Infinity are written as these words.

## Verify it

    python3 verify.py

It needs only Python's standard library. It recomputes the chain of the feed and the digests of the body of every \
write in
the history, of every accepted content and of every file. Without it: \`sha256sum records/H1.json\`
gives the contentDigest of H1, which is in records.jsonl and in its entry of activity.jsonl. \
An entry's digest is SHA-256 over
its canonical JSON without \`digest\`.
If you kept a digest of the feed earlier, look for it in activity.jsonl: if it is there, nothing before it was \
rewritten.

A body with a withheld part no longer matches its digest. The program counts such writes and lists them.
${onlySaid}

## Terms

${
  summary.license === null
    ? "No licence has been stated, and the metadata says so."
    : `The Room's owner chose the licence ${summary.license} (${licenceUrl(summary.license)}).`
} Materials are named by
their digest or pinned reference and are not part of the crate. The service did not run or check anything: an attempt is
its registrant's own account.
`
