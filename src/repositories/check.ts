/**
 * A check of a pinned repository: the pin, its parts that are safe in a path of the file system or of an API, the
 * answer, and its sources.
 */

/** A public repository and one exact commit of it, as a plan or an attempt names them. */
export interface RepositoryPin {
  /** `https://<host>/<owner>/<name>` */
  readonly url: string
  /** 40 (SHA-1) or 64 (SHA-256) lower-case hex digits */
  readonly commit: string
}

export type RepositoryAnswer =
  /** The repository is public and has the commit. */
  | { readonly ok: true }
  /**
   * The repository or the commit does not exist, or is not public; `reason` is a sentence: 422
   * `repository_unavailable`.
   */
  | { readonly ok: false; readonly reason: string }
  /** The check cannot be made now: 503 `repository_unavailable`. */
  | {
      readonly ok: null
      readonly reason: string
      /** Seconds before a retry; null if unknown. */
      readonly retryAfter: number | null
    }

/** Checks any repository. */
export interface RepositoryCheck {
  check(pin: RepositoryPin): Promise<RepositoryAnswer>
  /** Aborts open checks. */
  close?(): void
}

/** Checks the repositories that it knows. Every `RepositoryCheck` is also a source. */
export interface RepositorySource {
  /** Resolves to null if this source does not know the repository. */
  check(pin: RepositoryPin): Promise<RepositoryAnswer | null>
  close?(): void
}

export const yes: RepositoryAnswer = { ok: true }
export const no = (reason: string): RepositoryAnswer => ({ ok: false, reason })
export const cannotTell = (reason: string, retryAfter: number | null = null): RepositoryAnswer => ({
  ok: null,
  reason,
  retryAfter,
})

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
