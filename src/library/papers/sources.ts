/** The sources of metadata: Crossref's REST API and arXiv's API. */
import { withoutTrailing } from "../../contract/text.ts"
import { softwareVersion } from "../../packaged.ts"
import { answerJob, type Source, type SourceRequest } from "./fetcher.ts"

/** The most DOIs in one request, and the most characters of its filter. */
const BATCH = 20
const LONGEST_FILTER = 3_000
/** The members to request of each work in a list. Whole records can have thousands of references. */
const SELECTED = "DOI,title,author,abstract,issued,container-title,publisher,volume,issue,page,ISBN,subject,relation"
/** A DOI that needs no escaping in a filter, where a comma separates values. */
const PLAIN = /^[a-z0-9./_;()<>:[\]+#-]+$/

export interface CrossrefSettings {
  readonly api: string
  /** The email address of a contact. Crossref serves clients that name one from a faster pool. */
  readonly contact?: string | undefined
}

export function crossref({ api, contact }: CrossrefSettings): Source {
  const headers = {
    accept: "application/json",
    "user-agent": `research-room/${softwareVersion}${contact === undefined ? "" : ` (mailto:${contact})`}`,
  }
  const base = withoutTrailing(api, "/")

  function requestTo(url: URL, paperIds: readonly string[]): SourceRequest {
    if (contact !== undefined) url.searchParams.set("mailto", contact)
    return { url, paperIds, headers, redirect: "error" }
  }

  return {
    name: "crossref",
    label: "Crossref",
    // Crossref allows one list request per second without a contact, three with one.
    pause: 1_000,
    job: answerJob("crossref", "Crossref"),
    request([first, ...others]) {
      if (!PLAIN.test(first))
        return { ...requestTo(new URL(`${base}/works/${encodeURIComponent(first)}`), [first]), mayBeAbsent: true }
      const batch = [first]
      let length = first.length
      for (const doi of others) {
        if (batch.length >= BATCH) break
        if (!PLAIN.test(doi) || length + doi.length > LONGEST_FILTER) continue
        batch.push(doi)
        length += doi.length
      }
      const url = new URL(`${base}/works`)
      url.searchParams.set("filter", batch.map((doi) => `doi:${doi}`).join(","))
      url.searchParams.set("rows", String(batch.length))
      url.searchParams.set("select", SELECTED)
      return requestTo(url, batch)
    },
  }
}

/** @param api the address of the API */
export const arxiv = (api: string): Source => ({
  name: "arxiv",
  label: "arXiv",
  // arXiv asks programs to send at most one request every three seconds.
  pause: 3_000,
  job: answerJob("atom", "arXiv"),
  request(paperIds) {
    const url = new URL(api)
    url.searchParams.set("id_list", paperIds.join(","))
    url.searchParams.set("max_results", String(paperIds.length))
    return { url, paperIds, headers: { accept: "application/atom+xml" } }
  },
})
