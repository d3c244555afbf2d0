/**
 * Imports by the executable that are killed in the middle: afterwards the Room is there whole or not at all, and can be
 * imported.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Cast } from "research-room/testing"
import { type newPlace, run, start } from "../../support/program.ts"
import type { Chance } from "../support/chance.ts"
import { startDemo } from "../support/ground.ts"

/** Writes the export of a demo's Room, and measures how long its import takes. */
export async function exportedDemo(
  program: string,
  place: ReturnType<typeof newPlace>,
  room: keyof Cast["rooms"],
): Promise<{ file: string; roomId: string }> {
  const { running: demo, baseUrl, cast } = await startDemo(program, place, "demo")
  const { roomId } = cast.rooms[room]
  const crate = await fetch(`${baseUrl}/api/research/rooms/${roomId}/export`)
  const file = join(place.folder, `${room}.zip`)
  writeFileSync(file, Buffer.from(await crate.arrayBuffer()))
  demo.signal("SIGTERM")
  await demo.ended()
  return { file, roomId }
}

export interface Seen {
  kills: number
  /** Kills after which the Room was absent, and was there whole. */
  absent: number
  there: number
}

/** Kills an import of a crate again and again, each in a data folder of its own. @returns problems, in sentences */
export async function throughKills(
  program: string,
  place: ReturnType<typeof newPlace>,
  { file, roomId }: { readonly file: string; readonly roomId: string },
  kills: number,
  chance: Chance,
  seen: Seen,
): Promise<string[]> {
  const problems: string[] = []
  const began = performance.now()
  const whole = await run(program, ["import", file, "--data", "whole"], place)
  const long = performance.now() - began
  if (whole.code !== 0) return [`the import fails: ${whole.err}`]
  for (let count = 0; count < kills; count++) {
    const data = `data-${count}`
    // Some folders already have data.
    if (count % 2 === 1)
      await run(program, ["user", "add", "ada", "--password", "the long password", "--data", data], place)
    const importing = start(program, ["import", file, "--data", data], place)
    const timer = setTimeout(() => importing.signal("SIGKILL"), chance.between(0, Math.ceil(long)))
    await importing.ended()
    clearTimeout(timer)
    seen.kills += 1
    const listed = await run(program, ["room", "list", "--json", "--data", data], place)
    // A kill before anything was created leaves no data.
    const rooms =
      listed.code === 0
        ? (JSON.parse(listed.out) as {
            roomId: string
            activityWatermark: number
            origin: { throughSequence: number }
          }[])
        : []
    if (rooms.some((room) => room.roomId === roomId)) seen.there += 1
    else if (rooms.length === 0) seen.absent += 1
    else problems.push(`after kill ${count} there are other Rooms`)
    const again = await run(program, ["import", file, "--data", data], place)
    if (again.code !== 0) problems.push(`after kill ${count} it cannot be imported: ${again.err}`)
    const checked = await run(program, ["check", "--data", data], place)
    if (checked.code !== 0) problems.push(`after kill ${count}: ${checked.err}`)
  }
  return problems
}
