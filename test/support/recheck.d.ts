/** The checker without Java and without programs of its own: plain JavaScript. */
declare module "recheck/lib/browser.js" {
  import type { checkSync } from "recheck"
  const checker: { readonly checkSync: typeof checkSync }
  export default checker
}
