/** A service in this process, on a real file, with people to run as clients. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { makeRepositories } from "../../../src/demo/repositories.ts"
import { openLog } from "../../../src/log.ts"
import { startService } from "../../../src/app/service.ts"
import { passwordOf, temporaryFolder } from "../../support/service.ts"
import { type House, houseOf } from "./house.ts"

export const names = ["ada", "grace", "mary", "emmy", "sofia", "lise"]

/** @param count the number of people; the service takes a moment to sign in each */
export async function openInside(
  count = names.length,
): Promise<House & { readonly folder: string; close(): Promise<void> }> {
  const folder = temporaryFolder()
  const repositories = makeRepositories(join(folder, "repositories"))
  const service = await startService({
    data: folder,
    host: "127.0.0.1",
    port: 0,
    log: openLog("silent"),
    repositories: { folders: [join(folder, "repositories")], github: null },
  })
  const people = names.slice(0, count).map((username) => ({ username, password: passwordOf(username) }))
  for (const { username, password } of people) await service.instance.accounts.add(username, password)
  return {
    ...(await houseOf(service.baseUrl, people, repositories)),
    folder,
    async close() {
      await service.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
