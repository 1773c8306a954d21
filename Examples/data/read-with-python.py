#!/usr/bin/env python3
"""Reads CSV files without our reader, as a second opinion for its tests.

    read-with-python.py cells FILE...      the cells as Python's csv module sees them
    read-with-python.py identities FILE    which books are in a file that Goodreads exported

The first prints JSON: a list of rows for each file; a cell is text with one character for each byte.
The second prints a line for each row: the identity bytes of the book in hexadecimal, as their
definition says, for files without mistakes.
"""

import csv
import json
import re
import sys

csv.field_size_limit(1 << 30)


def rows(path):
    """The rows of a file; lines without a byte are none. One character is one byte."""
    with open(path, "rb") as file:
        skip = 3 if file.read(3) == b"\xef\xbb\xbf" else 0
    with open(path, encoding="latin-1", newline="") as file:
        file.seek(skip)
        return [row for row in csv.reader(file) if row]


def folded(text):
    """Six blanks are blanks, A to Z are lowered, and nothing else is touched."""
    text = re.sub(rb"[\x09-\x0d\x20]+", b" ", text).strip(b" ")
    return bytes(byte + 32 if 65 <= byte <= 90 else byte for byte in text)


def identity(book):
    """The bytes that say which book a row means."""
    cells = {name: cell.encode("latin-1") for name, cell in book.items()}
    long, short = (re.sub(rb"[^0-9X]", b"", cells[name]) for name in ("ISBN13", "ISBN"))
    if not long and short:
        body = b"978" + short[:9]
        check = -sum((1, 3)[index % 2] * (digit - 48) for index, digit in enumerate(body)) % 10
        long = body + str(check).encode()
    if long:
        return b"isbn:" + long
    return b"title:" + folded(cells["Title"]) + b"\0" + folded(cells["Author"])


if sys.argv[1] == "cells":
    json.dump([rows(path) for path in sys.argv[2:]], sys.stdout)
else:
    header, *books = rows(sys.argv[2])
    for book in books:
        print(identity(dict(zip(header, book))).hex())
