/** Light or dark, where somebody wants another than their system's: a cookie, so that a page has it from its first byte. */
import { readFormBody } from "../../edge/limits/body.ts"
import { mustComeFromOwnPage } from "../../edge/identity/callers.ts"
import { cookieOf } from "../../edge/identity/cookies.ts"
import { type Html, html, to } from "../html.ts"
import { ownPath, redirected } from "../redirect.ts"
import type { Sent, Visit } from "../visit.ts"

const themes = ["light", "dark"] as const
type Theme = (typeof themes)[number]

const COOKIE = "research_room_theme"
/** A year, in seconds. */
const KEPT = 365 * 24 * 3_600

const known = (given: string | null | undefined): Theme | null => themes.find((theme) => theme === given) ?? null

const CHOSEN = new RegExp(`(?:^|; *)${COOKIE}=([a-z]+)`)

/** What the visitor chose. */
export const themeOf = ({ event }: Visit): Theme | null => known(CHOSEN.exec(event.req.headers.get("cookie") ?? "")?.[1])

/** The switch in the foot of every page. */
export function themeSwitch(visit: Visit): Html {
  const { pathname, search } = visit.url
  const chosen = themeOf(visit) ?? ""
  const choice = (value: Theme | "", text: string) =>
    html`<button class="plain" name="theme" value="${value}" aria-pressed="${value === chosen ? "true" : "false"}">${text}</button>`
  return html`<form class="inline theme" method="post" action="${to("/web/theme")}" aria-label="Light or dark"><input type="hidden" name="next" value="${pathname.startsWith("/web/") ? "/" : `${pathname}${search}`}">${choice("light", "Light")} ${choice("dark", "Dark")} ${choice("", "As my system")}</form>`
}

/** `POST /web/theme`: keeps the choice in this browser. */
export const themeSent: Sent = async (visit) => {
  mustComeFromOwnPage(visit.edge, visit.event)
  const given = await readFormBody(visit.event)
  const theme = known(given.get("theme"))
  return redirected(visit, ownPath(given.get("next")), cookieOf(visit.edge, COOKIE, theme ?? "", theme === null ? 0 : KEPT))
}
