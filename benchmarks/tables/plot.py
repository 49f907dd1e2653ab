"""Bars and lines as SVG, without a library: a few dozen lines do."""
from xml.sax.saxutils import escape

COLOURS = {"random": "#4e79a7", "pct": "#f28e2b", "pctwm": "#59a14f", "pos": "#b07aa1", "auto": "#e15759", "surw": "#9c755f",
           "trace": "#76b7b2", "revisit": "#edc948", "minimal": "#ff9da7", "maximal": "#f28e2b", "mix": "#e15759"}
INK, GRID = "#333333", "#dddddd"


class Svg:
    def __init__(self, width, height):
        self.width, self.height, self.parts = width, height, []

    def line(self, x1, y1, x2, y2, colour=INK, width=1.0, dash=""):
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
                          f'stroke-width="{width}"{dashed}/>')

    def box(self, x, y, width, height, fill, stroke="none"):
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{fill}" '
                          f'stroke="{stroke}"/>')

    def text(self, x, y, text, size=12, anchor="middle", bold=False, colour=INK):
        weight = ' font-weight="bold"' if bold else ""
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" '
                          f'fill="{colour}"{weight}>{escape(text)}</text>')

    def __str__(self):
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
                f'viewBox="0 0 {self.width} {self.height}" font-family="sans-serif">\n'
                f'<rect width="100%" height="100%" fill="white"/>\n' + "\n".join(self.parts) + "\n</svg>\n")


class Axes:
    """A rectangle in which y goes from 0 to 100 per cent."""

    def __init__(self, svg, left, top, width, height, labels=True):
        self.svg, self.left, self.top, self.width, self.height = svg, left, top, width, height
        for percent in range(0, 101, 25):
            svg.line(left, self.y(percent), left + width, self.y(percent), GRID)
            if labels:
                svg.text(left - 6, self.y(percent) + 4, f"{percent}", 11, "end")
        svg.line(left, top, left, top + height)
        svg.line(left, top + height, left + width, top + height)

    def y(self, percent):
        return self.top + self.height * (1 - percent / 100)

    def interval(self, x, low, high):
        self.svg.line(x, self.y(low), x, self.y(high), INK, 1.2)
        for end in (low, high):
            self.svg.line(x - 2.5, self.y(end), x + 2.5, self.y(end), INK, 1.2)


def legend(svg, x, y, names, paper):
    for name in names:
        svg.box(x, y - 10, 12, 12, COLOURS[name])
        svg.text(x + 17, y, name, 12, "start")
        x += 34 + 8 * len(name)
    if paper:
        svg.line(x, y - 4, x + 16, y - 4, INK, 2.5)
        svg.text(x + 21, y, "the paper", 12, "start")


def bars(title, programs, names, figures, paper):
    """figures[program][name] = (rate, low, high); paper[program][name] = rate, where there is one."""
    step, bar = 128, 21
    svg = Svg(80 + step * len(programs), 400)
    svg.text(60, 24, title, 15, "start", bold=True)
    legend(svg, 60, 48, names, True)
    axes = Axes(svg, 60, 66, step * len(programs), 285)
    svg.text(22, 60, "%", 12)
    for i, program in enumerate(programs):
        start = 60 + i * step + (step - bar * len(names)) / 2
        for j, name in enumerate(names):
            x = start + j * bar
            rate, low, high = figures[program][name]
            svg.box(x + 1, axes.y(rate), bar - 2, axes.y(0) - axes.y(rate), COLOURS[name])
            axes.interval(x + bar / 2, low, high)
            if name in paper.get(program, {}):
                level = axes.y(paper[program][name])
                svg.line(x, level, x + bar, level, INK, 2.5)
        svg.text(60 + i * step + step / 2, 372, program, 13)
    return str(svg)


def curves(title, programs, names, places, figures, x_label):
    """figures[program][name] = [(rate, low, high) for each of places]."""
    columns, width, height = 3, 270, 150
    rows = -(-len(programs) // columns)
    svg = Svg(40 + columns * (width + 60), 90 + rows * (height + 62))
    svg.text(50, 24, title, 15, "start", bold=True)
    legend(svg, 50, 48, names, False)
    for i, program in enumerate(programs):
        left, top = 50 + (i % columns) * (width + 60), 84 + (i // columns) * (height + 62)
        axes = Axes(svg, left, top, width, height)
        svg.text(left + width / 2, top - 7, program, 13, bold=True)
        position = [left + 8 + (width - 16) * place / places[-1] for place in places]
        for x, place in zip(position, places):
            svg.text(x, top + height + 15, str(place), 11)
        for name in names:
            values = figures[program][name]
            for (x1, one), (x2, other) in zip(zip(position, values), zip(position[1:], values[1:])):
                svg.line(x1, axes.y(one[0]), x2, axes.y(other[0]), COLOURS[name], 2.2)
            for x, (_, low, high) in zip(position, values):
                axes.interval(x, low, high)
        svg.text(left + width / 2, top + height + 32, x_label, 11)
    return str(svg)


def growth(title, programs, names, figures, most):
    """figures[program][name] = [(executions, count), ...]; most[program] is the count at 100 per cent."""
    columns, width, height = 3, 270, 150
    rows = -(-len(programs) // columns)
    svg = Svg(40 + columns * (width + 60), 90 + rows * (height + 62))
    svg.text(50, 24, title, 15, "start", bold=True)
    legend(svg, 50, 48, names, False)
    for i, program in enumerate(programs):
        left, top = 50 + (i % columns) * (width + 60), 84 + (i // columns) * (height + 62)
        axes = Axes(svg, left, top, width, height)
        svg.text(left + width / 2, top - 7, f"{program}: 100 % = {most[program]}", 13, bold=True)
        last = max(points[-1][0] for points in figures[program].values())
        for share in (0, 0.5, 1):
            svg.text(left + width * share, top + height + 15, f"{round(last * share)}", 11)
        for name in names:
            points = [(left + width * n / last, axes.y(100 * count / most[program])) for n, count in figures[program][name]]
            for (x1, y1), (x2, y2) in zip(points, points[1:]):
                svg.line(x1, y1, x2, y2, COLOURS[name], 1.8)
        svg.text(left + width / 2, top + height + 32, "executions", 11)
    return str(svg)
