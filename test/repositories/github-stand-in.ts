/**
 * Speaks GitHub's REST API as far as the check needs it, with GitHub's own status codes, fields, headers and sentences:
 * tags and 304, an hourly budget for each caller, redirects of renamed repositories, and failures on request. It counts
 * its requests. Its clock is the test's.
 */
import { createHash } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { commitJson, repositoryJson } from "./github-json.ts"

export interface Repository {
  readonly id: number
  owner: string
  name: string
  visibility: "public" | "private" | "internal"
  readonly commits: Set<string>
  /** GitHub's staff took it down. */
  blocked?: "tos" | "dmca"
}

export interface Asked {
  readonly path: string
  readonly headers: IncomingMessage["headers"]
  /** The status of its answer; null if it was not answered. */
  status: number | null
}

interface Answer {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * What to do with the next request instead of answering it: another answer, text that is not JSON, silence, or a cut
 * connection.
 */
export type Mishap = Answer | { readonly words: string } | "silence" | "cut"

const HOUR = 3600

export class GitHubStandIn {
  readonly asked: Asked[] = []
  /** Requests an hour without a token, and with one. */
  readonly limits = { anonymous: 60, authorized: 5000 }
  readonly token = "ghp_standIn"
  readonly #repositories: Repository[] = []
  readonly #renamed = new Map<string, Repository>()
  readonly #mishaps: Mishap[] = []
  readonly #used = new Map<string, { count: number; resetsAt: number }>()
  readonly #now: () => number
  readonly #server: Server

  private constructor(now: () => number) {
    this.#now = now
    this.#server = createServer((request, response) => this.#serve(request, response))
  }

  /** @param now milliseconds since 1970 */
  static async start(now: () => number): Promise<GitHubStandIn> {
    const standIn = new GitHubStandIn(now)
    await new Promise<void>((resolve) => standIn.#server.listen(0, "127.0.0.1", resolve))
    return standIn
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  add(
    fullName: string,
    { visibility = "public" as Repository["visibility"], commits = [] as string[] } = {},
  ): Repository {
    const [owner, name] = fullName.split("/") as [string, string]
    const repository: Repository = {
      id: 1296269 + this.#repositories.length,
      owner,
      name,
      visibility,
      commits: new Set(commits),
    }
    this.#repositories.push(repository)
    return repository
  }

  rename(repository: Repository, name: string): void {
    this.#renamed.set(`${repository.owner}/${repository.name}`, repository)
    repository.name = name
  }

  /** Makes the next requests fail, in this order. */
  next(...mishaps: Mishap[]): void {
    this.#mishaps.push(...mishaps)
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const asked: Asked = { path: request.url ?? "", headers: request.headers, status: null }
    this.asked.push(asked)
    const mishap = this.#mishaps.shift()
    if (mishap === "silence") return
    if (mishap === "cut") return void request.socket.destroy()
    const authorized = request.headers.authorization === `Bearer ${this.token}`
    const answer = mishap === undefined || "words" in mishap ? this.#answer(request, authorized) : mishap
    const text = mishap !== undefined && "words" in mishap ? mishap.words : JSON.stringify(answer.body ?? {})
    const tag = `W/"${createHash("sha256").update(text).digest("hex")}"`
    const status = answer.status === 200 && request.headers["if-none-match"] === tag ? 304 : answer.status
    // A 304 is free, but only with a token.
    const budget = this.#count(authorized, status === 304 && authorized)
    asked.status = status
    response.sendDate = false
    response.writeHead(status, {
      date: new Date(this.#now()).toUTCString(),
      "content-type": "application/json; charset=utf-8",
      "cache-control": `${authorized ? "private" : "public"}, max-age=60, s-maxage=60`,
      vary: "Accept, Authorization, Cookie, X-GitHub-OTP,Accept-Encoding, Accept, X-Requested-With",
      "x-github-media-type": "github.v3; format=json",
      ...(status === 200 || status === 304 ? { etag: tag } : {}),
      ...budget,
      ...answer.headers,
    })
    response.end(status === 304 ? undefined : text)
  }

  /** The caller's budget after this request, as headers. */
  #count(authorized: boolean, free: boolean): Record<string, string> {
    const { limit, used } = this.#budget(authorized)
    if (!free && used.count < limit) used.count += 1
    return {
      "x-ratelimit-limit": String(limit),
      "x-ratelimit-remaining": String(limit - used.count),
      "x-ratelimit-used": String(used.count),
      "x-ratelimit-reset": String(used.resetsAt),
      "x-ratelimit-resource": "core",
    }
  }

  #budget(authorized: boolean) {
    const caller = authorized ? "authorized" : "anonymous"
    const now = Math.floor(this.#now() / 1000)
    let used = this.#used.get(caller)
    if (used === undefined || used.resetsAt <= now) {
      used = { count: 0, resetsAt: now + HOUR }
      this.#used.set(caller, used)
    }
    return { limit: this.limits[caller], used }
  }

  #answer(request: IncomingMessage, authorized: boolean): Answer {
    if (request.headers.authorization !== undefined && !authorized) return said(401, "Bad credentials", "rest")
    const { limit, used } = this.#budget(authorized)
    if (used.count >= limit) {
      const who = authorized
        ? "user ID 1"
        : "127.0.0.1. (But here's the good news: Authenticated requests get a higher rate limit. " +
          "Check out the documentation for more details.)"
      return said(403, `API rate limit exceeded for ${who}`, "rest/overview/rate-limits-for-the-rest-api")
    }
    const path = request.url ?? ""
    const [, root, ...parts] = path.split("/")
    const fullName = parts.slice(0, 2).join("/")
    const moved = root === "repos" ? this.#renamed.get(fullName) : undefined
    if (moved !== undefined) return this.#moved(`/repositories/${moved.id}${path.slice(`/repos/${fullName}`.length)}`)
    const repository = this.#repositories.find(({ id, owner, name }) =>
      root === "repos" ? fullName === `${owner}/${name}` : parts[0] === String(id),
    )
    if (repository === undefined || (repository.visibility !== "public" && !authorized))
      return said(404, "Not Found", "rest/repos/repos#get-a-repository")
    if (repository.blocked !== undefined) return blocked(repository.blocked)
    return this.#resource(repository, parts.slice(root === "repos" ? 2 : 1))
  }

  #resource(repository: Repository, rest: readonly string[]): Answer {
    if (rest.length === 0) return { status: 200, body: repositoryJson(repository, this.url) }
    const [git, commits, sha = ""] = rest
    if (git !== "git" || commits !== "commits") return said(404, "Not Found", "rest")
    if (repository.commits.size === 0)
      return said(409, "Git Repository is empty.", "rest/git/commits#get-a-commit-object")
    if (!repository.commits.has(sha)) return said(404, "Not Found", "rest/git/commits#get-a-commit-object")
    return { status: 200, body: commitJson(repository, sha, this.url) }
  }

  #moved(path: string): Answer {
    const location = this.url + path
    const body = {
      message: "Moved Permanently",
      url: location,
      documentation_url: "https://docs.github.com/rest/guides/best-practices-for-using-the-rest-api#follow-redirects",
    }
    return { status: 301, body, headers: { location } }
  }
}

/** A refusal in GitHub's words. */
export const said = (status: number, message: string, page: string, headers: Record<string, string> = {}): Answer => ({
  status,
  body: { message, documentation_url: `https://docs.github.com/${page}`, status: String(status) },
  headers,
})

const blocked = (reason: "tos" | "dmca"): Answer => ({
  status: reason === "dmca" ? 451 : 403,
  body: {
    message: "Repository access blocked",
    block: { reason, created_at: "2026-01-02T03:04:05Z", html_url: "https://github.com/contact" },
  },
})
