/** What a check of a pinned repository is asked, what it answers, and who can be asked. */

/** A public repository and one exact commit of it, as a plan or an attempt names them. */
export interface RepositoryPin {
  /** `https://<host>/<owner>/<name>` */
  readonly url: string
  /** 40 (SHA-1) or 64 (SHA-256) lower-case hex digits */
  readonly commit: string
}

export type RepositoryAnswer =
  /** The repository is public and the commit exists. */
  | { readonly ok: true }
  /** It is not so, and `reason` says in a sentence why: 422 `repository_unavailable`. */
  | { readonly ok: false; readonly reason: string }
  /** It is not known now: 503 `repository_unavailable`. */
  | {
      readonly ok: null
      readonly reason: string
      /** Seconds after which to ask again; null when unknown. */
      readonly retryAfter: number | null
    }

/** Answers for every repository. */
export interface RepositoryCheck {
  check(pin: RepositoryPin): Promise<RepositoryAnswer>
  /** Gives up what is under way. */
  close?(): void
}

/** Answers for the repositories it knows about. Every `RepositoryCheck` is one as well. */
export interface RepositorySource {
  /** Resolves to null when this source is not the one to ask about the repository. */
  check(pin: RepositoryPin): Promise<RepositoryAnswer | null>
  close?(): void
}

export const yes: RepositoryAnswer = { ok: true }
export const no = (reason: string): RepositoryAnswer => ({ ok: false, reason })
export const cannotTell = (reason: string, retryAfter: number | null = null): RepositoryAnswer => ({ ok: null, reason, retryAfter })
