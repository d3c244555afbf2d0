/**
 * Scripts of public bug reports about wandb, by their numbers, run with the import changed: what each of them expected
 * happens, or is said once.
 */
import t from "tap"
import { missing } from "../../runs/place.ts"
import { scripts } from "./scripts.ts"

const HEAD = "from research_room import wandb\n"

const lacks = missing()
if (lacks !== null) t.comment(`${lacks}: no script for wandb was run`)
else {
  const { here, script, reported } = await scripts(t)
  const ran = async (question: string, text: string) => {
    const experimentId = await here.experiment(question)
    const ended = await script("issue.py", `${HEAD}${text}`, { RESEARCH_ROOM_EXPERIMENT: experimentId })
    return { ...ended, attempts: await reported(experimentId) }
  }

  t.test("1703, 1958: a table of a data frame, given as a table or as it is", async (t) => {
    const { code, err, attempts } = await ran(
      "Is a data frame a table?",
      `
class Values(list):
    def tolist(self):
        return list(self)
class Frame:
    def __init__(self, columns, rows):
        self.columns, self.values = columns, Values(rows)
wandb.init()
wandb.log({"described/it": wandb.Table(dataframe=Frame(["part", "A"], [["mean", 2.5], ["max", 4.0]]))}, step=0)
wandb.run.log({"results": Frame(["task", "score", "answer"], [["sums", 0.5, "12"], ["words", 0.75, "cat"]])})
`,
    )
    t.match([code, err], [0, ""])
    t.match(
      attempts[0]?.metrics.map(({ name, value, dimensions }) => [name, dimensions, value]),
      [
        ["described/it/A", { part: "mean" }, 2.5],
        ["described/it/A", { part: "max" }, 4],
        ["results/score", { task: "sums", answer: "12" }, 0.5],
        ["results/score", { task: "words" }, 0.75],
      ],
    )
  })

  t.test("437, 8956: settings that JSON has no word for are told the same by each run", async (t) => {
    const { code, err, attempts } = await ran(
      "What is the configuration?",
      `
import argparse, dataclasses, enum, functools, pathlib
class Kind(enum.Enum):
    small = "s"
@dataclasses.dataclass
class Lora:
    rank: int = 8
    modules: tuple = ("q", "v")
    loss: object = None
class Plain:
    pass
def relu(x):
    return x
args = argparse.Namespace(activation=relu, data=pathlib.Path("a/b"), kind=Kind.small, lora=Lora(loss=relu),
    nested=argparse.Namespace(plain=Plain(), half=functools.partial(relu, 1)), raw=b"bytes", layers={1})
wandb.init(config=args)
wandb.log({"loss": 1})
wandb.finish()
wandb.init(config=vars(args))
wandb.log({"loss": 1})
`,
    )
    t.match([code, err], [0, ""])
    t.equal(attempts.length, 2)
    for (const { configuration } of attempts)
      t.match(configuration, {
        ...{ activation: "relu", data: "a/b", kind: "s", raw: "b'bytes'", layers: [1] },
        lora: { rank: 8, modules: ["q", "v"], loss: "relu" },
        nested: { plain: /^<__main__\.Plain object>$/, half: "functools.partial(<function relu>, 1)" },
      })
  })

  t.test("1095 of its documentation, 912: what is defined or resumed says once that it is not", async (t) => {
    const { code, err, attempts } = await ran(
      "Is it resumed?",
      `
run = wandb.init(id="abc123", resume="allow")
for name in ("loss", "acc", "loss"):
    wandb.define_metric(name, summary="min")
wandb.define_metric("eval/*", step_metric="eval/step")
for step in range(3):
    wandb.log({"loss": 3 - step})
wandb.finish()
run.log({"late": 1})
print(run.resumed, wandb.Api().run("a/b").summary["best"])
`,
    )
    t.equal(code, 0, err)
    const said = [
      /resume is not/,
      /metric: of loss/,
      /metric: of acc/,
      /metric: of eval/,
      /has finished/,
      /Api is/,
      /run is/,
    ]
    t.match(err.trimEnd().split("\n"), said)
    t.match(
      attempts.map(({ status, metrics }) => [status, metrics.length, metrics[0]?.value]),
      [["succeeded", 1, 1]],
    )
  })

  t.test("1771: processes that raise end, and each is a failed attempt", async (t) => {
    const { code, err, attempts } = await ran(
      "Do processes end?",
      `
import multiprocessing, sys
def main(rank):
    wandb.init(config={"rank": rank})
    wandb.log({"loss": rank})
    if rank == 0:
        raise ValueError("rank 0 went wrong")
    if rank == 1:
        sys.exit(4)
if __name__ == "__main__":
    for method in ("fork", "spawn"):
        context = multiprocessing.get_context(method)
        processes = [context.Process(target=main, args=(rank,)) for rank in range(3)]
        for process in processes:
            process.start()
            process.join()
        print([process.exitcode for process in processes])
`,
    )
    t.equal(code, 0, err)
    t.match(err, /ValueError: rank 0 went wrong/)
    const ended = ["failed", "failed", "succeeded"]
    t.match(
      attempts.map(({ status }) => status),
      [...ended, ...ended],
    )
    t.match(attempts[0]?.failure?.explanation, /rank 0 went wrong/)
    t.match(attempts[4]?.failure?.explanation, /exit code 4|SystemExit/)
  })
}
