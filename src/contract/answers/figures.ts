/** The pictures that something shows, as a read answers them. */
import * as v from "valibot"
import { said } from "./fields.ts"
import { shape } from "../schema/fields.ts"

/** Left out where there is none. A picture's path is `/api/research/figures/{digest}`; with its words withheld, it is gone. */
export const shownFigures = v.exactOptional(v.array(shape({ digest: v.string(), alt: said })))
