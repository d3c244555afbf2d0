/** The pictures of an object, as reads answer them. */
import * as v from "valibot"
import { freeText } from "./fields.ts"
import { shape } from "../schema/fields.ts"

/** Absent if there are none. The path of a picture is `/api/research/figures/{digest}`; if its alt is withheld, the picture is removed too. */
export const shownFigures = v.exactOptional(v.array(shape({ digest: v.string(), alt: freeText })))
