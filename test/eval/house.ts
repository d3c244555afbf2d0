/** A service with the Rooms of each size that the questions are about. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startResearchRoom } from "research-room/testing"
import { Filler } from "../research/record/filler.ts"
import { type MeasuredRoom, measuredRoom } from "../research/numbers/measured-room.ts"
import { type Known, makeRoom } from "./rooms.ts"
import type { Given } from "./walk/walk.ts"

export async function openEval() {
  const folder = mkdtempSync(join(tmpdir(), "research-room-eval-"))
  const house = await startResearchRoom({ data: folder })
  const { owner, member, visitor } = house.people
  const { url, commit } = house.repositories.public
  return {
    baseUrl: house.baseUrl,
    emptyRoom: house.rooms.empty.roomId,
    /** A new credential for an agent of a member, with all that the agent needs to know. */
    async agent(roomId: string, label: string): Promise<Given> {
      const permissions = ["post_thread", "publish_records", "manage_own_experiments"]
      const { result } = await (await house.browser("member")).write("issue_credential", {
        roomId,
        label,
        permissions,
      } as never)
      return { baseUrl: house.baseUrl, token: result.token ?? "", repository: { url, commit } }
    },
    /** A Room of measured attempts, for statements whose numbers are known. */
    async measured(attempts: number): Promise<MeasuredRoom> {
      const filler = new Filler(join(folder, "research-room.db"))
      const made = await filler.fill(() => measuredRoom(filler, filler.person(owner.username), attempts))
      filler.close()
      return made
    },
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
