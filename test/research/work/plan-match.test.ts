/** How a registration compares with its plan. */
import t from "tap"
import { planMatch, type Registered, type PlanContent } from "../../../src/research/experiments/plans.ts"
import { planWarnings } from "../../../src/research/advice/warnings.ts"

const url = "https://git.example.org/Lab/Work"
const commit = "a".repeat(40)
const [main, first, second] = [
  ["node", "main.js"],
  ["node", "run.js", "--arm", "1"],
  ["node", "run.js", "--arm", "2"],
]
const arms = [
  { name: "one", argv: first as string[] },
  { name: "two", argv: second as string[], description: "The other." },
]

const plan = (
  protocol: Partial<PlanContent["protocol"]> = {},
  requiredMaterials: PlanContent["requiredMaterials"] = [],
): PlanContent => ({
  repository: { url, commit },
  hypotheses: [],
  premises: [],
  requiredMaterials,
  protocol: { summary: "So.", steps: [], arms: [], ...protocol },
})
const run = (more: Partial<Registered> = {}): Registered => ({
  repository: { url, commit },
  argv: main as string[],
  configuration: {},
  inputs: [],
  ...more,
})
const compare = (protocol: Partial<PlanContent["protocol"]>, more: Partial<Registered> = {}) =>
  planMatch("plan", plan(protocol), run(more))

// shows: planMatch compares the command line with the entry point and with every arm, and says which matched.
t.test("a plan that names an entry point", async (t) => {
  const entrypoint = { argv: main as string[] }
  t.same(compare({ entrypoint }), {
    planId: "plan",
    repositoryMatchesPlan: true,
    commitMatchesPlan: true,
    argvMatchesPlan: true,
    argvComparedWith: "entrypoint",
    argvMatches: true,
    materialsMatchPlan: true,
    deviations: [],
  })
  const other = compare({ entrypoint }, { argv: [...(main as string[]), "-v"] })
  t.match(other, { argvMatchesPlan: false, argvComparedWith: null, argvMatches: false })
  t.same(other.deviations, [{ field: "argv", planned: main, registered: [...(main as string[]), "-v"] }])
  t.match(compare({ entrypoint }, { argv: ["main.js", "node"] }), { argvMatchesPlan: false }, "the order matters")
})

t.test("one run of several arms is compared with the arms that it covers", async (t) => {
  const planned = ["baseline", "shift", "cutout"].map((name) => ({
    name,
    argv: ["python", "train.py", "--arm", name, "--updates", "1000"],
  }))
  const several = (argv: string[]) => compare({ arms: planned }, { argv: ["python", "train.py", ...argv] })
  const whole = several(["--arms", "baseline,shift,cutout", "--updates", "1000"])
  t.match(whole, { argvMatchesPlan: true, arms: { covers: ["baseline", "shift", "cutout"], missing: [], added: [] } })
  t.same(whole.deviations, [])
  const fewer = several(["--arm", "baseline", "shift", "--updates", "1000"])
  t.match(fewer, { argvMatchesPlan: true, argvComparedWith: "baseline, shift", arms: { missing: ["cutout"] } })
  const more = several(["--arms", "baseline,shift,mixup", "--updates", "1000"])
  t.match(more, { argvMatchesPlan: false, arms: { missing: ["cutout"], added: ["mixup"] } })
  t.same(
    more.deviations.map(({ field }) => field),
    ["argv"],
  )
  const longer = several(["--arms", "baseline,shift", "--updates", "5000"])
  t.match(longer, { argvMatchesPlan: false, arms: { added: ["5000"] } })
})

// shows: planMatch compares the command line with the entry point and with every arm, and says which matched.
t.test("a plan with arms", async (t) => {
  t.match(compare({ arms }, { argv: first as string[] }), {
    argvMatchesPlan: true,
    argvComparedWith: "one",
    argvMatches: false,
    deviations: [],
  })
  t.match(compare({ arms }, { argv: second as string[] }), {
    argvMatchesPlan: true,
    argvComparedWith: "two",
    argvMatches: false,
    deviations: [],
  })
  const other = compare({ arms })
  t.match(other, { argvMatchesPlan: false, argvComparedWith: null, argvMatches: false })
  t.same(other.deviations, [{ field: "argv", planned: [first, second], registered: main }])
  t.match(
    compare({ arms: [...arms, { name: "again", argv: first as string[] }] }, { argv: first as string[] }),
    { argvComparedWith: "one" },
    "the first of two equal arms",
  )
})

// shows: planMatch compares the command line with the entry point and with every arm, and says which matched.
// shows: skill: plan_match
t.test("a plan with both", async (t) => {
  const both = { entrypoint: { argv: main as string[] }, arms }
  t.match(compare(both), { argvMatchesPlan: true, argvComparedWith: "entrypoint", argvMatches: true })
  t.match(
    compare(both, { argv: second as string[] }),
    { argvMatchesPlan: true, argvComparedWith: "two", argvMatches: false },
    "argvMatches is about the entry point only",
  )
  t.match(compare({ entrypoint: { argv: first as string[] }, arms }, { argv: first as string[] }), {
    argvComparedWith: "entrypoint",
    argvMatches: true,
  })
})

// shows: planMatch compares the command line with the entry point and with every arm, and says which matched.
t.test("a plan with neither leaves the command line open", async (t) => {
  t.same(compare({}), {
    planId: "plan",
    repositoryMatchesPlan: true,
    commitMatchesPlan: true,
    argvMatchesPlan: null,
    argvComparedWith: null,
    argvMatches: false,
    materialsMatchPlan: true,
    deviations: [],
  })
})

t.test("the repository and its commit are compared", async (t) => {
  const at = (repository: Registered["repository"]) => compare({}, { repository })
  const dotGit = { repositoryMatchesPlan: true, commitMatchesPlan: true, deviations: [] }
  t.match(at({ url: `${url}.git`, commit }), dotGit, "compared without a trailing .git")
  const other = { repositoryMatchesPlan: true, commitMatchesPlan: false }
  t.match(
    at({ url, commit: "f".repeat(commit.length) }),
    other,
    "the repository is compared separately from the commit",
  )
  t.match(
    at({ url: url.toUpperCase().replace("HTTPS", "https"), commit }),
    { commitMatchesPlan: true, deviations: [] },
    "the letter case of an address does not matter",
  )
  const commits = at({ url, commit: "b".repeat(40) })
  t.equal(commits.commitMatchesPlan, false)
  t.same(commits.deviations, [{ field: "repository/commit", planned: commit, registered: "b".repeat(40) }])
  const elsewhere = at({ url: "https://git.example.org/lab/fork", commit })
  t.equal(elsewhere.commitMatchesPlan, false, "the same commit of another repository is not the plan's")
  t.same(elsewhere.deviations, [
    { field: "repository/url", planned: url, registered: "https://git.example.org/lab/fork" },
  ])
  t.same(
    at({ url: "https://git.example.org/lab/fork", commit: "b".repeat(64) }).deviations.map(({ field }) => field),
    ["repository/url", "repository/commit"],
  )
})

t.test("configuration: members that the plan sets are compared, all others are open", async (t) => {
  const configuration = { rate: 0.001, nested: { b: [1, 2], a: "x" }, off: false, none: null }
  const fields = (registered: Record<string, unknown>) =>
    compare({ configuration }, { configuration: registered }).deviations
  t.same(
    fields({ none: null, off: false, nested: { a: "x", b: [1, 2] }, rate: 1e-3, seed: 7 }),
    [],
    "the order of members and additional members do not matter",
  )
  t.same(fields({ ...configuration, rate: 0.01 }), [{ field: "configuration/rate", planned: 0.001, registered: 0.01 }])
  t.same(fields({ ...configuration, nested: { b: [2, 1], a: "x" } }), [
    { field: "configuration/nested", planned: { b: [1, 2], a: "x" }, registered: { b: [2, 1], a: "x" } },
  ])
  const { none: _none, off: _off, ...less } = configuration
  t.same(
    fields(less),
    [
      { field: "configuration/off", planned: false, registered: null },
      { field: "configuration/none", planned: null, registered: null },
    ],
    "a missing member differs from one that is null",
  )
  t.same(
    compare({}, { configuration: { rate: 1 } }).deviations,
    [],
    "a plan without configuration leaves everything open",
  )
  t.same(compare({ configuration: {} }, { configuration: { rate: 1 } }).deviations, [])
  const odd = JSON.parse('{"__proto__": 1, "constructor": 2}') as Record<string, unknown>
  t.same(
    compare({ configuration: odd }, { configuration: {} }).deviations.map(({ field }) => field),
    ["configuration/__proto__", "configuration/constructor"],
  )
  t.same(compare({ configuration: odd }, { configuration: odd }).deviations, [])
})

t.test("materials: each required one must be an input, under any name", async (t) => {
  const required = [
    { materialId: "m1", purpose: "In." },
    { materialId: "m2", purpose: "Too." },
  ]
  const match = (...ids: string[]) =>
    planMatch("plan", plan({}, required), run({ inputs: ids.map((materialId) => ({ materialId, name: "any" })) }))
  t.match(match("m2", "m3", "m1"), { materialsMatchPlan: true, deviations: [] })
  t.same(match("m2"), {
    ...match("m1", "m2"),
    materialsMatchPlan: false,
    deviations: [{ field: "inputs", planned: "m1", registered: null }],
  })
  t.same(match().deviations.length, 2)
})

// shows: A departure on purpose is declared with intendedDeviation; one that is not is warned of.
t.test("an undeclared departure gets a warning that lists all its fields", async (t) => {
  const departing = compare({ arms, configuration: { rate: 1 } }, { repository: { url, commit: "b".repeat(40) } })
  t.match(planWarnings(departing.deviations, undefined), [
    { code: "departs_from_plan", fields: ["repository/commit", "argv", "configuration/rate"] },
  ])
  t.same(planWarnings(departing.deviations, "On purpose."), [])
  t.same(planWarnings(compare({}).deviations, undefined), [])
})
