"""Tables in Markdown. docs/papers.md and pages of docs/internals/ repeat them as they stand in output.txt, which
tests/system/papers_page.py checks."""


def value(number, digits=0):
    """A figure for a cell; a dash if there is none."""
    if number is None:
        return "-"
    return f"{number:,.{digits}f}" if isinstance(number, float) else f"{number:,}" if isinstance(number, int) else str(number)


def pair(published, measured, digits=0):
    """The paper's figure, and heddle's."""
    return f"{value(published, digits)}, {value(measured, digits)}"


def table(name, columns, rows):
    """Prints the table. The first line names it, for the page that repeats it."""
    print(f"\n<!-- make tables: {name} -->\n")
    print("| " + " | ".join(columns) + " |")
    print("|" + "---|" * len(columns))
    for row in rows:
        print("| " + " | ".join(value(cell) for cell in row) + " |")
    print(flush=True)
