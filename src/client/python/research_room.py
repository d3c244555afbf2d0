"""A client for Research Rooms in one file: the standard library only, Python 3.9 and newer.

    from research_room import Room
    room = Room()                # at @BASE_URL@; the credential is in RESEARCH_ROOM_TOKEN
    print(room.get_room_brief(format="markdown", budget=@BRIEF@))

Each operation of the service is a method, and each read is one that begins with get_; all_ yields the items of a list over all its
pages. `python3 research_room.py NAME ...` prints what methods take. A piece of research, in order:

    proposed = room.propose_experiment(...)
    with room.batch() as batch:  # one request: all of it is stored, in order, or nothing
        taken = batch.take_experiment(...)
        planned = batch.accept_plan(..., expected_revision=taken.result.revision, expected_status=taken.result.status)
    print(batch)
    with room.attempt(experiment_id, plan=plan_id, argv=[...], repository={"url": ..., "commit": ...}) as attempt:
        attempt.log(step=1, loss=0.5)  # run your code in here; the attempt registers itself and reports how it ended
    print(attempt)
    with room.batch() as batch:
        finding = batch.publish_finding(...)
        link = batch.link_experiment_finding(..., finding_version_id=finding.targetId)
        batch.report_experiment_status(...)
        batch.post_research_checkpoint(..., expected_watermark=link.entry.sequence)

A refusal is raised as Refused, with a class for each code. Its text names each fault of what you sent.
A write whose answer is lost is sent again with the same id, and the service does it once. A write that cannot be delivered is kept
in a folder; `deliver()`, or the next write, sends it.

Made by research-room @VERSION@, protocol @PROTOCOL@.
"""

from __future__ import annotations

import datetime
import enum
import functools
import hashlib
import html
import inspect
import io
import json
import math
import mimetypes
import os
import pathlib
import platform
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
import typing
import urllib.error
import urllib.parse
import urllib.request
import uuid
import warnings
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

if typing.TYPE_CHECKING:
    from typing import Literal

__version__ = "@VERSION@"
BASE_URL = "@BASE_URL@"
#: A time: a text in RFC 3339, or a datetime. A datetime without a zone is in local time.
Time = Union[str, datetime.datetime]
#: Sends one request: method, address, headers, body, seconds. Answers status, headers and body; raises OSError where none comes.
Transport = Callable[[str, str, Mapping[str, str], Optional[bytes], float], Tuple[int, Mapping[str, str], bytes]]


class _LeftOut:
    def __repr__(self) -> str:
        return "LEFT_OUT"

    def __bool__(self) -> bool:
        return False


#: The value of a parameter that is not sent, where None would be sent as null.
LEFT_OUT = _LeftOut()


def _given(value: Any) -> Any:
    return LEFT_OUT if value is None else value


class Answer(Dict[str, Any]):
    """What the service answered: a dict whose members are attributes too. `str()` gives its JSON; of a receipt, what you did not know."""

    _client: "Optional[_Client]" = None

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"There is no {name} in this answer; there are {', '.join(self)}.") from None

    def __str__(self) -> str:
        if "operation" in self and "acceptedAt" in self:
            return json.dumps(_news(self), ensure_ascii=False)
        return json.dumps(self, indent=2, ensure_ascii=False)

    def _repr_html_(self) -> str:
        if "attemptId" in self and "registrant" in self:
            series = {} if self._client is None else _series_of(self._client, self["attemptId"])
            return _attempt_html(self, series)
        if "versionId" in self and "provenanceSummary" in self:
            return _record_html(self)
        return _table_html(self)


def _news(receipt: Mapping[str, Any]) -> Dict[str, Any]:
    """What a receipt says that its sender did not know."""
    left_out = ("schemaVersion", "acceptedAt", "roomId", "threadId", "activity")
    told = {name: value for name, value in receipt.items() if name not in left_out and value not in (None, [], {})}
    told["result"] = {name: value for name, value in receipt["result"].items() if name != "label" and value is not None}
    for near in ("similar", "sameExecution"):
        if near in told:
            told[near] = [{name: item[name] for name in ("label", "status", "says", "cameOfIt")} for item in told[near]]
    return told


class RoomError(Exception):
    """Any error of this client."""


class Unreachable(RoomError):
    """The service did not answer, or not in full: nothing listens there, the connection broke, or it took too long."""


class Unexpected(RoomError):
    """The answer is neither what was asked for nor a refusal. It probably does not come from a research-room service."""

    def __init__(self, status: int, why: str, text: str = "") -> None:
        super().__init__(f"{why} (status {status})")
        self.status = status
        self.excerpt = text[:200]


class Undelivered(RoomError):
    """It is not known whether a write was stored. Send it again with the same id; `deliver()` does so."""

    def __init__(self, operation: str, delivery_id: str, why: BaseException, spooled: Optional[pathlib.Path]) -> None:
        kept = f" It is kept in {spooled}; deliver() sends it." if spooled else " Send it again with the same id."
        super().__init__(f"Whether {operation} {delivery_id} was stored is uncertain: {why}{kept}")
        self.operation = operation
        self.delivery_id = delivery_id
        self.spooled = spooled


class ChainBroken(RoomError):
    """The activity of a Room was rewritten: an entry was changed, left out, added or moved."""


class Refused(RoomError):
    """The service refused a request. On a conflict look at `current`, choose again, and keep the draft."""

    code = ""

    def __init__(self, status: int, envelope: Mapping[str, Any]) -> None:
        issues: List[Answer] = list(envelope.get("issues") or [])
        places = "".join(f"\n  {issue.get('path') or '/'} {issue.get('message')}" for issue in issues[:20])
        super().__init__(f"{envelope['error']} ({envelope['refusal']}){places}")
        self.status = status
        #: The code. A newer service may have codes that this file does not know.
        self.refusal: str = envelope["refusal"]
        self.error: str = envelope["error"]
        #: False: nothing was stored. None: it is not known.
        self.committed: Optional[bool] = envelope.get("committed", False)
        self.retryable = bool(envelope.get("retryable"))
        #: Seconds, or None where they are not known.
        self.retry_after: Optional[float] = envelope.get("retryAfter")
        #: The state that stands in the way.
        self.current: Optional[Answer] = envelope.get("current")
        #: One for each fault of the body: path (a JSON Pointer) and message.
        self.issues = issues


#<refusals>
_REFUSALS: Dict[str, type] = {}
#</refusals>


def _urllib(method: str, url: str, headers: Mapping[str, str], body: Optional[bytes], seconds: float) -> Tuple[int, Mapping[str, str], bytes]:
    request = urllib.request.Request(url, data=body, headers=dict(headers), method=method)
    try:
        with _opener.open(request, timeout=seconds) as answer:
            return answer.status, {name.lower(): value for name, value in answer.headers.items()}, answer.read()
    except urllib.error.HTTPError as answer:
        with answer:
            return answer.code, {name.lower(): value for name, value in answer.headers.items()}, answer.read()
    except urllib.error.URLError as error:
        raise OSError(str(error.reason)) from error
    except (socket.timeout, EOFError) as error:
        raise OSError(str(error) or "it took too long") from error
    except Exception as error:
        # http.client raises its own exceptions where an answer breaks off.
        if type(error).__module__ == "http.client":
            raise OSError(str(error) or type(error).__name__) from error
        raise


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A credential is for the service's own address and must not follow a redirect."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirect)


def _plain(value: Any, path: str = "") -> Any:
    """A value as JSON: times in UTC, paths and ids as text, numbers of numpy and torch as Python's own."""
    if value is None or isinstance(value, (str, bool)):
        return value.value if isinstance(value, enum.Enum) else value
    if isinstance(value, enum.Enum):
        return _plain(value.value, path)
    if isinstance(value, int):
        return _whole(int(value), path)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{path or '/'} is {value}, which JSON has no number for; only the value of a metric may be that")
        # The service takes no -0: it would be written as 0.
        return float(value) if value != 0 else 0
    if isinstance(value, datetime.datetime):
        return _time(value)
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, (uuid.UUID, pathlib.PurePath)):
        return str(value)
    if isinstance(value, Mapping):
        return {str(name): _plain(inner, f"{path}/{name}") for name, inner in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(inner, f"{path}/{index}") for index, inner in enumerate(value)]
    if hasattr(value, "tolist"):
        return _plain(value.tolist(), path)
    if hasattr(value, "item"):
        return _plain(value.item(), path)
    raise TypeError(f"{path or '/'} is a {type(value).__name__}, which JSON has no form for")


def _whole(value: int, path: str) -> int:
    if abs(value) > 2**53 - 1 and int(float(value)) != value:
        raise ValueError(f"{path or '/'} is {value}, more than JSON numbers keep exactly; give it as a text")
    return value


def _time(value: Time) -> str:
    if isinstance(value, str):
        return value
    moment = value.astimezone(datetime.timezone.utc)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def _now() -> str:
    return _time(datetime.datetime.now(datetime.timezone.utc))


def _measured(value: Any) -> Union[int, float, str]:
    """The value of a metric. NaN and infinity have words of their own."""
    if hasattr(value, "item") and not isinstance(value, (int, float)):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        if isinstance(value, bool):
            return int(value)
        value = float(value)
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, int) and int(float(value)) != value:
        value = float(value)
    return value if value != 0 else 0


def _id_of(what: Any, *names: str) -> Any:
    """The id in an answer, or the id itself."""
    if isinstance(what, Mapping):
        for name in names:
            if name in what:
                return what[name]
        if "result" in what:
            return _id_of(what["result"], *names)
        raise ValueError(f"There is no {' or '.join(names)} in what was given")
    return str(what)


def _retry_after(headers: Mapping[str, str]) -> Optional[float]:
    value = headers.get("retry-after", "")
    return float(value) if re.fullmatch(r"[0-9]+", value) else None


class _Failure(Exception):
    """How one try failed: the error to raise, whether to try again, and whether the write may have been stored."""

    def __init__(self, error: RoomError, again: bool, uncertain: bool, retry_after: Optional[float] = None) -> None:
        super().__init__(str(error))
        self.error, self.again, self.uncertain, self.retry_after = error, again, uncertain, retry_after


def _passing(status: int) -> bool:
    """Whether a status says nothing about the request itself. A proxy may have sent it."""
    return status >= 500 or status in (408, 425, 429)


class _Client:
    """What Room and Library have in common: sending, retrying, paging, and the spool."""

    _family = ""

    def __init__(
        self,
        url: str = BASE_URL,
        token: Optional[str] = None,
        *,
        client: Optional[Mapping[str, str]] = None,
        spool: Union[str, "os.PathLike[str]", bool, None] = None,
        retries: int = 4,
        timeout: float = 60,
        longest_wait: float = 60,
        transport: Optional[Transport] = None,
    ) -> None:
        """
        url: the address of the service, or of a Room's page.
        token: a credential or key. Left out, it is RESEARCH_ROOM_TOKEN. Public reads need none, and are sent none unless they exclude you.
        client: the program that writes, in your own words: name, version, model, sessionId, runId.
        spool: the folder for writes that could not be delivered. Left out, it is RESEARCH_ROOM_SPOOL or ~/.research-room/spool.
            False keeps nothing.
        retries: how often a request is sent again. timeout, longest_wait: seconds for one try, and between two tries.
        """
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https"):
            raise ValueError(f"url must begin with http:// or https://, not {url}")
        page = re.search(r"/rooms/([0-9a-fA-F-]{36})(?:/.*)?$", parts.path)
        self._page_room = page.group(1).lower() if page else None
        path = parts.path[: page.start()] if page else parts.path
        self.base_url = urllib.parse.urlunsplit((parts.scheme, parts.netloc, path.rstrip("/"), "", ""))
        self._token = os.environ.get("RESEARCH_ROOM_TOKEN") if token is None else token
        if self._token is not None and not re.fullmatch(r"[\x21-\x7e]+", self._token):
            raise ValueError("token holds characters that no credential has; was it read with a line break?")
        self._said_by = dict(client) if client is not None else {"name": "research_room.py", "version": __version__}
        self._retries, self._timeout, self._longest_wait = retries, timeout, longest_wait
        self._transport: Transport = transport or _urllib
        self._sleep: Callable[[float], None] = time.sleep
        folder = os.environ.get("RESEARCH_ROOM_SPOOL", os.path.join("~", ".research-room", "spool")) if spool in (None, True) else spool
        self._spool = None if folder is False else _Spool(pathlib.Path(os.path.expanduser(str(folder))), self)

    # Sending

    def _try(self, method: str, path: str, body: Optional[bytes], form: str, wait: float, media: str = "application/json") -> Any:
        headers = {"accept": "application/json" if form == "json" else "*/*", "user-agent": f"research_room.py/{__version__}"}
        if body is not None:
            headers["content-type"] = media
        if self._token is not None and (path.startswith("/api/agent/") or re.search(r"[?&]exclude=", path)):
            headers["authorization"] = f"Bearer {self._token}"
        try:
            status, sent, content = self._transport(method, self.base_url + path, headers, body, self._timeout + wait)
        except OSError as error:
            raise _Failure(Unreachable(f"No answer came from {self.base_url}: {error}"), True, True) from error
        if form == "bytes" and 200 <= status < 300:
            return content
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            text = ""
        value: Any = text
        if form == "json" or not 200 <= status < 300:
            try:
                value = json.loads(text, object_hook=Answer)
            except ValueError:
                value = None
        if 200 <= status < 300:
            if value is not None:
                return value
            # It may have been cut short on its way. The same request brings it whole.
            raise _Failure(Unexpected(status, "The answer is not JSON", text), True, True)
        if isinstance(value, dict) and isinstance(value.get("error"), str) and isinstance(value.get("refusal"), str):
            if value.get("retryAfter") is None:
                value["retryAfter"] = _retry_after(sent)
            refused = _REFUSALS.get(value["refusal"], Refused)(status, value)
            again = refused.retryable or refused.committed is None or _passing(status)
            raise _Failure(refused, again, refused.committed is None, refused.retry_after)
        moved = sent.get("location")
        why = f"The address has moved to {moved}: use that as url" if moved and status < 400 else "The answer is no refusal of this service"
        raise _Failure(Unexpected(status, why, text), _passing(status), _passing(status) and status != 429, _retry_after(sent))

    def _persist(self, method: str, path: str, body: Optional[bytes] = None, form: str = "json", wait: float = 0, retries: Optional[int] = None, media: str = "application/json") -> Any:
        """Sends a request until it has its answer or the retries are used up. Raises the last _Failure."""
        uncertain = False
        tries = 0
        while True:
            tries += 1
            try:
                return self._try(method, path, body, form, wait, media)
            except _Failure as failure:
                uncertain = uncertain or failure.uncertain
                pause = min(15.0, 0.5 * 2 ** min(tries - 1, 10)) if failure.retry_after is None else failure.retry_after
                if not failure.again or tries > (self._retries if retries is None else retries) or pause > self._longest_wait:
                    # The service looks for an earlier delivery before it refuses: a refusal means that there was none.
                    settled = isinstance(failure.error, Refused) and failure.error.committed is False
                    settled = settled and not (failure.error.status == 401 or _passing(failure.error.status))  # type: ignore[attr-defined]
                    failure.uncertain = uncertain and not settled
                    raise
                self._sleep(pause)

    def _path(self, pattern: str, values: Dict[str, Any]) -> str:
        """Fills in a path, and takes its ids out of the values."""

        def fill(found: "re.Match[str]") -> str:
            return urllib.parse.quote(str(values.pop(found.group(1))), safe="")

        return re.sub(r"\{([a-zA-Z]+)\}", fill, pattern)

    def _read(self, name: str, values: Dict[str, Any], form: str = "json") -> Any:
        asked = {key: value for key, value in values.items() if value is not None and value is not LEFT_OUT}
        path = self._path(_READS[name][0], asked)
        query = urllib.parse.urlencode({key: self._word(value) for key, value in asked.items()})
        try:
            answer = self._persist("GET", f"{path}?{query}" if query else path, form=form, wait=float(asked.get("wait", 0)))
        except _Failure as failure:
            raise failure.error from (failure.__cause__ or None)
        if isinstance(answer, Answer):
            answer.__dict__["_client"] = self
        return answer

    @staticmethod
    def _word(value: Any) -> str:
        if isinstance(value, (list, tuple, set, frozenset)):
            return ",".join(str(item) for item in value)
        return ("true" if value else "false") if isinstance(value, bool) else _time(value) if isinstance(value, datetime.datetime) else str(value)

    def _pages(self, name: str, values: Dict[str, Any]) -> Iterator[Answer]:
        cursor = _READS[name][1]
        while True:
            page = self._read(name, values)
            yield page
            if not page.get("hasMore"):
                return
            following = page.get("nextOffset" if cursor == "offset" else "nextCursor")
            if following is None or following == values.get(cursor):
                raise Unexpected(200, "The list does not say where it goes on")
            values = {**values, cursor: following}

    def _items(self, name: str, values: Dict[str, Any]) -> Iterator[Any]:
        for page in self._pages(name, values):
            for item in page["items"]:
                if isinstance(item, Answer):
                    item.__dict__["_client"] = self
                yield item

    def _letter(self, operation: str, values: Mapping[str, Any], delivery_id: Optional[str] = None) -> "_Letter":
        """A write as it is sent, the same at each try."""
        method, pattern, delivery, version, _ = _OPERATIONS[operation]
        body = {name: _plain(value, f"/{name}") for name, value in values.items() if value is not LEFT_OUT}
        path = self._path(pattern, body)
        own = str(delivery_id or uuid.uuid4())
        body = {"schemaVersion": version, delivery: own, **({"client": self._said_by} if self._said_by else {}), **body}
        return _Letter(operation, own, method, path, json.dumps(body, allow_nan=False, ensure_ascii=False).encode("utf-8"))

    def _send(self, letter: "_Letter", retries: Optional[int] = None, query: str = "") -> Answer:
        return self._persist(letter.method, letter.path + query, letter.body, retries=retries)

    def _write(self, operation: str, values: Mapping[str, Any], delivery_id: Optional[str] = None, rehearse: bool = False) -> Answer:
        letter = self._letter(operation, values, delivery_id)
        if self._spool is not None and not rehearse and self._spool.waiting():
            self.deliver()
        try:
            return self._send(letter, query="?rehearse=1" if rehearse else "")
        except _Failure as failure:
            if rehearse or not failure.uncertain:
                raise failure.error from (failure.__cause__ or None)
            kept = None if self._spool is None else self._spool.keep(letter)
            raise Undelivered(operation, letter.delivery_id, failure.error, kept) from failure.error

    def deliver(self) -> "Delivered":
        """Sends the writes that could not be delivered, in their order and with their ids. Stops when the service does not answer."""
        return Delivered([], [], 0) if self._spool is None else self._spool.deliver()

    def write(self, operation: str, body: Mapping[str, Any], *, request_id: Optional[str] = None, rehearse: bool = False) -> Answer:
        """Does any operation by its name. The body, with the ids of the path in it, has the names of the schema."""
        return self._write(operation, body, request_id, rehearse)

    def read(self, name: str, **parameters: Any) -> Any:
        """Asks any read by its name. Parameters have the names of the schema."""
        return self._read(name, parameters, _READS[name][2])


class _Letter(typing.NamedTuple):
    operation: str
    delivery_id: str
    method: str
    path: str
    body: bytes

    def operations(self) -> List[str]:
        return [self.operation] if self.operation in _OPERATIONS else [each["operation"] for each in json.loads(self.body)["writes"]]


class Delivered(typing.NamedTuple):
    """What `deliver` did: receipts, refusals (the refused writes are kept in the folder `refused`), and how many writes still wait."""

    receipts: List[Answer]
    refused: List[Refused]
    waiting: int


class _Spool:
    """Writes on disk, a file for each, in their order. No token is in them."""

    def __init__(self, folder: pathlib.Path, client: _Client) -> None:
        place = re.sub(r"[^A-Za-z0-9.-]+", "_", client.base_url.split("://", 1)[-1])
        self.folder = folder / place
        self._client = client
        self._last = 0

    def _marks(self) -> str:
        """A mark of the credential. Some writes may be sent again with the same credential only."""
        return hashlib.sha256((self._client._token or "").encode()).hexdigest()[:16]

    def _mine(self) -> List[pathlib.Path]:
        try:
            return sorted(self.folder.glob(f"*-{self._client._family}-*.json"))
        except OSError:
            return []

    def waiting(self) -> int:
        return len(self._mine())

    def keep(self, letter: _Letter) -> pathlib.Path:
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._last = max(self._last + 1, time.time_ns())
        path = self.folder / f"{self._last:020d}-{self._client._family}-{letter.delivery_id}.json"
        kept = {**letter._asdict(), "body": letter.body.decode("utf-8"), "credential": self._marks(), "saidAt": _now()}
        made = path.with_suffix(".part")
        with open(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            json.dump(kept, file, ensure_ascii=False)
            file.flush()
            os.fsync(file.fileno())
        os.replace(made, path)
        return path

    def deliver(self) -> Delivered:
        receipts: List[Answer] = []
        refused: List[Refused] = []
        for path in self._mine():
            try:
                kept = json.loads(path.read_text(encoding="utf-8"))
                letter = _Letter(kept["operation"], kept["delivery_id"], kept["method"], kept["path"], kept["body"].encode("utf-8"))
            except FileNotFoundError:
                continue
            if kept["credential"] != self._marks() and any(_OPERATIONS[each][4] for each in letter.operations()):
                continue
            try:
                # The first one shows whether the service answers.
                receipts.append(self._client._send(letter, retries=1))
                path.unlink(missing_ok=True)
            except _Failure as failure:
                if not isinstance(failure.error, Refused) or failure.uncertain or failure.again or failure.error.status == 401:
                    break
                refused.append(failure.error)
                aside = self.folder / "refused"
                aside.mkdir(exist_ok=True, mode=0o700)
                (aside / f"{path.stem}.txt").write_text(str(failure.error), encoding="utf-8")
                os.replace(path, aside / path.name)
        return Delivered(receipts, refused, self.waiting())


#<tables>
_OPERATIONS: Dict[str, Tuple[str, str, str, int, bool]] = {}
_READS: Dict[str, Tuple[str, str, str]] = {}
#</tables>


class Later(Dict[str, str]):
    """A part of a receipt that a batch is still to give, for a later write of it: `thread.targetId`, `plan.result.planId`."""

    def __getattr__(self, name: str) -> "Later":
        if name.startswith("_"):
            raise AttributeError(name)
        return Later({"$from": self["$from"], "path": f"{self['path']}/{name}"})


class Library(_Client):
    """A person's Library, with a personal key (`rrk_...`)."""

    _family = "library"

    #<library>
    #</library>


class Room(_Client):
    """A Room, with a credential of it (`rrc_...`); without one, everything that is public.

    The ten calls that you need first:

        room.get_room_brief(format="markdown")          where the Room stands
        room.get_search(query="warm-up")                all that was said
        room.get_room_similar(text="...")               what was tried already
        room.get_room_next()                            what would move the Room
        room.propose_experiment(...)                    ask a question that a run can answer
        room.take_experiment(...)                       take work that waits
        with room.batch() as batch: ...                 several writes in one request
        with room.attempt(...) as attempt: ...          a run that reports itself: attempt.log(loss=0.5)
        room.publish_finding(...)                       what came of it
        room.get_inbox(format="lines", wait=25)         what others did that concerns you
    """

    _family = "research"
    _room_id: Optional[str] = None

    @property
    def room_id(self) -> str:
        """The Room of the address that was given, or of the credential."""
        if self._room_id is None:
            self._room_id = self._page_room or (None if self._token is None else self.get_identity()["room"]["id"])
        if self._room_id is None:
            raise ValueError("Say which Room: give its page as url, a credential, or room_id")
        return self._room_id

    def follow(self, after: int = 0, *, kinds: Optional[Sequence[str]] = None, wait: int = @WAIT@, room_id: Optional[str] = None) -> Iterator[Answer]:
        """Yields each entry of the Room's activity when it lands, in order, also across lost connections and restarts.

        after: the sequence to start after, such as the activityWatermark of a brief.
        kinds: only entries of these kinds. Left out, the digest of each entry is verified.
        """
        room = room_id or self.room_id
        digest = @FIRST_DIGEST@ if after == 0 else None
        while True:
            asked = time.monotonic()
            try:
                page = self._read("room_activity", {"roomId": room, "after": after, "kinds": kinds, "wait": wait or None})
            except (Unreachable, Unexpected) as error:
                if isinstance(error, Unexpected) and not _passing(error.status):
                    raise
                self._sleep(5)
                continue
            except Refused as error:
                if not error.retryable:
                    raise
                self._sleep(error.retry_after or 5)
                continue
            for entry in page["items"]:
                if kinds is None:
                    digest = _linked(room, entry, after + 1, digest)
                after = entry["sequence"]
                yield entry
            after = max(after, page["nextCursor"] or 0) if kinds is not None else after
            if not page["items"] and time.monotonic() - asked < 1:
                self._sleep(1)

    def batch(self, rehearse: bool = False) -> "Batch":
        """Several writes in one request: all are stored, in order, or none is. Use it in a `with` statement.

            with room.batch() as batch:
                thread = batch.create_thread(title="A Thread")
                batch.post_message(thread_id=thread.targetId, text="Its first message.")
            print(batch)

        A write in the batch gives its receipt to come: pass parts of it to later writes. `batch.receipts` has the receipts.
        """
        return Batch(self, rehearse)

    def figure(self, picture: Any, alt: str) -> Dict[str, str]:
        """Uploads a picture. Gives what a write takes in `figures`.

            room.post_message(thread_id=thread, text="The curve.", figures=[room.figure("loss.png", "Loss falls in both arms.")])

        picture: a PNG, JPEG or WebP file's path, its bytes, or a figure of Matplotlib. alt: what it shows, for those who do not see it.
        """
        if hasattr(picture, "savefig"):
            made = io.BytesIO()
            picture.savefig(made, format="png")
            content = made.getvalue()
        else:
            content = bytes(picture) if isinstance(picture, (bytes, bytearray)) else pathlib.Path(picture).read_bytes()
        kinds = ((b"\x89PNG", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"RIFF", "image/webp"))
        media = next((kind for start, kind in kinds if content.startswith(start)), None)
        if media is None:
            raise ValueError("picture must be a PNG, JPEG or WebP file")
        try:
            kept = self._persist("POST", "@FIGURES@", content, media=media)
        except _Failure as failure:
            raise failure.error from None
        return {"digest": kept["digest"], "alt": alt}

    def attempt(
        self,
        experiment: Any,
        *,
        plan: Any = None,
        argv: Optional[Sequence[Any]] = None,
        configuration: Optional[Mapping[str, Any]] = None,
        environment: Optional[Mapping[str, str]] = None,
        inputs: Sequence[Mapping[str, Any]] = (),
        repository: Optional[Mapping[str, str]] = None,
        intended_deviation: Optional[str] = None,
        rerun_of: Any = None,
        reproduces: Optional[Mapping[str, str]] = None,
        attempt_id: Optional[str] = None,
        dimensions: Sequence[str] = (),
    ) -> "Attempt":
        """One run, in a `with` statement. It is registered before it starts, and its outcome is reported when it ends.

        experiment, plan: ids, or answers that hold them. Without a plan the attempt is exploratory.
        argv: the command line. Left out, it is that of this program.
        repository: `{"url", "commit"}`. Left out, it is that of the working folder, whose changes must be committed or be told in
            intended_deviation.
        rerun_of: the attempt that this one repeats. reproduces: `{"attemptId"}` or `{"findingVersionId"}`.
        dimensions: names in `log` that say where a value stands, such as `["arm", "seed"]`: `log(error=0.057, arm="shift", seed=3)`.
        """
        given = {name: value for name, value in locals().items() if name != "self"}
        return Attempt(self, **given)

    def _repr_html_(self) -> str:
        return _room_html(self.get_room(room_id=self.room_id), self.base_url)

    #<research>
    def get_identity(self) -> Answer: ...

    def get_room(self, *, room_id: str) -> Answer: ...

    def get_experiment(self, *, experiment_id: str) -> Answer: ...

    #</research>


def _linked(room: str, entry: Mapping[str, Any], due: int, before: Optional[str]) -> str:
    """The digest of an entry, worked out from its text (RFC 8785). Raises where the entry does not follow the one before it."""
    rest = {name: value for name, value in entry.items() if name != "digest"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    digest = "sha256:" + hashlib.sha256(text.encode("utf-8")).hexdigest()
    if entry["sequence"] != due or digest != entry["digest"] or before not in (None, entry["previousDigest"]):
        raise ChainBroken(f"The activity of Room {room} is broken at entry {due}: it does not follow from the one before it.")
    return digest


def _git(*words: str) -> Optional[str]:
    try:
        found = subprocess.run(["git", *words], capture_output=True, text=True, check=True, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return None
    return found.stdout.strip()


def working_repository() -> Tuple[Dict[str, str], bool]:
    """The public repository and commit of the working folder, and whether everything in the folder is committed."""
    commit, url, changes = _git("rev-parse", "HEAD"), _git("config", "--get", "remote.origin.url"), _git("status", "--porcelain")
    if not commit or not url:
        raise ValueError("The working folder is not a git repository with an origin. Give repository={'url': ..., 'commit': ...}.")
    url = re.sub(r"^(?:ssh://)?git@([^:/]+)[:/]", r"https://\1/", url)
    url = re.sub(r"^https://[^@/]+@", "https://", re.sub(r"(?:\.git)?/*$", "", url))
    return {"url": url, "commit": commit}, changes == ""


class _NotTold(ValueError):
    """Why a value is left out of a report."""


def _never_raises(method: Callable[..., Any]) -> Callable[..., Any]:
    """A report that fails must not end the run. What went wrong stands in `trouble`."""

    @functools.wraps(method)
    def told(self: "Attempt", *given: Any, **named: Any) -> Any:
        try:
            return method(self, *given, **named)
        except Exception as error:
            self._tell(f"{method.__name__}: {error}")
            return None

    return told


def _name(value: Any) -> str:
    name = _clean(str(value))[:200]
    if name == "":
        raise _NotTold("has no name")
    return name


def _unit(value: Any) -> str:
    return _name(value)[:100]


def _dimension_names(names: Sequence[str]) -> Tuple[str, ...]:
    if isinstance(names, str) or len(names) > 8:
        raise ValueError("dimensions is a list of at most 8 names")
    for name in names:
        if not isinstance(name, str) or not re.fullmatch("[a-z][a-z0-9_]{0,31}", name):
            raise ValueError(f"{name!r} cannot name a dimension: it is at most 32 of a to z, 0 to 9 and _, and begins with a letter")
        if name in ("step", "split", "unit"):
            raise ValueError(f"{name} cannot name a dimension: log takes it as the {name} of the values")
    return tuple(names)


def _dimension(name: str, value: Any) -> Union[str, int, float, bool]:
    """The value of a dimension. Raises where the service cannot take it; the values of that call are then left out."""
    try:
        told = _plain(value)
    except (TypeError, ValueError):
        told = None
    if isinstance(told, str):
        told = _clean(told)
        if not 0 < len(told) <= 64:
            raise _NotTold(f"{name} is a text of {len(told)} characters, and a dimension has 1 to 64: the values were left out")
    elif not isinstance(told, (int, float)):
        raise _NotTold(f"{name} is a {type(value).__name__}, and a dimension is a text, a number, True or False: the values were left out")
    return told


def _step(value: Any) -> int:
    step = int(value)
    if not 0 <= step < 2**53:
        raise _NotTold(f"is {step}, and steps are counted from 0")
    return step


#: The members that an event must have.
_BARE = ("attemptId", "expectedRevision", "expectedStatus", "event", "reportedAt", "exitCode", "failure", "cost")


def _without_refused(said: Mapping[str, Any], error: "Refused") -> Optional[Dict[str, Any]]:
    """An event without the values that were refused; None where something else was refused too, or no value is left."""
    metrics = said.get("metrics") or []
    places = [re.match("/metrics/([0-9]+)/", str(issue.get("path"))) for issue in error.issues]
    refused = {int(place.group(1)) for place in places if place is not None}
    kept = [point for index, point in enumerate(metrics) if index not in refused]
    if not kept or not refused or None in places or error.status != 422:
        return None
    return {**said, "metrics": kept}


class Batch(Room):
    """Writes that are sent together when the `with` statement ends. After an exception none is sent."""

    def __init__(self, room: Room, rehearse: bool) -> None:
        self.__dict__.update(room.__dict__)
        self._room = room
        self._rehearse = rehearse
        self._writes: List[Dict[str, Any]] = []
        self.receipts: List[Answer] = []

    def _write(self, operation: str, values: Mapping[str, Any], delivery_id: Optional[str] = None, rehearse: bool = False) -> Any:
        _, pattern, delivery, version, _ = _OPERATIONS[operation]
        body = {name: _plain(value, f"/{name}") for name, value in values.items() if value is not LEFT_OUT}
        params = {name: body.pop(name) for name in re.findall(r"\{([a-zA-Z]+)\}", pattern)}
        filled = {"schemaVersion": version, delivery: str(delivery_id or uuid.uuid4()), **({"client": self._said_by} if self._said_by else {})}
        name = f"w{len(self._writes)}"
        self._writes.append({"as": name, "operation": operation, "params": params, "body": {**filled, **body}})
        return Later({"$from": name, "path": ""})

    def __enter__(self) -> "Batch":
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if kind is None and self._writes:
            self.send()

    def _as_letter(self) -> _Letter:
        body = json.dumps({"writes": self._writes}, allow_nan=False, ensure_ascii=False).encode("utf-8")
        first = self._writes[0]["body"]
        return _Letter("batch", str(first.get("requestId") or first.get("clientMessageId")), "POST", _BATCH, body)

    def __str__(self) -> str:
        return "\n".join(str(receipt) for receipt in self.receipts)

    def send(self) -> List[Answer]:
        """Sends the writes. Called again, it sends the same writes with the same ids, which the service stores once."""
        letter = self._as_letter()
        try:
            answer = self._room._send(letter, query="?rehearse=1" if self._rehearse else "")
        except _Failure as failure:
            if self._rehearse or not failure.uncertain:
                raise failure.error from (failure.__cause__ or None)
            kept = None if self._spool is None else self._spool.keep(letter)
            raise Undelivered("batch", letter.delivery_id, failure.error, kept) from failure.error
        self.receipts = list(answer["receipts"])
        return self.receipts


class Attempt:
    """One run, made by `Room.attempt`. Reports that cannot be delivered are kept and sent later.

    Once it has started, no report raises: what could not be reported stands in `trouble`."""

    #: Values, seconds and bytes after which metrics are sent.
    batch_points = 1000
    batch_seconds = 10.0
    batch_bytes = 45_000
    #: The stage that a failure is reported in.
    stage = "run"

    def __init__(self, room: Room, experiment: Any, *, plan: Any, argv: Any, configuration: Any, environment: Any, inputs: Any, repository: Any, intended_deviation: Any, rerun_of: Any, reproduces: Any, attempt_id: Any, dimensions: Sequence[str]) -> None:
        self.room = room
        self._dimensions = _dimension_names(dimensions)
        self.attempt_id = str(attempt_id or uuid.uuid4())
        self.experiment_id = _id_of(experiment, "experimentId")
        self.label: Optional[str] = None
        #: What could not be reported, a sentence for each.
        self.trouble: List[str] = []
        self._experiment = experiment if isinstance(experiment, Mapping) and "revision" in experiment else None
        self._revision, self._status = 0, ""
        self._points: List[Dict[str, Any]] = []
        self._seen: Dict[str, List[Tuple[float, float]]] = {}
        self._outputs: List[Dict[str, Any]] = []
        self._bytes = 0
        self._verdict: Optional[Dict[str, Any]] = None
        self._since = self._began = time.monotonic()
        self._cost: Dict[str, Any] = {}
        self._lock = threading.RLock()
        self._timer: Optional[threading.Timer] = None
        self._handled: Any = None
        self._ended = False
        self._away = False

        if repository is None:
            repository, clean = working_repository()
            if not clean and intended_deviation is None:
                raise ValueError("The working folder holds changes that are not committed. Commit them, or say in intended_deviation what they are.")
        intent = "reproduction" if reproduces else "rerun" if rerun_of else "planned" if plan else "exploratory"
        said: Dict[str, Any] = {
            "attemptId": self.attempt_id,
            "experimentId": self.experiment_id,
            "intent": intent,
            "repository": dict(repository),
            "argv": [str(word) for word in (argv if argv is not None else getattr(sys, "orig_argv", None) or [sys.executable, *sys.argv])],
            "configuration": dict(configuration or {}),
            "environment": {"python": platform.python_version(), "platform": platform.platform(), **(environment or {})},
            "inputs": [dict(each) for each in inputs],
        }
        if plan:
            said["planId"] = _id_of(plan, "planId")
        if rerun_of:
            said["rerunOf"] = _id_of(rerun_of, "attemptId")
        if reproduces:
            said["reproduces"] = dict(reproduces)
        if intended_deviation:
            said["intendedDeviation"] = intended_deviation
        self._said = said
        self.intent = intent

    # Beginning and end

    def start(self) -> "Attempt":
        """Registers the attempt and reports that it started, in one request. `with` calls it."""
        if self.intent != "reproduction":
            read = self._experiment or self.room.get_experiment(experiment_id=self.experiment_id)
            self._said.update(expectedRevision=read["revision"], expectedStatus=read["status"])
        batch = Batch(self.room, False)
        made = batch._write("register_attempt", self._said).result
        expected = {"expectedRevision": made.revision, "expectedStatus": made.status}
        batch._write("report_attempt_event", {"attemptId": self.attempt_id, **expected, "event": "started", "reportedAt": _now()})
        try:
            answer = self._sent(batch._as_letter())
        except _Failure as failure:
            raise failure.error from (failure.__cause__ or None)
        if answer is None:
            self._revision, self._status = 2, "started"
        else:
            self.label = answer["receipts"][0]["result"]["label"]
            self._moved(answer["receipts"][1], "started")
        self._began = time.monotonic()
        self._catch_term()
        return self

    __enter__ = start

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if kind is None:
            self.finish()
        elif issubclass(kind, KeyboardInterrupt):
            self.finish("cancelled", exit_code=130, message="Interrupted.")
        elif issubclass(kind, _Terminated):
            self.finish("cancelled", exit_code=143, message="The process was asked to end.")
        elif issubclass(kind, SystemExit) and error.code in (None, 0):
            self.finish()
        else:
            code = error.code if issubclass(kind, SystemExit) and isinstance(error.code, int) else 1
            last = traceback.extract_tb(trace)[-1:]
            where = "".join(f" in {pathlib.Path(frame.filename).name}, line {frame.lineno}" for frame in last)
            told = "".join(traceback.format_exception_only(kind, error)).strip()
            self.finish("failed", exit_code=code, failure=f"{told}{where}")

    @_never_raises
    def finish(self, event: str = "succeeded", *, exit_code: int = 0, failure: Optional[str] = None, message: Optional[str] = None) -> None:
        """Reports how the run ended, with everything that was not reported yet. `with` calls it."""
        with self._lock:
            if self._ended:
                return
            self.flush(keep=True)
            self._cost.setdefault("wallSeconds", round(time.monotonic() - self._began, 3))
            more: Dict[str, Any] = {"exitCode": exit_code, "cost": dict(self._cost)}
            if failure is not None:
                more["failure"] = {"stage": self.stage[:200], "explanation": _clean(failure)[:2000] or "It failed."}
            if message is not None:
                more["message"] = _clean(str(message))[:2000] or "It ended."
            if self._verdict is not None:
                more["reproduction"] = self._verdict
            self._ended = True
            self._stop()
            self._event(event, **more)

    def reproduction(self, verdict: str, explanation: str, *, repeats: Optional[Tuple[str, int]] = None, attempt_ids: Sequence[str] = ()) -> None:
        """What a reproduction says of the attempt or finding that it reproduces. It is reported with the outcome.

        repeats: the effect that it repeats, as the finding's id and the effect's place from 0. The service works it out from this attempt
        and those of `attempt_ids`.
        """
        self._verdict = {"verdict": verdict, "explanation": explanation}
        if repeats is not None:
            self._verdict["repeats"] = {"versionId": repeats[0], "effect": repeats[1], **({"attemptIds": list(attempt_ids)} if attempt_ids else {})}

    @_never_raises
    def took(self, *, gpu_hours: Optional[float] = None, tokens: Optional[int] = None, money: Optional[Tuple[float, str]] = None, wall_seconds: Optional[float] = None) -> None:
        """What the run cost until now, in all: `took(gpu_hours=2.5, money=(12, "EUR"))`. It is reported with the outcome, or, after the end, at once.

        The seconds from start to end are reported where you do not give them."""
        given = {"gpuHours": gpu_hours, "tokens": tokens, "wallSeconds": wall_seconds, "money": None if money is None else {"amount": money[0], "currency": money[1]}}
        with self._lock:
            self._cost.update({name: value for name, value in given.items() if value is not None})
            if self._ended:
                self._event("progress", late=True, cost=dict(self._cost))

    # Reports on the way

    @_never_raises
    def log(self, values: Optional[Mapping[str, Any]] = None, *, step: Optional[int] = None, split: Optional[str] = None, unit: Union[str, Mapping[str, str], None] = None, **named: Any) -> None:
        """Reports measured values by name: `log(step=3, loss=0.5)`, or `log({"val/loss": 0.5}, step=3)`. NaN and infinity are taken.

        unit: the unit of all values, or of each by its name: `log(loss=0.5, seconds=3, unit={"loss": "nat", "seconds": "s"})`.
        Names among the attempt's dimensions say where the values stand: `log(error=0.057, arm="shift", seed=3)`.
        A value that is not a number is left out, and `trouble` says so.
        """
        with self._lock:
            if self._ended:
                raise ValueError("the attempt has ended, and takes no more reports")
            if values is not None and not isinstance(values, Mapping):
                self._tell(f"log: values are given by name, and this is a {type(values).__name__}: it was left out")
                values = None
            given = {**(values or {}), **named}
            beside = {**self._beside("step", step, _step), **self._beside("split", split, _name)}
            # Without its dimensions a value would stand in another place, so it is left out with them.
            place = {name: _dimension(name, given.pop(name)) for name in self._dimensions if name in given}
            if place:
                beside["dimensions"] = place
            for name, value in given.items():
                own = unit.get(str(name)) if isinstance(unit, Mapping) else unit
                try:
                    self._add({"name": _name(name), "value": _measured(value), **beside, **self._beside("unit", own, _unit)})
                except Exception as error:
                    why = error if isinstance(error, _NotTold) else f"is a {type(value).__name__}, not a number"
                    self._tell(f"log: {_clean(str(name))[:200]} {why}: it was left out")
            if self._points and time.monotonic() - self._since >= self.batch_seconds:
                self.flush()
            self._wind()

    def _beside(self, key: str, given: Any, reading: Callable[[Any], Any]) -> Dict[str, Any]:
        """A member that stands beside a value, or nothing where it cannot be read."""
        try:
            return {} if given is None else {key: reading(given)}
        except Exception as error:
            self._tell(f"log: {key} {error if isinstance(error, _NotTold) else f'cannot be a {type(given).__name__}'}: it was left out")
            return {}

    def _add(self, point: Dict[str, Any]) -> None:
        _seen(self._seen, point)
        self._points.append(point)
        self._bytes += len(json.dumps(point, ensure_ascii=False).encode("utf-8")) + 1
        if len(self._points) >= self.batch_points or self._bytes >= self.batch_bytes:
            self.flush()

    @_never_raises
    def correct(self, metric: str, *, unit: Optional[str] = None, value: Any = None, step: Optional[int] = None, split: Optional[str] = None, **dimensions: Any) -> None:
        """Corrects the unit of a metric, or a value at its dimensions, also after the end of the attempt. What was reported stays readable.

        `correct("loss", unit="nat")`, `correct("error", value=0.061, arm="shift", seed=3)`"""
        with self._lock:
            if not self._ended:
                self.flush()
            beside: Dict[str, Any] = {} if split is None else {"split": split}
            if dimensions:
                beside["dimensions"] = {name: _dimension(name, place) for name, place in dimensions.items()}
            if value is not None:
                self._add({"name": metric, "value": _measured(value), **beside, **self._beside("step", step, _step)})
            self._event("progress", corrects=[{"metric": metric, **beside, **({} if unit is None else {"unit": unit})}])

    @_never_raises
    def output(self, path: Union[str, "os.PathLike[str]"], *, label: Optional[str] = None, media_type: Optional[str] = None, material: Any = None, description: Optional[str] = None) -> Optional[str]:
        """Reports a file that the run made: its digest and size, never its content. Returns the digest, or None where it cannot be read."""
        file = pathlib.Path(path)
        digest, size = hashlib.sha256(), 0
        with open(file, "rb") as content:
            for piece in iter(lambda: content.read(1 << 20), b""):
                digest.update(piece)
                size += len(piece)
        told: Dict[str, Any] = {"outputLabel": _name(label or file.name), "digest": f"sha256:{digest.hexdigest()}", "sizeBytes": size}
        kind = media_type or mimetypes.guess_type(file.name)[0]
        for key, given in (("mediaType", kind), ("materialId", material and _id_of(material, "materialId")), ("description", description and _clean(str(description))[:2000])):
            if given:
                told[key] = given
        with self._lock:
            self._outputs.append(told)
            if len(self._outputs) >= 50:
                self.flush()
        return told["digest"]

    @_never_raises
    def progress(self, message: str) -> None:
        """Reports a sentence on how the run goes, with the values measured since the last report."""
        said = _clean(str(message))[:2000]
        with self._lock:
            self._event("progress", **({"message": said} if said else {}))

    @_never_raises
    def flush(self, keep: bool = False) -> None:
        """Sends the values and outputs that were not sent yet. keep: leaves as much as the last event has room for."""
        with self._lock:
            room_for = (self.batch_points, 50, self.batch_bytes) if keep else (0, 0, 0)
            while len(self._points) > room_for[0] or len(self._outputs) > room_for[1] or self._bytes > room_for[2]:
                self._event("progress")
            self._since = time.monotonic()

    def _event(self, event: str, **more: Any) -> None:
        points, outputs = self._points[: self.batch_points], self._outputs[:50]
        said: Dict[str, Any] = {
            "attemptId": self.attempt_id,
            "expectedRevision": self._revision,
            "expectedStatus": self._status,
            "event": event,
            "reportedAt": _now(),
            **more,
        }
        if points:
            said["metrics"] = points
        if outputs:
            said["outputs"] = outputs
        del self._points[: len(points)]
        del self._outputs[: len(outputs)]
        self._bytes = sum(len(json.dumps(point, ensure_ascii=False).encode("utf-8")) + 1 for point in self._points)
        self._since = time.monotonic()
        # An outcome is reported even where its metrics or outputs are refused.
        bare = None if event == "progress" else {key: said[key] for key in _BARE if key in said}
        receipt = self._say("report_attempt_event", said, bare=bare)
        self._moved(receipt, event if event != "progress" else self._status if self._ended else "started")

    def _moved(self, receipt: Optional[Answer], status: str) -> None:
        """Notes where the attempt stands. Only this program reports its events, so that is known without an answer too."""
        self._revision, self._status = (self._revision + 1, status) if receipt is None else (receipt["result"]["revision"], receipt["result"]["status"])

    def _sent(self, letter: "_Letter") -> Optional[Answer]:
        """Sends a write. None: it is kept in the spool, behind those that wait already. Raises a _Failure where it is refused."""
        room, spool = self.room, self.room._spool
        if spool is not None and spool.waiting():
            for refusal in room.deliver().refused:
                self._tell(str(refusal))
            if spool.waiting():
                self._keep(spool, letter)
                return None
        try:
            return room._send(letter)
        except _Failure as failure:
            if spool is None or not (failure.uncertain or failure.again or not isinstance(failure.error, Refused)):
                raise
            self._keep(spool, letter)
            return None

    def _say(self, operation: str, said: Dict[str, Any], bare: Optional[Dict[str, Any]] = None) -> Optional[Answer]:
        """Reports an event. Never raises. bare: what is sent where the service does not take the rest."""
        try:
            return self._sent(self.room._letter(operation, said))
        except _Failure as failure:
            error = failure.error
            if isinstance(error, StateConflict) and error.current is not None:
                return self._again(said, error)
            rest = _without_refused(said, error) if isinstance(error, Refused) else None
            if rest is not None:
                self._tell(f"{len(said['metrics']) - len(rest['metrics'])} values were left out: {error}")
                return self._say(operation, rest, bare=bare)
            self._tell(f"{operation} was not taken: {error}")
            return self._say(operation, bare) if bare is not None and bare != said and isinstance(error, Refused) and error.status in (413, 422) else None

    def _again(self, said: Dict[str, Any], error: Refused) -> Optional[Answer]:
        """Sends an event again with a new id, where an earlier event had arrived after all."""
        expected = (error.current or {}).get("expected") or {}
        try:
            return self.room._send(self.room._letter("report_attempt_event", {**said, **expected}))
        except _Failure as failure:
            self._tell(f"report_attempt_event was not taken: {failure.error}")
            return None

    def _keep(self, spool: "_Spool", letter: "_Letter") -> None:
        try:
            path = spool.keep(letter)
        except OSError as error:
            self._tell(f"{letter.operation} could be neither sent nor kept: {error}")
            return
        if not self._away:
            self._away = True
            self._tell(f"{self.room.base_url} does not answer. The run goes on. Its reports are kept in {path.parent}; deliver() sends them.")

    def _tell(self, trouble: str) -> None:
        """Adds a sentence to `trouble`, once, up to 100 of them. The first one is a warning too."""
        if trouble in self.trouble or len(self.trouble) >= 100:
            return
        self.trouble.append(trouble)
        if len(self.trouble) == 1:
            try:
                warnings.warn(trouble, RuntimeWarning, stacklevel=3)
            except Warning:
                # Warnings may be errors in this program. This one must not be.
                print(trouble, file=sys.stderr)

    # Time and signals

    def _wind(self) -> None:
        """Sends values after a while, also where no more are measured. Without threads the next value does it."""
        if self._timer is not None or not self._points:
            return
        timer = threading.Timer(self.batch_seconds, self._rung)
        timer.daemon = True
        try:
            timer.start()
        except RuntimeError:
            return
        self._timer = timer

    def _rung(self) -> None:
        with self._lock:
            self._timer = None
            if not self._ended and self._points:
                self.flush()

    def _catch_term(self) -> None:
        """Reports the end of a process that receives SIGTERM."""
        if threading.current_thread() is threading.main_thread() and hasattr(signal, "SIGTERM"):
            try:
                if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
                    self._handled = signal.signal(signal.SIGTERM, _end)
            except (ValueError, OSError):
                pass

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._handled is not None:
            signal.signal(signal.SIGTERM, self._handled)

    def __str__(self) -> str:
        return " ".join([f"{self.label or 'attempt'} {self._status or 'not registered yet'}, attempt_id {self.attempt_id}", *self.trouble])

    def _repr_html_(self) -> str:
        shown = {"label": self.label, "attemptId": self.attempt_id, "status": self._status, "intent": self.intent, "argv": self._said["argv"], "repository": self._said["repository"]}
        return _attempt_html(shown, self._seen)


class _Terminated(SystemExit):
    pass


def _end(*_: Any) -> None:
    raise _Terminated(143)


def _clean(text: str) -> str:
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8").strip()


# What notebooks show

_CARD = "border:1px solid #ccc;border-radius:6px;padding:0.8em 1em;max-width:46em;line-height:1.4"
_SMALL = "opacity:0.7;font-size:90%"


def _seen(series: Dict[str, List[Tuple[float, float]]], point: Mapping[str, Any]) -> None:
    name = point["name"] if not point.get("split") else f"{point['name']} ({point['split']})"
    name = " ".join([name, *(f"{key}={value}" for key, value in (point.get("dimensions") or {}).items())])
    held = series.setdefault(name, [])
    step = point.get("step")
    value = point["value"]
    held.append((float(len(held) if step is None else step), float(value)))
    if len(held) > 4000:
        del held[::2]


def _series_of(client: _Client, attempt_id: str) -> Dict[str, List[Tuple[float, float]]]:
    series: Dict[str, List[Tuple[float, float]]] = {}
    for number, page in enumerate(client._pages("attempt_metrics", {"attemptId": attempt_id})):
        columns = page["columns"]
        for name, split, dimensions, step, value in zip(*(columns[each] for each in ("metric", "split", "dimensions", "step", "value"))):
            _seen(series, {"name": name, "split": split, "dimensions": dimensions, "step": step, "value": value})
        if number == 9:
            break
    return series


def _curve(name: str, points: Sequence[Tuple[float, float]]) -> str:
    drawn = [(step, value) for step, value in points if math.isfinite(value)]
    if not drawn:
        return f"<div>{_text(name)}: no finite value</div>"
    (left, right), (low, high) = ((min(axis), max(axis)) for axis in zip(*drawn))
    width, height = 320, 90

    def at(step: float, value: float) -> str:
        across = width / 2 if right == left else (step - left) / (right - left) * width
        up = height / 2 if high == low else (value - low) / (high - low) * height
        return f"{across:.1f},{height - up:.1f}"

    lines: List[List[str]] = [[]]
    for step, value in points:
        if math.isfinite(value):
            lines[-1].append(at(step, value))
        elif lines[-1]:
            lines.append([])
    shapes = "".join(
        f'<polyline points="{" ".join(line)}" fill="none" stroke="#1f6feb" stroke-width="1.5"/>'
        if len(line) > 1
        else f'<circle cx="{line[0].split(",")[0]}" cy="{line[0].split(",")[1]}" r="2.5" fill="#1f6feb"/>'
        for line in lines
        if line
    )
    told = f"{_text(name)}: {drawn[-1][1]:.6g} at {drawn[-1][0]:g}, between {low:.6g} and {high:.6g}"
    return (
        f'<figure style="margin:0.5em 0"><svg viewBox="-4 -4 {width + 8} {height + 8}" width="{width}" height="{height}" role="img" aria-label="{told}">'
        f'{shapes}</svg><figcaption style="{_SMALL}">{told}</figcaption></figure>'
    )


def _text(value: Any) -> str:
    return html.escape(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _card(title: str, *parts: str) -> str:
    return f'<div style="{_CARD}"><strong>{title}</strong>{"".join(f"<div>{part}</div>" for part in parts if part)}</div>'


def _room_html(room: Mapping[str, Any], base_url: str) -> str:
    counts = ", ".join(f"{number} {name.replace('_', ' ')}" for name, number in room["counts"].items() if number)
    address = f"{base_url}/rooms/{room['roomId']}"
    return _card(
        f'<a href="{_text(address)}">{_text(room["title"])}</a>',
        _text(room["question"]) if room.get("question") else "",
        f'<span style="{_SMALL}">{_text(room["state"])}; {_text(counts)}; last active {_text(room["lastActivityAt"])}</span>',
    )


def _record_html(record: Mapping[str, Any]) -> str:
    content = record.get("content") or {}
    wording = record.get("wording") or (content.get("assertion") or {}).get("wording") or content.get("wording") or content.get("statement") or ""
    notices = "".join(f"<li>{_text(notice.get('kind'))}: {_text(notice.get('explanation'))}</li>" for notice in record.get("notices", []))
    return _card(
        f"{_text(record['label'])} {_text(str(record['kind']).replace('_', ' '))}",
        _text(wording),
        f'<span style="{_SMALL}">{_text(record["status"])}; by {_text(record["author"]["username"])}; {_text(record["provenanceSummary"])}</span>',
        f"<ul>{notices}</ul>" if notices else "",
    )


def _attempt_html(attempt: Mapping[str, Any], series: Mapping[str, Sequence[Tuple[float, float]]]) -> str:
    failure = attempt.get("failure")
    return _card(
        f"{_text(attempt.get('label') or 'Attempt')} {_text(attempt['status'] or 'not registered yet')}",
        f"<code>{_text(' '.join(attempt['argv']))}</code>" if attempt.get("argv") else "",
        _text(f"{failure['stage']}: {failure['explanation']}") if failure else "",
        f'<span style="{_SMALL}">{_text(attempt.get("intent", ""))} {_text(attempt["attemptId"])}</span>',
        "".join(_curve(name, points) for name, points in list(series.items())[:12]),
    )


def _table_html(answer: Mapping[str, Any]) -> str:
    rows = "".join(
        f'<tr><th style="text-align:left;vertical-align:top">{_text(name)}</th><td style="text-align:left"><pre style="margin:0;white-space:pre-wrap">{_shown(value)}</pre></td></tr>'
        for name, value in answer.items()
    )
    return f"<table>{rows}</table>"


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, indent=1, ensure_ascii=False)
    return html.escape(text if len(text) <= 2000 else text[:2000] + "…")


def _usage(name: str) -> str:
    """What a method of Room or Library takes, in short."""
    kind: type = Room if hasattr(Room, name) else Library
    method = getattr(kind, name, None)
    if name.startswith("_") or not callable(method):
        return f"There is no method {name}; help(Room) lists them all."
    parameters = [each for each in inspect.signature(method).parameters.values() if each.name != "self"]
    told = ", ".join(each.name if each.default is each.empty else f"{each.name}=..." for each in parameters)
    return f"{kind.__name__.lower()}.{name}({told})\n{inspect.getdoc(method)}\n"


if __name__ == "__main__":
    print("\n".join(map(_usage, sys.argv[1:])) if sys.argv[1:] else f"{__doc__}\n{inspect.getdoc(Room)}")
