/**
 * Asks GitHub's REST API about repositories on github.com, with two requests: is the repository public, and is there
 * this commit? The second is sent only after a yes to the first, so that nothing about a private repository is found out,
 * and a private one is answered with the same sentence as one that does not exist.
 *
 * The commit is read at `git/commits/{sha}`, which takes full ids of commit objects only and answers with that object
 * alone; `commits/{ref}` would also take names of branches and abbreviations, and adds the whole difference of files.
 * Two things to know: GitHub finds the commits of forks in the original too, and a repository that was renamed costs one
 * request more, since the redirect is followed each time (the old name may be given to another repository any day).
 */
import * as v from "valibot"
import { cannotTell, no, type RepositoryAnswer, type RepositorySource, yes } from "./check.ts"
import { type Pinned, takeApart } from "./pinned.ts"
import { GitHubApi, type GitHubSettings, type Inquiry } from "./github/api.ts"
import { Unanswered } from "./github/unanswered.ts"

const HOST = "github.com"
/** Milliseconds for one check, redirects included. */
const TIMEOUT = 10_000

/** A host that does not say that it is public, and not private, has not said that it is. */
const repositoryFacts = v.object({ private: v.boolean(), visibility: v.optional(v.unknown()) })
const commitFacts = v.object({ sha: v.string() })

/** @param settings `timeout` in milliseconds for one whole check, 10,000 unless said */
export function githubCheck({ timeout = TIMEOUT, ...settings }: GitHubSettings & { readonly timeout?: number }): RepositorySource {
  const api = new GitHubApi(settings)
  const closing = new AbortController()
  return {
    async check(pin) {
      const pinned = takeApart(pin)
      if (pinned?.host !== HOST) return null
      return look(api, pinned, AbortSignal.any([AbortSignal.timeout(timeout), closing.signal]))
    },
    close: () => closing.abort(),
  }
}

async function look(api: GitHubApi, { owner, name, commit }: Pinned, signal: AbortSignal): Promise<RepositoryAnswer> {
  const inquiry: Inquiry = { signal, needs: 2, sent: 0 }
  try {
    const repository = await api.get(`repos/${owner}/${name}`, repositoryFacts, inquiry)
    if (repository?.facts.visibility !== "public" || repository.facts.private)
      return no(`GitHub shows no public repository ${owner}/${name}.`)
    const found = await api.get(below(repository.url, `/git/commits/${commit}`), commitFacts, inquiry)
    return found?.facts.sha === commit ? yes : no(`GitHub finds no such commit in ${owner}/${name}.`)
  } catch (error) {
    if (!(error instanceof Unanswered)) throw error
    return cannotTell(error.message, error.retryAfter)
  }
}

/** An address below another one, which may carry a query. */
function below(address: string, path: string): string {
  const url = new URL(address)
  url.pathname += path
  return url.href
}
