/** The reference's section on the Library, which has its own keys, schema version and refusals. */
import { libraryPermissionMeanings } from "../contract/schema/enumerations.ts"
import * as answers from "../contract/library/answers.ts"
import { limits } from "../contract/limits.ts"
import { refusalCodes } from "../contract/refusals/codes.ts"
import { type RefusalCode, refusals } from "../contract/refusals/refusal.ts"
import { reads } from "../contract/reads/index.ts"
import { schemaVersions } from "../contract/versions.ts"
import { agentOperationsOf } from "./manifest.ts"
import { all, blocks, bullets, code, get, inCode, op, table } from "./markdown.ts"
import { inDigits } from "../contract/text.ts"
import { operationRefusals, readRefusals } from "./possible-refusals.ts"

/** Refusals with their meaning and remedy. */
export const refusalTable = (codes: readonly RefusalCode[]): string =>
  table(
    ["Refusal", "Status", "Retry", "Meaning", "Remedy"],
    codes.map((name) => {
      const { status, retryable, meaning, remedy } = refusals[name]
      return [inCode(name), status.join(", "), retryable ? "yes" : "no", meaning, remedy]
    }),
  )

function libraryRefusals(): RefusalCode[] {
  const possible = new Set([
    ...agentOperationsOf("library").flatMap((operation) => operationRefusals(operation, "agent")),
    ...reads.filter(({ surface }) => surface === "key").flatMap((read) => readRefusals(read)),
  ])
  return refusalCodes.filter((name) => possible.has(name) || refusals[name].family === "library")
}

const permissionTable = (): string => {
  const needing = (permission: string): string => {
    const named = reads
      .filter(({ surface, permissions }) => surface === "key" && permissions.some((needed) => needed === permission))
      .map(({ path }) => inCode(`GET ${path}`))
    return [
      ...agentOperationsOf("library")
        .filter(({ permissions }) => permissions.some((needed) => needed === permission))
        .map(({ name }) => inCode(name)),
      ...named,
    ].join(", ")
  }
  return table(
    ["Permission", "Meaning", "Operations and reads"],
    Object.entries(libraryPermissionMeanings).map(([permission, meaning]) => [
      inCode(permission),
      meaning,
      needing(permission),
    ]),
  )
}

export const librarySection = (): string =>
  blocks(
    "## A person's Library",
    `With a personal key (${inCode("rrk_…")}, issued by its person in the browser) an agent reads and files papers ` +
      `for that person alone. The same rules apply: bearer key, no ${inCode("Origin")} header, ` +
      `a fresh ${inCode("requestId")} for each write, the same retries and rehearsals. ${inCode("schemaVersion")} is ` +
      `${inCode(String(schemaVersions.library))} here. Never send the key to another address, and never write what ` +
      "you find in a Library into a Room unless its person tells you to.",
    bullets([
      `Start with ${get("library_identity")}: the key's permissions, reach and expiry. Schemas and example bodies: ` +
        `${get("library_schema", "?bundle=1")}.`,
      `A reach is ${inCode("all")} (the Library and every Collection), ${inCode("owned")} (the Library and the ` +
        `person's own Collections) or ${inCode("selected")} (chosen Collections, not the Library itself). ` +
        "What is out of reach is answered as if it did not exist.",
      `Lists answer ${all(Object.keys(answers.libraryPage(answers.collectionSummary).entries))}: ` +
        `while ${inCode("hasMore")} is true, send ${inCode("nextOffset")} as ${inCode("offset")}. ` +
        `A page holds ${limits.pageItems}.`,
      `${get("library_papers")} takes ${all(["query", "tag", "sort"])}, and answers all matches as one file with ` +
        `${inCode("format")} ${all(["bibtex", "ris", "csl"])}. ${inCode("tags")} are the person's own words; ` +
        `${get("library_tags")} lists them.`,
      `A paper has a ${inCode("paperId")}: its arXiv id, else its DOI, else ${inCode("isbn:…")}, ` +
        `else ${inCode("ref:…")} if it has no identifier; ${inCode("arxivId")} is accepted too. ` +
        `${op("save_papers")} and ${op("add_papers")} take ${inCode("identifiers")}: DOIs, ISBNs, addresses, ` +
        `references, BibTeX, anything that names papers. The receipt lists as ${inCode("unreadable")} what names ` +
        `none. ${inCode("metadata")} says whether the paper's data is ${inCode("known")}, ` +
        `and its ${inCode("source")}. Saving or adding a paper again is accepted, and the receipt says so.`,
      `A batch of up to ${limits.arxivIds} is written whole or not at all. ` +
        `There may be ${inDigits(limits.savedPapers)} saved papers, ${inDigits(limits.collectionPapers)} papers in a ` +
        `Collection and ${inDigits(limits.ownedCollections)} Collections of one's own; ` +
        `past that ${code("limit_reached")} names the limit in ${inCode("current.limit")}.`,
      `${op("post_note")} posts in the person's name, marked as yours; everybody who shares the Collection reads it. ` +
        "Only the person deletes, shares and marks as read.",
      "A receipt belongs to the person: the same delivery with another of their keys gets the same receipt.",
    ]),
    permissionTable(),
    refusalTable(libraryRefusals()),
  )
