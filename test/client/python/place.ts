/** A running instance with the Python client that it serves, and a folder for the story. */
import { randomUUID } from "node:crypto"
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startResearchRoom } from "research-room/testing"
import { finding } from "../../support/bodies.ts"

/** @param script the story, a file of this folder */
export async function storyPlace(script = "story.py") {
  const instance = await startResearchRoom()
  const folder = mkdtempSync(join(tmpdir(), "research-room-python-"))
  const module = await (await fetch(`${instance.baseUrl}/research_room.py`)).text()
  writeFileSync(join(folder, "research_room.py"), module)
  cpSync(join(import.meta.dirname, script), join(folder, script))
  const { roomId, openingThreadId } = instance.rooms.empty
  const { url, commit } = instance.repositories.public
  return {
    folder,
    module,
    baseUrl: instance.baseUrl,
    /** The story's data, which it reads from its environment. */
    given: JSON.stringify({
      baseUrl: instance.baseUrl,
      token: instance.credentials.member_all.token,
      roomId,
      threadId: openingThreadId,
      repository: { url, commit },
      finding: finding({ roomId, threadId: openingThreadId }),
      ids: [randomUUID(), randomUUID(), randomUUID()],
    }),
    async close() {
      rmSync(folder, { recursive: true, force: true })
      await instance.close()
    },
  }
}
