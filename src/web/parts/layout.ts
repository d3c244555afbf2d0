/** The frame of every page: head, header, rail, main part, footer; its styles, script and fonts; light or dark. */
import { operationNamed } from "../../contract/operations/index.ts"
import { feedElements, headOf } from "../about.ts"
import { attributes, type Html, html, to } from "../html.ts"
import { signInPath, ownPath, redirected, type Shown, type Visit, type FormHandler } from "../visit.ts"
import { waitingCount, waitingMark } from "./waiting.ts"
import { doneSentence } from "../../contract/operations/receipts.ts"
import { readFormBody } from "../../edge/limits/body.ts"
import { mustComeFromOwnPage } from "../../edge/identity/callers.ts"
import { cookieOf } from "../../edge/identity/sign-in.ts"
import { packagedBytes } from "../../packaged.ts"
import { Refusal } from "../../contract/refusals.ts"
import { type Answer, asset } from "../../edge/answers/answer.ts"

// The style sheet, script and fonts. build/assets.ts writes them under names that contain their digests.

/** The manifest that build/assets.ts writes. */
interface Manifest {
  readonly style: string
  readonly script: string
  readonly icon: string
  /** Fonts that pages preload. */
  readonly fonts: readonly string[]
  /** Media types by file name. */
  readonly files: Readonly<Record<string, string>>
}

export interface Assets {
  /** The elements in the head of every page that load the assets. */
  readonly head: Html
  /** Answers a file by its hashed name. @throws Refusal 404 */
  answer(name: string): Answer
}

const unknownFile = () => new Refusal("unknown_operation", "There is no such file.")

/** Opens the built assets. Without a build, pages are served without style and script. */
export function openAssets(): Assets {
  const text = packagedBytes("dist/assets/manifest.json")
  if (text === undefined) {
    return {
      head: html``,
      answer: () => {
        throw unknownFile()
      },
    }
  }
  const { style, script, icon, fonts, files }: Manifest = JSON.parse(Buffer.from(text).toString("utf8"))
  const cache = new Map<string, Uint8Array<ArrayBuffer>>()
  return {
    head: html`${fonts.map(
      (font) => html`<link rel="preload" href="${to(`/assets/${font}`)}" as="font" crossorigin>
`,
    )}<link rel="stylesheet" href="${to(`/assets/${style}`)}">
<link rel="icon" href="${to(`/assets/${icon}`)}">
<script type="module" src="${to(`/assets/${script}`)}"></script>
`,
    answer(name) {
      const type = Object.hasOwn(files, name) ? files[name] : undefined
      const body = type === undefined ? undefined : (cache.get(name) ?? packagedBytes(`dist/assets/${name}`))
      if (type === undefined || body === undefined) throw unknownFile()
      cache.set(name, body)
      // The name changes with the contents, so it serves as the tag.
      return asset(body, type, `W/"${name}"`)
    },
  }
}

// The choice of light or dark, in a cookie, so that a page is right from its first byte.

const themes = ["light", "dark"] as const
type Theme = (typeof themes)[number]

const COOKIE = "research_room_theme"
/** A year, in seconds. */
const KEPT = 365 * 24 * 3_600

const known = (text: string | null | undefined): Theme | null => themes.find((theme) => theme === text) ?? null

const CHOSEN = new RegExp(`(?:^|; *)${COOKIE}=([a-z]+)`)

/** The visitor's choice. Null to follow their system. */
const themeOf = ({ event }: Visit): Theme | null => known(CHOSEN.exec(event.req.headers.get("cookie") ?? "")?.[1])

/** The switch in the footer of every page. */
function themeSwitch(visit: Visit): Html {
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

function header(visit: Visit): Html {
  const { person, url } = visit
  const here = (path: string) => attributes({ "aria-current": url.pathname === path ? "page" : null })
  return html`<header class="top${person === undefined ? null : " own"}"><div class="inner">
<a class="brand" href="${to("/")}" aria-label="Research Room">\
<i class="logo"></i><span class="name">Research Room</span></a>
<nav aria-label="Service"><a href="${to("/")}"${here("/")}>Rooms</a> \
<a href="${to("/concepts")}"${here("/concepts")}>Concepts</a>\
${person === undefined ? null : html` <a href="${to("/library")}"${here("/library")}>Library</a>`}\
${person?.isOperator === true ? html` <a href="${to("/admin")}"${here("/admin")}>Admin</a>` : null}</nav>
<form class="search" role="search" action="${to("/search")}"><i class="glass"></i>\
<input id="search" name="query" type="search" \
aria-label="Search the record" placeholder="Search" maxlength="200"${attributes({
    value: url.pathname === "/search" ? url.searchParams.get("query") : null,
  })}></form>
<div class="who">${
    person === undefined
      ? html`<a class="button quiet" href="${to(signInPath(visit))}">Sign in</a>`
      : html`${waitingMark(visit)}<a href="${to("/account")}"${here("/account")}>${person.username}</a>\
<form method="post" action="${to("/web/sign-out")}"><button class="quiet">Sign out</button>
  </form>`
  }</div>
</div></header>`
}

/** Renders the whole document. */
export function layout(
  visit: Visit,
  assets: Assets,
  { title, body, rail, follow: followed, json, wide, about, feeds = [], isUnlisted = false }: Shown,
  unread: ReadonlyMap<string, number> = new Map(),
): Html {
  const { edge } = visit
  // The answer to a form cannot be fetched again with GET, so the script does not keep it up to date.
  const follow = visit.event.req.method === "POST" ? undefined : followed
  const done = operationNamed(visit.url.searchParams.get("done") ?? "")
  return html`<!doctype html>
<html lang="en"${attributes({ "data-theme": themeOf(visit) })}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${isUnlisted ? html`<meta name="robots" content="noindex">` : null}<title>${waitingCount(visit)}\
${title} · Research Room</title>
${assets.head}${json === undefined ? null : html`<link rel="alternate" type="application/json" href="${to(json)}">`}
${about === undefined ? feedElements(feeds, edge.baseUrl) : headOf(about, edge.baseUrl)}</head>
<body${attributes({ class: wide === true ? "wide" : null })}>
<a class="skip" href="#main">Skip to the content</a>
${header(visit)}
<div class="page${rail === undefined ? "" : " railed"}">
${rail?.markup(unread)}
<main id="main" tabindex="-1"${attributes({
    "data-room": follow?.roomId,
    "data-after": follow?.after,
    "data-base": to(""),
    "data-done": done?.name,
  })}>
${
  done === undefined || done.name === "post_message"
    ? null
    : html`<div class="done" role="status">${doneSentence(done.name)}</div>`
}
${body}
<p class="on-paper">${edge.baseUrl}${visit.url.pathname}${isUnlisted ? visit.url.search : null}</p>
</main>
</div>
<footer class="foot"><div class="inner"><p>Research Room ${edge.softwareVersion}. It keeps the record. It does \
not run or check what people claim.</p>
  <p><a href="${to("/help")}">What you see here</a> <a href="${to("/llms.txt")}">For agents</a> \
<a href="${to("/reference")}">API</a>\
${json === undefined ? null : html` <a href="${to(json)}">This page as JSON</a>`}</p>
  ${themeSwitch(visit)}</div></footer>
</body>
</html>
`
}
