# What a run prints

#: Bytes of the beginning and of the end of a log that are sent.
_LOG_HALF = 8 << 20
#: Characters of a line.
_LOG_LINE = 1 << 16
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])")
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
#: What looks like a secret. The first group is kept, the rest is masked.
_SECRETS = re.compile(
    r"()(?:-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?:[^-]|-(?!----)){1,16384}"
    r"|\brr[ck]_[A-Za-z0-9_-]{8,}|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}"
    r"|\bglpat-[\w-]{16,}|\bhf_[A-Za-z0-9]{20,}|\bsk-[\w-]{20,}|\bAIza[\w-]{35}"
    r"|\bAKIA[0-9A-Z]{16}\b|\bxox[abprs]-[\w-]{10,}|\beyJ[\w-]{10,512}\.[\w-]{10,4096}\.[\w-]{10,1024})"
    r"|((?:password|passwd|secret|token|api[_-]?key|access[_-]?key)[\"']?\s{0,4}[=:]\s{0,4}[\"']?)[^\s\"',;]{6,}"
    r"|(\bbearer\s{1,4})[\w.~+/=-]{8,}|(://[^\s/:@]{0,128}:)[^\s/@]{1,256}(?=@)",
    re.IGNORECASE,
)


def _masked(text: str, own: Sequence[str] = ()) -> str:
    """A text in which secrets are masked: the client's own credential, and what looks like one."""
    for secret in own:
        if len(secret) >= 8:
            text = text.replace(secret, "[masked]")
    return _SECRETS.sub(lambda found: f"{next((kept for kept in found.groups() if kept), '')}[masked]", text)


class _Log:
    """The lines that a program prints, each with the time since it started, in a file. Of a long one the beginning and
    the end are kept. Used by one writer at a time."""

    def __init__(self, file: pathlib.Path) -> None:
        self._file, self._began = open(file, "w", encoding="utf-8", errors="replace"), time.monotonic()
        self._lock = threading.Lock()
        #: Of the line that has not ended yet, by stream: its beginning, and how many characters follow that.
        self._open: Dict[str, Tuple[str, int]] = {}
        self._bytes = self._left_out = 0
        self._tail: "collections.deque[str]" = collections.deque()
        self._tail_bytes = 0

    def write(self, stream: str, text: str) -> None:
        with self._lock:
            *lines, rest = text.split("\n")
            for line in lines:
                self._add(stream, line)
                self._end_line(stream)
            self._add(stream, rest)
            self._file.flush()

    def _add(self, stream: str, text: str) -> None:
        """Adds to the line that has not ended. Of one that is too long the beginning is kept, so that it takes no
        memory; of what a progress bar overwrote, the last."""
        if not text:
            return
        begun, after = self._open.get(stream, ("", 0))
        text = begun + text
        shown = text.rstrip("\r")
        _, mark, last = shown.rpartition("\r")
        after = max(0, len(last) - _LOG_LINE) + (0 if mark else after)
        self._open[stream] = last[:_LOG_LINE] + ("\r" if shown != text else ""), after

    def _end_line(self, stream: str) -> None:
        line, after = self._open.pop(stream, ("", 0))
        shown = _CONTROLS.sub("", _ESCAPES.sub("", line))
        more = f"\n… {after} characters of this line were left out here …" if after else ""
        kept = f"{time.monotonic() - self._began:9.3f} {'! ' if stream == 'stderr' else ''}{shown}{more}\n"
        if self._bytes < _LOG_HALF:
            self._file.write(kept)
            self._bytes += len(kept.encode("utf-8", "replace"))
            return
        self._tail.append(kept)
        self._tail_bytes += len(kept.encode("utf-8", "replace"))
        while self._tail_bytes > _LOG_HALF - 1024:
            self._tail_bytes -= len(self._tail.popleft().encode("utf-8", "replace"))
            self._left_out += 1

    def close(self) -> None:
        with self._lock:
            for stream in list(self._open):
                self._end_line(stream)
            if self._left_out:
                self._file.write(f"… {self._left_out} lines were left out here …\n")
            for line in self._tail:
                self._file.write(line)
            self._tail.clear()
            self._file.close()


class _Tee(io.TextIOBase):
    """Writes to a stream and to a log. Everything else is the stream's own."""

    def __init__(self, stream: Any, name: str, log: _Log) -> None:
        self.stream, self._name, self._log = stream, name, log

    def write(self, text: str) -> int:
        written = self.stream.write(text)
        try:
            self._log.write(self._name, text)
        except (ValueError, OSError):
            pass
        return int(written or 0)

    def flush(self) -> None:
        self.stream.flush()

    def isatty(self) -> bool:
        return bool(self.stream.isatty())

    def fileno(self) -> int:
        return int(self.stream.fileno())

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return str(getattr(self.stream, "encoding", "utf-8"))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def _copy(source: Any, name: str, log: Optional[_Log]) -> None:
    """Prints what a command prints, as it comes, and keeps it in the log. Goes on if nobody reads it any more."""
    out: Any = getattr(sys, name).buffer
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    while True:
        try:
            piece = os.read(source, 1 << 16)
        except OSError:
            # A terminal that closed.
            piece = b""
        if not piece:
            return
        if out is not None:
            try:
                out.write(piece)
                out.flush()
            except (OSError, ValueError):
                out = None
        if log is not None:
            try:
                log.write(name, decode(piece))
            except (OSError, ValueError):
                log = None
