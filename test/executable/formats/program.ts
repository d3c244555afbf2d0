/**
 * Reads an executable from outside, without running it: its machine type, whether Node's fuse says that it contains a
 * program, and that program. It is written from the descriptions of the formats and shares nothing with the build.
 */
import { readFileSync } from "node:fs"
import { type Blob, readBlob } from "./blob.ts"
import { elfBlob, elfMachine } from "./elf.ts"
import { machBlob, machMachine } from "./mach-o.ts"
import { peBlob, peMachine } from "./pe.ts"

export interface Program {
  readonly os: "linux" | "win32" | "darwin"
  readonly cpu: string
  /** The text after each occurrence of the fuse's name: "1" once it is flipped. */
  readonly fuses: readonly string[]
  readonly blob: Blob
}

const formats = [
  { os: "linux", is: (bytes: Buffer) => bytes.readUInt32BE(0) === 0x7f454c46, machine: elfMachine, blob: elfBlob },
  { os: "win32", is: (bytes: Buffer) => bytes.toString("latin1", 0, 2) === "MZ", machine: peMachine, blob: peBlob },
  { os: "darwin", is: (bytes: Buffer) => bytes.readUInt32LE(0) === 0xfeedfacf, machine: machMachine, blob: machBlob },
] as const

const formatOf = (bytes: Buffer) => {
  const format = formats.find(({ is }) => is(bytes))
  if (format === undefined) throw new Error("neither ELF nor PE nor Mach-O")
  return format
}

/** For any program or library. */
export function readMachine(bytes: Buffer): { os: Program["os"]; cpu: string } {
  const { os, machine } = formatOf(bytes)
  return { os, cpu: machine(bytes) }
}

export function readProgram(file: string): Program & { readonly bytes: Buffer } {
  const bytes = readFileSync(file)
  return { ...readMachine(bytes), bytes, fuses: fusesIn(bytes), blob: readBlob(formatOf(bytes).blob(bytes)) }
}

/** Concatenated here, so that no program built from this contains the whole text. */
const fuse = ["NODE_SEA_FUSE", "fce680ab2cc467b6e072b8b5df1996b2:"].join("_")

function fusesIn(bytes: Buffer): string[] {
  const found: string[] = []
  for (let at = bytes.indexOf(fuse); at >= 0; at = bytes.indexOf(fuse, at + 1))
    found.push(bytes.toString("latin1", at + fuse.length, at + fuse.length + 1))
  return found
}
