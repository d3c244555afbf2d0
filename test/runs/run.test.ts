/**
 * A command as an attempt: `research_room.py run` in a git repository, against a service that is up, down, or comes
 * back; killed in the middle, and delivered afterwards.
 */
import { pattern } from "../support/pattern.ts"
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import tap, { type Test } from "tap"
import { endAll } from "../support/program.ts"
import { type Machine, machine, missing, python } from "./place.ts"

const sh = (script: string) => ["--", "sh", "-c", script]
/** The reported events without the progress between them: how many there are depends on timing. */
const events = ({ events: all }: { events: readonly { event: string }[] }) =>
  all.map(({ event }) => event).filter((event) => event !== "progress")

/** What the client reads in lines of metrics: the points of each, and why a part of it is not taken. */
function pointsOf({ folder }: Machine, lines: readonly string[]): unknown {
  const script =
    "import json, research_room as r, sys; print(json.dumps([r._points_of(x, {}) for x in json.load(sys.stdin)]))"
  const { stdout } = spawnSync(python, ["-c", script], { cwd: folder, input: JSON.stringify(lines), encoding: "utf8" })
  return JSON.parse(stdout)
}

async function told(t: Test, here: Machine, experimentId: string) {
  const [first, ...more] = await here.attempts(experimentId)
  t.equal(more.length, 0, "one attempt, however often it was delivered")
  if (first === undefined) throw new Error("There is no attempt")
  return here.attempt(first.attemptId)
}

const lacks = missing()
if (lacks !== null) tap.comment(`${lacks}: research_room.py run was not tried`)
else {
  const here = await machine()
  tap.teardown(async () => {
    endAll()
    await here.close()
  })
  const run = (experimentId: string, ...words: string[]) =>
    here.program(["run", "--experiment", experimentId, ...words])
  const deliver = async () => {
    const { code, out, err } = await here.program(["deliver"]).ended()
    return { code, said: `${out}${err}` }
  }

  tap.test("a successful command is reported with its metrics and its outputs", async (t) => {
    const experimentId = await here.experiment("Does it run?")
    const script = `
      echo '{"step": 1, "loss": 0.5, "acc": NaN}' >> "$RESEARCH_ROOM_METRICS"
      echo '{"name": "loss", "value": 0.25, "step": 2, "split": "val"}' >> "$RESEARCH_ROOM_METRICS"
      echo 'epoch 3' >> "$RESEARCH_ROOM_METRICS"
      printf weights > out/model.pt; echo trained; echo warned >&2`
    writeFileSync(join(here.work, "out/c.json"), '\uFEFF{"seed": 7}')
    const { code, out, err } = await run(
      experimentId,
      "--configuration",
      "out/c.json",
      "--output",
      "out/model.pt",
      ...sh(script),
    ).ended()
    t.equal(code, 0)
    t.equal(out, "trained\n", "the output is the command's own")
    t.match(
      err,
      pattern(
        /^research-room: A\d+ is registered: http\S+\nwarned\nresearch-room: 1 line of metrics is invalid.*\n/,
        /research-room: A\d+ succeeded, exit code 0\n$/,
      ),
    )
    const attempt = await told(t, here, experimentId)
    t.match(attempt, {
      status: "succeeded",
      intent: "exploratory",
      repository: { url: here.address, commit: here.commit },
      argv: ["sh", "-c", script],
      configuration: { seed: 7 },
      environment: { platform: String },
      outputs: [{ outputLabel: "out/model.pt", digest: /^sha256:/, sizeBytes: 7 }],
    })
    t.strictSame(events(attempt), ["registered", "started", "succeeded"])
    t.match(
      attempt.metrics.map(({ name, split, value }) => [name, split, value]),
      [
        ["acc", null, "NaN"],
        ["loss", null, 0.5],
        ["loss", "val", 0.25],
      ],
    )
    t.strictSame(here.waiting(), [], "nothing waits")
  })

  tap.test(
    "what the command prints is kept as the attempt's log, with secrets masked, and is still printed",
    async (t) => {
      const experimentId = await here.experiment("What did it print?")
      const script = `
      printf '\\033[31mred\\033[0m 10%%\\r100%%\\n'; echo "token $RESEARCH_ROOM_TOKEN"
      echo 'password=correct-horse' >&2; printf 'no end'; exit 3`
      const { code, out, err } = await run(experimentId, ...sh(script)).ended()
      t.equal(code, 3)
      t.match(out, `\u001b[31mred\u001b[0m 10%\r100%\ntoken ${here.token}\nno end`)
      t.match(err, "password=correct-horse")
      const { attemptId, log } = await told(t, here, experimentId)
      t.match(log, { lines: 4 })
      const text = await (await fetch(`${here.url}/api/research/attempts/${attemptId}/log?format=text`)).text()
      t.match(text, /^ +\d+\.\d{3} 100%$/m)
      t.match(text, /^ +\d+\.\d{3} token \[masked\]$/m)
      t.match(text, /^ +\d+\.\d{3} ! password=\[masked\]$/m)
      t.match(text, /no end\n$/)
      t.notMatch(text, /correct-horse|rrc_/)
    },
  )

  tap.test("its help says how a command reports metrics, and each line of it is reported", async (t) => {
    const { code, out } = await here.program(["run", "--help"]).ended()
    t.equal(code, 0)
    t.match(out, "RESEARCH_ROOM_METRICS")
    const lines = [...out.matchAll(/^ *(\{.*\})$/gm)].map(([, line = ""]) => line)
    t.match(pointsOf(here, lines), [
      [[{ name: "loss" }, { name: "accuracy" }], null],
      [[{ name: "loss", split: "val" }], null],
      [[{ name: "error", dimensions: { arm: "shift", seed: 3 } }], null],
      [[{ name: "error", dimensions: { arm: "shift", labels: 50 } }], null],
      [[{ name: "error", dimensions: { arm: "shift", labels: 50 } }], null],
    ])
  })

  tap.test(
    "a sweep reports its arms and seeds as additional members of its lines, and the measurement table compares them",
    async (t) => {
      const experimentId = await here.experiment("Does shift help?")
      const lines = [0, 1, 2].flatMap((seed) => [
        `{"name": "error", "value": ${seed + 2}, "arm": "baseline", "seed": ${seed}}`,
        `{"error": ${seed + 1}, "arm": "shift", "dimensions": {"seed": ${seed}}, "note": null}`,
      ])
      const faulty = [
        `{"error": 9, "arm": "${"a".repeat(65)}"}`,
        '{"error": 9, "Arm": "shift"}',
        `{"name": "error", "value": 9, ${Array.from({ length: 9 }, (_, n) => `"d${n}": ${n}`).join(", ")}}`,
        '{"error": 9, "arms": ["shift", "baseline"]}',
        '{"error": 9, "dimensions": 3}',
      ]
      writeFileSync(join(here.work, "out/sweep.jsonl"), `${[...lines, ...faulty].join("\n")}\n`)
      const { code, err } = await run(experimentId, ...sh('cat out/sweep.jsonl >> "$RESEARCH_ROOM_METRICS"')).ended()
      t.equal(code, 0)
      t.match(
        err,
        pattern(
          /5 lines of metrics are invalid.*Line 7, \{"error": 9, "arm": "a+"\}: /,
          /arm is a text of 65 characters.*Line 11, /,
        ),
      )
      const attempt = await told(t, here, experimentId)
      t.equal(attempt.metrics.length, 6)
      const table = await here.client.read("experiment_measurements", {
        experimentId,
        metric: "error",
        by: ["arm"],
        over: "seed",
        against: "arm:baseline",
      })
      t.match(
        table.groups.map(({ key, n, mean, contrast }) => [key.arm, n, mean, contrast?.estimate ?? null]),
        [
          ["baseline", 3, 3, null],
          ["shift", 3, 2, -1],
        ],
      )
    },
  )

  tap.test(
    "a value reported twice counts once; another value for the same place is refused alone, naming both",
    async (t) => {
      const experimentId = await here.experiment("Is it told twice?")
      const lines = [1, 1, 2].map((value) => `{"error": ${value}, "arm": "doubled"}`)
      writeFileSync(join(here.work, "out/twice.jsonl"), `${[...lines, '{"error": 4, "arm": "single"}'].join("\n")}\n`)
      const { code, err } = await run(experimentId, ...sh('cat out/twice.jsonl >> "$RESEARCH_ROOM_METRICS"')).ended()
      t.equal(code, 0)
      t.match(err, /\/metrics\/2\/value is 2 for error at arm=doubled, which \/metrics\/0 gives as 1/)
      const { metrics, status } = await told(t, here, experimentId)
      t.equal(status, "succeeded")
      t.match(metrics, [
        { dimensions: { arm: "doubled" }, value: 1 },
        { dimensions: { arm: "single" }, value: 4 },
      ])
      t.match(err, "1 values were left out")
      t.strictSame(here.waiting(), [])
    },
  )

  tap.test("a run that ends without a metric gets a warning; one with a metric does not", async (t) => {
    const silent = await run(await here.experiment("Does it measure?"), ...sh("true")).ended()
    t.match(silent, { code: 0, err: /The run reported no metric\. .*RESEARCH_ROOM_METRICS.*run --help/ })
    const measured = await run(
      await here.experiment("And this one?"),
      ...sh('echo \'{"loss": 1}\' >> "$RESEARCH_ROOM_METRICS"'),
    ).ended()
    t.equal(measured.code, 0)
    t.notMatch(measured.err, /reported no metric/)
  })

  tap.test("an invalid part of a hostile metrics file does not affect the rest", async (t) => {
    const experimentId = await here.experiment("Does one bad line lose the others?")
    const wide = Object.fromEntries(Array.from({ length: 2_500 }, (_, n) => [`layer ${n}`, n]))
    const lines = [
      '{"step": 1, "kept": 1}',
      `{"step": 1, "${"n".repeat(201)}": 2}`,
      '{"step": -1, "backwards": 2}',
      '{"step": 1, "nul\\u0000": 2, "beside it": 3}',
      '{"": 2}',
      '{"huge": 1e400}',
      '{"hex": 0x10}',
      '{"comma": 1,5}',
      '\ufeff{"marked": 2}',
      "[".repeat(100_000),
      `{"x": "${"y".repeat(3_000_000)}"}`,
      '{"__proto__": 4, "constructor": 5}',
      '{"name": "=cmd()", "value": 6, "dimensions": {"seed": 3}}',
      JSON.stringify(wide),
      '{"step": 2, "kept": 7}',
    ]
    writeFileSync(join(here.work, "out/hostile.jsonl"), `${lines.join("\n")}\n`)
    const began = performance.now()
    const { code, err } = await run(experimentId, ...sh('cat out/hostile.jsonl >> "$RESEARCH_ROOM_METRICS"')).ended()
    t.match([code, err], [0, /9 lines of metrics are invalid/])
    t.ok(performance.now() - began < 30_000)
    const attempt = await told(t, here, experimentId)
    const values = new Map(attempt.metrics.map(({ name, value }) => [name, value]))
    t.match(
      attempt.metrics.find(({ name }) => name === "=cmd()"),
      { value: 6, dimensions: { seed: 3 } },
    )
    for (const [name, value] of Object.entries({
      kept: 7,
      "beside it": 3,
      constructor: 5,
      marked: 2,
      "layer 0": 0,
      "layer 2499": 2_499,
    }))
      t.equal(values.get(name), value, name)
    t.equal(values.get("__proto__"), 4)
    for (const name of ["backwards", "", "huge", "hex", "comma"]) t.notOk(values.has(name), name)
    t.strictSame(here.waiting(), [])
  })

  tap.test("it exits as the command does, and reports why it failed", async (t) => {
    const experimentId = await here.experiment("Does it fail?")
    t.match(await run(experimentId, ...sh("exit 7")).ended(), { code: 7 })
    t.match(await told(t, here, experimentId), {
      status: "failed",
      failure: { stage: "run", explanation: /exit code 7/ },
    })

    const killed = await here.experiment("Is it killed?")
    t.match(await run(killed, ...sh("kill -KILL $$")).ended(), { code: 137 })
    t.match(await told(t, here, killed), { status: "failed", failure: { explanation: /SIGKILL/ } })

    const missing = await here.experiment("Is there such a program?")
    t.match(await run(missing, "--", "./no-such-program").ended(), { code: 127 })
    t.match(await told(t, here, missing), {
      status: "preflight_failed",
      failure: { stage: "start", explanation: /no-such-program/ },
    })
  })

  tap.test("a signal is passed on, and the run is reported as cancelled", async (t) => {
    const experimentId = await here.experiment("Can it be stopped?")
    const running = run(experimentId, ...sh("echo up; while :; do sleep 0.05; done"))
    await running.printed(/up/)
    running.signal("SIGTERM")
    t.match(await running.ended(), { code: 143 })
    t.match(await told(t, here, experimentId), { status: "cancelled" })

    const graceful = await here.experiment("May it end as it likes?")
    const ending = run(graceful, ...sh("trap 'echo saved; exit 5' TERM; echo up; while :; do sleep 0.05; done"))
    await ending.printed(/up/)
    ending.signal("SIGTERM")
    t.match(await ending.ended(), { code: 5, out: "up\nsaved\n" })
    t.match(await told(t, here, graceful), { status: "failed", failure: { explanation: /exit code 5.*SIGTERM/ } })
  })

  tap.test("uncommitted changes are not run, unless they are described", async (t) => {
    const experimentId = await here.experiment("Is it clean?")
    writeFileSync(join(here.work, "train.py"), "print('changed')\n")
    t.teardown(() => here.git("checkout", "--quiet", "--", "."))
    const { code, out, err } = await run(experimentId, ...sh("echo ran")).ended()
    t.match([code, out, err], [2, /^$/, /^research-room: This folder holds changes that are not committed[^\n]*\n$/])
    t.same(await here.attempts(experimentId), [])
    t.match(await run(experimentId, "--intended-deviation", "Prints more.", ...sh("echo ran")).ended(), {
      code: 0,
      out: "ran\n",
    })
    t.match(await told(t, here, experimentId), { intendedDeviation: "Prints more." })
  })

  tap.test("with an arm the plan decides what is run", async (t) => {
    const experimentId = await here.experiment("Which arm?")
    const expected = (await here.client.read("experiment", { experimentId })).affordances.expected
    const arms = [
      { name: "long", argv: ["echo", "400", "steps"] },
      { name: "short", argv: ["echo", "4"] },
    ]
    const { result } = await here.client.write("accept_plan", {
      experimentId,
      expectedRevision: expected.expectedRevision,
      expectedStatus: expected.expectedStatus as "claimed",
      repository: { url: here.address, commit: here.commit },
      hypotheses: [],
      premises: [],
      protocol: { summary: "Two arms.", steps: [], arms },
      intent: "exploratory",
      requiredMaterials: [],
    })
    t.match(await run(experimentId, "--arm", "long").ended(), { code: 0, out: "400 steps\n" })
    t.match(await told(t, here, experimentId), {
      intent: "planned",
      planId: result.planId,
      planMatch: { argvComparedWith: "long", deviations: [] },
    })
    t.match(await run(experimentId, "--arm", "tall").ended(), {
      code: 2,
      err: /^research-room: The plan has no arm tall; it has long, short\.\n$/,
    })
    t.match(await run(experimentId, "--arm", "long", "--", "echo").ended(), {
      code: 2,
      err: /--arm takes the command from the plan/,
    })
  })

  tap.test("without a service it still runs, and is delivered once when the service is back", async (t) => {
    const experimentId = await here.experiment("Does it need the service?")
    await here.cut()
    const { code, err } = await run(
      experimentId,
      ...sh('echo "{\\"loss\\": 1}" >> "$RESEARCH_ROOM_METRICS"; echo alone; exit 3'),
    ).ended()
    t.equal(code, 3)
    t.match(err, /No answer came.*deliver/)
    t.match(await deliver(), { code: 1, said: /waits/ }, "still no service")
    t.equal(here.waiting().length, 1)
    const letters = readdirSync(here.spooled).filter((name) => name.endsWith(".json"))
    t.ok(letters.length >= 3, "the registration, the start and the end")
    for (const file of [...letters, join("runs", readdirSync(join(here.spooled, "runs"))[0] ?? "", "run.json")])
      t.notMatch(readFileSync(join(here.spooled, file), "utf8"), /rrc_/, "no token is stored")

    await here.mend()
    t.match(await deliver(), { code: 0, said: /A\d+ is delivered: failed/ })
    const attempt = await told(t, here, experimentId)
    t.match(attempt, { status: "failed", metrics: [{ name: "loss", value: 1 }], log: { lines: 1 } })
    t.strictSame(events(attempt), ["registered", "started", "failed"])
    t.match(await deliver(), { code: 0, said: /There is nothing to deliver/ })
    t.strictSame(
      events(await told(t, here, experimentId)),
      ["registered", "started", "failed"],
      "delivered twice, stored once",
    )
  })

  /** Waits until the service knows that the attempt has started. */
  const started = async (experimentId: string, after: number) => {
    for (let from = after; ; ) {
      const { items } = await here.client.read("room_activity", { roomId: here.roomId, after: from, wait: 25 })
      for (const { sequence, operation } of items) {
        from = sequence
        if (operation === "report_attempt_event") return (await here.attempts(experimentId))[0]?.attemptId ?? ""
      }
    }
  }
  const watermark = async () => (await here.client.read("room", { roomId: here.roomId })).activityWatermark
  /** Delivers until the end is reported. */
  const delivered = async (): Promise<string> => {
    for (;;) {
      const { said } = await deliver()
      if (!said.includes("still running")) return said
    }
  }

  tap.test(
    "kill -9 of the program loses nothing: the command continues, and deliver reports how it ended",
    async (t) => {
      const experimentId = await here.experiment("What if the watcher dies?")
      const after = await watermark()
      const running = run(
        experimentId,
        ...sh('until [ -e out/go ]; do sleep 0.05; done; echo "{\\"loss\\": 2}" >> "$RESEARCH_ROOM_METRICS"; exit 4'),
      )
      const attemptId = await started(experimentId, after)
      running.signal("SIGKILL")
      t.match(await deliver(), { code: 0, said: /still running/ }, "the command continues without it")
      t.match(await here.attempt(attemptId), { status: "started" })
      writeFileSync(join(here.work, "out/go"), "")
      t.match(await delivered(), /is delivered: failed/)
      t.match(await told(t, here, experimentId), {
        status: "failed",
        failure: { explanation: /exit code 4/ },
        metrics: [{ value: 2 }],
      })
      await running.ended()
      rmSync(join(here.work, "out/go"))
    },
  )

  tap.test("if everything was killed, deliver reports what is known, and no more", async (t) => {
    const experimentId = await here.experiment("What if everything dies?")
    const after = await watermark()
    const running = run(
      experimentId,
      ...sh(
        'echo "{\\"loss\\": 3}" >> "$RESEARCH_ROOM_METRICS"; echo $$ > out/pid; until [ -e out/go ]; ' +
          "do sleep 0.05; done",
      ),
    )
    const attemptId = await started(experimentId, after)
    const kept = JSON.parse(readFileSync(join(here.waiting()[0] ?? "", "kept.json"), "utf8")) as {
      keeper: { pid: number }
    }
    running.signal("SIGKILL")
    process.kill(kept.keeper.pid, "SIGKILL")
    const said = await delivered()
    writeFileSync(join(here.work, "out/go"), "")
    t.match(said, /its outcome is not known/)
    const attempt = await here.attempt(attemptId)
    t.match(attempt, { status: "started" }, "it is shown as unknown, which it is")
    t.match(attempt.events.at(-1), { event: "progress", message: /outcome is not known/ })
    t.match(await deliver(), { said: /There is nothing to deliver/ })
  })

  tap.test("a wrong call gives one clear line, and an experiment that the service refuses is not run", async (t) => {
    const experimentId = await here.experiment("Is the call right?")
    const wrong = async (words: readonly string[], more: Readonly<Record<string, string>> = {}) => {
      const { code, out, err } = await here.program(words, more).ended()
      t.equal(out, "")
      t.match(err, /^[^\n]+\n$/, err.trim())
      return [code, err] as const
    }
    t.match(await wrong(["run", "--", "true"]), [2, /--experiment/])
    t.match(await wrong(["run", "--experiment", experimentId]), [2, /after --/])
    t.match(await wrong(["run", "--experimnet", experimentId, "--", "true"]), [2, /unknown option/])
    t.match(await wrong(["run", "--experiment", experimentId, "--commit", "0", "--", "true"]), [
      2,
      /must be given together/,
    ])
    t.match(await wrong(["run", "--experiment", experimentId, "--configuration", "train.py", "--", "true"]), [
      2,
      /does not hold a JSON object/,
    ])
    t.match(await wrong(["deliver", "--url", "nowhere"]), [2, /address/])
    t.match(await wrong(["run", "--experiment", experimentId, ...sh("echo ran")], { PATH: "/nowhere" }), [
      1,
      /Git, which would tell the commit, is not installed/,
    ])
    t.match(await wrong(["run", "--experiment", crypto.randomUUID(), ...sh("echo ran")]), [
      1,
      /so nothing was run: .*no such experiment/,
    ])
    const unknown = { RESEARCH_ROOM_TOKEN: "rrc_000000000000000000000000000000000000" }
    t.match(await wrong(["run", "--experiment", experimentId, ...sh("echo ran")], unknown), [1, /so nothing was run/])
    t.same(await here.attempts(experimentId), [])
    t.strictSame(here.waiting(), [])
  })
}
