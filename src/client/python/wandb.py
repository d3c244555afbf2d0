# For scripts that were written for wandb: `from research_room import wandb`


def _offline(*_: Any) -> Any:
    raise OSError("wandb's mode is offline.")


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
        self._config, self.summary = _Config(), _Config()
        self._hooked = False
        self._finalized = 0
        self._exit_code: Optional[int] = None

    @property
    def config(self) -> _Config:
        return self._config

    @config.setter
    def config(self, given: Any) -> None:
        self._config.update(given)

    def init(
        self,
        *_: Any,
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
        """Prepares an attempt. If that is refused, it says why, and the training goes on without reports.

        With mode="offline", or WANDB_MODE=offline, the reports are kept for `deliver`.
        """
        if other.get("resume"):
            _unsupported("init: resume is not supported: this is an attempt of its own")
        # A run of the process that this one was forked from goes on there.
        if self.run is not None and self.run.process == os.getpid():
            self.run.finish()
        # What was set before the first run is that run's.
        settings = _Config({} if self._hooked else self._config)
        settings.update(*([] if config is None else [config]))
        attempt = None
        mode = mode or os.environ.get("WANDB_MODE")
        if mode != "disabled":
            try:
                url = os.environ.get("RESEARCH_ROOM_URL", BASE_URL)
                room = room or (
                    Room(url, transport=_offline, retries=0) if mode in ("offline", "dryrun") else Room(url)
                )
                attempt = self._attempt_of(room, experiment, plan, repository, intended_deviation)
                self._hook()
            except Exception as error:
                _unsupported(f"init: {error} The script runs, and nothing is reported.")
        self.run = _WandbRun(attempt, settings, name, other)
        self._config, self.summary = settings, self.run.summary
        return self.run

    def _attempt_of(
        self,
        room: Room,
        experiment: Any,
        plan: Any,
        repository: Optional[Mapping[str, str]],
        deviation: Optional[str],
    ) -> Attempt:
        experiment = experiment or os.environ.get("RESEARCH_ROOM_EXPERIMENT")
        if not experiment:
            raise ValueError("Name the experiment: set RESEARCH_ROOM_EXPERIMENT, or give init(experiment=...).")
        url, commit = os.environ.get("RESEARCH_ROOM_REPOSITORY"), os.environ.get("RESEARCH_ROOM_COMMIT")
        if repository is None and url and commit:
            repository = {"url": _public_address(url), "commit": commit}
        plan = plan or os.environ.get("RESEARCH_ROOM_PLAN")
        deviation = deviation or os.environ.get("RESEARCH_ROOM_INTENDED_DEVIATION")
        return room.attempt(experiment, plan=plan, repository=repository, intended_deviation=deviation)

    def _hook(self) -> None:
        """Makes the end of the program the end of the run: its exit code, and an exception as its failure."""
        processes = sys.modules.get("multiprocessing.process")
        if processes is not None and processes.parent_process() is not None and self._finalized != os.getpid():
            # A process of multiprocessing leaves out what is registered for the end of a program.
            self._finalized = os.getpid()
            sys.modules["multiprocessing.util"].Finalize(None, self._leave, exitpriority=100)
        if self._hooked:
            return
        self._hooked = True
        before, leave = sys.excepthook, sys.exit

        def failed(kind: Any, error: Any, trace: Any) -> None:
            if self.run is not None:
                self.run.__exit__(kind, error, trace)
            before(kind, error, trace)

        def leaving(status: Any = None) -> None:
            self._exit_code = status if isinstance(status, int) else 0 if status is None else 1
            leave(status)

        sys.excepthook, sys.exit = failed, leaving  # type: ignore[assignment]
        atexit.register(self._leave)

    def _leave(self) -> None:
        """Ends the run with its process; a run of the process that this one was forked from goes on."""
        kind, error, trace = sys.exc_info()
        if self.run is None or self.run.process != os.getpid():
            return
        if kind is None:
            self.run.finish(self._exit_code)
        else:
            self.run.__exit__(kind, error, trace)

    def _ended(self, run: _WandbRun) -> None:
        if self.run is run:
            self.run = None

    def log(
        self,
        data: Optional[Mapping[str, Any]] = None,
        step: Optional[int] = None,
        commit: Optional[bool] = None,
        **more: Any,
    ) -> None:
        if self.run is None:
            _unsupported("log: call init first; nothing is reported")
        else:
            self.run.log(data, step, commit, **more)

    def finish(self, exit_code: Optional[int] = None, **_: Any) -> None:
        if self.run is not None:
            self.run.finish(exit_code)

    join = finish

    def watch(self, *_: Any, **__: Any) -> None:
        """Gradients are not reported."""

    def define_metric(self, *given: Any, **named: Any) -> None:
        _define_metric(*given, **named)

    def login(self, *_: Any, **__: Any) -> bool:
        """The credential is in RESEARCH_ROOM_TOKEN."""
        return True

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Nothing(name)


_wandb = wandb = _Wandb()
