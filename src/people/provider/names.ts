/** The name that is proposed to somebody new: they may choose another, since what was said stands under it for good. */
import { limits } from "../../contract/limits.ts"
import { withoutTrailing } from "../../contract/text.ts"

/** What somebody is called elsewhere, as a name may be here; empty where nothing is left of it. */
export function proposedName(called: string | null): string {
  const plain = (called ?? "")
    .split("@", 1)[0]
    ?.normalize("NFKD")
    .replace(/\p{Mark}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .slice(0, limits.usernameMax)
    .replace(/^[._-]+/, "")
  const name = withoutTrailing(plain ?? "", "._-")
  return name.length >= limits.usernameMin ? name : ""
}
