/** A person's private annotations of papers. Every change to notes or highlights names the revision it was based on. */
import { Refusal } from "../contract/refusals/refusal.ts"
import type { Actor } from "../ledger/journal/actor.ts"
import { behaviour, type Subject } from "../ledger/journal/behaviour.ts"
import type { Highlight } from "../contract/library/answers.ts"
import { named } from "../contract/library/reads.ts"
import { type PaperName, paperNamedBy, inLibrary, outcome } from "./filed.ts"
import type { LibraryTables } from "./tables.ts"
import { mustFit, noPaper, wholeScope } from "./reach/scope.ts"

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
