/** Signing for macOS, compared with a library signed by Apple's own linker: better-sqlite3's addon for macOS. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { test } from "tap"
import { signedAdHoc } from "../../build/mach-o-signature.ts"
import { commands, layoutFaults, machSignature } from "./formats/mach-o.ts"

const file = join(
  dirname(createRequire(import.meta.url).resolve("better-sqlite3/package.json")),
  "prebuilds/darwin-arm64.node",
)
const linked = readFileSync(file)
const identifier = machSignature(linked)?.identifier ?? ""

/** The file as it was before the linker signed it. */
function unsigned(): Buffer {
  const command = commands(linked).at(-1)
  const linkEdit = commands(linked).findLast(({ kind }) => kind === 0x19)
  if (command?.kind !== 0x1d || linkEdit === undefined) throw new Error("the addon is laid out in another way")
  const start = linked.readUInt32LE(command.at + 8)
  const bare = Buffer.from(linked.subarray(0, start))
  bare.fill(0, command.at, command.at + 16)
  bare.writeUInt32LE(bare.readUInt32LE(16) - 1, 16)
  bare.writeUInt32LE(bare.readUInt32LE(20) - 16, 20)
  bare.writeBigUInt64LE(BigInt(start) - bare.readBigUInt64LE(linkEdit.at + 40), linkEdit.at + 48)
  return bare
}

test("the signature equals that of Apple's linker, except for the code limit and the flag of a program", (t) => {
  t.match(machSignature(linked), { adHoc: true, wrong: 0 }, "the linker's own is valid")
  const signed = signedAdHoc(unsigned(), identifier)
  t.match(machSignature(signed), { identifier, adHoc: true, wrong: 0 })
  t.strictSame(layoutFaults(signed), [])
  t.equal(signed.length, linked.length)
  // The last two words: Apple's codesign and this program count the code segment in whole pages, the linker does not.
  const words = signed.readUInt32LE((commands(signed).at(-1)?.at ?? 0) + 8) + 20 + 72
  t.equal(signed.readBigUInt64BE(words + 8), 1n, "a program")
  linked.copy(signed, words, words, words + 16)
  const others = linked.reduce((count, byte, index) => count + (signed[index] === byte ? 0 : 1), 0)
  t.equal(others, 0, "all other bytes are the same")
  t.end()
})

test("a byte changed after signing is detected", (t) => {
  const signed = signedAdHoc(unsigned(), "research-room")
  signed.writeUInt8(signed.readUInt8(5_000) ^ 1, 5_000)
  t.match(machSignature(signed), { wrong: 1 })
  t.throws(() => signedAdHoc(signed, "research-room"), /signed already/, "and none is signed twice")
  t.end()
})
