/** A person's own tags: words to find saved papers by. Only that person sees them. */
import * as v from "valibot"
import { distinct, tag } from "../schema/fields.ts"
import { limits } from "../limits.ts"
import { operation } from "../definitions/operation.ts"
import { ids, oneOfPapers, somePapers } from "./papers.ts"

const inBrowser = { family: "library", surface: "browser" } as const
const fields = { ...somePapers, tags: distinct(tag, limits.paperTags, 1) }
const label = v.null()
const example = { arxivIds: ["1706.03762"], tags: ["warm-up", "to read"] }

export const taggingOperations = [
  operation({
    name: "tag_papers",
    ...inBrowser,
    path: "/api/library/tag_papers",
    summary: "Gives papers your own tags, and saves those that are not saved yet. Tags are in lower case, and only you see them.",
    target: "library",
    refusals: ["limit_reached"],
    atLeastOneOf: oneOfPapers,
    fields,
    result: { tags: ids, tagged: ids, alreadyTagged: ids, saved: ids, alreadySaved: ids, label },
    example,
  }),
  operation({
    name: "untag_papers",
    ...inBrowser,
    path: "/api/library/untag_papers",
    summary: "Removes tags from papers, which stay saved.",
    target: "library",
    atLeastOneOf: oneOfPapers,
    fields,
    result: { tags: ids, untagged: ids, notTagged: ids, label },
    example,
  }),
] as const
