#!/usr/bin/env python3
"""Turns the golden vector files into Swift source, for a program that cannot open files.

usage: embed-vectors.py FOLDER OUT.swift

Every *.txt below FOLDER becomes one StaticString. Prints how many vectors there are: lines that are
neither empty nor comments.
"""
import pathlib
import sys


def swift_literal(text):
    """The text as a Swift string literal, plain ASCII."""
    named = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}

    def escaped(character):
        if character in named:
            return named[character]
        if " " <= character <= "~":
            return character
        return "\\u{%x}" % ord(character)

    return '"' + "".join(map(escaped, text)) + '"'


def main():
    folder, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    count = 0
    entries = []
    for path in sorted(folder.rglob("*.txt")):
        try:
            text = path.read_bytes().decode("utf-8")
        except UnicodeDecodeError as error:
            sys.exit(f"{path}: not UTF-8 at byte {error.start}; write such bytes as hex")
        count += sum(1 for line in text.split("\n") if line and not line.startswith("#"))
        name = swift_literal(str(path.relative_to(folder)))
        entries.append(f"  VectorFile(name: {name}, content: {swift_literal(text)}),\n")
    out.write_text(
        "// Made by Tools/embed-vectors.py.\n"
        f"let embeddedVectorFiles: [VectorFile] = [\n{''.join(entries)}]\n"
    )
    print(count)


main()
