/** An instance of its own with a Room: two agents of ada's and one of grace's, and both people in their browsers. */
import { join } from "node:path"
import { ResearchRoomClient } from "research-room/client"
import { makeRepositories } from "../../src/demo/repositories.ts"
import { held } from "./contract.ts"
import { startOwn, temporaryFolder } from "./service.ts"

const permissions = ["post_thread", "publish_records", "manage_own_experiments"]

export async function startAgents(title: string) {
  const folder = temporaryFolder()
  const repositories = join(folder, "repositories")
  const { url, commit, otherCommit } = makeRepositories(repositories).public
  const own = await startOwn({ folder, repositories })
  const ada = await own.setUp()
  const grace = await own.person("grace")
  const { result } = await ada.write("create_room", { title })
  const { roomId, openingThreadId: threadId } = result
  await ada.write("add_member", { roomId, username: "grace" })
  async function agent(person: typeof ada, label: string) {
    const issued = await person.write("issue_credential", { roomId, label, permissions } as never)
    return new ResearchRoomClient({ baseUrl: own.baseUrl, token: issued.result.token, fetch: held })
  }
  const code = { repository: { url, commit }, otherCode: { url, commit: otherCommit } }
  return {
    own,
    ...code,
    ada,
    grace,
    roomId,
    threadId,
    mcp: await agent(ada, "mcp"),
    sweeper: await agent(ada, "sweeper"),
    runner: await agent(grace, "runner"),
  }
}

/** The code of a write's refusal; "accepted" if it was stored. */
export const refusedWith = (write: Promise<unknown>): Promise<string> =>
  write.then(
    () => "accepted",
    ({ refusal }: { readonly refusal: string }) => refusal,
  )

/** The codes of a receipt's warnings. */
export const codesOf = ({ warnings }: { readonly warnings: readonly { readonly code: string }[] }): string[] =>
  warnings.map(({ code }) => code)
