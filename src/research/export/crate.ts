/** A Room as an RO-Crate: a zip that is made while it is read, from one moment of the data. */
import { inAnswers, withWords } from "../../contract/definitions/withheld-text.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { type Withheld, withheld } from "../../ledger/journal/withheld.ts"
import { contents, type CrateFile, type Mentioned } from "./contents.ts"
import { metadataText, type Source } from "./metadata.ts"
import type { Kept } from "./object-files.ts"
import { previewText, readmeText } from "./preview.ts"
import { exportedRoom, type ExportedRoom } from "./room.ts"
import { verifier } from "./verify.ts"
import { type TextFile, type Written, zipped } from "./zip.ts"

/** The record, then what was made for readers, then what describes all of it. */
async function* files(room: ExportedRoom, here: Source): AsyncGenerator<TextFile, void, Written | undefined> {
  // What comes from elsewhere is handed on as it came.
  const source = room.from(here)
  const met: Mentioned = { people: new Map(), software: new Map() }
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
    description: "The same program for Python, with its standard library alone.",
    text: [verifier("verify.py")],
  }
  for (const parts of [contents(room, met, here), [readme, program, python]]) {
    for (const file of parts) {
      const written = yield file
      if (written === undefined) throw new Error(`what was written of ${file.path} is not known`)
      const { text: _text, ...described } = file
      kept.push({ ...described, ...written })
    }
  }
  yield { path: "ro-crate-preview.html", text: previewText(room, source) }
  yield { path: "ro-crate-metadata.json", text: metadataText(room, met, kept, source) }
}

/** Every file with what was withheld told in place of marks: as it is in answers, and as a word in texts for people and in the metadata. */
async function* withoutMarks(
  made: AsyncGenerator<TextFile, void, Written | undefined>,
  told: Withheld["told"],
): AsyncGenerator<TextFile, void, Written | undefined> {
  const shown = ({ path }: TextFile): ((part: string) => string) =>
    !path.startsWith("ro-crate-") && /\.jsonl?$/.test(path) ? (part) => inAnswers(part, told) : withWords
  async function* each(file: TextFile): AsyncGenerator<string | Uint8Array> {
    const show = shown(file)
    for await (const part of file.text) yield typeof part === "string" ? show(part) : part
  }
  try {
    for (let next = await made.next(); next.done !== true; ) next = await made.next(yield { ...next.value, text: each(next.value) })
  } finally {
    await made.return()
  }
}

/**
 * The bytes of a Room's crate. The same state of a Room gives the same bytes.
 * @param openReader opens a connection of its own, which is closed at the end or when the reader goes
 */
export async function* crate(openReader: () => Db, roomId: string, source: Source): AsyncGenerator<Uint8Array> {
  const db = openReader()
  try {
    const room = exportedRoom(db, roomId)
    if (room === undefined) throw new Error(`there is no Room ${roomId} to export`)
    yield* zipped(withoutMarks(files(room, source), withheld(db).told), new Date(room.summary.lastActivityAt))
  } finally {
    db.close()
  }
}
