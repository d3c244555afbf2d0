/**
 * What a person, or an agent with their personal key, files in the Library; the browser has the same operations under
 * /api/library, and unsaves and tags papers.
 */
import * as v from "valibot"
import { arxivId, distinct, distinctBy, list, shape, tag, text, uuid } from "../schema/fields.ts"
import { limits } from "../limits.ts"
import { operation } from "../definitions/operation.ts"
import { ref, subject } from "../schema/ref.ts"
import {
  ids,
  newPapers,
  oneOfNew,
  oneOfPaper,
  oneOfPapers,
  onePaper,
  paperNamed,
  somePapers,
  reading,
} from "./reads.ts"

const byFiler = { family: "library", permissions: ["file_papers"] } as const
/** Titles that the sender gives, each for one of the sent papers. */
const titles = distinctBy(list(shape({ arxivId, title: text(limits.explanation) }), limits.arxivIds), "arxivId")
const name = text(limits.collectionName)
const label = v.null()
const inBrowser = { family: "library", surface: "browser", target: "library", atLeastOneOf: oneOfPapers } as const
/** A person's own tags are words to find saved papers by. Only that person sees them. */
const tagged = { ...somePapers, tags: distinct(tag, limits.paperTags, 1) }
const tagging = { arxivIds: ["1706.03762"], tags: ["warm-up", "to read"] }

export const filingOperations = [
  operation({
    name: "save_papers",
    ...byFiler,
    summary:
      "Saves papers to the Library. A paper that is already saved stays unchanged, and is listed in the receipt as " +
      "alreadySaved. A text that names no paper is listed as unreadable. A title given with a paper is shown until " +
      "one is known from a source.",
    target: "library",
    refusals: ["limit_reached"],
    atLeastOneOf: oneOfNew,
    fields: { ...newPapers, titles: v.exactOptional(titles) },
    result: { saved: ids, alreadySaved: ids, ...reading, label },
    example: {
      arxivIds: ["1706.03762", "hep-th/9711200"],
      identifiers: ["10.1002/j.1538-7305.1948.tb01338.x", "ISBN 978-0-262-03384-8"],
    },
  }),
  operation({
    name: "create_collection",
    ...byFiler,
    summary:
      "Creates an empty Collection owned by the person. A Collection created with a key of selected reach joins " +
      "that reach.",
    target: "collection",
    refusals: ["limit_reached"],
    fields: { name },
    result: { collectionId: uuid, name, label },
    example: { name: "Warm-up and early loss" },
  }),
  operation({
    name: "add_papers",
    ...byFiler,
    summary:
      "Adds papers to a Collection. If the key reaches the Library they are saved there too; " +
      "if not, saved and alreadySaved in the receipt are null. A text that names no paper is listed as unreadable. " +
      "A title given with a paper is shown until one is known from a source.",
    target: "collection",
    refusals: ["limit_reached"],
    atLeastOneOf: oneOfNew,
    fields: { collectionId: subject("collection"), ...newPapers, titles: v.exactOptional(titles) },
    result: {
      collectionId: uuid,
      added: ids,
      alreadyThere: ids,
      saved: v.nullable(ids),
      alreadySaved: v.nullable(ids),
      ...reading,
      label,
    },
    example: { collectionId: "0198f3a0-0000-7000-8000-000000000021", arxivIds: ["1706.03762"] },
  }),
  operation({
    name: "remove_paper",
    ...byFiler,
    summary: "Removes a paper from a Collection, unless its thread there holds a note. The paper stays saved.",
    target: "collection",
    refusals: ["unknown_paper", "thread_has_notes"],
    atLeastOneOf: oneOfPaper,
    fields: { collectionId: subject("collection"), ...onePaper },
    result: { collectionId: uuid, ...paperNamed, label },
    example: { collectionId: "0198f3a0-0000-7000-8000-000000000021", arxivId: "1706.03762" },
  }),
  operation({
    name: "rename_collection",
    ...byFiler,
    summary: "Renames a Collection that the person owns.",
    by: "owner",
    target: "collection",
    fields: { collectionId: subject("collection"), name },
    result: { collectionId: uuid, name, label },
    example: { collectionId: "0198f3a0-0000-7000-8000-000000000021", name: "Warm-up, clipping and early loss" },
  }),
  operation({
    name: "post_note",
    family: "library",
    summary:
      "Posts a note on a paper of a Collection, under the person's name. With a key, the note is marked via, " +
      "and nobody's read mark moves.",
    permissions: ["post_notes"],
    target: "note",
    refusals: ["unknown_paper", "limit_reached"],
    atLeastOneOf: oneOfPaper,
    fields: {
      collectionId: subject("collection"),
      ...onePaper,
      text: text(limits.note),
      replyToNoteId: v.exactOptional(ref("note")),
    },
    result: { noteId: uuid, collectionId: uuid, ...paperNamed, replyToNoteId: v.nullable(uuid), label },
    example: {
      collectionId: "0198f3a0-0000-7000-8000-000000000021",
      arxivId: "1706.03762",
      text: "Section 5.3 gives the warm-up they used: $n_w = 4000$ steps.",
    },
  }),
  operation({
    name: "unsave_papers",
    ...inBrowser,
    path: "/api/library/unsave_papers",
    summary:
      "Removes papers from the Library's list of saved papers, with their tags. " +
      "Collections keep them, and annotations stay.",
    fields: somePapers,
    result: { unsaved: ids, notSaved: ids, label },
    example: { arxivIds: ["1706.03762"] },
  }),
  operation({
    name: "tag_papers",
    ...inBrowser,
    path: "/api/library/tag_papers",
    summary:
      "Gives papers your own tags, and saves those that are not saved yet. " +
      "Tags are in lower case, and only you see them.",
    refusals: ["limit_reached"],
    fields: tagged,
    result: { tags: ids, tagged: ids, alreadyTagged: ids, saved: ids, alreadySaved: ids, label },
    example: tagging,
  }),
  operation({
    name: "untag_papers",
    ...inBrowser,
    path: "/api/library/untag_papers",
    summary: "Removes tags from papers, which stay saved.",
    fields: tagged,
    result: { tags: ids, untagged: ids, notTagged: ids, label },
    example: tagging,
  }),
] as const
