/** Exports a Room as an RO-Crate: a zip that is made from one snapshot while it is read. */
import { packaged } from "../../packaged.ts"
import { inAnswers, withWords } from "../../contract/definitions/withheld-text.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { type Withheld, withheld } from "../../ledger/journal/withheld.ts"
import { contents, type CrateFile, type Mentioned } from "./contents.ts"
import type { RoomSource } from "../../rooms/imported.ts"
import { metadataText } from "./metadata.ts"
import type { Kept } from "./object-files.ts"
import { previewText, readmeText } from "./preview.ts"
import { exportedRoom, type ExportedRoom } from "./room.ts"
import { type TextFile, zipped } from "./zip.ts"

/** Yields the record, then the README and the programs, then the preview and the metadata. */
function* files(room: ExportedRoom, here: RoomSource): Generator<TextFile> {
  // A Room from another instance keeps its own source.
  const source = room.from(here)
  const mentioned: Mentioned = { people: new Map(), software: new Map() }
  const kept: Kept[] = []
  const guides: readonly CrateFile[] = [
    {
      path: "README.md",
      name: "Read me",
      mediaType: "text/markdown",
      description: "How to read and verify the crate.",
      text: [readmeText(room, source)],
    },
    {
      path: "verify.py",
      name: "Verify",
      mediaType: "text/x-python",
      description: "A program that recomputes every digest. It needs only Python's standard library.",
      text: [packaged("src/research/export/verify.py")],
    },
  ]
  for (const parts of [contents(room, mentioned, here), guides])
    for (const { text, ...file } of parts)
      yield { path: file.path, text, onWritten: (written) => kept.push({ ...file, ...written }) }
  yield { path: "ro-crate-preview.html", text: previewText(room, source) }
  yield { path: "ro-crate-metadata.json", text: metadataText(room, mentioned, kept, source) }
}

/**
 * Replaces the marks of withheld parts: in JSON by the form that answers have, in texts for people and in the metadata
 * by a word.
 */
function withoutMarks({ text, ...file }: TextFile, told: Withheld["told"]): TextFile {
  const isData = !file.path.startsWith("ro-crate-") && /\.jsonl?$/.test(file.path)
  const replaced = (part: string) => (isData ? inAnswers(part, told) : withWords(part))
  return { ...file, text: Iterator.from(text).map((part) => (typeof part === "string" ? replaced(part) : part)) }
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
    const { told } = withheld(db)
    const shown = files(room, source).map((file) => withoutMarks(file, told))
    yield* zipped(shown, new Date(room.summary.lastActivityAt))
  } finally {
    db.close()
  }
}
