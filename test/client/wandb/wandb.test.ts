/** Small training scripts written for wandb, run with the import changed and nothing else. */
import t from "tap"
import { missing } from "../../runs/place.ts"
import { scripts } from "./scripts.ts"

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

const settled = `
import argparse
import os
import sys
from research_room import wandb

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.01)
args = parser.parse_args()
print("reads its settings")
wandb.init(project="late", group="first")
wandb.config.update(args)
wandb.config.epochs = 3
wandb.config = {"batch": 8}
best = 0.0
for i in range(wandb.config.epochs):
    accuracy = 0.5 + i / 4
    wandb.log({"loss": 10 / (i + 1), "acc": accuracy}, commit=False)
    if i % 2 == 0:
        wandb.log({"val_acc": accuracy - 0.25}, commit=False)
    wandb.log()
    best = max(best, accuracy)
wandb.config.late = True
open(os.path.join(wandb.run.dir, "model.txt"), "w").write("weights")
wandb.save("model.txt")
wandb.run.summary["best_acc"] = best
table = wandb.Table(columns=["image", "label", "score"])
table.add_data(wandb.Image("x"), "cat", 0.25)
wandb.log({"predictions": table})
print(f"{wandb.run.group:>8} {wandb.run.name:>3} {wandb.run.project}")
sys.exit(3)
`

const folds = `
import multiprocessing
from research_room import wandb

def train(asked, told):
    number, config = asked.get()
    run = wandb.init(group="folds", name=f"fold-{number}", config=config)
    run.log(dict(val_accuracy=0.25 * number))
    wandb.join()
    told.put(0.25 * number)

if __name__ == "__main__":
    told = multiprocessing.Queue()
    workers = [(multiprocessing.Queue(), number) for number in range(2)]
    workers = [(q, number, multiprocessing.Process(target=train, args=(q, told))) for q, number in workers]
    for _, _, process in workers:
        process.start()
    run = wandb.init(config={"folds": 2})
    group = run.sweep_id or "unknown"
    values = []
    for q, number, process in workers:
        q.put((number, dict(run.config)))
        values.append(told.get())
        process.join()
    run.log(dict(val_accuracy=sum(values) / len(values)))
    wandb.join()
    print(group, run.get_project_url())
`

const lacks = missing()
if (lacks !== null) t.comment(`${lacks}: no script for wandb was run`)
else {
  const { here, script, ...all } = await scripts(t)
  const reported = async (experimentId: string) => {
    const [attempt] = await all.reported(experimentId)
    if (attempt === undefined) throw new Error("There is no attempt")
    return attempt
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
        ["w", null],
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

  t.test("settings after init, steps in parts, a summary and a table with pictures; its exit code", async (t) => {
    const experimentId = await here.experiment("Are late settings kept?")
    const { code, out, err } = await script("late.py", settled, { RESEARCH_ROOM_EXPERIMENT: experimentId })
    t.match([code, out], [3, /^reads its settings\n +first run-\w+ late\n$/], err)
    t.match(err, "late was set after the first report")
    t.match(err, "wandb.save is not supported")
    const attempt = await reported(experimentId)
    t.match(attempt, {
      status: "failed",
      failure: { explanation: /exit code 3/ },
      configuration: { lr: 0.01, epochs: 3, batch: 8 },
    })
    t.notOk("late" in attempt.configuration)
    t.same(
      attempt.metrics.map(({ name, step, value, dimensions }) => [name, step, value, dimensions?.label ?? null]).sort(),
      [
        ["acc", 2, 1, null],
        ["best_acc", null, 1, null],
        ["loss", 2, 10 / 3, null],
        ["predictions/score", null, 0.25, "cat"],
        ["val_acc", 2, 0.75, null],
      ],
    )
  })

  t.test("processes that each make a run: every one is an attempt of its own", async (t) => {
    const experimentId = await here.experiment("Do the folds agree?")
    const { code, out, err } = await script("folds.py", folds, { RESEARCH_ROOM_EXPERIMENT: experimentId })
    t.match([code, out], [0, /^unknown/], err)
    const attempts = await all.reported(experimentId)
    t.same(attempts.map(({ status, metrics }) => [status, metrics[0]?.value]).sort(), [
      ["succeeded", 0],
      ["succeeded", 0.125],
      ["succeeded", 0.25],
    ])
  })

  t.test("a run that is killed before its first report is there; offline is kept for deliver", async (t) => {
    const experimentId = await here.experiment("Is it killed?")
    const killed = `
import os, signal, time
from research_room import wandb
wandb.init()
os.kill(os.getpid(), signal.SIGTERM)
time.sleep(5)
`
    const { code } = await script("killed.py", killed, { RESEARCH_ROOM_EXPERIMENT: experimentId })
    t.equal(code, 143)
    t.match(await reported(experimentId), { status: "cancelled" })
    const offline = await here.experiment("Is it kept?")
    const kept = await script("line.py", regression, { RESEARCH_ROOM_EXPERIMENT: offline, WANDB_MODE: "offline" })
    t.match([kept.code, kept.err], [0, /mode is offline/])
    t.same(await here.attempts(offline), [])
    t.match(await here.program(["deliver"]).ended(), { code: 0 })
    t.match(await reported(offline), { status: "succeeded", log: { lines: Number } })
  })

  t.test("without a service or an experiment the training runs all the same", async (t) => {
    const experimentId = await here.experiment("Is it away?")
    t.match(await script("line.py", regression), { code: 0, out: /^final/, err: /Name the experiment/ })
    await here.cut()
    const { code, out } = await script("line.py", regression, { RESEARCH_ROOM_EXPERIMENT: experimentId })
    t.match([code, out], [0, /^final/])
    await here.mend()
    t.match(await here.program(["deliver"]).ended(), { code: 0 })
    t.match(await reported(experimentId), { status: "succeeded", log: { lines: Number } })
  })
}
