/**
 * Checks repositories on github.com with two requests to GitHub's REST API: is the repository public, and does it have
 * the commit? The second is sent only after a positive answer to the first, so that nothing about a private repository
 * is revealed. A private repository gets the same answer as one that does not exist.
 *
 * The commit is read from `git/commits/{sha}`, which accepts only full commit ids and returns only that object.
 * `commits/{ref}` also accepts branch names and abbreviations, and adds the whole diff. Note: GitHub also finds the
 * commits of forks in the original. A renamed repository costs one more request each time, since the redirect is not
 * cached: the old name may be given to another repository.
 */
import * as v from "valibot"
import { cannotTell, no, type RepositoryAnswer, type RepositorySource, yes, type Pinned, parsePin } from "./check.ts"
import { type Check, GitHubApi, type GitHubSettings, Unanswered } from "./github/api.ts"

const HOST = "github.com"
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
      if (pinned?.host !== HOST) return null
      return look(api, pinned, AbortSignal.any([AbortSignal.timeout(timeout), closing.signal]))
    },
    close: () => closing.abort(),
  }
}

async function look(api: GitHubApi, { owner, name, commit }: Pinned, signal: AbortSignal): Promise<RepositoryAnswer> {
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
