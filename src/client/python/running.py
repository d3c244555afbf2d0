# A command as an attempt: `python3 research_room.py run` and `deliver`

#: Seconds between two reports of progress.
_INTERVAL = 10.0
_CHUNK = 1 << 20
_FORWARDED = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")
    if hasattr(signal, name)
)


class _Wrong(Exception):
    """A command was used wrongly (2) or failed (1). The message is one sentence."""

    def __init__(self, message: str, code: int = 2) -> None:
        super().__init__(message)
        self.code = code


def _write_whole(file: pathlib.Path, value: Any) -> None:
    """Writes a file atomically, even if the power fails."""
    made = file.with_suffix(".part")
    with open(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as opened:
        json.dump(value, opened, ensure_ascii=False)
        opened.flush()
        os.fsync(opened.fileno())
    os.replace(made, file)


def _read_back(file: pathlib.Path) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None


def _start_of(pid: int) -> Optional[str]:
    """When a process started, because ids are used again; None if the system does not tell, or it has ended."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(") ")[2].split(" ")
    except OSError:
        return None
    return None if fields[0] == "Z" else fields[19]


def _mark(pid: int) -> Dict[str, Any]:
    return {"pid": pid, "began": _start_of(pid)}


def _is_alive(mark: Mapping[str, Any]) -> bool:
    if os.name == "nt":
        listed = subprocess.run(["tasklist", "/FI", f"PID eq {mark['pid']}", "/NH"], capture_output=True, text=True)
        return str(mark["pid"]) in listed.stdout
    try:
        os.kill(mark["pid"], 0)
    except PermissionError:
        return True
    except OSError:
        return False
    return mark["began"] is None or _start_of(mark["pid"]) == mark["began"]


def _exit_code(returned: int) -> int:
    """The exit code that a shell would return."""
    return returned if returned >= 0 else 128 - returned


class _Signals:
    """Passes signals on to a child, also those that arrive before it is there. A terminal sends its own to the child
    itself."""

    def __init__(self) -> None:
        self.first: Optional[str] = None
        self._child: "Optional[subprocess.Popen[bytes]]" = None
        self._early: List[int] = []
        for number in _FORWARDED:
            signal.signal(number, self._on_signal)

    def _on_signal(self, number: int, _: Any) -> None:
        self.first = self.first or signal.Signals(number).name
        if self._child is None:
            self._early.append(number)
        elif not (number in (signal.SIGINT, getattr(signal, "SIGQUIT", None)) and os.isatty(0)):
            self._pass_on(number)

    def _pass_on(self, number: int) -> None:
        try:
            if self._child is not None:
                self._child.send_signal(number)
        except (OSError, ValueError):
            pass

    def watch(self, child: "subprocess.Popen[bytes]") -> None:
        self._child = child
        for number in self._early:
            self._pass_on(number)


def _keep(folder: pathlib.Path, reporter: int, command: Sequence[str]) -> int:
    """Starts the command of a run in a process between it and the reporter, and records how it ended, so that this is
    kept if the reporter is killed. Returns its exit code; as a shell does, 127 or 126 if it could not be started."""
    kept: Dict[str, Any] = {"keeper": _mark(os.getpid()), "startedAt": None, "failure": None}
    # The reporter was killed while this process started, so nobody reported the start.
    if os.getppid() != reporter:
        return 1
    signals = _Signals()
    _write_whole(folder / "kept.json", kept)
    log = _Log(folder / "log.txt")
    ends: List[Tuple[int, int, str]] = []
    for name in ("stdout", "stderr"):
        # A program that prints to a terminal keeps one, and with it its progress bars and colours.
        source, end = os.openpty() if hasattr(os, "openpty") and getattr(sys, name).isatty() else os.pipe()
        ends.append((source, end, name))
    try:
        environment = {**os.environ, "RESEARCH_ROOM_METRICS": str(folder / "metrics.jsonl")}
        child = subprocess.Popen(list(command), env=environment, stdout=ends[0][1], stderr=ends[1][1])
    except (OSError, ValueError) as error:
        _write_whole(folder / "kept.json", {**kept, "failure": f"{command[0]} could not be started: {error}"})
        return 127 if isinstance(error, FileNotFoundError) else 126
    signals.watch(child)
    _write_whole(folder / "kept.json", {**kept, "startedAt": _now()})
    readers = [threading.Thread(target=_copy, args=(source, name, log), daemon=True) for source, _, name in ends]
    for reader, (_, end, _name) in zip(readers, ends):
        os.close(end)
        reader.start()
    returned = child.wait()
    for reader in readers:
        # Another program that the command started may hold its output for longer.
        reader.join(2)
    log.close()
    name = signal.Signals(-returned).name if returned < 0 else None
    _write_whole(
        folder / "ending.json",
        {"endedAt": _now(), "code": _exit_code(returned), "signal": name, "asked": signals.first},
    )
    return _exit_code(returned)


class _Run(Attempt):
    """The attempt of a command. All that is known of it stands in a folder, from which a later `deliver` goes on."""

    def __init__(self, room: Room, folder: pathlib.Path, state: Dict[str, Any]) -> None:
        self._prepare(room, state["attemptId"], state["experimentId"])
        self.folder, self.state = folder, state
        self.label, self._revision, self._status = state["label"], state["revision"], state["status"]

    @classmethod
    def open(cls, room: Room, folder: pathlib.Path) -> "Optional[_Run]":
        state = _read_back(folder / "run.json")
        return None if state is None else cls(room, folder, state)

    @property
    def name(self) -> str:
        return self.label or f"attempt {self.attempt_id}"

    def save(self) -> None:
        self.state.update(label=self.label, revision=self._revision, status=self._status)
        _write_whole(self.folder / "run.json", self.state)

    def register(self, registration: Mapping[str, Any], experiment: Optional[str]) -> None:
        """Raises a _Failure if the service refuses the attempt. Nothing is kept then."""
        letter = self.room._letter("register_attempt", registration)._replace(experiment=experiment)
        receipt = self._send_or_keep(letter)
        self._update_state(receipt, "registered")
        self.save()

    def _update_state(self, receipt: Optional[Answer], status: str) -> None:
        super()._update_state(receipt, status)
        if receipt is not None:
            self.label = receipt["result"]["label"]

    def _send_or_keep(self, letter: "_Letter") -> Optional[Answer]:
        spool = self.room._spool
        if letter.operation == "register_attempt" or spool is None:
            return super()._send_or_keep(letter)
        try:
            # Kept first, because this program may be killed before the answer comes.
            spool.keep(letter)
        except OSError:
            return super()._send_or_keep(letter)
        self.save()
        sent = spool.send(0)
        for sentence in sent.told:
            self._add_trouble(sentence)
        return sent.answers.get(letter.delivery_id)

    def _add_trouble(self, trouble: str) -> None:
        if trouble not in self.trouble and len(self.trouble) < 100:
            self.trouble.append(trouble)

    def learn(self, answers: Iterable[Answer]) -> None:
        """Takes label and status from receipts that came for this attempt."""
        for receipt in answers:
            if (receipt.get("target") or {}).get("id") == self.attempt_id:
                self._update_state(receipt, receipt["result"]["status"])

    def update(self, abandoned: bool = False) -> None:
        """Reports everything that is not reported yet. abandoned: the program that watched the run has ended."""
        if self.state["said"] == "ended":
            return
        kept = _read_back(self.folder / "kept.json")
        gone = abandoned if kept is None else not _is_alive(kept["keeper"])
        # Read after the keeper was seen to have ended: it writes this file last.
        ending = _read_back(self.folder / "ending.json")
        if kept is not None and kept["failure"] is not None:
            self._end("preflight_failed", failure={"stage": "start", "explanation": _clean(kept["failure"])[:2000]})
        elif kept is None or kept["startedAt"] is None:
            if gone:
                self._end(
                    "cancelled",
                    message="The program that should watch the run was killed before it started the command.",
                )
        else:
            if self.state["said"] == "registered":
                self.state["said"] = "started"
                self._event("started", reportedAt=kept["startedAt"])
            self._read_metrics(ending is not None or gone)
            if ending is not None or gone:
                self._attach_log(self.folder / "log.txt")
            if ending is not None:
                self._outcome(ending, kept["startedAt"])
            elif gone:
                # The attempt stays started, because its outcome is not known.
                self._end(
                    "progress", message="The process that watched the command was killed, so its outcome is not known."
                )
            elif self._points:
                self.flush()
        self.save()

    def _end(self, event: str, **more: Any) -> None:
        self.flush(keep=True)
        self.state["said"] = "ended"
        self._ended = True
        self._event(event, **more)

    def _read_metrics(self, last: bool) -> None:
        """Reads the lines that the command added to its file of metrics. last: the file is complete."""
        state = self.state
        try:
            opened = open(self.folder / "metrics.jsonl", "rb")
        except OSError:
            return
        with opened as file:
            file.seek(state["read"])
            for line in iter(lambda: file.readline(_CHUNK), b""):
                if not line.endswith(b"\n") and len(line) < _CHUNK and not last:
                    break
                was_inside, state["inside"] = state["inside"], len(line) == _CHUNK and not line.endswith(b"\n")
                state["read"] += len(line)
                if was_inside:
                    continue
                state["line"] += 1
                text = line.decode("utf-8", "replace").lstrip("\ufeff").strip()
                points, fault = (
                    ([], f"it is longer than {_CHUNK:,} bytes")
                    if state["inside"]
                    else _points_of(text, state.setdefault("kinds", {})) if text else ([], None)
                )
                if fault is not None:
                    state["faults"] += 1
                    if len(state["told"]) < 10:
                        excerpt = _one_line(text[:100]) + ("…" if len(text) > 100 else "")
                        state["told"].append(f"Line {state['line']}, {excerpt}: {_one_line(fault)[:300]}.")
                for point in points:
                    self._add(point)

    def _outcome(self, ending: Mapping[str, Any], started_at: str) -> None:
        state = self.state
        if state["faults"]:
            lines = "1 line of metrics is" if state["faults"] == 1 else f"{state['faults']} lines of metrics are"
            more = f" And {state['faults'] - 10} more." if state["faults"] > 10 else ""
            self._add_trouble(f"{lines} invalid, at least in part. {' '.join(state['told'])}{more}")
        elif not state["read"]:
            self._add_trouble(
                "The run reported no metric. A command appends its metrics to the file named by RESEARCH_ROOM_METRICS:"
                " see run --help."
            )
        for label, file in state["outputs"]:
            try:
                self._add_output(pathlib.Path(file), label)
            except OSError:
                self._add_trouble(f"There is no output {file}.")
        code, asked = ending["code"], ending["asked"]
        how = (
            f"The command ended with exit code {code}."
            if ending["signal"] is None
            else f"The command was ended by {ending['signal']}."
        )
        how += "" if asked is None else f" {asked} was sent to it before."
        event = "succeeded" if code == 0 else "cancelled" if asked is not None and code > 128 else "failed"
        said = (
            {"failure": {"stage": "run", "explanation": how}}
            if event == "failed"
            else {} if asked is None else {"message": how}
        )
        # The clock may have been set back while the command ran.
        took = max(0.0, (_moment(ending["endedAt"]) - _moment(started_at)).total_seconds())
        self._end(event, reportedAt=ending["endedAt"], exitCode=code, cost={"wallSeconds": round(took, 3)}, **said)

    def forget(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def _moment(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def _say(sentence: Any) -> None:
    print(f"research-room: {_one_line(sentence)}", file=sys.stderr, flush=True)


def _arm_of(room: Room, experiment: str, plan: Optional[str], arm: str) -> Tuple[List[str], str]:
    """The command of an arm, and its plan."""
    try:
        plans = (
            [plan]
            if plan
            else [each["planId"] for each in room._read("experiment", {"experimentId": experiment})["acceptedPlans"]]
        )
        if len(plans) != 1:
            raise _Wrong(f"The experiment has {len(plans)} accepted plans: name one with --plan.")
        read = room._read("plan", {"planId": plans[0]})
    except RoomError as error:
        raise _Wrong(f"The plan cannot be read: {error}", 1) from None
    if read["protocol"] is None:
        raise _Wrong(f"{read['label']} is sealed and shows no arms: give the command itself.")
    arms = {each["name"]: each["argv"] for each in read["protocol"].get("arms", [])}
    if arm not in arms:
        raise _Wrong(f"The plan has no arm {arm}; it has {', '.join(arms) or 'none'}.")
    return arms[arm], plans[0]


def _pinned(asked: Any) -> Dict[str, str]:
    if (asked.repository is None) != (asked.commit is None):
        raise _Wrong("--repository and --commit must be given together.")
    if asked.repository is not None:
        return {"url": _public_address(asked.repository), "commit": asked.commit}
    try:
        repository, is_clean = working_repository()
    except ValueError as error:
        raise _Wrong(str(error), 1 if "not installed" in str(error) else 2) from None
    if not is_clean and asked.intended_deviation is None:
        raise _Wrong(
            "This folder holds changes that are not committed: commit them, or describe them with --intended-deviation."
        )
    return repository


def _configuration(file: Optional[str]) -> Dict[str, Any]:
    if file is None:
        return {}
    try:
        value = json.loads(pathlib.Path(file).read_text(encoding="utf-8-sig"))
        if isinstance(value, dict):
            return value
    except (OSError, ValueError, RecursionError):
        pass
    raise _Wrong(f"{file} does not hold a JSON object, which the run's configuration must be.")


def _run(asked: Any, command: List[str], room: Room) -> int:
    """Runs a command as an attempt. Returns its exit code; the command is not started if the service refuses the
    attempt."""
    if not asked.experiment:
        raise _Wrong("Name the experiment with --experiment.")
    if not command and asked.arm is None:
        raise _Wrong("Give the command after --, or take it from the plan with --arm.")
    if command and asked.arm is not None:
        raise _Wrong("--arm takes the command from the plan: give none after --.")
    outputs = list(dict.fromkeys(asked.output or []))
    if len(outputs) > 50 or any(len(each) > 200 for each in outputs):
        raise _Wrong("At most 50 outputs can be reported, each with a path of at most 200 characters.")
    configuration, repository, plan = _configuration(asked.configuration), _pinned(asked), asked.plan
    if asked.arm is not None:
        command, plan = _arm_of(room, asked.experiment, plan, asked.arm)
    spool = room._spool
    assert spool is not None
    attempt_id = str(uuid.uuid4())
    folder = spool.folder / "runs" / attempt_id
    folder.mkdir(parents=True, mode=0o700)
    _write_whole(folder / "owner.json", _mark(os.getpid()))
    labelled = [[label, str(pathlib.Path(label).absolute())] for label in outputs]
    known = {
        "attemptId": attempt_id,
        "experimentId": asked.experiment,
        "outputs": labelled,
        "said": "registered",
        "label": None,
    }
    run = _Run(
        room,
        folder,
        {**known, "revision": 0, "status": "", "read": 0, "line": 0, "inside": False, "faults": 0, "told": []},
    )
    system = {"platform": platform.platform(), "processors": str(os.cpu_count()), "python": platform.python_version()}
    reproduces = {"attemptId": asked.reproduces} if asked.reproduces else None
    about = _registration(
        attempt_id,
        asked.experiment,
        plan,
        asked.rerun_of,
        reproduces,
        repository,
        command,
        configuration,
        system,
        (),
        asked.intended_deviation,
    )
    try:
        run.register(about, None if reproduces else asked.experiment)
    except _Failure as failure:
        run.forget()
        raise _Wrong(f"The attempt was refused, so nothing was run: {failure.error}", 1) from None
    if run.label is not None:
        _say(f"{run.name} is registered: {room.base_url}/attempts/{attempt_id}")
    else:
        _say(f"{' '.join(run.trouble)} The run starts anyway.")
        run.trouble.clear()
    code = _watch(run, command)
    sent = spool.send(2)
    run.learn(sent.answers.values())
    for sentence in [*run.trouble, *sent.told]:
        _say(sentence)
    if spool.holds(attempt_id):
        _say(
            f"exit code {code}. {sent.why or 'Reports wait.'} The reports are kept: python3 {sys.argv[0]} deliver --url"
            f" {room.base_url} sends them."
        )
        return code
    _say(f"{run.name} {run._status.replace('_', ' ')}, exit code {code}")
    run.forget()
    return code


def _watch(run: _Run, command: List[str]) -> int:
    """Runs the command through a keeper and reports its progress. Returns the exit code of the command."""
    signals = _Signals()
    keeper = subprocess.Popen(
        [sys.executable, os.path.abspath(__file__), "keep", str(run.folder), str(os.getpid()), "--", *command]
    )
    signals.watch(keeper)

    def update(abandoned: bool = False) -> None:
        # A failure to report must not end the command.
        try:
            run.update(abandoned)
        except Exception as error:
            run._add_trouble(f"{type(error).__name__}: {error}")

    while True:
        is_started = run.state["said"] != "registered"
        try:
            returned = keeper.wait(_INTERVAL if is_started else 0.05)
            break
        except subprocess.TimeoutExpired:
            if is_started or (_read_back(run.folder / "kept.json") or {}).get("startedAt"):
                update()
    update(abandoned=True)
    ending = _read_back(run.folder / "ending.json")
    return _exit_code(returned) if ending is None else ending["code"]


def _deliver_all(room: Room) -> Tuple[List[str], List[str]]:
    """Delivers everything kept for one service: writes, and what is known of runs whose program was killed."""
    spool = room._spool
    assert spool is not None
    done: List[str] = []
    runs: List[_Run] = []
    for folder in sorted(spool.folder.glob("runs/*")):
        owner = _read_back(folder / "owner.json")
        if owner is not None and _is_alive(owner):
            done.append(f"Attempt {folder.name} belongs to another program, which is running or delivering it.")
            continue
        run = _Run.open(room, folder)
        if run is not None and "read" not in run.state:
            done.append(f"{folder} is of research-room run 0.6 or older: deliver it with that version.")
        elif run is not None:
            _write_whole(folder / "owner.json", _mark(os.getpid()))
            runs.append(run)
        elif not (folder / "kept.json").exists():
            # It ended before its registration was kept.
            shutil.rmtree(folder, ignore_errors=True)
    sent = spool.send(1)
    problems = list(sent.told)
    count = len(sent.answers)
    for run in runs:
        run.learn(sent.answers.values())
        if not sent.why:
            run.update(abandoned=True)
        problems += [f"{run.name}: {sentence}" for sentence in run.trouble]
        if sent.why or spool.holds(run.attempt_id):
            run.save()
            problems.append(f"{run.name} waits: {sent.why or 'some of its reports were not accepted yet'}")
        elif run.state["said"] != "ended":
            kept = _read_back(run.folder / "kept.json")
            process = "" if kept is None else f" (process {kept['keeper']['pid']})"
            done.append(f"{run.name} is still running{process}; its reports so far are delivered.")
        else:
            outcome = "its outcome is not known" if run._status == "started" else run._status.replace("_", " ")
            done.append(f"{run.name} is delivered: {outcome}.")
            run.forget()
    if sent.why and not runs:
        problems.append(sent.why)
    if count:
        done.insert(0, f"{count} {'write is' if count == 1 else 'writes are'} delivered.")
    return done, problems


_METRICS_HELP = """
Metrics: the command appends lines of JSON to the file named by RESEARCH_ROOM_METRICS, each with a step and its values:
  {"step": 3, "loss": 0.5, "accuracy": 0.9}
or with one value:
  {"name": "loss", "value": 0.5, "step": 3, "split": "val", "unit": "nat"}
Any other member of a line is a dimension of its values, and seed always is one:
  {"error": 0.057, "arm": "shift", "seed": 3}
  {"name": "error", "value": 0.057, "arm": "shift", "labels": 50}
In a line without name and value, each number is a value. Put a number that is a dimension into "dimensions":
  {"error": 0.057, "dimensions": {"arm": "shift", "labels": 50}}"""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> Any:
        raise _Wrong(message.replace("unrecognized arguments:", "unknown option"))


def _parser(name: str) -> _Parser:
    about = {
        "run": (
            "run a command as an attempt of an experiment: register it, report its progress and its outcome; it also"
            " runs if the service does not answer"
        ),
        "deliver": "deliver what could not be delivered, and the outcomes of runs whose program was killed",
    }
    usage = "research_room.py run --experiment ID [OPTIONS] -- COMMAND" if name == "run" else None
    parser = _Parser(
        prog=f"research_room.py {name}", usage=usage, description=about[name], allow_abbrev=False,
        epilog=_METRICS_HELP if name == "run" else None, formatter_class=argparse.RawDescriptionHelpFormatter,
    )

    def option(flag: str, help: str, default: Optional[str] = None, **more: Any) -> None:
        variable = "RESEARCH_ROOM_" + flag[2:].replace("-", "_").upper()
        parser.add_argument(flag, default=os.environ.get(variable, default), help=f"{help} ({variable})", **more)

    option("--url", "where the service is", BASE_URL)
    option("--token", "a Room credential")
    option("--spool", "folder for reports that cannot be delivered yet", "~/.research-room/spool")
    if name == "run":
        option("--experiment", "the experiment it belongs to")
        option("--plan", "the accepted plan it follows; without one the attempt is exploratory")
        option("--arm", "take the command from this arm of the plan")
        option("--rerun-of", "the attempt it repeats")
        option("--reproduces", "the attempt it reproduces")
        option(
            "--intended-deviation",
            "how the run departs from the plan or the commit on purpose, such as uncommitted changes",
        )
        option("--configuration", "a file with the run's configuration, a JSON object")
        parser.add_argument(
            "--output",
            nargs="+",
            action="extend",
            help="files that the run creates; their digests are sent, never their contents",
        )
        option("--repository", "the public repository (default: the origin of this folder)")
        option("--commit", "the commit in --repository")
    return parser


def _main(words: List[str]) -> int:
    name, rest = words[0], words[1:]
    cut = rest.index("--") if "--" in rest else len(rest)
    command = rest[cut + 1 :]
    if name == "keep":
        return _keep(pathlib.Path(rest[0]), int(rest[1]), command)
    try:
        asked = _parser(name).parse_args(rest[:cut])
        if not asked.token:
            raise _Wrong("Give a Room credential with --token, or RESEARCH_ROOM_TOKEN.")
        try:
            room = Room(
                asked.url,
                asked.token,
                spool=asked.spool,
                retries=1,
                timeout=20,
                longest_wait=5,
                client={"name": f"research_room.py {name}", "version": __version__},
            )
        except ValueError as error:
            raise _Wrong(f"{error}. Give the address of the service and a credential.") from None
        if name == "run":
            return _run(asked, command, room)
        done, problems = _deliver_all(room)
    except _Wrong as wrong:
        _say(wrong)
        return wrong.code
    except (OSError, RoomError) as error:
        _say(error)
        return 1
    for sentence in done:
        print(_one_line(sentence))
    for sentence in problems:
        _say(sentence)
    if not done and not problems:
        print("There is nothing to deliver.")
    return 1 if problems else 0
