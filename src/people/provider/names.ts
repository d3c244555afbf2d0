/** The username proposed to a new user. They may choose another one, since they cannot change it later. */
import { limits } from "../../contract/limits.ts"
import { withoutTrailing } from "../../contract/text.ts"

/** Turns a name from the provider into a valid username; "" if too little of it is left. */
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
