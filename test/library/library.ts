/** Two or three people with a Library each, their agents, and helpers for the stories. */
import type { RefusedError, ResearchRoomClient, WriteInput } from "research-room/client"
import type { Browser } from "research-room/testing"
import { present } from "../../src/contract/typed.ts"
import { readTexts } from "../../src/library/pasted.ts"
import type { SourcePaper } from "../../src/library/papers/papers.ts"
import { type ArxivFields, paperFromArxiv } from "../../src/library/papers/record.ts"
import { type Ending, openOwn, type Own, refusalOf } from "../support/lab.ts"
import type { OwnOptions } from "../support/service.ts"

/** A lab in which an agent may have a key to a person's Library. */
export async function openLibrary(t: Ending, options: OwnOptions = {}) {
  const lab = await openOwn(t, options)
  return {
    ...lab,
    /** An agent of a person, with a key of its own. */
    agentOf: async (...whose: Parameters<typeof keyOf>) => lab.open(await keyOf(...whose)),
  }
}

export const everyPermission = ["read_library", "read_annotations", "file_papers", "post_notes"] as const

/** Issues a key and returns its token. */
export async function keyOf(person: Browser, key: Partial<WriteInput<"issue_key">> = {}): Promise<string> {
  const { result } = await person.write("issue_key", {
    label: "an agent",
    permissions: everyPermission,
    reach: "all",
    ...key,
  })
  return result.token as string
}

/** Makes a Collection of a person, with papers in it. */
export async function collectionOf(
  person: Browser | ResearchRoomClient,
  name: string,
  arxivIds: readonly string[] = [],
): Promise<string> {
  const write = person.write.bind(person) as ResearchRoomClient["write"]
  const { collectionId } = (await write("create_collection", { name })).result
  if (arxivIds.length > 0) await write("add_papers", { collectionId, arxivIds })
  return collectionId
}

/** Shares a Collection with a person. */
export async function share(owner: Browser, collectionId: string, guest: Browser, username: string): Promise<void> {
  const { invitationId } = (await owner.write("invite_to_collection", { collectionId, username })).result
  await guest.write("accept_collection_invitation", { invitationId })
}

/** Makes arXiv ids from numbers. */
export const paperId = (number: number): string =>
  `24${String(1 + Math.floor(number / 90_000)).padStart(2, "0")}.${String(10_000 + (number % 90_000))}`
export const paperIds = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => paperId(from + index))

/** The papers of a file or a text, and its parts that name no paper. */
export const readText = (text: string) => readTexts([text])

/** A paper's metadata as arXiv would send it. */
export const toldOf = (id: string, title: string, more: Partial<ArxivFields> = {}): SourcePaper =>
  present(
    paperFromArxiv({
      id,
      title,
      authors: [],
      abstract: null,
      categories: [],
      published: null,
      doi: null,
      journal: null,
      ...more,
    }),
  )

/** Stores metadata as if arXiv had been asked for it, or as if it had been imported. */
export const makeKnown = (
  { instance }: Pick<Own, "instance">,
  told: readonly SourcePaper[],
  origin: "arxiv" | "import" = "arxiv",
) =>
  instance.ledger.transact(() => {
    instance.metadataIntake.store(told, origin, "2026-11-20T09:30:00.000Z")
    if (origin === "arxiv") instance.metadataIntake.reveal(told.map(({ paperId }) => paperId))
  })

/** The refusal of a request. */
export interface Refused {
  readonly status: number
  readonly refusal: string
  readonly current: RefusedError["current"]
  readonly issues: string[]
}

/** Returns the refusal of a request, and fails if the request is accepted. */
export async function refused(request: Promise<unknown>): Promise<Refused> {
  const { status, refusal, current, issues } = await refusalOf(request)
  return { status, refusal, current, issues: issues.map(({ path }) => path) }
}
