#!/usr/bin/env python3
"""Writes hostile.csv, a file with everything that can be wrong with a list of books, and beside it
hostile.expected.txt, the report that reading it must give.

Each row stands here with what is to be said about it. Line numbers are counted from the bytes, so
neither file owes anything to the reader they test. Run it again after a change; nothing is random.
"""

import pathlib
import re

HEADER = ("Title,Author,My Rating,ISBN,ISBN13,Date Read,Exclusive Shelf,Bookshelves,My Review,"
          "Private Notes,Read Count,Smell,title,Commute Id")
COLUMNS = 14

OUT = "the row is left out"
NOT_TAKEN = "it is not taken"
UTF8 = "is not UTF-8 text; save the file as UTF-8; " + OUT
RATING = "is not a rating from 1 to 5, or 0 for none; the book is taken without one"
DAY = "is not a day written as YYYY/MM/DD; the book is taken without it"
NO_DAY = "is no day of the calendar; the book is taken without it"
AGE = "is not a day between 1900 and 2100; the book is taken without it"
DIGITS = "is not an ISBN of 10 or 13 digits; " + NOT_TAKEN
CHECK = "is mistyped: the check digit does not fit; " + NOT_TAKEN
QUOTE = "a quote in the cell is not doubled; look at what was taken"

data = bytearray(b"\xef\xbb\xbf" + HEADER.encode() + b"\r\n")
notes = []
counts = {"taken": 0, "left out": 0, "repeated": 0}


def line():
    """The number of the line that the next byte will stand on."""
    return 1 + len(re.findall(rb"\r\n|\r|\n", bytes(data)))


def row(what, *remarks, end=b"\n", become="taken"):
    """Adds a row; each remark is (column or None, reason[, lines below the row's first])."""
    first = line()
    for column, reason, *below in remarks:
        place = f"line {first + (below[0] if below else 0)}"
        notes.append(f"{place}, {column}: {reason}" if column else f"{place}: {reason}")
    if become:
        counts[become] += 1
    data.extend(what if isinstance(what, bytes) else what.encode())
    data.extend(end)
    return first


def cells(title, author="", rating="", isbn="", isbn13="", day="", exclusive="", shelves="",
          review="", private="", count="", smell="", again="", record=""):
    """A row from its cells, each already quoted where it should be."""
    return ",".join([title, author, rating, isbn, isbn13, day, exclusive, shelves, review, private,
                     count, smell, again, record])


# Line ends of all three kinds, blank lines, line ends within cells.
pride = row(cells("Pride and Prejudice", "Jane Austen", "5", '="0141439513"', '="9780141439518"',
                  "2020/02/29", "read", '"classics, favourites"', '"Witty, and ""wise""."'),
            end=b"\r\n")
row(cells("Middlemarch", "George Eliot", "4", '=""', '=""', "2019/12/31", "read", "classics",
          '"A review\r\nof three\nlines<br/>and<BR />more<br>"'), end=b"\r\n")
row(cells("Persuasion", "Jane Austen", "0", exclusive="to-read", shelves="to-read"), end=b"\r")
row("", end=b"\n\r\n\r\r\n", become=None)
row(cells('"Silas\nMarner"', "George Eliot", "3", '"=""0141439751"""', "", "2021/02/29", "read"),
    ("ISBN", '"0141439751" ' + CHECK, 1), ("Date Read", '"2021/02/29" ' + NO_DAY, 1))

# Rows of the wrong length.
row("Emma,Jane Austen", (None, f"2 cells under {COLUMNS} columns; the others are taken as empty"))
row("Ulysses", (None, f"1 cell under {COLUMNS} columns; the others are taken as empty"))
row("Eugénie Grandet, and more,Honoré de Balzac,4,,,2020/01/01,read,classics,,,1,,,",
    (None, f"15 cells under {COLUMNS} columns, a cell with a comma may lack its quotes; {OUT}"),
    become="left out")
row(cells("Candide", "Voltaire", "4", again="a,b"),
    (None, f"15 cells under {COLUMNS} columns, a cell with a comma may lack its quotes; {OUT}"),
    become="left out")
row(cells("Too Many Cells") + "," * 1000, (None, f"it has more than 1000 cells; {OUT}"),
    become="left out")
row("," * (COLUMNS - 1), become=None)
row("  \t ", become=None)

# Bytes that are no text.
row(b"Les Mis\xe9rables,Victor Hugo,5", ("Title", "byte E9 " + UTF8), become="left out")
row(b'Overlong,"line one\nline \xc0\x80 two"', ("Author", "byte C0 " + UTF8, 1), become="left out")
row(b"Surrogate," + b"," * 7 + b"\xed\xa0\x80", ("My Review", "byte ED " + UTF8),
    become="left out")
row(b'Cut off,"' + b"\xf0\x9f\x93" + b'",5', ("Author", "byte F0 " + UTF8), become="left out")
row(b"Beyond,\xf4\x90\x80\x80", ("Author", "byte F4 " + UTF8), become="left out")
row(b"Zero\0Sum,Nobody", ("Title", f"it holds a NUL character; {OUT}"), become="left out")

# No title.
row(cells("", "Anonymous", "3"), (None, f"no title; {OUT}"), become="left out")
row(cells('"  "', "Anonymous", "9"), (None, f"no title; {OUT}"), become="left out")

# Days.
for number, (day, reason) in enumerate([
        ("2021-02-03", DAY), ("2021/13/01", NO_DAY), ("2021/00/10", NO_DAY),
        ("2021/04/31", NO_DAY), ("1900/02/29", NO_DAY), ("2021/01/00", NO_DAY),
        ("2021/1/1", DAY), ("yesterday", DAY), ("2021/+1/01", DAY), ("0001/01/01", AGE),
        ("9999/12/31", AGE), ("1899/12/31", AGE), ("2021/02/03 10:00", DAY)]):
    row(cells(f"Bad Day {number}", day=day, exclusive="read"), ("Date Read", f'"{day}" {reason}'))
row(cells("Good Day", day=" 2000/02/29 ", exclusive="read"))

# Ratings.
for number, rating in enumerate(["6", "-1", "4.5", "five", "55", "٣"]):
    row(cells(f"Bad Rating {number}", rating=rating), ("My Rating", f'"{rating}" {RATING}'))
row(cells("Good Rating", rating=" 5 "))

# ISBNs.
row(cells("Both Mistyped", isbn='="0141439514"', isbn13='="9780141439519"'),
    ("ISBN", '"0141439514" ' + CHECK), ("ISBN13", '"9780141439519" ' + CHECK))
row(cells("One Mistyped", isbn='="0141439563"', isbn13='="9780141439563"'),
    ("ISBN", '"0141439563" ' + CHECK))
row(cells("Not Digits", isbn='="ABCDEFGHIJ"', isbn13="9.78014E+12"),
    ("ISBN", '"ABCDEFGHIJ" ' + DIGITS), ("ISBN13", '"9.78014E+12" ' + DIGITS))
row(cells("No Book", isbn13='="4006381333931"'),
    ("ISBN13", f'"4006381333931" does not begin with 978 or 979; {NOT_TAKEN}'))
row(cells("Two Books", isbn='="080442957X"', isbn13='="978-0-14-143955-6"'),
    ("ISBN", "ISBN and ISBN13 name different books; ISBN13 is taken"))
row(cells("An X at the End", isbn="0-8044-2957-x"))
row(cells("Empty Formula", isbn='=""', isbn13='="'), ("ISBN13", '"="" ' + DIGITS))

# One book twice.
row(cells("Stolz und Vorurteil", "Jane Austen", isbn13="9780141439518"),
    (None, f"the same book as in line {pride}; {OUT}"), become="repeated")
first = row(cells("Der Process", "Franz Kafka", "5", day="2022/05/05", exclusive="read"))
row(cells('" der\t PROCESS "', "Franz   Kafka", "1"),
    (None, f"the same book as in line {first}; {OUT}"), become="repeated")
row(cells('"DER PROCESS\n"', '"\nFRANZ\nKAFKA"', "7"),
    (None, f"the same book as in line {first}; {OUT}"), become="repeated")
ids = row(cells("By Id", record="01890000-0000-7000-8000-0000000000ff"))
row(cells("By Another Name", record="01890000-0000-7000-8000-0000000000FF"),
    (None, f"the same book as in line {ids}; {OUT}"), become="repeated")
row(cells("By No Id", record="01890000-0000-7000-8000"),
    ("Commute Id", '"01890000-0000-7000-8000" is no id; the book is known by its name'))

# Formulas and things a terminal would act on.
row(cells('"=HYPERLINK(""http://example.invalid/?""&A1,""Read"")"', "@SUM(A1)", review="+1-1"))
row(cells("'=1+1", "''-2", review="'plain"))
row(cells("Escape", rating="\x1b[2J\x07", day="\u202e10/10/0202"),
    ("My Rating", r'"\u{1B}[2J\u{7}" ' + RATING), ("Date Read", r'"\u{202E}10/10/0202" ' + DAY))
row(cells("Long Winded", day="ä" * 3000), ("Date Read", f'"{"ä" * 40}…" ' + DAY))

# Quotes where none should be.
row(cells('"Moby-Dick" or The Whale', 'Herman "Call Me" Melville', "4"), ("Title", QUOTE))
row(cells("Tristram Shandy", review='"He said ""so" and\twent'), ("My Review", QUOTE))

# Much of everything.
row(cells("Ten Thousand", review="0123456789" * 1000))
row(cells("Ten Thousand Quotes", review='"' + '""' * 10000 + '"'))
row(cells("Ten Thousand Books", review="本" * 10000))
shelves = ", ".join(f"shelf {n % 120}" for n in range(300))
row(cells("Many Shelves", exclusive="read", shelves=f'"{shelves}"'),
    ("Bookshelves", "more than 100 shelves; the first 100 are taken"))
row(cells("Shelves", exclusive="abandoned", shelves='" read ,a,,a , b c,Read,é,e\u0301"'))

# The end of the file is eaten by a quote.
opened = line()
data.extend(cells("The Last One", "Nobody", review='"It was a dark\nand stormy\n').encode())
data.extend(cells("Never Seen", "Nobody", "5").encode() + b"\n")
counts["left out"] += 1
notes.append(f"line {opened}, My Review: the quote that opens here is never closed; everything "
             f"from here to the end of the file, line {line() - 1}, is left out")

total = sum(counts.values())
summary = f"{counts['taken']} of {total} rows taken"
summary += f" · {counts['left out']} left out · {counts['repeated']} repeated"
report = [summary, "columns not taken: Smell, title", *notes]

folder = pathlib.Path(__file__).parent
(folder / "hostile.csv").write_bytes(bytes(data))
(folder / "hostile.expected.txt").write_text("\n".join(report) + "\n", encoding="utf-8")
