/** arXiv's API as a source of metadata. */
import { answerJob, type Source } from "./fetcher.ts"

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
