/** Every page of the app in a wide window and the light theme. */
import { everyPageIsWhole } from "./all-pages.ts"

await everyPageIsWhole("wide and light", { viewport: { width: 1280, height: 800 }, colorScheme: "light" })
