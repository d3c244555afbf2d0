/** The notices that the authors of a package require wherever it is built in. */
import { readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import licences from "spdx-license-ids/index.json" with { type: "json" }
import * as v from "valibot"

const require = createRequire(import.meta.url)

const manifest = v.object({
  name: v.string(),
  version: v.string(),
  license: v.optional(v.string()),
  author: v.optional(v.union([v.string(), v.object({ name: v.string() })])),
})

export interface Notice {
  readonly name: string
  readonly version: string
  /** The SPDX id of the licence. */
  readonly licence: string
  readonly text: string
}

const isNotice = (file: string) => /^(licen[cs]e|copying|notice)([.-].*)?$/i.test(file) && !/\.(c|m)?[jt]s$/.test(file)

/**
 * Returns the notices of the package in a folder. If it has only the name of its licence, these are the text of the
 * licence and the authors of the package.
 * @throws Error if the licence is not in SPDX's list: a person must look at it before a release
 */
export function noticeOf(folder: string): Notice {
  const {
    name,
    version,
    license: licence = "",
    author,
  } = v.parse(manifest, JSON.parse(readFileSync(join(folder, "package.json"), "utf8")))
  if (!licence.split(" AND ").every((each) => licences.includes(each)))
    throw new Error(`${name} ${version} is built in, and its licence is not known: it says ${JSON.stringify(licence)}.`)
  const texts = readdirSync(folder)
    .filter(isNotice)
    .sort()
    .map((file) => readFileSync(join(folder, file), "utf8"))
  if (texts.length === 0)
    texts.push(
      `By ${typeof author === "string" ? author : (author?.name ?? `the authors of ${name}`)}.\n\n` +
        `${licence.split(" AND ").map(wordsOf).join("\n\n")}`,
    )
  return { name, version, licence, text: texts.map((text) => text.replaceAll("\r", "").trim()).join("\n\n") }
}

function wordsOf(licence: string): string {
  const words = v.object({ licenseText: v.string() })
  return v.parse(words, require(`spdx-license-list/licenses/${licence}.json`)).licenseText
}
