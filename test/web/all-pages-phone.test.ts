/** Every page of the app on a phone, in both themes. */
import { everyPageIsWhole } from "./all-pages.ts"

await everyPageIsWhole("on a phone", { viewport: { width: 390, height: 844 } })
