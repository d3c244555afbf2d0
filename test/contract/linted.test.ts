/** What linters of OpenAPI documents say: nothing that is wrong, and a description wherever somebody looks for one. */
import { createConfig, lintFromString } from "@redocly/openapi-core"
import core, { type RulesetDefinition } from "@stoplight/spectral-core"
import rulesets from "@stoplight/spectral-rulesets"
import t from "tap"
import { openApi } from "../../src/discovery/openapi.ts"

const document = openApi({ baseUrl: "https://rooms.example.org/lab", softwareVersion: "1.2.3" })

t.test("Redocly has nothing to say against the OpenAPI document", async (t) => {
  const rules = {
    // The address is an example.
    "no-server-example.com": "off",
    // It does not see the properties that stand beside a condition on them.
    "no-required-schema-properties-undefined": "off",
    // Anything, or null, is what some members are.
    "no-illogical-composition-keywords": "off",
  } as const
  const config = await createConfig({ extends: ["recommended-strict"], rules })
  const told = await lintFromString({ source: JSON.stringify(document), config })
  t.strictSame(
    told.map(({ severity, ruleId, message, location }) => `${severity} ${ruleId}: ${message} ${location[0]?.pointer}`),
    [],
  )
})

t.test("Spectral has nothing to say against it either", async (t) => {
  const spectral = new core.Spectral()
  // The two packages do not name the types of a rule set alike.
  spectral.setRuleset({ extends: [[rulesets.oas as RulesetDefinition, "recommended"]] })
  const told = await spectral.run({ ...document })
  t.strictSame(
    told.map(({ severity, code, message, path }) => `${severity} ${code}: ${message} ${path.join("/")}`),
    [],
  )
})

t.test("Every operation has a description, and the document a licence and somebody to turn to", (t) => {
  const { info, paths } = document as {
    info: { license?: object; contact?: object }
    paths: Record<string, Record<string, { description?: string }>>
  }
  const without = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { description = "" }]) => (description.length > 10 ? [] : [`${method} ${path}`])),
  )
  t.strictSame(without, [])
  t.match(info, { license: { name: String }, contact: { name: String, url: String } })
  t.end()
})
