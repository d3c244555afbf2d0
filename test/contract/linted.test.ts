/** Linters of OpenAPI documents find no faults, and a description everywhere one is expected. */
import { createConfig, lintFromString } from "@redocly/openapi-core"
import core, { type RulesetDefinition } from "@stoplight/spectral-core"
import rulesets from "@stoplight/spectral-rulesets"
import t from "tap"
import { openApi } from "../../src/discovery/openapi.ts"

const document = openApi({ baseUrl: "https://rooms.example.org/lab", softwareVersion: "1.2.3" })

t.test("Redocly finds no fault in the OpenAPI document", async (t) => {
  const rules = {
    // The address is an example.
    "no-server-example.com": "off",
    // It does not see the properties beside a condition on them.
    "no-required-schema-properties-undefined": "off",
    // Some members are anything, or null.
    "no-illogical-composition-keywords": "off",
  } as const
  const config = await createConfig({ extends: ["recommended-strict"], rules })
  const told = await lintFromString({ source: JSON.stringify(document), config })
  t.strictSame(
    told.map(({ severity, ruleId, message, location }) => `${severity} ${ruleId}: ${message} ${location[0]?.pointer}`),
    [],
  )
})

t.test("Spectral finds no fault either", async (t) => {
  const spectral = new core.Spectral()
  // The two packages name the types of a rule set differently.
  spectral.setRuleset({ extends: [[rulesets.oas as RulesetDefinition, "recommended"]] })
  const told = await spectral.run({ ...document })
  t.strictSame(
    told.map(({ severity, code, message, path }) => `${severity} ${code}: ${message} ${path.join("/")}`),
    [],
  )
})

t.test("Every operation has a description, and the document has a licence and a contact", (t) => {
  const { info, paths } = document as {
    info: { license?: object; contact?: object }
    paths: Record<string, Record<string, { description?: string }>>
  }
  const without = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { description = "" }]) =>
      description.length > 10 ? [] : [`${method} ${path}`],
    ),
  )
  t.strictSame(without, [])
  t.match(info, { license: { name: String }, contact: { name: String, url: String } })
  t.end()
})
