# A run of a script that was written for wandb


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
            try:
                super().update(vars(each) if hasattr(each, "__dict__") and not isinstance(each, Mapping) else each)
            except (TypeError, ValueError):
                _unsupported(f"config: a {type(each).__name__} is not read; only members by name are reported")
        super().update(named)

    def setdefaults(self, given: Mapping[str, Any]) -> None:
        for name, value in given.items():
            self.setdefault(name, value)

    def as_dict(self) -> Dict[str, Any]:
        return dict(self)


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

    def add_column(self, name: str, data: Iterable[Any], **_: Any) -> None:
        cells = list(data)
        self.data = [[*row, cell] for row, cell in zip(self.data or [[] for _ in cells], cells)]
        self.columns.append(str(name))

    def get_column(self, name: str, **_: Any) -> List[Any]:
        return [row[self.columns.index(name)] for row in self.data]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Nothing(f"Table.{name}")


class _WandbRun:
    """A run, as wandb's scripts see it. It is an attempt; what cannot be reported is said once and ends nothing.

    Scripts often set their configuration after `init`. So the attempt is registered with the first report, or after
    some seconds."""

    #: Seconds until the attempt is registered if nothing is reported before.
    wait_seconds = 10.0

    def __init__(self, attempt: Optional[Attempt], config: _Config, name: Optional[str], given: Dict[str, Any]) -> None:
        self._attempt, self.config, self.summary = attempt, config, _Config()
        self.id = uuid.uuid4().hex if attempt is None else attempt.attempt_id
        self.name = name or f"run-{self.id[:8]}"
        #: What `init` was given beside: project, entity, group, tags, notes, job_type.
        self._given = given
        self.step = 0
        self._logged: Dict[str, Any] = {}
        self._lock = threading.RLock()
        self._ended = False
        self._registered: Optional[_Config] = None
        self._began = time.monotonic()
        self.process = os.getpid()
        if attempt is not None:
            attempt._catch_term()
            attempt._start_capture()
            attempt._captures = False
            self._timer = threading.Timer(self.wait_seconds, self._register)
            self._timer.daemon = True
            self._timer.start()

    def _register(self) -> Optional[Attempt]:
        """Registers the attempt with the configuration set so far, once. None if nothing is reported."""
        with self._lock:
            attempt = self._attempt
            if attempt is None or self._registered is not None:
                self._tell_late()
                return attempt
            self._timer.cancel()
            self._registered = _Config(self.config)
            try:
                attempt._registration["configuration"] = _told_settings(self.config)
                attempt.start()
                attempt._began = self._began
            except Exception as error:
                _unsupported(f"init: {error} The script runs, and nothing is reported.")
                attempt._release()
                self._attempt = None
            return self._attempt

    def _tell_late(self) -> None:
        for name, value in self.config.items():
            if self._registered is not None and self._registered.get(name) is not value:
                self._registered[name] = value
                _unsupported(f"config: {name} was set after the first report, so the attempt does not have it")

    @property
    def url(self) -> str:
        return "" if self._attempt is None else f"{self._attempt.room.base_url}/attempts/{self.id}"

    @property
    def dir(self) -> str:
        """A folder for the script's own files. None of them is sent, and git does not see them."""
        place = pathlib.Path(self._given.get("dir") or ".") / "wandb"
        folder = place / f"run-{self.id}" / "files"
        folder.mkdir(parents=True, exist_ok=True)
        (place / ".gitignore").write_text("*\n")
        return str(folder)

    def log(
        self,
        data: Optional[Mapping[str, Any]] = None,
        step: Optional[int] = None,
        commit: Optional[bool] = None,
        **_: Any,
    ) -> None:
        if self._ended:
            _unsupported("log: the run has finished; nothing is reported")
            return
        try:
            at = self.step if step is None else int(step)
            self._log(data or {}, at)
            self.step = at + (0 if commit is False or commit is None and step is not None else 1)
        except Exception as error:
            _unsupported(f"log: {error}")

    def _log(self, data: Mapping[str, Any], step: int) -> None:
        plain: Dict[str, Any] = {}
        for name, value in _flat(data):
            if not isinstance(value, (_Table, _Nothing)) and hasattr(value, "columns") and hasattr(value, "values"):
                value = _Table(dataframe=value)
            if isinstance(value, _Table):
                self._log_table(name, value)
            elif isinstance(value, (bool, str)) or hasattr(value, "_wandb_media"):
                _unsupported(f"log: {name} is a {type(value).__name__}; only numbers and tables are reported")
            elif name.lower() in ("step", "_step"):
                _unsupported(f"log: {name} is left out; a value's step is log(step=...), or counts the calls of log")
            else:
                plain[name] = self.summary[name] = self._logged[name] = value
        attempt = self._register() if plain else None
        if attempt is not None:
            attempt.log(plain, step=step)

    def _log_table(self, name: str, table: _Table) -> None:
        """Columns of numbers are values, all others and seeds say where."""
        attempt = self._register()
        if attempt is None:
            return
        measured = {key for row in table.data for key, value in zip(table.columns, row) if _is_number(value)}
        with attempt._lock:
            for row in table.data:
                told = {key: cell for key, cell in zip(table.columns, row) if not hasattr(cell, "_wandb_media")}
                own, cells = _part_reserved(told)
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

    def define_metric(self, *given: Any, **named: Any) -> None:
        _define_metric(*given, **named)

    def _log_summary(self, attempt: Attempt) -> None:
        """Reports what the script itself put into the summary. A name that it also logged becomes summary/NAME."""
        for name, value in _flat(self.summary):
            if name not in self._logged:
                attempt.log({name: value})
            elif self._logged[name] is not value:
                attempt.log({f"summary/{name}": value})

    def _end(self) -> Optional[Attempt]:
        """The attempt, at the run's only end. It is registered if it was not yet."""
        attempt = self._register()
        self._attempt, self._ended = None, True
        _wandb._ended(self)
        if attempt is not None:
            self._log_summary(attempt)
        return attempt

    def finish(self, exit_code: Optional[int] = None, quiet: Optional[bool] = None, **_: Any) -> None:
        attempt = self._end()
        if attempt is None:
            return
        code = exit_code or 0
        if code == 143:
            attempt.finish("cancelled", exit_code=code, message="The process was terminated.")
        elif code:
            attempt.finish("failed", exit_code=code, failure=f"The script finished with exit code {code}.")
        else:
            attempt.finish()
        for sentence in attempt.trouble:
            _unsupported(sentence)

    join = finish

    def __enter__(self) -> "_WandbRun":
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        attempt = self._end()
        if attempt is not None:
            attempt.__exit__(kind, error, trace)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        given = self.__dict__.get("_given", {})
        return given[name] if name in given else _Nothing(f"run.{name}")


def _told_settings(settings: Mapping[str, Any]) -> Dict[str, Any]:
    """The settings of a script as the configuration of its attempt. What JSON has no word for is told as text."""
    return {str(key): _told_setting(value) for key, value in settings.items()}


def _told_setting(value: Any) -> Any:
    """Two runs with equal settings must tell the same, so no address of memory is told."""
    try:
        return _plain(value)
    except (TypeError, ValueError):
        pass
    if isinstance(value, Mapping):
        return _told_settings(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _told_settings({field.name: getattr(value, field.name) for field in dataclasses.fields(value)})
    if isinstance(value, argparse.Namespace):
        return _told_settings(vars(value))
    if isinstance(value, (list, tuple)):
        return [_told_setting(each) for each in value]
    name = getattr(value, "__qualname__", None)
    return re.sub(" at 0x[0-9a-fA-F]+", "", str(value))[:200] if name is None else str(name)


def _flat(data: Mapping[str, Any], before: str = "") -> Iterator[Tuple[str, Any]]:
    for name, value in data.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{name}/")
        else:
            yield f"{before}{name}", value


def _define_metric(name: Any = "", step_metric: Any = None, *_: Any, summary: Any = None, **__: Any) -> None:
    """Says what a definition asks for beside the attempt's own steps and last values."""
    if step_metric is not None or summary not in (None, "last", "none"):
        _unsupported(
            f"define_metric: of {name}, steps are those of log and the last value is reported; put another one into"
            " the summary"
        )


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

    def __len__(self) -> int:
        return 0

    def __getitem__(self, _: Any) -> "_Nothing":
        return self

    def __setitem__(self, _: Any, __: Any) -> None:
        return None

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        return ""

    def __format__(self, _: str) -> str:
        return ""
