/** Everything the evidence model added to the contract is in every document for clients: each row where it belongs. */
import t from "tap"
import { manifest } from "../../src/discovery/manifest.ts"
import { openApi } from "../../src/discovery/openapi.ts"
import { skill } from "../../src/discovery/skill.ts"
import { enumerations } from "../../src/contract/schema/enumerations.ts"

const place = { baseUrl: "https://rooms.example.org" }
const facts = {
  ...place,
  instanceId: "0198f3a0-0000-7000-8000-00000000000a",
  lineage: [],
  rates: null,
  softwareVersion: "1.2.3",
}
const written = {
  openapi: JSON.stringify(openApi(facts)),
  manifest: JSON.stringify(manifest(facts)),
  skill: `${skill(undefined, place)}${skill("capabilities", place, "all")}`,
}
type Document = keyof typeof written
const everywhere: readonly Document[] = ["openapi", "manifest", "skill"]
/** Members of answers, and words used only in answers, are not rows of the manifest or of the skill. */
const answered: readonly Document[] = ["openapi"]
const told: readonly Document[] = ["openapi", "manifest"]

const rows: readonly (readonly [name: string, documents: readonly Document[]])[] = [
  ["withdraw_link", everywhere],
  ["reproduction", everywhere],
  ["/api/research/records/{versionId}/evidence", everywhere],
  ["/api/research/records/{versionId}/uses", everywhere],
  ...enumerations.reproductionVerdict.map((verdict) => [verdict, everywhere] as const),
  ...["staleReasons", "evidenceTally"].map((member) => [member, answered] as const),
  ...enumerations.staleReason.map((code) => [code, told] as const),
  ...[...enumerations.evidenceSource, ...enumerations.evidenceStanding].map((word) => [word, told] as const),
  ["lineage", told],
  ...["conclusions", "syntheses", "labelFromOtherRoom", "originRoomId"].map((member) => [member, answered] as const),
  ["Warning", answered],
  ...enumerations.warning.map((code) => [code, told] as const),
]

t.test("Every row of the evidence model is in the documents it belongs in", async (t) => {
  for (const [name, documents] of rows)
    t.strictSame(
      documents.filter(
        (document) => !new RegExp(`(?<![\\w/])${name.replace(/[{}]/g, "\\$&")}(?!\\w)`).test(written[document]),
      ),
      [],
      name,
    )
})
