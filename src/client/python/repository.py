def _git(*words: str) -> str:
    """What git prints. Raises ValueError with git's own reason if it refuses."""
    try:
        told = subprocess.run(["git", *words], capture_output=True, text=True, errors="replace", timeout=30)
    except FileNotFoundError:
        raise ValueError(f"Git, which would tell the commit, is not installed: {_NAME_IT}.") from None
    except (OSError, subprocess.SubprocessError) as error:
        raise ValueError(f"Git could not be asked: {error}. Or {_NAME_IT}.") from None
    if told.returncode != 0:
        raise ValueError(f"Git says: {_one_line(_without_userinfo(told.stderr))[:1000]} Or {_NAME_IT}.")
    return told.stdout.strip()


_NAME_IT = (
    "name the repository and the commit yourself (--repository and --commit, or repository={'url': ..., 'commit': ...})"
)


def _without_userinfo(text: str) -> str:
    """A text in which no address names a user or a password. A password may itself contain @."""
    return re.sub(r"(?<=://)[^\s/]*@", "", text)


def _public_address(origin: str) -> str:
    """The https address of a repository, without user, password and port of another protocol."""
    as_url = re.fullmatch(r"([a-z][a-z0-9+.-]*)://(?:[^/]*@)?([^/@]+)/(.+)", origin.strip(), re.IGNORECASE)
    as_scp = None if "://" in origin else re.fullmatch(r"(?:[^/]*@)?([^/:@]{2,}):(?!/*$)(.+)", origin.strip())
    if as_url is not None and as_url.group(1).lower() in ("https", "http", "ssh", "git", "git+ssh"):
        host, path = as_url.group(2), as_url.group(3)
        host = host if as_url.group(1).lower() == "https" else re.sub(r":[0-9]*$", "", host)
    elif as_scp is not None:
        host, path = as_scp.groups()
    else:
        raise ValueError(
            f"The origin of this folder is not the address of a repository on a public host. Please {_NAME_IT}."
        )
    return "https://" + host + "/" + re.sub(r"(?:\.git)?/*$", "", path.strip("/"))


def working_repository() -> Tuple[Dict[str, str], bool]:
    """The public repository and commit of the working folder, and whether everything in the folder is committed."""
    commit = _git("rev-parse", "--verify", "HEAD")
    # Git applies url.….insteadOf here, which the configuration read as text would not show.
    url = _public_address(_git("remote", "get-url", "origin"))
    return {"url": url, "commit": commit}, _git("status", "--porcelain") == ""
