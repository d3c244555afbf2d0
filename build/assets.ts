/** Builds dist/assets: the style sheets, scripts, icon and fonts of the pages. */
import { dirname } from "node:path"
import { build } from "tsup"
import { pages } from "../tsup.config.ts"

process.chdir(dirname(import.meta.dirname))
await build({ ...pages, config: false })
