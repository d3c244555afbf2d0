/** A service with Rooms of the sizes that are asked about. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startResearchRoom } from "research-room/testing"
import { Filler } from "../research/record/filler.ts"
import { type Known, makeRoom } from "./rooms.ts"

export async function openEval() {
  const folder = mkdtempSync(join(tmpdir(), "research-room-eval-"))
  const house = await startResearchRoom({ data: folder })
  const { owner, member, visitor } = house.people
  return {
    baseUrl: house.baseUrl,
    async room(records: number): Promise<Known> {
      const filler = new Filler(join(folder, "research-room.db"))
      const [ada, grace, mary] = [owner, member, visitor].map(({ username }) => filler.person(username))
      if (ada === undefined || grace === undefined || mary === undefined) throw new Error("there are three people")
      const known = await filler.fill(() => makeRoom(filler, [ada, grace, mary], records))
      filler.close()
      return known
    },
    async close(): Promise<void> {
      await house.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
