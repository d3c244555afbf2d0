"""A story of use with research_room.py as the service serves it; run by python.test.ts on Python and on Pyodide."""

import datetime
import json
import math
import os
import pathlib
import warnings

import research_room
from research_room import LEFT_OUT, InvalidSchema, RequestConflict, Room, StateConflict, Undelivered, UnknownExperiment


def shown(condition, what):
    if not condition:
        raise AssertionError(what)
    print(f"shown: {what}")


class Line:
    """A connection to the service that can fail before a request or after it."""

    def __init__(self, through):
        self.through, self.cut, self.lose, self.sent = through, False, 0, []

    def __call__(self, method, url, headers, body, seconds):
        if self.cut:
            raise OSError("the line is cut")
        self.sent.append((method, url, dict(headers), body))
        answer = self.through(method, url, headers, body, seconds)
        if self.lose > 0:
            self.lose -= 1
            raise OSError("the answer was lost")
        return answer


def tell(given, through, folder):
    line = Line(through)
    room = Room(given["baseUrl"], given["token"], transport=line, spool=folder / "spool", retries=2)
    room._sleep = lambda seconds: None
    thread_id = given["threadId"]

    room.get_rooms()
    shown("authorization" not in line.sent[-1][2], "a public read sends no credential")
    shown(room.room_id == given["roomId"], "the Room is the credential's own")
    posted = room.post_message(thread_id=thread_id, text="From Python: 𝔞 and ü", request_id=given["ids"][0])
    again = room.post_message(thread_id=thread_id, text="From Python: 𝔞 and ü", request_id=given["ids"][0].upper())
    shown(again.replayed and again.result.messageId == posted.result.messageId, "the same id again is the same message")
    try:
        room.post_message(thread_id=thread_id, text="Something else", request_id=given["ids"][0])
    except RequestConflict as refused:
        shown(
            (refused.status, refused.committed, refused.retryable) == (409, False, False),
            "another text under that id is refused",
        )
    try:
        room.create_thread(title=" ")
    except InvalidSchema as refused:
        shown(
            [issue.path for issue in refused.issues] == ["/title"] and "/title" in str(refused),
            "a refusal names each fault",
        )
    try:
        room.get_experiment(experiment_id=given["ids"][1])
    except UnknownExperiment as refused:
        shown(refused.status == 404, "every code is a class of its own")
    rehearsed = room.create_thread(title="Only tried", rehearse=True)
    shown(rehearsed.rehearsed, "a write can be rehearsed")

    line.lose = 1
    thread = room.create_thread(title="Once")
    shown(thread.replayed, "after a lost answer the write is sent again with the same id")
    for number in range(3):
        room.create_thread(title=f"Thread {number}")
    titles = [each.title for each in room.all_room_threads(limit=2)]
    shown(
        titles.count("Once") == 1 and titles[-3:] == ["Thread 0", "Thread 1", "Thread 2"],
        "lists continue over their pages",
    )
    watermark = room.get_room().activityWatermark
    feed = room.follow(wait=0)
    entries = [next(feed) for _ in range(watermark)]
    shown(
        [entry.sequence for entry in entries] == list(range(1, watermark + 1)),
        "the feed is followed, each digest verified",
    )

    # Work
    experiment_id = room.propose_experiment(
        thread_id=thread_id, question="Does it run?", scope="Here.", hypotheses=[]
    ).result.experimentId
    taken = room.take_experiment(experiment_id=experiment_id, expected_revision=1, expected_status="open")
    try:
        room.take_experiment(experiment_id=experiment_id, expected_revision=1, expected_status="open")
    except research_room.Refused as refused:
        shown(refused.current is not None, "a conflict gives the current state")
    plan = room.accept_plan(
        experiment_id=experiment_id,
        expected_revision=taken.result.revision,
        expected_status=taken.result.status,
        repository=given["repository"],
        hypotheses=[],
        premises=[],
        protocol={"summary": "Run it.", "steps": ["Run."], "arms": [{"name": "only", "argv": ["python", "train.py"]}]},
        intent="confirmatory",
        required_materials=[],
    )
    model = folder / "model.pt"
    model.write_bytes(b"weights")
    with room.attempt(
        experiment_id,
        plan=plan,
        argv=["python", "train.py"],
        repository=given["repository"],
        configuration={"rate": 0.1},
    ) as attempt:
        for step in range(2500):
            attempt.log(step=step, loss=1 / (step + 1), split="train")
        attempt.log({"val/loss": math.nan}, step=2500)
        attempt.log(best=-math.inf)
        shown(attempt.output(model).startswith("sha256:"), "an output is reported with its digest")
    said = room.get_attempt(attempt_id=attempt.attempt_id)
    shown(said.status == "succeeded" and said.label == attempt.label, "a successful attempt says so")
    values = {metric.name: metric.value for metric in said.metrics}
    shown(
        values == {"loss": 1 / 2500, "val/loss": "NaN", "best": "-Infinity"},
        "values that are not finite numbers are reported as they are",
    )
    counts = [event.get("metricPoints", 0) for event in said.events]
    shown(sum(counts) == 2502 and max(counts) <= 1000, "points are sent in batches")
    shown(
        [output.outputLabel for output in said.outputs] == ["model.pt"] and said.outputs[0].sizeBytes == 7,
        "with size and name",
    )
    with room.attempt(experiment_id, argv=["python", "units.py"], repository=given["repository"]) as measured:
        measured.log(loss=0.5, seconds=3, bare=1, unit={"loss": "bit", "seconds": "s"})
    measured.correct("loss", unit="nat")
    units = {metric.name: metric.unit for metric in room.get_attempt(attempt_id=measured.attempt_id).metrics}
    shown(
        units == {"loss": "nat", "seconds": "s", "bare": None},
        "each metric has its unit, and a wrong value is corrected later",
    )
    measured.took(gpu_hours=0.5, money=(2, "EUR"))
    shown(measured.trouble == [], "without trouble")
    cost = room.get_attempt(attempt_id=measured.attempt_id).cost
    shown(
        cost["gpuHours"] == 0.5 and cost["money"] == {"amount": 2, "currency": "EUR"} and cost["wallSeconds"] >= 0,
        "the cost is reported, with the seconds that the client measured",
    )

    # A sweep in one run: each value has its dimensions
    with room.attempt(
        experiment_id, argv=["python", "sweep.py"], repository=given["repository"], dimensions=["arm", "seed", "warm"]
    ) as sweep:
        for seed in range(3):
            sweep.log(error=1.5 + seed, arm="baseline", seed=seed, unit="nat")
            sweep.log({"error": 1 + seed, "arm": "shift"}, seed=seed, unit="nat")
        sweep.log(error=9, arm="shift", seed=0, warm=True, step=4)
        sweep.log(seconds=3)
        shown(sweep.trouble == [], "a sweep is reported without trouble")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sweep.log(error=1, arm="s" * 65, seed=9)
            sweep.log(error=2, arm=None, seed=9)
            sweep.log(error=3, arm="shift", seed=math.nan)
    told = [
        (metric.name, metric.dimensions, metric.step, metric.value)
        for metric in room.get_attempt(attempt_id=sweep.attempt_id).metrics
    ]
    shown(
        ("error", {"arm": "shift", "seed": 2}, None, 3) in told
        and ("error", {"arm": "baseline", "seed": 0}, None, 1.5) in told,
        "each value has its arm and seed",
    )
    shown(
        ("error", {"arm": "shift", "seed": 0, "warm": True}, 4, 9) in told and ("seconds", None, None, 3) in told,
        "an argument that a call omits is not a dimension of it",
    )
    shown(len(told) == 8, "a value with invalid dimensions is left out")
    shown(
        any("arm is a text of 65 characters" in each for each in sweep.trouble)
        and any("arm is a NoneType" in each for each in sweep.trouble),
        "and trouble names it and says why",
    )
    table = room.get_experiment_measurements(
        experiment_id=experiment_id, metric="error", by="arm", over="seed", where="arm:baseline"
    )
    shown(
        [(group.key, group.n, group.mean) for group in table.groups] == [({"arm": "baseline"}, 3, 2.5)],
        "the measurement table reads them",
    )
    sweep.correct("error", value=2.5, arm="baseline", seed=0)
    table = room.get_experiment_measurements(
        experiment_id=experiment_id, metric="error", by="arm", over="seed", where="arm:baseline"
    )
    shown(
        (table.groups[0].n, table.groups[0].mean) == (3, (2.5 + 2.5 + 3.5) / 3),
        "a wrong value is corrected after the end",
    )
    # Another attempt reproduces an effect
    effect = {
        "experimentId": experiment_id,
        "metric": "error",
        "over": "seed",
        "of": {"arm": "shift"},
        "against": {"arm": "baseline"},
    }
    execution = {"experimentId": experiment_id, "attemptIds": [sweep.attempt_id], "baselineAttemptIds": []}
    body = {**given["finding"], "effects": [effect], "provenance": {"execution": execution, "papers": []}}
    found = room.publish_finding(
        **{name[:-2] + "_id" if name.endswith("Id") else name: value for name, value in body.items()}
    )
    with room.attempt(
        experiment_id,
        argv=["python", "sweep.py"],
        repository=given["repository"],
        dimensions=["arm", "seed"],
        reproduces={"findingVersionId": found.result.versionId},
    ) as repeated:
        for seed in range(3):
            repeated.log(error=1.4 + seed, arm="baseline", seed=seed, unit="nat")
            repeated.log(error=1 + seed, arm="shift", seed=seed, unit="nat")
        repeated.reproduction("partly_reproduces", "The sign agrees.", repeats=(found.result.versionId, 0))
    said_of = room.get_attempt(attempt_id=repeated.attempt_id).reproduction
    shown(
        repeated.trouble == [] and [one["versionId"] for one in said_of["repeats"]] == [found.result.versionId],
        "a reproduction names the effect that it repeats, and the service computes the result",
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with room.attempt(
            experiment_id, argv=["python", "twice.py"], repository=given["repository"], dimensions=["arm"]
        ) as twice:
            for error in (1, 1, 2):
                twice.log(error=error, arm="doubled")
            twice.log(error=4, arm="single")
    told = {metric.dimensions["arm"]: metric.value for metric in room.get_attempt(attempt_id=twice.attempt_id).metrics}
    shown(told == {"doubled": 1, "single": 4}, "a repeated value counts once, and a contradicting one removes no other")
    shown(
        "1 values were left out" in twice.trouble[0]
        and "is 2 for error at arm=doubled, which /metrics/0 gives as 1" in twice.trouble[0],
        "both are named",
    )
    for names, why in (
        (["Arm"], "'Arm' cannot name a dimension"),
        (["step"], "step cannot name a dimension"),
        (list("abcdefghi"), "at most 8"),
        ("arm", "a list"),
    ):
        try:
            room.attempt(experiment_id, argv=["python"], repository=given["repository"], dimensions=names)
        except ValueError as error:
            shown(why in str(error), f"names that cannot be dimensions are refused before the run: {why}")

    page = said._repr_html_()
    shown(
        "<svg" in page and "loss (train)" in page and "val/loss: no finite value" in page, "a notebook shows its curve"
    )
    shown("<svg" in attempt._repr_html_(), "while it runs too")
    shown("What would you like" in room._repr_html_() and "<script" not in room._repr_html_(), "and the Room")

    record = next(iter(room.all_publications()))
    shown(record.label in record._repr_html_(), "and a record")

    try:
        with room.attempt(experiment_id, argv=["python", "train.py"], repository=given["repository"]) as failing:
            failing.log(step=1, loss=2)
            raise ValueError("the loss is <b>gone</b>")
    except ValueError:
        pass
    failed = room.get_attempt(attempt_id=failing.attempt_id)
    shown(
        failed.status == "failed" and failed.intent == "exploratory", "an exception is a failure, and is raised again"
    )
    shown(
        "ValueError: the loss is <b>gone</b> in story.py" in failed.failure.explanation,
        "reported with its message and place",
    )
    shown(failed.events[-1].exitCode == 1 or failed.events[0].exitCode == 1, "with the exit code")
    shown("<b>gone" not in failed._repr_html_(), "no written text becomes markup")
    try:
        with room.attempt(experiment_id, argv=["python"], repository=given["repository"]) as interrupted:
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        pass
    shown(
        room.get_attempt(attempt_id=interrupted.attempt_id).status == "cancelled", "an interrupted attempt is cancelled"
    )

    # A value that cannot be reported does not end a run
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        with room.attempt(experiment_id, argv=["python"], repository=given["repository"]) as told:
            for step in range(3):
                told.log(step=step, loss=0.5, note="hello", seen=[1, 2], parts={"a": 1}, nothing=None)
            told.log("hello")
            told.log([1, 2])
            told.log(step="the third", lost=1)
            told.log(step=4.5, lost=1)
            told.log(step=5.0, kept=1)
            told.log({"": 1, "x" * 500: 2, "odd\0name\ud800": 3, "beside it": 4})
            for place in ({"step": -1}, {"step": 10**30}, {"split": ""}, {"unit": "u" * 300}, {"step": 1, "Step": 2}):
                told.log({"lost": 1, **place})
            told.log(lost="0.5", true=True)
            told.progress("")
            told.progress(None)
            told.progress("p" * 5000)
            shown(told.output(folder / "no such file") is None, "a missing file has no digest")
            told.reproduction("splendid", "It is no reproduction at all.")
        told.log(step=9, loss=1)
    shown(
        len([each for each in warned if issubclass(each.category, RuntimeWarning)]) == 1,
        "a run warns once about values that cannot be reported",
    )
    shown(
        "log: note is a str, not a number: it was left out" in told.trouble
        and len(told.trouble) == len(set(told.trouble)),
        "and each is in trouble once",
    )
    said = room.get_attempt(attempt_id=told.attempt_id)
    shown(said.status == "succeeded", "a wrong report does not make a run fail")
    values = {metric.name: metric.value for metric in said.metrics}
    shown(values["loss"] == 0.5 and values["kept"] == 1 and values["beside it"] == 4, "all other values are reported")
    shown(not {"lost", "true", "x" * 200} & set(values), "and none at a place or under a name that was not meant")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with room.attempt(experiment_id, argv=["python"], repository=given["repository"]) as strict:
            strict.log(note="hello")
    shown(room.get_attempt(attempt_id=strict.attempt_id).status == "succeeded", "not even if warnings are errors")

    # The service is unreachable
    warnings.simplefilter("ignore")
    experiment = room.get_experiment(experiment_id=experiment_id)
    line.cut = True
    try:
        room.post_message(thread_id=thread_id, text="Said while nobody listened")
    except Undelivered as undelivered:
        shown(undelivered.spooled is not None, "undelivered writes are kept")
    with room.attempt(experiment, argv=["python", "late.py"], repository=given["repository"]) as late:
        for step in range(1200):
            late.log(step=step, loss=float(step))
    shown(len(late.trouble) > 0 and late.label is None, "a run goes on without the service")
    kept = sorted((folder / "spool").rglob("*.json"))
    shown(
        len(kept) >= 4 and all(given["token"] not in path.read_text() for path in kept), "no credential is written down"
    )
    line.cut = False
    line.lose = 1
    delivered = room.deliver()
    shown(
        delivered.waiting == 0 and not delivered.refused and not list((folder / "spool").rglob("*.json")),
        "everything is delivered later",
    )
    arrived = room.get_attempt(attempt_id=late.attempt_id)
    shown(
        arrived.status == "succeeded" and sum(event.get("metricPoints", 0) for event in arrived.events) == 1200,
        "in order, once",
    )
    texts = [message.message.text for message in room.all_thread_messages(thread_id=thread_id)]
    shown(texts.count("Said while nobody listened") == 1, "the message too")

    # Times and numbers
    registered = room.register_attempt(
        attempt_id=given["ids"][2],
        experiment_id=experiment_id,
        intent="exploratory",
        expected_revision=experiment.revision,
        expected_status=experiment.status,
        repository=given["repository"],
        argv=["python"],
        configuration={
            "rate": -0.0,
            "at": datetime.datetime(2026, 11, 20, 9, 30, tzinfo=datetime.timezone.utc),
            "path": pathlib.PurePosixPath("a/b"),
        },
        inputs=[],
    )
    moment = datetime.datetime.now()
    room.report_attempt_event(
        attempt_id=given["ids"][2],
        expected_revision=registered.result.revision,
        expected_status="registered",
        event="started",
        reported_at=moment,
    )
    started = next(event for event in room.get_attempt(attempt_id=given["ids"][2]).events if event.event == "started")
    told = datetime.datetime.fromisoformat(started.reportedAt.replace("Z", "+00:00"))
    shown(abs(told.timestamp() - moment.timestamp()) < 0.002, "a time without a zone is local time")
    configuration = room.get_attempt(attempt_id=given["ids"][2]).configuration
    shown(
        configuration == {"rate": 0, "at": "2026-11-20T09:30:00.000Z", "path": "a/b"},
        "times and paths inside a body become text",
    )
    for wrong in (math.nan, 2**63 - 1, object()):
        try:
            room.create_thread(title=wrong)
        except (ValueError, TypeError) as error:
            shown("/title" in str(error), f"{type(wrong).__name__} that JSON cannot hold is refused with its path")
    shown(
        room.write("create_thread", {"roomId": given["roomId"], "title": "By name"}).operation == "create_thread",
        "any operation can be called by its name",
    )
    with room.batch() as batch:
        thread = batch.create_thread(room_id=given["roomId"], title="Begun together")
        batch.post_message(thread_id=thread.targetId, text="In one request")
    shown(
        batch.receipts[1].threadId == batch.receipts[0].targetId,
        "a batch stores its writes together, and a later one names what an earlier one made",
    )
    shown(all(receipt.replayed for receipt in batch.send()), "and once only, however often it is sent")
    try:
        with room.batch() as batch:
            batch.create_thread(room_id=given["roomId"], title="Not to be")
            batch.post_message(thread_id=given["roomId"], text="Nowhere")
    except research_room.Refused as error:
        shown("Write 2 of 2" in str(error), "a refused batch says which write failed")
    shown(
        isinstance(room.get_llms_txt(), str)
        and room.get_record(version_id=record.versionId, format="bibtex").startswith("@"),
        "texts are texts",
    )
    shown(LEFT_OUT is research_room.LEFT_OUT and StateConflict.code == "state_conflict", "and codes are listed")


def main(through=None):
    import tempfile

    given = json.loads(os.environ["STORY"])
    with tempfile.TemporaryDirectory() as folder:
        tell(given, through or research_room._urllib, pathlib.Path(folder))
    print("the story ends")


if __name__ == "__main__":
    main()
