/** Every page of the app with the demo's story, for the tests that check all of them and for the screenshots. */
import type { Page } from "playwright-core"
import type { Demo } from "../../src/demo/demo.ts"
import type { Study } from "../support/study.ts"

export interface Named {
  readonly name: string
  readonly path: string
  /** The account that must be signed in to see it. */
  readonly as?: "owner" | "member" | "visitor"
}

async function json<T>(demo: Demo, path: string): Promise<T> {
  return (await (await fetch(demo.baseUrl + path)).json()) as T
}

interface Context {
  readonly hypotheses: readonly { versionId: string }[]
  readonly publications: readonly { versionId: string; kind: string; status: string }[]
  readonly experiments: readonly { experimentId: string }[]
  readonly findingLinks: readonly { linkId: string }[]
  readonly threads: readonly { threadId: string }[]
  readonly conclusions: readonly { checkpointId: string }[]
  readonly syntheses: readonly { checkpointId: string }[]
}
type Items<T> = { readonly items: readonly T[] }

/** The pages of a Room beside its first one. */
const SECTIONS = [
  ...["threads", "hypotheses", "experiments", "attempts", "findings", "boards", "materials", "links", "graph"],
  ...["activity", "people"],
]

/** The pages of a demo, signed out first. */
export async function pagesOf(demo: Demo): Promise<Named[]> {
  const { roomId, openingThreadId } = demo.rooms.main
  const context = await json<Context>(demo, `/api/research/rooms/${roomId}/research-context`)
  const attempts = (await json<Items<{ attemptId: string }>>(demo, `/api/research/attempts?roomId=${roomId}`)).items
  const materials = (await json<Items<{ materialId: string }>>(demo, `/api/research/rooms/${roomId}/materials`)).items
  const links = (await json<Items<{ linkId: string }>>(demo, `/api/research/rooms/${roomId}/links`)).items
  const experimentId = context.experiments[0]?.experimentId ?? ""
  const experiment = await json<{ acceptedPlans: readonly { planId: string }[] }>(
    demo,
    `/api/research/experiments/${experimentId}`,
  )
  const finding = context.publications.find(({ kind }) => kind === "finding")?.versionId ?? ""
  const fallen = context.publications.find(({ status }) => status !== "current")?.versionId
  const claim = context.publications.find(({ kind }) => kind === "cited_claim")?.versionId
  const room = `/rooms/${roomId}`
  const opening =
    (await json<Items<{ entryId: string }>>(demo, `/api/research/threads/${openingThreadId}/timeline`)).items[0]
      ?.entryId ?? ""
  const listed = await json<Items<{ roomId: string; title: string }>>(demo, "/api/research/rooms")
  const numbers = listed.items.find(({ title }) => title.startsWith("By how much"))?.roomId
  const board = (await json<Items<{ boardId: string }>>(demo, `/api/research/rooms/${numbers}/boards`)).items[0]
    ?.boardId
  const measured = (await json<Items<{ experimentId: string }>>(demo, `/api/research/experiments?roomId=${numbers}`))
    .items[0]?.experimentId
  const { acceptedPlans, hypotheses } = await json<{
    acceptedPlans: readonly { planId: string }[]
    hypotheses: readonly { versionId: string }[]
  }>(demo, `/api/research/experiments/${measured}`)
  const again = (await json<Items<{ attemptId: string }>>(demo, `/api/research/attempts?roomId=${numbers}`)).items.at(
    -1,
  )?.attemptId
  const at = `roomId=${roomId}&threadId=${openingThreadId}`
  return [
    { name: "rooms", path: "/" },
    { name: "help", path: "/help" },
    { name: "room", path: room },
    ...SECTIONS.map((section) => ({ name: `room-${section}`, path: `${room}/${section}` })),
    { name: "room-then", path: `${room}?at=120` },
    { name: "hypothesis-then", path: `/records/${context.hypotheses[0]?.versionId}?at=60` },
    { name: "room-empty", path: `/rooms/${demo.rooms.empty.roomId}` },
    { name: "room-archived", path: `/rooms/${demo.rooms.archived.roomId}` },
    { name: "thread", path: `/threads/${openingThreadId}` },
    { name: "thread-concluded", path: `/threads/${context.threads.at(-1)?.threadId}` },
    { name: "hypothesis", path: `/records/${context.hypotheses[0]?.versionId}` },
    { name: "finding", path: `/records/${finding}` },
    ...(fallen === undefined ? [] : [{ name: "record-fallen", path: `/records/${fallen}` }]),
    ...(claim === undefined ? [] : [{ name: "cited-claim", path: `/records/${claim}` }]),
    { name: "experiment", path: `/experiments/${experimentId}` },
    { name: "plan", path: `/plans/${experiment.acceptedPlans[0]?.planId}` },
    { name: "attempt", path: `/attempts/${attempts[0]?.attemptId}` },
    { name: "compare", path: `/attempts/compare?ids=${attempts.map(({ attemptId }) => attemptId).join(",")}` },
    { name: "room-numbers", path: `/rooms/${numbers}` },
    { name: "table", path: `/rooms/${numbers}/table` },
    { name: "board", path: `/boards/${board}` },
    { name: "plan-sealed", path: `/plans/${acceptedPlans[0]?.planId}` },
    { name: "experiment-measured", path: `/experiments/${measured}` },
    { name: "attempt-measured", path: `/attempts/${again}` },
    { name: "hypothesis-measured", path: `/records/${hypotheses[0]?.versionId}` },
    { name: "material", path: `/materials/${materials[0]?.materialId}` },
    { name: "link", path: `/links/${links[0]?.linkId ?? context.findingLinks[0]?.linkId}` },
    { name: "finding-link", path: `/links/${context.findingLinks[0]?.linkId}` },
    { name: "hypothesis-contested", path: `/records/${context.hypotheses[3]?.versionId}` },
    { name: "hypothesis-failing", path: `/records/${context.hypotheses[6]?.versionId}` },
    { name: "conclusion", path: `/checkpoints/${context.conclusions[0]?.checkpointId}` },
    { name: "synthesis", path: `/checkpoints/${context.syntheses[0]?.checkpointId}` },
    { name: "person", path: `/people/${demo.people.owner.username}` },
    { name: "room-relations", path: `${room}/graph?view=relations` },
    { name: "graph-focused", path: `${room}/graph?focus=${finding}` },
    { name: "concepts", path: "/concepts" },
    { name: "paper", path: "/papers/2504.13837" },
    { name: "search", path: "/search?query=coverage" },
    { name: "reference", path: "/reference" },
    { name: "reference-operation", path: "/reference/publish_finding" },
    { name: "missing", path: "/records/0198f3a0-0000-7000-8000-000000000001" },
    { name: "sign-in", path: "/sign-in" },
    { name: "signed-in-rooms", path: "/", as: "owner" },
    { name: "signed-in-room", path: room, as: "owner" },
    { name: "signed-in-thread", path: `/threads/${openingThreadId}`, as: "owner" },
    { name: "signed-in-experiment", path: `/experiments/${experimentId}`, as: "owner" },
    { name: "signed-in-people", path: `${room}/people`, as: "owner" },
    { name: "connect", path: `${room}/connect`, as: "owner" },
    { name: "webhooks", path: `${room}/webhooks`, as: "owner" },
    { name: "account", path: "/account", as: "owner" },
    { name: "library", path: "/library", as: "owner" },
    { name: "library-found", path: "/library?query=warm-up&tag=schedules&sort=title", as: "owner" },
    { name: "library-nothing", path: "/library?query=nowhere", as: "owner" },
    { name: "collection", path: `/library/collections/${demo.keys.selected.collectionIds?.[0]}`, as: "owner" },
    { name: "library-paper", path: "/library/papers/1706.03762", as: "owner" },
    { name: "library-paper-cited", path: "/library/papers/2504.13837", as: "owner" },
    { name: "declare-board", path: `/do/declare_board?${at}`, as: "owner" },
    { name: "create-room", path: "/do/create_room", as: "owner" },
    { name: "write-hypothesis", path: `/do/publish_hypothesis?${at}`, as: "owner" },
    { name: "write-finding", path: `/do/publish_finding?${at}`, as: "owner" },
    { name: "write-experiment", path: `/do/propose_experiment?${at}`, as: "owner" },
    {
      name: "register-attempt",
      path: `/do/register_attempt?experimentId=${experimentId}&intent=reproduction`,
      as: "owner",
    },
    ...[
      "",
      "/people",
      "/rooms",
      `/rooms/${demo.rooms.empty.roomId}`,
      "/credentials",
      "/keys",
      "/invitations",
      "/audit",
    ].map(
      (at) => ({ name: `admin${at.replaceAll("/", "-").slice(0, 12)}`, path: `/admin${at}`, as: "owner" }) as const,
    ),
    { name: "withhold", path: `/do/withhold_content?roomId=${roomId}&/of/entryId=${opening}`, as: "owner" },
    { name: "issue-credential", path: `/do/issue_credential?roomId=${roomId}`, as: "owner" },
  ]
}

/** The pages of the Room that three agents filled: its lists, and each kind of object at least once. */
export async function pagesOfStudy({ own, roomId, threadId, reader, ids, checkpointId }: Study): Promise<Named[]> {
  const room = `/rooms/${roomId}`
  const attempts = (await reader.read("attempts", { roomId, limit: 50 })).items
  const links = await fetch(`${own.baseUrl}/api/research/rooms/${roomId}/links`)
  const { items: linked } = (await links.json()) as Items<{ label: string; linkId: string }>
  const compared = (await reader.read("attempts", { experimentId: ids.get("E1") ?? "", limit: 16 })).items
  const paths = { H: "records", F: "records", E: "experiments" } as Readonly<Record<string, string>>
  const made = [...ids].flatMap(([label, id]) => {
    const path = paths[label.slice(0, 1)]
    return path === undefined ? [] : [{ name: label, path: `/${path}/${id}` }]
  })
  return [
    { name: "study", path: room },
    ...SECTIONS.map((section) => ({ name: `study-${section}`, path: `${room}/${section}` })),
    { name: "study-table", path: `${room}/table` },
    { name: "study-thread", path: `/threads/${threadId}` },
    { name: "study-conclusion", path: `/checkpoints/${checkpointId}` },
    { name: "study-compare", path: `/attempts/compare?ids=${compared.map(({ attemptId }) => attemptId).join(",")}` },
    ...made,
    ...attempts.slice(-5).map(({ label, attemptId }) => ({ name: label, path: `/attempts/${attemptId}` })),
    ...linked.slice(0, 2).map(({ label, linkId }) => ({ name: label, path: `/links/${linkId}` })),
    { name: "study-person", path: "/people/ada" },
    { name: "study-search", path: `/search?query=shifting` },
  ].map(({ name, path }) => ({ name, path: own.baseUrl + path }))
}

/** Signs a person in through the page. */
export async function signIn(
  page: Page,
  demo: Pick<Demo, "people" | "baseUrl">,
  who: "owner" | "member" | "visitor",
): Promise<void> {
  await signInAs(page, demo.baseUrl, demo.people[who])
}

/** Signs a person in, and waits for the page that it leads to: the first page if none is named. */
export async function signInAs(
  page: Page,
  baseUrl: string,
  { username, password }: { readonly username: string; readonly password: string },
  next = "/",
): Promise<void> {
  await page.goto(`${baseUrl}/sign-in${next === "/" ? "" : `?next=${next}`}`)
  await page.getByLabel("Name").fill(username)
  await page.getByLabel("Password").fill(password)
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.waitForURL(baseUrl + next)
}
