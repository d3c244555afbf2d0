"""An agent writes up what it ran; run by python-checked-text.test.ts. It checks its text, is told of the number that it
invented, mends it and publishes."""

import json
import os

from research_room import Room


def shown(condition, what):
    if not condition:
        raise AssertionError(what)
    print(f"shown: {what}")


def not_found(checked):
    return [number.text for number in checked.numbers if number.state in ("unknown", "may_be")]


def warned(receipt):
    return [warning["text"] for warning in receipt.warnings if warning["code"] == "number_unresolved"]


given = json.loads(os.environ["STORY"])
room = Room(given["baseUrl"], given["token"])

proposed = room.propose_experiment(
    thread_id=given["threadId"], question="Does shifting the digits lower the error?", scope="Here.", hypotheses=[]
)
experiment_id, experiment = proposed.result.experimentId, proposed.result.label
room.take_experiment(experiment_id=experiment_id, expected_revision=1, expected_status="open")
with room.attempt(
    experiment_id, argv=["python", "digits.py"], repository=given["repository"], dimensions=["arm", "seed"]
) as attempt:
    for seed, (baseline, shift) in enumerate([(0.212, 0.187), (0.208, 0.183), (0.213, 0.191)]):
        attempt.log(error=baseline, arm="baseline", seed=seed)
        attempt.log(error=shift, arm="shift", seed=seed)

# It writes from memory: the error of shift is a number that no run printed.
text = f"In {experiment}, shift reached a mean error of 0.172, and baseline one of 0.211, over 3 seeds."
checked = room.check_text(text=text)
shown(not_found(checked) == ["0.172"], "the number that no run produced is named, and no other")
[invented] = [number for number in checked.numbers if number.text == "0.172"]
shown(text[invented.start : invented.end] == "0.172", "with its place in the text")
baseline = checked.numbers[1]["is"]
shown(
    (baseline["metric"], baseline["group"], baseline["n"], baseline["of"]["label"])
    == ("error", {"arm": "baseline"}, 3, experiment),
    "and of the others it is told what they are: a mean, its arm, its runs and its experiment",
)


def publish(wording, rehearse=False):
    finding = given["finding"]
    return room.publish_finding(
        kind="finding",
        thread_id=given["threadId"],
        assertion={**finding["assertion"], "wording": wording},
        concepts=finding["concepts"],
        scope=finding["scope"],
        outcome="positive",
        retrospective=False,
        evidence=[],
        provenance={
            "execution": {"experimentId": experiment_id, "attemptIds": [attempt.attempt_id], "baselineAttemptIds": []},
            "papers": [],
        },
        materials=[],
        references=[],
        rehearse=rehearse,
    )


shown(warned(publish(text, rehearse=True)) == ["0.172"], "a rehearsal of the finding warns of the same number")

# It reads the table that the service works out, and takes the number from there.
table = room.get_experiment_measurements(experiment_id=experiment_id, metric="error", by="arm", over="seed")
means = {group.key["arm"]: group.mean for group in table.groups}
mended = text.replace("0.172", f"{means['shift']:.3f}")
shown(mended != text and not_found(room.check_text(text=mended)) == [], "mended, every number is in the record")

published = publish(mended)
shown(warned(published) == [], "the published finding warns of none")
numbers = room.get_record(version_id=published.result.versionId).numbersCheck
shown(
    (numbers.numbers, numbers.resolve, numbers.unresolved) == (3, 3, []),
    "and its record says that all of its numbers are in the record",
)
print("the story ends")
