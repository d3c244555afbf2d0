class _LeftOutError(ValueError):
    """The reason why a value is left out of a report."""


#: Members of a line and arguments of log with a meaning of their own. `seed` is always a dimension.
_RESERVED = ("step", "split", "unit")


def _metric_name(value: Any) -> str:
    name = str(value)
    if not 0 < len(name.strip()) or len(name) > 200 or _clean(name) != name.strip():
        raise _LeftOutError("cannot name a metric: a name has 1 to 200 characters without NUL")
    return name


def _metric_value(value: Any) -> Union[int, float, str]:
    """The value of a metric. NaN and infinity become words; a text is no number, and neither is True."""
    if hasattr(value, "item") and not isinstance(value, (int, float)):
        value = value.item()
    if isinstance(value, str) and value in ("NaN", "Infinity", "-Infinity"):
        return value
    if isinstance(value, (bool, str, bytes)):
        raise _LeftOutError(f"is a {type(value).__name__}, not a number")
    if not isinstance(value, (int, float)):
        value = float(value)
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, int):
        if abs(value) >= 1 << 1023:
            raise _LeftOutError("is too large a number")
        if int(float(value)) != value:
            value = float(value)
    return value if value != 0 else 0


def _dimension_names(names: Iterable[str]) -> Tuple[str, ...]:
    """Checks what names dimensions. Raises ValueError."""
    names = (names,) if isinstance(names, str) else tuple(names)
    if len(names) > 8:
        raise ValueError("dimensions is a list of at most 8 names")
    for name in names:
        if not isinstance(name, str) or not re.fullmatch("[a-z][a-z0-9_]{0,31}", name):
            raise ValueError(
                f"{name!r} cannot name a dimension: use at most 32 of a to z, 0 to 9 and _, starting with a letter"
            )
        if name in _RESERVED:
            raise ValueError(f"{name} cannot name a dimension: it is the {name} of the values")
    return names


def _dimension(name: str, value: Any) -> Union[str, int, float, bool]:
    """The value of a dimension. Raises if the service would refuse it; the values of that call are then left out."""
    try:
        plain = _plain(value)
    except (TypeError, ValueError):
        plain = None
    if isinstance(plain, str):
        plain = _clean(plain)
        if not 0 < len(plain) <= 64:
            raise _LeftOutError(
                f"{name} is a text of {len(plain)} characters, but a dimension has 1 to 64: the values were left out"
            )
    elif not isinstance(plain, (int, float)):
        raise _LeftOutError(
            f"{name} is a {type(value).__name__}, but a dimension is a text, a number, True or False: the values were"
            " left out"
        )
    return plain


def _step(value: Any) -> int:
    """A whole number from 0; 5.0 is one, "3" and True are not."""
    if hasattr(value, "item") and not isinstance(value, (int, float)):
        value = value.item()
    is_whole = isinstance(value, int) and not isinstance(value, bool) or isinstance(value, float) and value.is_integer()
    if not is_whole or not 0 <= value < 2**53:
        raise _LeftOutError(f"step is {value!r:.100}, but steps are whole numbers from 0: the values were left out")
    return int(value)


def _word(key: str, value: Any, most: int) -> str:
    if not isinstance(value, str) or not 0 < len(_clean(value)) <= most:
        raise _LeftOutError(f"{key} is {value!r:.100}, but it has 1 to {most} characters: the values were left out")
    return _clean(value)


def _place(step: Any, split: Any, unit: Any, dimensions: Mapping[str, Any]) -> Dict[str, Any]:
    """What values have in common. Without one of these a value would be a different one, so a wrong one leaves out all
    of them."""
    _dimension_names(dimensions)
    place = {name: _dimension(name, value) for name, value in dimensions.items()}
    return {
        **({} if step is None else {"step": _step(step)}),
        **({} if split is None else {"split": _word("split", split, 200)}),
        **({} if unit is None else {"unit": _word("unit", unit, 100)}),
        **({"dimensions": place} if place else {}),
    }


def _part_reserved(members: Mapping[str, Any]) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """Parts what has a meaning of its own, in any case of letters, from the rest."""
    own: Dict[str, Any] = {}
    rest: Dict[str, Any] = {}
    for name, value in members.items():
        lower = str(name).lower()
        if lower not in (*_RESERVED, "seed"):
            rest[name] = value
        elif lower in own:
            raise _LeftOutError(f"{lower} is given twice: the values were left out")
        elif value is not None:
            own[lower] = value
    return own, rest


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) or value in ("NaN", "Infinity", "-Infinity")


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise _LeftOutError(f"{text[:40]} is too large a number")
    return value


def _integer(text: str) -> int:
    if len(text) > 300:
        raise _LeftOutError("a number is too long")
    return int(text)


#: Texts that stand for a missing value, and numbers as they are written or printed: 12; 1,000; 5%; <0.001; 0.04*; 1
#: (0.1).
_MISSING = re.compile(r"#?N/?A|#DIV/0!|#VALUE!|null|\s*", re.IGNORECASE)
_DIGITS = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_PRINTED = re.compile(
    rf"{_DIGITS}|[+-]?[0-9]{{1,3}}(?:[,'\u2019\u00a0\u202f ][0-9]{{3}})+(?:\.[0-9]+)?|[+-]?[0-9]+,[0-9]+"
    rf"|[<>\u2264\u2265~\u2248]=?\s*{_DIGITS}|{_DIGITS}\s*(?:[%\u2030*\u2020\u2021]+|\u00b1.*|\+/?-.*|\(.*\))"
)
_NO_NUMBER = 'not a number: leave it out where there is no value, and put what is no value into "dimensions"'


def _kinds_of(
    rest: Mapping[str, Any], kinds: Dict[str, bool]
) -> Tuple[List[Tuple[str, Any]], Dict[str, Any], Optional[str]]:
    """Parts the members of a line into values and dimensions, and says which member is neither.

    kinds: whether each name was a number in the lines before. A name is one or the other in all of them.
    """
    values: List[Tuple[str, Any]] = []
    place: Dict[str, Any] = {}
    fault: Optional[str] = None
    for name, value in rest.items():
        if value is None:
            continue
        is_number = _is_number(value)
        was_number = kinds.get(name, is_number)
        told = f"{str(name)[:200]} is {json.dumps(value, ensure_ascii=False)[:100]}"
        if is_number and not was_number:
            raise _LeftOutError(f"{told}, but a text in a line before: the values were left out")
        if is_number:
            values.append((name, value))
        elif was_number and name in kinds or isinstance(value, str) and _MISSING.fullmatch(value):
            fault = fault or f"{told}, {_NO_NUMBER}"
            continue
        elif isinstance(value, str) and _PRINTED.fullmatch(value):
            raise _LeftOutError(f"{told}, {_NO_NUMBER}: the values were left out")
        else:
            place[name] = value
        if len(kinds) < 1000:
            kinds[name] = is_number
    return values, place, fault


def _points_of(line: str, kinds: Dict[str, bool]) -> Tuple[List[Dict[str, Any]], Optional[str]]:
    """The points of a line of JSON, and why a part of it is not taken.

    Several by their names, `{"step": 3, "loss": 0.5, "arm": "shift"}`, or one in full, `{"name": "loss", "value": 0.5,
    "arm": "shift"}`. Any other member is a dimension, unless it is null. kinds: see _kinds_of.
    """
    try:
        members = json.loads(line, parse_float=_finite, parse_int=_integer)
    except _LeftOutError as error:
        return [], str(error)
    except (ValueError, RecursionError):
        members = None
    if not isinstance(members, dict):
        return [], 'each is a JSON object such as {"step": 1, "loss": 0.5}'
    points: List[Dict[str, Any]] = []
    try:
        given = members.pop("dimensions", None)
        if given is not None and not isinstance(given, dict):
            raise _LeftOutError("dimensions is not an object")
        own, rest = _part_reserved(members)
        full = (
            [(rest.pop("name"), rest.pop("value"))]
            if isinstance(rest.get("name"), str) and _is_number(rest.get("value"))
            else []
        )
        # Beside one in full, a number is a dimension as well.
        values, told, fault = (
            (full, {name: value for name, value in rest.items() if value is not None}, None)
            if full
            else _kinds_of(rest, kinds)
        )
        seed = {"seed": own["seed"]} if "seed" in own else {}
        dimensions = {**told, **seed, **(given or {})}
        place = _place(own.get("step"), own.get("split"), own.get("unit"), dimensions)
    except ValueError as error:
        return [], str(error)
    for name, value in values:
        try:
            points.append({"name": _metric_name(name), "value": _metric_value(value), **place})
        except _LeftOutError as error:
            fault = fault or f"{str(name)[:200]} {error}"
    return points, fault if values or fault else "it has no value"
