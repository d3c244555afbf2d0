#: How much of an answer is read: JSON and text, or a file. A server that sends slower than this many bytes a second is
#: left.
_ANSWER_BYTES, _FILE_BYTES, _BYTES_PER_SECOND = 64 << 20, 4 << 30, 20_000


class _Timed(io.RawIOBase):
    """A connection that is read until a deadline. Each piece that arrives moves it: a slow answer comes, a dripping one
    does not."""

    def __init__(self, connection: socket.socket, raw: Any) -> None:
        self._connection, self._raw = connection, raw
        self._until = time.monotonic() + (connection.gettimeout() or 60)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> Optional[int]:
        left = self._until - time.monotonic()
        if left <= 0:
            raise socket.timeout("it took too long")
        self._connection.settimeout(left)
        got = self._raw.readinto(buffer)
        self._until += (got or 0) / _BYTES_PER_SECOND
        return got

    def close(self) -> None:
        if not self.closed:
            self._raw.close()
        super().close()


class _Response(http.client.HTTPResponse):
    def __init__(self, sock: socket.socket, *more: Any, **named: Any) -> None:
        super().__init__(sock, *more, **named)
        self.fp = io.BufferedReader(_Timed(sock, self.fp.detach()))  # type: ignore[arg-type]


class _Http(urllib.request.HTTPHandler):
    def http_open(self, req: urllib.request.Request) -> Any:
        return self.do_open(type("_Plain", (http.client.HTTPConnection,), {"response_class": _Response}), req)


_handlers: List[Any] = [_Http]

if hasattr(urllib.request, "HTTPSHandler"):

    class _Https(urllib.request.HTTPSHandler):
        def https_open(self, req: urllib.request.Request) -> Any:
            return self.do_open(type("_Safe", (http.client.HTTPSConnection,), {"response_class": _Response}), req)

    _handlers.append(_Https)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: a credential is only for the service's own address."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def _proxy_for(url: str) -> Optional[str]:
    """The proxy that the environment names for an address. This machine itself is never asked through one."""
    parts = urllib.parse.urlsplit(url)
    host = (parts.hostname or "").rstrip(".")
    try:
        is_here = ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_here = host == "localhost" or host.endswith(".localhost")
    if is_here or urllib.request.proxy_bypass(parts.netloc.rpartition("@")[2]):
        return None
    return urllib.request.getproxies().get(parts.scheme)


def _urllib(
    method: str, url: str, headers: Mapping[str, str], body: Any, seconds: float
) -> Tuple[int, Mapping[str, str], bytes]:
    request = urllib.request.Request(url, data=body, headers=dict(headers), method=method)
    proxy = _proxy_for(url)
    # A proxy's address may hold a password, which no message repeats.
    name = "" if proxy is None else f"the proxy {proxy.rpartition('@')[2].rpartition('//')[2]} "
    through = urllib.request.ProxyHandler({} if proxy is None else {request.type: proxy})
    opener = urllib.request.build_opener(through, _NoRedirect, *_handlers)
    most = _ANSWER_BYTES if headers.get("accept") == "application/json" else _FILE_BYTES
    try:
        try:
            answer = opener.open(request, timeout=seconds)
        except urllib.error.HTTPError as refused:
            answer = refused
        with answer:
            sent = {key.lower(): value for key, value in answer.headers.items()}
            content = answer.read(most + 1)
        status = int(answer.status or 0)
    except urllib.error.URLError as error:
        raise OSError(f"{name and name + 'failed: '}{error.reason}") from error
    except (socket.timeout, EOFError) as error:
        raise OSError(f"{name}{error or 'it took too long'}") from error
    except http.client.HTTPException as error:
        # An answer that broke off, or is not HTTP.
        raise OSError(f"{name}{error or type(error).__name__}") from error
    if len(content) > most:
        raise OSError(f"the answer is longer than {most >> 20} MiB")
    if name and status in (407, 502, 503, 504) and "json" not in sent.get("content-type", ""):
        raise OSError(f"{name}answered with status {status}")
    return status, sent, content


def _printable(text: str) -> str:
    """A text without signs that move a terminal's cursor or turn the direction of what follows."""
    return re.sub("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]", "\ufffd", text)


def _one_line(text: Any) -> str:
    return " ".join(_printable(str(text)).split())
