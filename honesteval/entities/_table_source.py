"""Get the text of a table from a path, an open file or standard input."""

from __future__ import annotations

import bz2
import gzip
import lzma
import sys
import zlib
from dataclasses import dataclass
from difflib import get_close_matches
from os import PathLike, fspath
from pathlib import Path
from typing import Any

STDIN = "-"

_GZIP, _BZIP2, _XZ = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00"
_ZIP, _OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_COMPRESSED_SUFFIXES = {".gz", ".bz2", ".xz"}


@dataclass(frozen=True)
class TableSource:
    """The bytes of a table and what is known about where they come from.

    Parameters
    ----------
    content : bytes
        Decompressed.
    name : str
        Shown in messages: a file name, "standard input" or "the open file".
    suffix : str
        Lower-case extension without that of the compression, such as ".csv"; empty if unknown.
    is_text : bool, default=False
        Whether the content was handed over as text, so that it is in UTF-8 in any case.
    """

    content: bytes
    name: str
    suffix: str
    is_text: bool = False

    def text(self, encoding: str) -> str:
        """Decode, or say which byte on which line does not fit."""
        if self.is_text:
            return self.content.decode("utf-8", errors="surrogatepass")
        if encoding == "utf-8" and self.content[:2] in _UTF16:
            raise ValueError(f"{self.name} is written in UTF-16: pass encoding='utf-16'.")
        try:
            return self.content.decode("utf-8-sig" if encoding == "utf-8" else encoding)
        except UnicodeDecodeError as error:
            line = self.content.count(b"\n", 0, error.start) + 1
            raise ValueError(
                f"Line {line} of {self.name} holds byte 0x{self.content[error.start]:02x}, which "
                f"is not {encoding}. Pass the encoding the file was written in, for example "
                "encoding='cp1252' (Windows) or 'latin-1', or save it as UTF-8."
            ) from error
        except LookupError as error:
            raise ValueError(f"There is no encoding called {encoding!r}.") from error


def open_source(source: Any) -> TableSource:
    """Read a path, an open file, or standard input (``"-"``) whole."""
    if isinstance(source, str | PathLike):
        if fspath(source) == STDIN:
            return _checked(getattr(sys.stdin, "buffer", sys.stdin).read(), "standard input", "")
        path = Path(fspath(source))
        return _checked(_read_file(path), path.name, _suffix(path))
    if not hasattr(source, "read"):
        raise ValueError(
            "Expected a path, an open file or '-' for standard input. "
            f"Got a {type(source).__name__}."
        )
    content = source.read()
    name = getattr(source, "name", None)
    if isinstance(name, str) and name:
        return _checked(content, Path(name).name, _suffix(Path(name)))
    return _checked(content, "the open file", "")


def _read_file(path: Path) -> bytes:
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; a file is needed.")
    if not path.exists():
        near: list[str] = []
        if path.parent.is_dir():
            names = [entry.name for entry in path.parent.iterdir()]
            near = get_close_matches(path.name, names, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise FileNotFoundError(f"There is no file {str(path)!r}.{hint}")
    return path.read_bytes()


def _suffix(path: Path) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in _COMPRESSED_SUFFIXES:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def _checked(read: bytes | str, name: str, suffix: str) -> TableSource:
    """Decompress, and refuse what is empty or no table at all."""
    is_text = isinstance(read, str)
    content = read.encode("utf-8", "surrogatepass") if isinstance(read, str) else bytes(read)
    content = _decompress(content, name)
    if not content.strip():
        raise ValueError(f"{name} is empty.")
    if content.startswith((_ZIP, _OLE)):
        raise ValueError(
            f"{name} is a zip archive or an Excel workbook. Unpack it, or save the sheet as CSV."
        )
    return TableSource(content, name, suffix, is_text)


def _decompress(content: bytes, name: str) -> bytes:
    try:
        if content.startswith(_GZIP):
            return gzip.decompress(content)
        if content.startswith(_BZIP2):
            return bz2.decompress(content)
        if content.startswith(_XZ):
            return lzma.decompress(content)
    except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError) as error:
        raise ValueError(f"{name} is compressed, but damaged or cut off: {error}.") from error
    return content
