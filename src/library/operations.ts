/** What people do with papers for themselves: annotate and tag them, and give keys to their tools. */
import { Refusal } from "../contract/refusals/refusal.ts"
import type { Actor } from "../ledger/journal/actor.ts"
import { behaviour, type Subject } from "../ledger/journal/behaviour.ts"
import type { Highlight } from "../contract/library/answers.ts"
import { named } from "../contract/library/reads.ts"
import { type PaperName, paperNamedBy, inLibrary, outcome, naming, papersNamedBy } from "./filed.ts"
import type { LibraryTables } from "./tables.ts"
import { mustFit, noPaper, wholeScope, scopeOf } from "./reach/scope.ts"
import { expiry, mintToken } from "../people/tokens.ts"

// A person's private annotations. Every change to notes or highlights names the revision it was based on.

interface Annotated extends Subject {
  readonly paperId: string
}

export function annotationOperations({ papers, annotations, names }: LibraryTables) {
  /** Finds a paper that the person saved, shares, or already annotated. @throws Refusal 404 */
  function filed({ actor, body }: { actor: Actor; body: PaperName }): Annotated {
    const paperId = paperNamedBy(names, actor.userId, body)
    const { savedAt, held } = papers.standing(wholeScope(actor.userId), paperId)
    if (savedAt === null && !held && annotations.revision(actor.userId, paperId) === 0) throw noPaper()
    return { ...inLibrary, paperId }
  }

  /** Finds the person's own highlight named in the path. @throws Refusal 404 */
  function inPath({
    actor,
    params,
  }: {
    actor: Actor
    params: { highlightId: string }
  }): Annotated & { readonly highlight: Highlight } {
    const highlight = annotations.findHighlight(params.highlightId, actor.userId)
    if (highlight === undefined) throw new Refusal("room_unavailable", "You have no such highlight.")
    return { ...inLibrary, paperId: highlight.paperId, highlight }
  }

  /** @throws Refusal `state_conflict` with the current annotations */
  function mustBeCurrent(
    { actor, body }: { actor: Actor; body: { expectedRevision: number } },
    { paperId }: Annotated,
  ): void {
    const current = annotations.read(actor.userId, paperId)
    if (current.revision === body.expectedRevision) return
    throw new Refusal(
      "state_conflict",
      `Your notes on this paper have changed since: they are at revision ${current.revision}.`,
      {
        current: {
          ...named(paperId),
          revision: current.revision,
          notes: current.notes,
          highlights: current.highlights.length,
        },
      },
    )
  }

  const write_annotation = behaviour("write_annotation", {
    subject: filed,
    admit: (call, subject) => mustBeCurrent(call, subject),
    write({ actor, body }, { paperId }, { at }) {
      const revision = annotations.raise(actor.userId, paperId, body.notes, at)
      return outcome(paperId, { ...named(paperId), revision, label: null })
    },
  })

  const add_highlight = behaviour("add_highlight", {
    subject: filed,
    admit(call, subject) {
      mustBeCurrent(call, subject)
      mustFit("highlights", annotations.highlights(call.actor.userId, subject.paperId), 1)
    },
    write({ actor, body }, { paperId }, change) {
      const { quote, page, colour, comment = null, version = null, prefix = null, suffix = null } = body
      const highlightId = change.newId()
      const revision = annotations.raise(actor.userId, paperId, null, change.at)
      annotations.addHighlight(
        actor.userId,
        paperId,
        { highlightId, quote, page, colour, comment, version, prefix, suffix },
        change.at,
      )
      return outcome(highlightId, { ...named(paperId), revision, highlightId, label: null })
    },
  })

  const amend_highlight = behaviour("amend_highlight", {
    subject: inPath,
    admit: (call, subject) => mustBeCurrent(call, subject),
    write({ actor, body }, { paperId, highlight }, { at }) {
      const { highlightId } = highlight
      const { colour = highlight.colour, comment = highlight.comment } = body
      annotations.amendHighlight(highlightId, colour, comment, at)
      const revision = annotations.raise(actor.userId, paperId, null, at)
      return outcome(highlightId, { ...named(paperId), revision, highlightId, label: null })
    },
  })

  const remove_highlight = behaviour("remove_highlight", {
    subject: inPath,
    admit: (call, subject) => mustBeCurrent(call, subject),
    write({ actor }, { paperId, highlight: { highlightId } }, { at }) {
      annotations.removeHighlight(highlightId)
      const revision = annotations.raise(actor.userId, paperId, null, at)
      return outcome(highlightId, { ...named(paperId), revision, highlightId, label: null })
    },
  })

  const set_reading_position = behaviour("set_reading_position", {
    subject: filed,
    references: ({ body: { page, pages = page } }) =>
      page > pages ? [{ path: "/page", message: "is past the last page" }] : [],
    write({ actor, body }, { paperId }, { at }) {
      const { page, pages = null, offset = 0 } = body
      const knownPages = annotations.setPosition(actor.userId, paperId, { page, pages, offset }, at)
      return outcome(paperId, { ...named(paperId), page, pages: knownPages, offset, label: null })
    },
  })

  return { write_annotation, add_highlight, amend_highlight, remove_highlight, set_reading_position }
}

// Issuing and revoking personal keys. A token is sent only in the answer that issues it.

export function keyOperations({ keys, collections }: LibraryTables) {
  const issue_key = behaviour("issue_key", {
    subject: () => inLibrary,
    references({ actor, body }) {
      const { reach, collectionIds } = body
      if (collectionIds === undefined) return []
      if (reach !== "selected") return [{ path: "/collectionIds", message: "is allowed only when reach is selected" }]
      return collectionIds.flatMap((collectionId, index) =>
        collections.find(scopeOf(actor), collectionId) === undefined
          ? [{ path: `/collectionIds/${index}`, message: "is not a Collection of yours" }]
          : [],
      )
    },
    write({ actor, body }, _subject, change) {
      const keyId = change.newId()
      const token = change.token((bytes) => mintToken("personalKey", bytes))
      const { label, permissions, reach, collectionIds = null, agent = null } = body
      const key = { label, permissions, reach, collectionIds, expiresAt: expiry(body.expiresAt, change.at), agent }
      keys.insert(
        { keyId, owner: { userId: actor.userId, username: actor.username }, ...key, createdAt: change.at },
        token,
      )
      return { ...outcome(keyId, { keyId, ...key }), secret: { token: token.token } }
    },
  })

  const revoke_key = behaviour("revoke_key", {
    subject({ actor, params }) {
      const key = keys.find(params.keyId)
      if (key?.owner.userId !== actor.userId) throw new Refusal("room_unavailable", "You have no such key.")
      return { ...inLibrary, key }
    },
    admit(_call, { key: { keyId, revokedAt } }) {
      if (revokedAt !== null)
        throw new Refusal("state_conflict", `The key was revoked at ${revokedAt}.`, { current: { keyId, revokedAt } })
    },
    write(_call, { key: { keyId, label } }, { at }) {
      keys.revoke(keyId, at)
      return outcome(keyId, { keyId, label, revokedAt: at })
    },
  })

  return { issue_key, revoke_key }
}

// Tagging saved papers. Tagging a paper also saves it.

export function tagOperations(tables: LibraryTables) {
  const { saved, tags, names } = tables
  const { named } = naming(tables)
  const tag_papers = behaviour("tag_papers", {
    subject: () => inLibrary,
    admit: ({ actor, body }) => tags.mustTake(actor.userId, papersNamedBy(names, actor.userId, body), body.tags),
    write({ actor, body }, _subject, change) {
      const sent = papersNamedBy(names, actor.userId, body).map((paperId) => ({ paperId }))
      const papers = named(actor.userId, sent, change)
      const kept = saved.save(actor.userId, papers, change.at)
      const paperIds = papers.map(({ paperId }) => paperId)
      const { changed, before } = tags.add(actor.userId, paperIds, body.tags)
      return outcome(actor.userId, { tags: body.tags, tagged: changed, alreadyTagged: before, ...kept, label: null })
    },
  })

  const untag_papers = behaviour("untag_papers", {
    subject: () => inLibrary,
    write({ actor, body }) {
      const { changed, before } = tags.remove(actor.userId, papersNamedBy(names, actor.userId, body), body.tags)
      return outcome(actor.userId, { tags: body.tags, untagged: changed, notTagged: before, label: null })
    },
  })

  return { tag_papers, untag_papers }
}
