/** A service in this process, on a real file, with people to run as clients. */
import { join } from "node:path"
import { makeRepositories } from "../../../src/demo/repositories.ts"
import { type Ending, openOwn } from "../../support/lab.ts"
import { temporaryFolder } from "../../support/service.ts"
import { type Company, companyOf } from "./company.ts"

export const names = ["ada", "grace", "mary", "emmy", "sofia", "lise"] as const

/** @param count the number of people; the service takes a moment to sign in each */
export async function openInside(
  t: Ending,
  count: number = names.length,
): Promise<Company & { readonly folder: string }> {
  const folder = temporaryFolder()
  const made = makeRepositories(join(folder, "repositories"))
  const people = names.slice(0, count)
  const lab = await openOwn(t, { folder, repositories: join(folder, "repositories"), people })
  const browsers = Object.fromEntries(people.map((name) => [name, lab[name]]))
  return { ...(await companyOf(lab.baseUrl, browsers, made)), folder }
}
