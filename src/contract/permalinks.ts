/** Where each object has its page, below the base URL. */

const pages: Readonly<Record<string, string>> = {
  room: "/rooms",
  thread: "/threads",
  hypothesis: "/records",
  finding: "/records",
  cited_claim: "/records",
  record: "/records",
  experiment: "/experiments",
  plan: "/plans",
  attempt: "/attempts",
  material: "/materials",
  link: "/links",
  finding_link: "/links",
  checkpoint: "/checkpoints",
}

/** The page of an object that a receipt, an activity entry or a graph names; undefined where it has none. */
export const pageOf = (kind: string, id: string): string | undefined => (pages[kind] === undefined ? undefined : `${pages[kind]}/${id}`)
