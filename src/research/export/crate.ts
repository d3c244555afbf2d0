/** Exports a Room as an RO-Crate: a zip that is made from one snapshot while it is read. */
import { inAnswers, withWords } from "../../contract/definitions/withheld-text.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { type Withheld, withheld } from "../../ledger/journal/withheld.ts"
import { contents, type CrateFile, type Mentioned } from "./contents.ts"
import type { RoomSource } from "../../rooms/imported.ts"
import { metadataText } from "./metadata.ts"
import type { Kept } from "./object-files.ts"
import { previewText, readmeText } from "./preview.ts"
import { exportedRoom, type ExportedRoom } from "./room.ts"
import { verifier } from "./verify.ts"
import { type TextFile, type Written, zipped } from "./zip.ts"

/** Yields the record, then the README and the programs, then the preview and the metadata. */
async function* files(room: ExportedRoom, here: RoomSource): AsyncGenerator<TextFile, void, Written | undefined> {
  // A Room from another instance keeps its own source.
  const source = room.from(here)
  const mentioned: Mentioned = { people: new Map(), software: new Map() }
  const kept: Kept[] = []
  const readme: CrateFile = {
    path: "README.md",
    name: "Read me",
    mediaType: "text/markdown",
    description: "How to read and verify the crate.",
    text: [readmeText(room, source)],
  }
  const program: CrateFile = {
    path: "verify.mjs",
    name: "Verify",
    mediaType: "text/javascript",
    description: "A program that recomputes every digest.",
    text: [verifier("verify.mjs")],
  }
  const python: CrateFile = {
    path: "verify.py",
    name: "Verify with Python",
    mediaType: "text/x-python",
    description: "The same program for Python, which needs only the standard library.",
    text: [verifier("verify.py")],
  }
  for (const parts of [contents(room, mentioned, here), [readme, program, python]]) {
    for (const file of parts) {
      const written = yield file
      if (written === undefined) throw new Error(`the size and digest of ${file.path} are unknown`)
      const { text: _text, ...described } = file
      kept.push({ ...described, ...written })
    }
  }
  yield { path: "ro-crate-preview.html", text: previewText(room, source) }
  yield { path: "ro-crate-metadata.json", text: metadataText(room, mentioned, kept, source) }
}

/** Replaces the marks of withheld parts: in JSON by the form that answers have, in texts for people and in the metadata by a word. */
async function* withoutMarks(
  source: AsyncGenerator<TextFile, void, Written | undefined>,
  told: Withheld["told"],
): AsyncGenerator<TextFile, void, Written | undefined> {
  async function* replaced({ path, text }: TextFile): AsyncGenerator<string | Uint8Array> {
    const isData = !path.startsWith("ro-crate-") && /\.jsonl?$/.test(path)
    for await (const part of text) yield typeof part !== "string" ? part : isData ? inAnswers(part, told) : withWords(part)
  }
  try {
    for (let next = await source.next(); next.done !== true; ) next = await source.next(yield { ...next.value, text: replaced(next.value) })
  } finally {
    await source.return()
  }
}

/**
 * Yields the bytes of a Room's crate. The same state of a Room gives the same bytes.
 * @param openReader opens a connection, which is closed at the end or when the reader disconnects
 */
export async function* crate(openReader: () => Db, roomId: string, source: RoomSource): AsyncGenerator<Uint8Array> {
  const db = openReader()
  try {
    const room = exportedRoom(db, roomId)
    if (room === undefined) throw new Error(`there is no Room ${roomId} to export`)
    yield* zipped(withoutMarks(files(room, source), withheld(db).told), new Date(room.summary.lastActivityAt))
  } finally {
    db.close()
  }
}
