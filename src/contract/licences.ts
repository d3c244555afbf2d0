/** Licences by their SPDX ids. */
import current from "spdx-license-ids/index.json" with { type: "json" }
import deprecated from "spdx-license-ids/deprecated.json" with { type: "json" }
import * as v from "valibot"

/** The licences most used for research, offered first. */
const usual = ["CC-BY-4.0", "CC0-1.0", "CC-BY-SA-4.0", "CC-BY-NC-4.0", "ODbL-1.0", "PDDL-1.0", "MIT", "Apache-2.0"]

/** Deprecated ids stay valid: an old or imported Room may have one. */
export const licences: readonly string[] = [...new Set([...usual, ...current, ...deprecated])]

/** The id of a licence, spelled as in the SPDX list. */
export const license = v.picklist(licences, "must be the id of a licence in the SPDX list, such as CC-BY-4.0")

/** The SPDX page about a licence. */
export const licenceUrl = (id: string): string => `https://spdx.org/licenses/${id}.html`
/** The IRI of a licence in linked data. */
export const licenceIri = (id: string): string => `https://spdx.org/licenses/${id}`
