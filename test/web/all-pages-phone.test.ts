/** Every page of the app on a phone and in the dark theme. */
import { everyPageIsWhole } from "./all-pages.ts"

await everyPageIsWhole("on a phone and dark", { viewport: { width: 390, height: 844 }, colorScheme: "dark" })
