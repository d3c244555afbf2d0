/** The Room of three agents, behind a wire that counts. */
import { makeRepositories } from "../../../src/demo/repositories.ts"
import { startOwn, temporaryFolder } from "../../support/service.ts"
import { playStudy } from "../../support/study.ts"
import type { Given } from "../walk/walk.ts"
import { openWire } from "../wire.ts"

export type StudyRoom = Awaited<ReturnType<typeof openStudyRoom>>

export async function openStudyRoom() {
  const wire = await openWire()
  const repositories = temporaryFolder()
  const made = makeRepositories(repositories)
  const own = await startOwn({ baseUrl: wire.baseUrl, repositories })
  wire.leadTo(own.port)
  const study = await playStudy(own, made)
  const { url, commit } = made.public
  return {
    ...study,
    baseUrl: wire.baseUrl,
    wire: wire.bytes,
    /** A new agent of ada's. */
    async agent(label: string): Promise<Given> {
      const { token } = await study.own.credential("ada", study.roomId, { label })
      return { baseUrl: wire.baseUrl, token, repository: { url, commit }, wire: wire.bytes }
    },
    async close(): Promise<void> {
      await own.close()
      await wire.close()
    },
  }
}
