/** Small training scripts written for wandb, run with the import changed and nothing else. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { machine, missing, python } from "../runs/place.ts"

const regression = `
import random
from research_room import wandb

random.seed(7)
run = wandb.init(project="line", entity="lab", name="first", tags=["demo"], config={"lr": 0.05, "epochs": \
4, "layers": [2, 3]})
points = [(x / 10, 3 * x / 10 + 1) for x in range(20)]
w = b = 0.0
wandb.watch(object(), log="all")
for epoch in range(wandb.config.epochs):
    loss = 0.0
    for x, y in points:
        error = w * x + b - y
        loss += error * error
        w -= wandb.config["lr"] * error * x
        b -= wandb.config.lr * error
    wandb.log({"epoch": epoch, "train/loss": loss / len(points)})
print("final", round(w, 1), round(b, 1))
run.summary["w"] = w
wandb.finish()
`

const classifier = `
import argparse
from research_room import wandb

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=2)
args = parser.parse_args()

with wandb.init(project="digits", config=args) as run:
    run.config.update({"batch_size": 32})
    table = wandb.Table(columns=["split", "seed", "accuracy"])
    for epoch in range(args.epochs):
        run.log({"loss": {"train": 1 / (epoch + 1), "val": 1.5 / (epoch + 1)}}, step=epoch * 10)
        run.log({"examples": [wandb.Image("not here")], "note": "text"}, step=epoch * 10)
    table.add_data("test", 1, 0.91)
    table.add_data("test", 2, 0.93)
    run.log({"results": table})
    artifact = wandb.Artifact("model", type="model")
    artifact.add_file("model.pt")
    run.log_artifact(artifact)
    wandb.alert(title="Done", text="It ended.")
`

const diverging = `
from research_room import wandb

wandb.init(config=dict(lr=10.0))
value = 1.0
for step in range(5):
    value = -value * wandb.config.lr
    wandb.log({"value": value, "step": step})
    if abs(value) > 1000:
        raise RuntimeError("the value diverged")
`

const lacks = missing()
if (lacks !== null) t.comment(`${lacks}: no script for wandb was run`)
else {
  const here = await machine()
  t.teardown(() => here.close())
  here.git("remote", "set-url", "origin", here.address)
  const script = async (name: string, text: string, more: Readonly<Record<string, string>> = {}) => {
    writeFileSync(join(here.folder, name), text)
    const env = { PATH: process.env.PATH ?? "", HOME: here.folder, RESEARCH_ROOM_URL: here.url, ...more }
    const room = { RESEARCH_ROOM_TOKEN: here.token, RESEARCH_ROOM_SPOOL: here.spool }
    const child = spawn(python, [join(here.folder, name)], { cwd: here.work, env: { ...env, ...room, ...more } })
    let [out, err] = ["", ""]
    child.stdout.setEncoding("utf8").on("data", (piece: string) => (out += piece))
    child.stderr.setEncoding("utf8").on("data", (piece: string) => (err += piece))
    const [code] = (await once(child, "close")) as [number]
    return { code, out, err }
  }
  const reported = async (experimentId: string) => {
    const [attempt] = await here.attempts(experimentId)
    return here.attempt(attempt?.attemptId ?? "")
  }

  t.test("a regression: config, log, watch, summary and finish", async (t) => {
    const experimentId = await here.experiment("Does the line fit?")
    const { code, out, err } = await script("line.py", regression, { RESEARCH_ROOM_EXPERIMENT: experimentId })
    t.match([code, out, err], [0, /^final/, /^$/])
    const attempt = await reported(experimentId)
    t.match(attempt, {
      status: "succeeded",
      repository: { url: here.address, commit: here.commit },
      configuration: { lr: 0.05, epochs: 4, layers: [2, 3] },
      log: { lines: 1 },
    })
    t.match(
      attempt.metrics.map(({ name, step }) => [name, step]),
      [
        ["epoch", 3],
        ["train/loss", 3],
      ],
    )
  })

  t.test("a classifier: nested values and a table; what is not supported says so once", async (t) => {
    const experimentId = await here.experiment("Does it classify?")
    const { code, err } = await script("digits.py", classifier, { RESEARCH_ROOM_EXPERIMENT: experimentId })
    t.equal(code, 0, err)
    for (const what of ["Image", "Artifact", "alert"])
      t.equal(err.split(`wandb.${what} is not supported`).length, 2, what)
    const attempt = await reported(experimentId)
    t.match(attempt, { status: "succeeded", configuration: { epochs: 2 } })
    const values = attempt.metrics.map(({ name, split, dimensions, value }) => [name, split, dimensions?.seed, value])
    t.match(values, [
      ["loss/train", null, undefined, 0.5],
      ["loss/val", null, undefined, 0.75],
      ["results/accuracy", "test", 1, 0.91],
      ["results/accuracy", "test", 2, 0.93],
    ])
  })

  t.test("a training that raises is a failed attempt, and its log holds the traceback", async (t) => {
    const experimentId = await here.experiment("Does it diverge?")
    const { code, err } = await script("diverging.py", diverging, { RESEARCH_ROOM_EXPERIMENT: experimentId })
    t.equal(code, 1)
    t.match(err, "RuntimeError: the value diverged")
    const attempt = await reported(experimentId)
    t.match(attempt, { status: "failed", failure: { explanation: /the value diverged in diverging\.py/ } })
    const log = await fetch(`${here.url}/api/research/attempts/${attempt.attemptId}/log?format=text`)
    t.match(await log.text(), "Traceback")
  })

  t.test("without a service or an experiment the training runs all the same", async (t) => {
    const experimentId = await here.experiment("Is it away?")
    t.match(await script("line.py", regression), { code: 0, out: /^final/, err: /Name the experiment/ })
    await here.cut()
    const { code, out } = await script("line.py", regression, { RESEARCH_ROOM_EXPERIMENT: experimentId })
    t.match([code, out], [0, /^final/])
    await here.mend()
    t.match(await here.program(["deliver"]).ended(), { code: 0 })
    t.match(await reported(experimentId), { status: "succeeded", log: { lines: 1 } })
  })
}
