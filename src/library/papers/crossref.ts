/** Crossref's REST API as a source of metadata. */
import { withoutTrailing } from "../../contract/text.ts"
import { softwareVersion } from "../../version.ts"
import { answerJob, type Source, type SourceRequest } from "./fetcher.ts"

/** DOIs in one request, and characters of its filter. */
const BATCH = 20
const LONGEST_FILTER = 3_000
/** What a list of works is asked for: whole records can have thousands of references. */
const SELECTED = [
  ...["DOI", "title", "author", "abstract", "issued", "container-title", "publisher", "volume", "issue", "page", "ISBN"],
  ...["subject", "relation"],
].join(",")
/** What a filter takes as it is: a comma parts two filters. */
const PLAIN = /^[a-z0-9./_;()<>:[\]+#-]+$/

export interface CrossrefSettings {
  /** The address of the API. */
  readonly api: string
  /** Whom Crossref may write to: who says so is served from a pool of their own. */
  readonly contact?: string | undefined
}

export function crossref({ api, contact }: CrossrefSettings): Source {
  const headers = {
    accept: "application/json",
    "user-agent": `research-room/${softwareVersion}${contact === undefined ? "" : ` (mailto:${contact})`}`,
  }
  const base = withoutTrailing(api, "/")

  /** The record of one work, which its path names. */
  function one(doi: string): SourceRequest {
    const url = new URL(`${base}/works/${encodeURIComponent(doi)}`)
    if (contact !== undefined) url.searchParams.set("mailto", contact)
    return { url, paperIds: [doi], headers, redirect: "error", mayBeAbsent: true }
  }
  /** The records of several works. */
  function list(dois: readonly string[]): SourceRequest {
    const url = new URL(`${base}/works`)
    url.searchParams.set("filter", dois.map((doi) => `doi:${doi}`).join(","))
    url.searchParams.set("rows", String(dois.length))
    url.searchParams.set("select", SELECTED)
    if (contact !== undefined) url.searchParams.set("mailto", contact)
    return { url, paperIds: dois, headers, redirect: "error" }
  }

  return {
    name: "crossref",
    called: "Crossref",
    // Lists: one request a second without a contact, three with one.
    pause: 1_000,
    job: answerJob("crossref", "Crossref"),
    request([first, ...others]) {
      if (!PLAIN.test(first)) return one(first)
      const together = [first]
      let length = first.length
      for (const doi of others) {
        if (together.length >= BATCH) break
        if (!PLAIN.test(doi) || length + doi.length > LONGEST_FILTER) continue
        together.push(doi)
        length += doi.length
      }
      return list(together)
    },
  }
}
