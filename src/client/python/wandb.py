# For scripts that were written for wandb: `from research_room import wandb`


class _Config(Dict[str, Any]):
    """Settings, as members and as attributes."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def update(self, *given: Any, allow_val_change: Any = None, **named: Any) -> None:  # type: ignore[override]
        for each in given:
            super().update(vars(each) if hasattr(each, "__dict__") and not isinstance(each, Mapping) else each)
        super().update(named)


class _Table:
    """Rows of values, reported as values at the places that their other columns name."""

    def __init__(
        self,
        columns: Optional[Sequence[str]] = None,
        data: Optional[Iterable[Sequence[Any]]] = None,
        dataframe: Any = None,
        **_: Any,
    ) -> None:
        if dataframe is not None:
            columns, data = list(dataframe.columns), dataframe.values.tolist()
        self.columns = [str(each) for each in (columns or [])]
        self.data = [list(row) for row in (data or [])]

    def add_data(self, *row: Any) -> None:
        self.data.append(list(row))


class _WandbRun:
    """A run, as wandb's scripts see it. It is an attempt; what cannot be reported is said once and ends nothing."""

    def __init__(self, attempt: Optional[Attempt], config: _Config, name: Optional[str]) -> None:
        self._attempt, self.config, self.summary = attempt, config, _Config()
        self.name, self.id = name, "" if attempt is None else attempt.attempt_id
        self._step = 0

    @property
    def url(self) -> str:
        return "" if self._attempt is None else f"{self._attempt.room.base_url}/attempts/{self.id}"

    def log(self, data: Mapping[str, Any], step: Optional[int] = None, commit: Optional[bool] = None, **_: Any) -> None:
        try:
            self._log(data, self._step if step is None else step)
            self._step = (self._step if step is None else step) + (0 if commit is False else 1)
        except Exception as error:
            _unsupported(f"log: {error}")

    def _log(self, data: Mapping[str, Any], step: int) -> None:
        plain: Dict[str, Any] = {}
        for name, value in _flat(data):
            if isinstance(value, _Table):
                self._log_table(name, value)
            elif isinstance(value, (bool, str)) or hasattr(value, "_wandb_media"):
                _unsupported(f"log: {name} is a {type(value).__name__}; only numbers and tables are reported")
            elif name.lower() not in ("step", "_step"):
                plain[name] = value
                self.summary.setdefault(name, value)
                self.summary[name] = value
        if self._attempt is not None and plain:
            self._attempt.log(plain, step=step)

    def _log_table(self, name: str, table: _Table) -> None:
        """Columns of numbers are values, all others and seeds say where."""
        attempt = self._attempt
        if attempt is None:
            return
        measured = {key for row in table.data for key, value in zip(table.columns, row) if _is_number(value)}
        with attempt._lock:
            for row in table.data:
                own, cells = _part_reserved(dict(zip(table.columns, row)))
                values = {key: value for key, value in cells.items() if _is_number(value)}
                for key in cells:
                    if key in measured and key not in values and cells[key] is not None:
                        _unsupported(
                            f"log: {name} has {str(cells[key])[:80]!r} in the column {key}, which is not a number"
                        )
                place = {
                    re.sub("[^a-z0-9_]+", "_", key.lower())[:32]: value
                    for key, value in cells.items()
                    if key not in measured and value is not None
                }
                at = _place(
                    own.get("step"),
                    own.get("split"),
                    own.get("unit"),
                    {**place, **({"seed": own["seed"]} if "seed" in own else {})},
                )
                for key, value in values.items():
                    attempt._add({"name": _metric_name(f"{name}/{key}"), "value": _metric_value(value), **at})

    def watch(self, *_: Any, **__: Any) -> None:
        """Gradients are not reported."""

    def define_metric(self, *_: Any, **__: Any) -> None:
        """Steps are the attempt's own."""

    def finish(self, exit_code: Optional[int] = None, quiet: Optional[bool] = None) -> None:
        attempt, self._attempt = self._attempt, None
        if attempt is None:
            return
        _wandb._ended(self)
        code = exit_code or 0
        if code:
            attempt.finish("failed", exit_code=code, failure=f"The script finished with exit code {code}.")
        else:
            attempt.finish()
        for sentence in attempt.trouble:
            _unsupported(sentence)

    def __enter__(self) -> "_WandbRun":
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        attempt, self._attempt = self._attempt, None
        if attempt is not None:
            _wandb._ended(self)
            attempt.__exit__(kind, error, trace)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Nothing(f"run.{name}")


def _flat(data: Mapping[str, Any], before: str = "") -> Iterator[Tuple[str, Any]]:
    for name, value in data.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{name}/")
        else:
            yield f"{before}{name}", value


_said: Set[str] = set()


def _unsupported(sentence: str) -> None:
    """Says a sentence once, and at most 50."""
    if sentence not in _said and len(_said) < 50:
        _said.add(sentence)
        print(f"research_room.wandb: {_one_line(sentence)}", file=sys.stderr)


class _Nothing:
    """Stands for what is not supported: it can be called and used, says so once and does nothing."""

    _wandb_media = True

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, *_: Any, **__: Any) -> "_Nothing":
        _unsupported(f"wandb.{self._name} is not supported: nothing is reported for it")
        return self

    def __getattr__(self, name: str) -> "_Nothing":
        if name.startswith("__"):
            raise AttributeError(name)
        return _Nothing(f"{self._name}.{name}")

    def __enter__(self) -> "_Nothing":
        return self()

    def __exit__(self, *_: Any) -> None:
        return None

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __bool__(self) -> bool:
        return False


class _Wandb:
    """The part of wandb's module that training scripts use, reported as an attempt.

        from research_room import wandb
        wandb.init(config={"lr": 0.1})      # the experiment is in RESEARCH_ROOM_EXPERIMENT, or init(experiment=...)
        wandb.log({"loss": 0.5})

    The commit is that of the working folder, or RESEARCH_ROOM_REPOSITORY and RESEARCH_ROOM_COMMIT, or
    init(repository={"url", "commit"}).
    """

    Table = _Table
    Settings = dict

    def __init__(self) -> None:
        self.run: Optional[_WandbRun] = None
        self.config, self.summary = _Config(), _Config()

    def init(
        self,
        *,
        config: Any = None,
        name: Optional[str] = None,
        mode: Optional[str] = None,
        experiment: Any = None,
        plan: Any = None,
        repository: Optional[Mapping[str, str]] = None,
        intended_deviation: Optional[str] = None,
        room: Optional[Room] = None,
        reinit: Any = None,
        **other: Any,
    ) -> _WandbRun:
        """Registers an attempt. If that is refused, it says why, and the training goes on without reports."""
        if self.run is not None:
            self.run.finish()
        settings = _Config()
        settings.update(*([] if config is None else [config]))
        attempt = None
        if mode != "disabled" and os.environ.get("WANDB_MODE") != "disabled":
            try:
                attempt = self._start(
                    room or Room(os.environ.get("RESEARCH_ROOM_URL", BASE_URL)),
                    experiment,
                    plan,
                    settings,
                    repository,
                    intended_deviation,
                )
            except Exception as error:
                _unsupported(f"init: {error} The script runs, and nothing is reported.")
        self.run = _WandbRun(attempt, settings, name)
        self.config, self.summary = settings, self.run.summary
        return self.run

    def _start(
        self,
        room: Room,
        experiment: Any,
        plan: Any,
        settings: _Config,
        repository: Optional[Mapping[str, str]],
        deviation: Optional[str],
    ) -> Attempt:
        experiment = experiment or os.environ.get("RESEARCH_ROOM_EXPERIMENT")
        if not experiment:
            raise ValueError("Name the experiment: set RESEARCH_ROOM_EXPERIMENT, or give init(experiment=...).")
        url, commit = os.environ.get("RESEARCH_ROOM_REPOSITORY"), os.environ.get("RESEARCH_ROOM_COMMIT")
        if repository is None and url and commit:
            repository = {"url": _public_address(url), "commit": commit}
        configuration = {}
        for key, value in settings.items():
            try:
                configuration[str(key)] = _plain(value)
            except (TypeError, ValueError):
                configuration[str(key)] = str(value)[:200]
        plan = plan or os.environ.get("RESEARCH_ROOM_PLAN")
        deviation = deviation or os.environ.get("RESEARCH_ROOM_INTENDED_DEVIATION")
        attempt = room.attempt(
            experiment, plan=plan, configuration=configuration, repository=repository, intended_deviation=deviation
        )
        attempt.start()
        self._hook()
        return attempt

    def _hook(self) -> None:
        """Makes the end of the program the end of the run, and an exception its failure."""
        if getattr(self, "_hooked", False):
            return
        self._hooked = True
        before = sys.excepthook

        def failed(kind: Any, error: Any, trace: Any) -> None:
            if self.run is not None:
                self.run.__exit__(kind, error, trace)
            before(kind, error, trace)

        sys.excepthook = failed
        atexit.register(lambda: self.run is not None and self.run.finish())

    def _ended(self, run: _WandbRun) -> None:
        if self.run is run:
            self.run = None

    def log(
        self, data: Mapping[str, Any], step: Optional[int] = None, commit: Optional[bool] = None, **more: Any
    ) -> None:
        if self.run is None:
            _unsupported("log: call init first; nothing is reported")
        else:
            self.run.log(data, step, commit, **more)

    def finish(self, exit_code: Optional[int] = None, **_: Any) -> None:
        if self.run is not None:
            self.run.finish(exit_code)

    def watch(self, *_: Any, **__: Any) -> None:
        """Gradients are not reported."""

    def define_metric(self, *_: Any, **__: Any) -> None:
        """Steps are the attempt's own."""

    def login(self, *_: Any, **__: Any) -> bool:
        """The credential is in RESEARCH_ROOM_TOKEN."""
        return True

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Nothing(name)


_wandb = wandb = _Wandb()
