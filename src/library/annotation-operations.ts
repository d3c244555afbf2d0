/** How a person writes on a paper for themselves. Every change names the revision it was made on. */
import { Refusal } from "../contract/refusals/refusal.ts"
import type { Actor } from "../ledger/journal/actor.ts"
import { behaviour, type Subject } from "../ledger/journal/behaviour.ts"
import type { Highlight } from "../contract/library/answers.ts"
import { inLibrary } from "./filing-operations.ts"
import type { LibraryTables } from "./tables.ts"
import { mustFit, noPaper, wholeScope } from "./reach/scope.ts"

/** The paper whose annotations a write is about. */
interface Annotated extends Subject {
  readonly arxivId: string
}

export function annotationOperations({ papers, annotations }: LibraryTables) {
  /** A paper that the person saved, shares, or wrote on before. @throws Refusal 404 */
  function filed({ actor, body }: { actor: Actor; body: { arxivId: string } }): Annotated {
    const { savedAt, held } = papers.standing(wholeScope(actor.userId), body.arxivId)
    if (savedAt === null && !held && annotations.revision(actor.userId, body.arxivId) === 0) throw noPaper()
    return { ...inLibrary, arxivId: body.arxivId }
  }

  /** The person's own highlight in the path. @throws Refusal 404 */
  function inPath({ actor, params }: { actor: Actor; params: { highlightId: string } }): Annotated & { readonly highlight: Highlight } {
    const highlight = annotations.findHighlight(params.highlightId, actor.userId)
    if (highlight === undefined) throw new Refusal("room_unavailable", "You have no such highlight.")
    return { ...inLibrary, arxivId: highlight.arxivId, highlight }
  }

  /** @throws Refusal `state_conflict` with what is there now */
  function mustBeCurrent({ actor, body }: { actor: Actor; body: { expectedRevision: number } }, { arxivId }: Annotated): void {
    const now = annotations.read(actor.userId, arxivId)
    if (now.revision === body.expectedRevision) return
    throw new Refusal("state_conflict", `The annotations are at revision ${now.revision} by now.`, {
      current: { arxivId, revision: now.revision, notes: now.notes, highlights: now.highlights.length },
    })
  }

  const write_annotation = behaviour("write_annotation", {
    subject: filed,
    admit: (call, subject) => mustBeCurrent(call, subject),
    write({ actor, body }, { arxivId }, { at }) {
      const revision = annotations.raise(actor.userId, arxivId, body.notes, at)
      return { target: { id: arxivId, label: null }, result: { arxivId, revision, label: null } }
    },
  })

  const add_highlight = behaviour("add_highlight", {
    subject: filed,
    admit(call, subject) {
      mustBeCurrent(call, subject)
      mustFit("highlights", annotations.highlights(call.actor.userId, subject.arxivId), 1)
    },
    write({ actor, body }, { arxivId }, change) {
      const { quote, page, colour, comment = null, version = null, prefix = null, suffix = null } = body
      const highlightId = change.newId()
      const revision = annotations.raise(actor.userId, arxivId, null, change.at)
      annotations.addHighlight(actor.userId, arxivId, { highlightId, quote, page, colour, comment, version, prefix, suffix }, change.at)
      return { target: { id: highlightId, label: null }, result: { arxivId, revision, highlightId, label: null } }
    },
  })

  const amend_highlight = behaviour("amend_highlight", {
    subject: inPath,
    admit: (call, subject) => mustBeCurrent(call, subject),
    write({ actor, body }, { arxivId, highlight }, { at }) {
      const { highlightId } = highlight
      annotations.amendHighlight(
        highlightId,
        body.colour ?? highlight.colour,
        body.comment === undefined ? highlight.comment : body.comment,
        at,
      )
      return {
        target: { id: highlightId, label: null },
        result: { arxivId, revision: annotations.raise(actor.userId, arxivId, null, at), highlightId, label: null },
      }
    },
  })

  const remove_highlight = behaviour("remove_highlight", {
    subject: inPath,
    admit: (call, subject) => mustBeCurrent(call, subject),
    write({ actor }, { arxivId, highlight: { highlightId } }, { at }) {
      annotations.removeHighlight(highlightId)
      return {
        target: { id: highlightId, label: null },
        result: { arxivId, revision: annotations.raise(actor.userId, arxivId, null, at), highlightId, label: null },
      }
    },
  })

  const set_reading_position = behaviour("set_reading_position", {
    subject: filed,
    references: ({ body: { page, pages = page } }) => (page > pages ? [{ path: "/page", message: "is past the last page" }] : []),
    write({ actor, body }, { arxivId }, { at }) {
      const { page, pages = null, offset = 0 } = body
      const known = annotations.setPosition(actor.userId, arxivId, { page, pages, offset }, at)
      return { target: { id: arxivId, label: null }, result: { arxivId, page, pages: known, offset, label: null } }
    },
  })

  return { write_annotation, add_highlight, amend_highlight, remove_highlight, set_reading_position }
}
