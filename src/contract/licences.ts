/** Licences, by their ids in the SPDX list. */
import current from "spdx-license-ids/index.json" with { type: "json" }
import deprecated from "spdx-license-ids/deprecated.json" with { type: "json" }
import * as v from "valibot"

/** What research is mostly published under: offered first. */
const usual = ["CC-BY-4.0", "CC0-1.0", "CC-BY-SA-4.0", "CC-BY-NC-4.0", "ODbL-1.0", "PDDL-1.0", "MIT", "Apache-2.0"]

/** Ids that the list has given up stay good: a Room of another instance, or of earlier days, may have one. */
export const licences: readonly string[] = [...new Set([...usual, ...current, ...deprecated])]

/** The id of a licence, spelled as the list spells it. */
export const license = v.picklist(licences, "must be the id of a licence in the SPDX list, such as CC-BY-4.0")

/** Where the list tells of a licence. */
export const licenceUrl = (id: string): string => `https://spdx.org/licenses/${id}.html`
/** What linked data calls a licence. */
export const licenceIri = (id: string): string => `https://spdx.org/licenses/${id}`
