/** The choice of light or dark, in a cookie, so that a page is right from its first byte. */
import { readFormBody } from "../../edge/limits/body.ts"
import { mustComeFromOwnPage } from "../../edge/identity/callers.ts"
import { cookieOf } from "../../edge/identity/sign-in.ts"
import { type Html, html, to } from "../html.ts"
import { ownPath, redirected } from "../redirect.ts"
import type { FormHandler, Visit } from "../visit.ts"

const themes = ["light", "dark"] as const
type Theme = (typeof themes)[number]

const COOKIE = "research_room_theme"
/** A year, in seconds. */
const KEPT = 365 * 24 * 3_600

const known = (text: string | null | undefined): Theme | null => themes.find((theme) => theme === text) ?? null

const CHOSEN = new RegExp(`(?:^|; *)${COOKIE}=([a-z]+)`)

/** The visitor's choice. Null to follow their system. */
export const themeOf = ({ event }: Visit): Theme | null =>
  known(CHOSEN.exec(event.req.headers.get("cookie") ?? "")?.[1])

/** The switch in the footer of every page. */
export function themeSwitch(visit: Visit): Html {
  const { pathname, search } = visit.url
  const chosen = themeOf(visit) ?? ""
  const choice = (value: Theme | "", text: string) =>
    html`<button class="plain" name="theme" value="${value}" aria-pressed="${value === chosen ? "true" : "false"}">\
${text}</button>`
  return html`<form class="inline theme" method="post" action="${to("/web/theme")}" aria-label="Light or dark">\
<input type="hidden" name="next" value="${pathname.startsWith("/web/") ? "/" : `${pathname}${search}`}">\
${choice("light", "Light")} ${choice("dark", "Dark")} ${choice("", "As my system")}</form>`
}

/** `POST /web/theme`: stores the choice in this browser. */
export const themeSent: FormHandler = async (visit) => {
  mustComeFromOwnPage(visit.edge, visit.event)
  const form = await readFormBody(visit.event)
  const theme = known(form.get("theme"))
  return redirected(
    visit,
    ownPath(form.get("next")),
    cookieOf(visit.edge, COOKIE, theme ?? "", theme === null ? 0 : KEPT),
  )
}
