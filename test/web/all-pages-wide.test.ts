/** Every page of the app in a wide window, in both themes. */
import { everyPageIsWhole } from "./all-pages.ts"

await everyPageIsWhole("wide", { viewport: { width: 1440, height: 900 } })
