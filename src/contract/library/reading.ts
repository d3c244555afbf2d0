/** What a person keeps about a paper for themselves: free text, highlights, and how far they have read. */
import * as v from "valibot"
import { count } from "../answers/fields.ts"
import { enumerations } from "../schema/enumerations.ts"
import { oneOf, plain, text, uuid, whole } from "../schema/fields.ts"
import { limits } from "../limits.ts"
import { operation } from "../definitions/operation.ts"
import { oneOfPaper, onePaper, paperNamed } from "./reads.ts"

const inBrowser = { family: "library", surface: "browser" } as const
const label = v.null()
const page = v.pipe(whole(1), v.maxValue(limits.lastPage, `must be at most ${limits.lastPage}`))
const colour = oneOf(enumerations.highlightColour)
const comment = text(limits.explanation)
const guard = { expectedRevision: whole() }
const annotated = { ...paperNamed, revision: count, label }
const expected = ["expectedRevision"]
const refusals = ["state_conflict"] as const

export const readingOperations = [
  operation({
    name: "write_annotation",
    ...inBrowser,
    path: "/api/library/annotations",
    summary: "Writes the person's own free text on a paper that they saved or share; an empty text removes it.",
    target: "annotation",
    expected,
    refusals: [...refusals, "unknown_paper"],
    atLeastOneOf: oneOfPaper,
    fields: { ...onePaper, ...guard, notes: plain(limits.message, 0) },
    result: annotated,
    example: { arxivId: "1706.03762", expectedRevision: 0, notes: "Compare the schedule in *5.3* with ours." },
  }),
  operation({
    name: "add_highlight",
    ...inBrowser,
    path: "/api/library/highlights",
    summary:
      "Highlights a passage of a paper: the quote with its page and a colour; " +
      "to find it again, also the text around it and the version of the paper.",
    target: "highlight",
    expected,
    refusals: [...refusals, "unknown_paper", "limit_reached"],
    atLeastOneOf: oneOfPaper,
    fields: {
      ...onePaper,
      ...guard,
      quote: text(limits.statement),
      page,
      colour,
      comment: v.exactOptional(comment),
      version: v.exactOptional(whole(1)),
      prefix: v.exactOptional(plain(limits.locator)),
      suffix: v.exactOptional(plain(limits.locator)),
    },
    result: { ...annotated, highlightId: uuid },
    example: {
      arxivId: "1706.03762",
      expectedRevision: 1,
      quote: "We used warmup_steps = 4000.",
      page: 7,
      colour: "yellow",
      version: 7,
    },
  }),
  operation({
    name: "amend_highlight",
    ...inBrowser,
    method: "PATCH",
    path: "/api/library/highlights/{highlightId}",
    summary: "Changes the colour or the comment of a highlight; null removes the comment.",
    target: "highlight",
    expected,
    refusals,
    atLeastOneOf: ["colour", "comment"],
    fields: { ...guard, colour: v.exactOptional(colour), comment: v.exactOptional(v.nullable(comment)) },
    result: { ...annotated, highlightId: uuid },
    example: { expectedRevision: 2, colour: "green" },
  }),
  operation({
    name: "remove_highlight",
    ...inBrowser,
    method: "DELETE",
    path: "/api/library/highlights/{highlightId}",
    summary: "Removes a highlight.",
    target: "highlight",
    expected,
    refusals,
    fields: guard,
    result: { ...annotated, highlightId: uuid },
    example: { expectedRevision: 3 },
  }),
  operation({
    name: "set_reading_position",
    ...inBrowser,
    path: "/api/library/reading_position",
    summary:
      "Stores how far the person has read: the page, and the position on it in thousandths of its height. " +
      "pages is the number of pages of the paper, and stays until a write changes it.",
    receiptOf: "nobody",
    target: "reading_position",
    refusals: ["unknown_paper"],
    atLeastOneOf: oneOfPaper,
    fields: {
      ...onePaper,
      page,
      pages: v.exactOptional(page),
      offset: v.exactOptional(v.pipe(whole(), v.maxValue(1_000, "must be at most 1000"))),
    },
    result: { ...paperNamed, page: count, pages: v.nullable(count), offset: count, label },
    example: { arxivId: "1706.03762", page: 7, pages: 15, offset: 420 },
  }),
] as const
