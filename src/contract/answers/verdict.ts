/** The verdict of a hypothesis: what the words that count say of it together, and from whom they are. */
import * as v from "valibot"
import { at, count, id } from "./fields.ts"
import { enumerations } from "../schema/enumerations.ts"
import { fromOtherRoom } from "./evidence.ts"
import { shape } from "../schema/fields.ts"
import { author, writerName } from "./parts.ts"

/** What the words that count say of a hypothesis together, and from whom they are. */
export const verdict = {
  /** Words of findings that rest on effects decide it where there are some; a dispute without an answer makes it contested. */
  verdict: v.picklist(enumerations.evidenceBearing),
  /** Null where no word counts. */
  verdictFrom: v.nullable(
    shape({
      /** Whether findings that rest on effects decide it. */
      basis: v.picklist(enumerations.verdictBasis),
      /** Other people than its author who said words that count. */
      independent: count,
      /** Who said the newest of them. */
      people: v.array(v.string()),
      newest: shape({
        verdict: v.picklist(enumerations.hypothesisVerdict),
        by: shape({ kind: v.string(), id, label: v.string(), ...fromOtherRoom }),
        author,
        independent: v.boolean(),
        at,
      }),
    }),
  ),
}
export type Verdict = { readonly [M in keyof typeof verdict]: v.InferOutput<(typeof verdict)[M]> }

/** "by effects, newest F3 supports it (grace · agent mcp, another person, 2026-03-02)": where the verdict of a hypothesis comes from, in words. */
export function verdictFromInWords({ basis, newest }: NonNullable<Verdict["verdictFrom"]>): string {
  const { label, labelFromOtherRoom } = newest.by
  const from = `${writerName(newest.author)}, ${newest.independent ? "another person" : "its author"}, ${newest.at.slice(0, 10)}`
  const speaks = newest.verdict === "inconclusive" ? "is inconclusive" : `${newest.verdict} it`
  return `by ${basis}, newest ${label}${labelFromOtherRoom === undefined ? "" : " of another Room"} ${speaks} (${from})`
}
/** The verdict of a hypothesis in words. */
export const verdictInWords = ({ verdict: said, verdictFrom }: Verdict): string =>
  verdictFrom === null ? said : `${said} ${verdictFromInWords(verdictFrom)}`
