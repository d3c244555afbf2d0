/** Parses a pin into parts that are safe in a path of the file system or of an API. */
import type { RepositoryPin } from "./check.ts"

export interface Pinned {
  /** In lower case, without a port. */
  readonly host: string
  readonly owner: string
  /** Without the optional `.git` at the end. */
  readonly name: string
  readonly commit: string
}

const URL_FORM = /^https:\/\/([^/]+)\/([^/]+)\/([^/]+?)(?:\.git)?$/
const HOST = /^[a-z0-9.-]{1,253}$/
const NAME = /^[A-Za-z0-9._-]{1,100}$/
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/

/** `.` and `..` change the meaning of a path. */
const isRelative = (part: string): boolean => part === "." || part === ".."

/** Parses a pin; null if it is not valid. */
export function parsePin({ url, commit }: RepositoryPin): Pinned | null {
  const [, host = "", owner = "", name = ""] = URL_FORM.exec(url) ?? []
  const parts = { host: host.toLowerCase(), owner, name, commit }
  if (!HOST.test(parts.host) || !NAME.test(owner) || !NAME.test(name) || !COMMIT.test(commit)) return null
  return [parts.host, owner, name].some(isRelative) ? null : parts
}
