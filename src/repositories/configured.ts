/** Builds the check of an instance from its settings. */
import * as v from "valibot"
import { limits } from "../contract/limits.ts"
import { stat } from "node:fs/promises"
import { join } from "node:path"
import { codeOf } from "../contract/refusals.ts"
import { isUnreadable, hexDigits, objectType } from "./git/store.ts"
import { type Check, GitHubApi, type GitHubSettings, Unanswered } from "./github/api.ts"

// A check of a pinned repository: the pin, its parts that are safe in a path of the file system or of an API, the
// answer, and its sources.

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

// Caches successful checks for two minutes, and shares a running check among all who ask for the same pin.
//
// A failed check is not cached, so that a commit pushed a second later is found. It is repeated within the rate limit
// of the host.

/** @param now returns milliseconds since 1970, which must never decrease */
export function cached(source: RepositorySource, now: () => number): RepositorySource {
  const running = new Map<string, Promise<RepositoryAnswer | null>>()
  /**
   * When each success expires, in milliseconds since 1970. The map is in this order, since all have the same lifetime.
   */
  const successes = new Map<string, number>()

  function remember(key: string): void {
    for (const [old, until] of successes) {
      if (until > now()) break
      successes.delete(old)
    }
    successes.set(key, now() + limits.repositoryCheckSeconds * 1000)
  }

  async function check(key: string, pin: RepositoryPin): Promise<RepositoryAnswer | null> {
    const answer = await source.check(pin)
    if (answer?.ok === true) remember(key)
    return answer
  }

  return {
    check(pin) {
      const key = keyOf(pin)
      if ((successes.get(key) ?? 0) > now()) return Promise.resolve(yes)
      return running.getOrInsertComputed(key, () => check(key, pin).finally(() => running.delete(key)))
    },
    close: () => source.close?.(),
  }
}

/** Returns the same key for every spelling of a pin. */
function keyOf(pin: RepositoryPin): string {
  const pinned = parsePin(pin)
  return pinned === null ? `${pin.url} ${pin.commit}` : `${pinned.host}/${pinned.owner}/${pinned.name} ${pinned.commit}`
}

// Checks a folder of bare repositories at `<dir>/<host>/<owner>/<name>.git`, without a network or git.
// A repository is public if it holds git's marker for that, the file `git-daemon-export-ok`.

const PUBLIC_MARKER = "git-daemon-export-ok"

/** @param dir the folder; its symbolic links are followed */
export function folderCheck(dir: string): RepositorySource {
  return {
    async check(pin) {
      const pinned = parsePin(pin)
      if (pinned === null) return null
      const repository = join(dir, pinned.host, pinned.owner, `${pinned.name}.git`)
      try {
        return (await exists(repository)) ? await lookInFolder(repository, pinned.commit) : null
      } catch (error) {
        if (!isUnreadable(error)) throw error
        return cannotTell("This server holds a copy of the repository, but cannot read it.")
      }
    },
  }
}

/** Checks a repository that exists. @throws the errors that `isUnreadable` recognises */
async function lookInFolder(repository: string, commit: string): Promise<RepositoryAnswer> {
  if (!(await exists(join(repository, PUBLIC_MARKER)))) return no("The repository is not public.")
  const digits = await hexDigits(repository)
  if (commit.length !== digits)
    return no(`The repository names its commits with ${digits} hex digits, not with ${commit.length}.`)
  const type = await objectType(join(repository, "objects"), commit)
  if (type === null) return no("The repository has no such commit.")
  return type === "commit" ? yes : no(`This id names a ${type} of the repository, not a commit.`)
}

/** Whether a path exists. @throws the file system's error if it cannot be determined */
async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    // ENOTDIR: a part of the path is a file, not a folder.
    if (["ENOENT", "ENOTDIR"].includes(codeOf(error))) return false
    throw error
  }
}

// Checks repositories on github.com with two requests to GitHub's REST API: is the repository public, and does it have
// the commit? The second is sent only after a positive answer to the first, so that nothing about a private repository
// is revealed. A private repository gets the same answer as one that does not exist.
//
// The commit is read from `git/commits/{sha}`, which accepts only full commit ids and returns only that object.
// `commits/{ref}` also accepts branch names and abbreviations, and adds the whole diff. Note: GitHub also finds the
// commits of forks in the original. A renamed repository costs one more request each time, since the redirect is not
// cached: the old name may be given to another repository.

const GITHUB = "github.com"
/** Milliseconds for one check, redirects included. */
const TIMEOUT = 10_000

/** Without `visibility: "public"` and `private: false` the repository is not taken to be public. */
const repositoryFacts = v.object({ private: v.boolean(), visibility: v.optional(v.unknown()) })
const commitFacts = v.object({ sha: v.string() })

/** @param settings `timeout` in milliseconds for one whole check; 10,000 by default */
export function githubCheck({
  timeout = TIMEOUT,
  ...settings
}: GitHubSettings & { readonly timeout?: number }): RepositorySource {
  const api = new GitHubApi(settings)
  const closing = new AbortController()
  return {
    async check(pin) {
      const pinned = parsePin(pin)
      if (pinned?.host !== GITHUB) return null
      return lookOnGitHub(api, pinned, AbortSignal.any([AbortSignal.timeout(timeout), closing.signal]))
    },
    close: () => closing.abort(),
  }
}

async function lookOnGitHub(
  api: GitHubApi,
  { owner, name, commit }: Pinned,
  signal: AbortSignal,
): Promise<RepositoryAnswer> {
  const check: Check = { signal, needs: 2, sent: 0 }
  try {
    const repository = await api.get(`repos/${owner}/${name}`, repositoryFacts, check)
    if (repository?.facts.visibility !== "public" || repository.facts.private)
      return no(`GitHub shows no public repository ${owner}/${name}.`)
    // The address may have a query.
    const url = new URL(repository.url)
    url.pathname += `/git/commits/${commit}`
    const found = await api.get(url.href, commitFacts, check)
    return found?.facts.sha === commit ? yes : no(`GitHub finds no such commit in ${owner}/${name}.`)
  } catch (error) {
    if (!(error instanceof Unanswered)) throw error
    return cannotTell(error.message, error.retryAfter)
  }
}

export interface RepositorySettings {
  /** Folders of bare repositories, searched in this order before any service is called. */
  readonly folders: readonly string[]
  /** GitHub's REST API, such as `https://api.github.com`; null to call no service. */
  readonly github: { readonly api: string; readonly token: string | null } | null
  /** Milliseconds since 1970; must never decrease. */
  readonly now: () => number
}

/** Builds the check. Successful answers of every source are cached. */
export function configuredCheck({ folders, github, now }: RepositorySettings): RepositoryCheck {
  const services = github === null ? [] : [cached(githubCheck({ ...github, now }), now)]
  const local = folders.map((folder) => cached(folderCheck(folder), now))
  return checkInOrder([...local, ...services])
}

/**
 * Asks the sources in order. The first that knows the repository decides, even if its answer is negative. If none knows
 * it, the check cannot be made.
 */
function checkInOrder(sources: readonly RepositorySource[]): RepositoryCheck {
  return {
    async check(pin) {
      const pinned = parsePin(pin)
      if (pinned === null)
        return no(
          "A repository is named as https://<host>/<owner>/<name>, and a commit by its full 40 or 64 lower-case " +
            "hex digits.",
        )
      for (const source of sources) {
        const answer = await source.check(pin)
        if (answer !== null) return answer
      }
      const { host, owner, name } = pinned
      return cannotTell(
        `Repositories on ${host} cannot be checked from here: this server holds no copy of ${host}/${owner}/${name} ` +
          `and calls no service for ${host}. Its operator may configure one.`,
      )
    },
    close() {
      for (const source of sources) source.close?.()
    },
  }
}
