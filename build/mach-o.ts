/**
 * Reads the load commands of a program for macOS, and mends what pkg's injection leaves undone in one: the segment it adds must
 * also be counted in the table of addresses to fix, else newer systems (dyld of macOS 27) refuse to start the program.
 */

const headerSize = 32
const segmentCommand = 0x19
const fixupsCommand = 0x80000034

export interface Segment {
  readonly name: string
  /** Where its command stands. */
  readonly at: number
  readonly offset: number
  readonly size: number
}

/** Where each load command stands. */
function* commandsIn(program: Buffer): Generator<number> {
  let at = headerSize
  for (let left = program.readUInt32LE(16); left > 0; left--) {
    yield at
    at += program.readUInt32LE(at + 4)
  }
}

/** Where the first command of a kind stands. */
export const commandOf = (program: Buffer, kind: number): number | undefined =>
  [...commandsIn(program)].find((at) => program.readUInt32LE(at) === kind)

/** Where a further command would stand. */
export const commandsEnd = (program: Buffer): number => headerSize + program.readUInt32LE(20)

export function segmentsIn(program: Buffer): Segment[] {
  return [...commandsIn(program)]
    .filter((at) => program.readUInt32LE(at) === segmentCommand)
    .map((at) => ({
      name: program.toString("latin1", at + 8, at + 24).replace(/\0+$/, ""),
      at,
      offset: Number(program.readBigUInt64LE(at + 40)),
      size: Number(program.readBigUInt64LE(at + 48)),
    }))
}

/**
 * The table of fixups starts with a header of seven words and one that fills up, then the count of segments and for each where its
 * fixups are told, counted from the count. One entry more fits when the count moves onto the word that fills up; nothing else moves.
 * The added segment needs no fixups, nor does the last, which it pushed on: their entries are 0, so one 0 more at the end is right.
 */
export function countInjectedSegment(program: Buffer): void {
  const command = commandOf(program, fixupsCommand)
  if (command === undefined) return
  const table = program.readUInt32LE(command + 8)
  const segments = segmentsIn(program)
  const counted = table + program.readUInt32LE(table + 4)
  const told = Array.from({ length: program.readUInt32LE(counted) }, (_, index) => program.readUInt32LE(counted + 4 + index * 4))
  if (told.length === segments.length) return
  const last = segments.slice(-2).map(({ name }) => name)
  const asExpected = told.length === segments.length - 1 && told.at(-1) === 0 && counted === table + 32
  if (!asExpected || last.join() !== "NODE_SEA,__LINKEDIT") throw new Error("This program for macOS is laid out in an unknown way.")

  program.writeUInt32LE(28, table + 4)
  const moved = [segments.length, ...told.map((place) => (place === 0 ? 0 : place + 4)), 0]
  moved.forEach((word, index) => program.writeUInt32LE(word, table + 28 + index * 4))
}
