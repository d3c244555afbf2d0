/** What a brief says in words of what it otherwise answers as members. */
import type { EvidenceTally } from "../../contract/evidence.ts"

export const words = {
  /** "2 for, 1 against, 1 reproduction; 3 independent". */
  tally({ supports, contradicts, inconclusive, reproductions, independent }: EvidenceTally): string {
    const parts = [
      [supports, "for"],
      [contradicts, "against"],
      [inconclusive, "inconclusive"],
      [reproductions, reproductions === 1 ? "reproduction" : "reproductions"],
    ] as const
    const said = parts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`)
    return said.length === 0 ? "nothing bears on it yet" : `${said.join(", ")}; ${independent} independent`
  },
  staleReason: ({ code, label }: { readonly code: string; readonly label?: string | undefined }): string =>
    `${label ?? "something"} ${code === "citation_fallen" ? "has fallen" : code === "published_since" ? "came after it" : "is not covered by it"}`,
}
