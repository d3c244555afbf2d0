/** The demo's Library: two people file papers, share two Collections, keep one each for themselves, and give keys to their agents. */
import { enumerations, type KeyReach, type LibraryPermission } from "../contract/schema/enumerations.ts"
import type { Instance } from "../app/compose/instance.ts"
import type { Narrator } from "./narrator.ts"
import { demoPapers } from "./papers.ts"

interface Person {
  readonly userId: string
  readonly username: string
}

export interface DemoKey {
  readonly token: string
  readonly username: string
  readonly permissions: readonly LibraryPermission[]
  readonly reach: KeyReach
  /** The Collections of a selected reach; null for the other reaches. */
  readonly collectionIds: readonly string[] | null
}

const keyNames = ["all", "owned", "selected", "read_only", "expired", "member_all"] as const
export type KeyName = (typeof keyNames)[number]

const everything = enumerations.libraryPermission
const reading = everything.filter((permission) => permission.startsWith("read_"))

/** Papers that arXiv does not have, as people paste them. */
const withoutArxiv = [
  "C. E. Shannon. A mathematical theory of communication. Bell System Technical Journal 27, 379–423, 1948. doi:10.1002/j.1538-7305.1948.tb01338.x",
  "Goodfellow, Bengio, Courville: Deep Learning. MIT Press, 2016. ISBN 978-0-262-03561-3",
]

/** Fills the Library and issues the keys. */
export async function tellLibrary(
  instance: Instance,
  narrator: Narrator,
  people: Record<"owner" | "member" | "visitor", Person>,
): Promise<Record<KeyName, DemoKey>> {
  const { owner, member, visitor } = people
  const collection = async (person: Person, name: string, arxivIds: string[]): Promise<string> => {
    const { collectionId } = (await narrator.does(person, "create_collection", {}, { name })).result
    await narrator.does(person, "add_papers", {}, { collectionId, arxivIds }, 2)
    return collectionId
  }
  const share = async (person: Person, collectionId: string, guest: Person): Promise<void> => {
    const { invitationId } = (await narrator.does(person, "invite_to_collection", { collectionId }, { username: guest.username })).result
    await narrator.does(guest, "accept_collection_invitation", { invitationId }, {}, 90)
  }
  const note = async (person: Person, collectionId: string, arxivId: string, text: string, replyToNoteId?: string): Promise<string> =>
    (await narrator.does(person, "post_note", {}, { collectionId, arxivId, text, ...(replyToNoteId && { replyToNoteId }) }, 25)).result
      .noteId

  await narrator.does(owner, "save_papers", {}, { arxivIds: ["2001.08361", "hep-th/9711200", "2305.14342", "1711.05101"] })
  const shared = await collection(owner, "Warm-up, clipping and early loss", ["1706.02677", "1706.03762", "1908.03265", "1211.5063"])
  await share(owner, shared, member)
  await narrator.does(member, "add_papers", {}, { collectionId: shared, identifiers: withoutArxiv })
  const ramp = await note(
    owner,
    shared,
    "1706.02677",
    "Section 2.2 is where *gradual* warm-up comes from: five epochs, from $\\eta$ to $k\\eta$.",
  )
  await note(member, shared, "1706.02677", "And 2.1 says why a constant one was not enough. Our runs ramp over steps, not epochs.", ramp)
  await note(
    member,
    shared,
    "1211.5063",
    "Clipping by norm, as we use it: $g \\leftarrow g \\cdot \\theta / \\lVert g \\rVert$ once $\\lVert g \\rVert > \\theta$.",
  )
  await collection(owner, "Before the next proposal", ["2001.08361", "1711.05101"])

  const theirs = await collection(member, "Stability without tricks", ["2002.04745", "1412.6980"])
  await share(member, theirs, owner)
  await collection(member, "Unsorted", ["1412.6980", "1706.03762"])
  await narrator.does(owner, "invite_to_collection", { collectionId: shared }, { username: visitor.username })

  await narrator.does(
    owner,
    "write_annotation",
    {},
    { arxivId: "1706.03762", expectedRevision: 0, notes: "Their schedule is the one we cite; the ramp is *linear in steps*." },
  )
  await narrator.does(
    owner,
    "add_highlight",
    {},
    {
      arxivId: "1706.03762",
      expectedRevision: 1,
      quote: "We used warmup_steps = 4000.",
      page: 7,
      colour: "yellow",
      comment: "Ten times ours.",
      version: 7,
    },
  )

  await narrator.does(owner, "tag_papers", {}, { arxivIds: ["1706.03762", "1706.02677"], tags: ["warm-up", "schedules"] })
  await narrator.does(owner, "tag_papers", {}, { arxivIds: ["1211.5063", "2504.13837"], tags: ["to read"] })
  await narrator.does(owner, "set_reading_position", {}, { arxivId: "1706.03762", page: 7, pages: 15 })

  await tellMetadata(instance)
  return issueKeys(narrator, owner, member, shared)
}

/** As if arXiv had been asked for each paper on behalf of those who filed it. */
async function tellMetadata({ ledger, learning, world }: Instance): Promise<void> {
  const at = new Date(world.now()).toISOString()
  await ledger.transact(() => {
    learning.learn(demoPapers, "arxiv", at)
    learning.tell(demoPapers.map(({ paperId }) => paperId))
  })
}

async function issueKeys(narrator: Narrator, owner: Person, member: Person, shared: string): Promise<Record<KeyName, DemoKey>> {
  const key = async (
    person: Person,
    label: string,
    reach: KeyReach,
    permissions: readonly LibraryPermission[] = everything,
    more: { collectionIds?: string[]; expiresAt?: string } = {},
  ): Promise<DemoKey> => {
    const agent = { name: "reading-agent", version: "0.2" }
    const {
      token = "",
      permissions: given,
      collectionIds,
    } = (await narrator.does(person, "issue_key", {}, { label, permissions: [...permissions], reach, agent, ...more }, 1)).result
    return { token, username: person.username, permissions: given, reach, collectionIds }
  }
  const expired = await key(owner, "expired", "all", everything, { expiresAt: narrator.later(60) })
  const live = {
    all: await key(owner, "everything", "all"),
    owned: await key(owner, "what I own", "owned"),
    selected: await key(owner, "one shared Collection", "selected", everything, { collectionIds: [shared] }),
    read_only: await key(owner, "reading only", "all", reading),
    member_all: await key(member, "everything", "all"),
  }
  return { ...live, expired }
}
