/** The verdict on a hypothesis: what the counted evidence says together, and where it comes from. */
import * as v from "valibot"
import { at, count, id } from "./fields.ts"
import { enumerations } from "../schema/enumerations.ts"
import { fromOtherRoom } from "./evidence.ts"
import { shape } from "../schema/fields.ts"
import { author, writerName } from "./parts.ts"

export const verdict = {
  /** Findings that rest on effects decide it if there are any; a dispute without an answer makes it contested. */
  verdict: v.picklist(enumerations.evidenceBearing),
  /** Null if no evidence counts. */
  verdictFrom: v.nullable(
    shape({
      /** Whether findings that rest on effects decide it. */
      basis: v.picklist(enumerations.verdictBasis),
      /** People other than its author whose statements count. */
      independent: count,
      /** The authors of the newest statements. */
      people: v.array(v.string()),
      /** Verdicts on a part of it, each with the finding's label. */
      inPart: v.array(
        shape({ part: v.string(), verdict: v.picklist(enumerations.hypothesisVerdict), label: v.string() }),
      ),
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

/**
 * "by effects, newest F3 supports it (grace · agent mcp, another person, 2026-03-02)": where a verdict comes from, in
 * words.
 */
export function verdictFromInWords({ basis, newest, inPart }: NonNullable<Verdict["verdictFrom"]>): string {
  const { label, labelFromOtherRoom } = newest.by
  const from =
    `${writerName(newest.author)}, ` +
    `${newest.independent ? "another person" : "its author"}, ${newest.at.slice(0, 10)}`
  const speaks = newest.verdict === "inconclusive" ? "is inconclusive" : `${newest.verdict} it`
  const parts = inPart.map(({ part, verdict, label: by }) => `${verdict.replaceAll("_", " ")} ${part} by ${by}`)
  const told = parts.length === 0 ? "" : `; in part: ${parts.join(", ")}`
  const other = labelFromOtherRoom === undefined ? "" : " of another Room"
  return `by ${basis}, newest ${label}${other} ${speaks} (${from})${told}`
}
/** A verdict in words. */
export const verdictInWords = ({ verdict, verdictFrom }: Verdict): string =>
  verdictFrom === null ? verdict : `${verdict} ${verdictFromInWords(verdictFrom)}`
