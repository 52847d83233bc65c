# chart.py: the charts of docs/benchmarks.md as plain SVG text: lines over a few labelled steps, with a logarithmic
# upward axis, because the two brokers are often ten times apart.
import math
import os
import statistics
from dataclasses import dataclass
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 760, 420
LEFT, RIGHT, TOP, BOTTOM = 80, 180, 50, 60
COLOURS = {'Kafka': '#c2571a', 'Leat': '#1b6ca8', 'limit': '#777777'}


@dataclass
class Series:
    label: str
    colour: str
    values: list  # one for each step; None where there is none
    dashed: bool = False


@dataclass
class Chart:
    title: str
    steps: list  # labels along the bottom
    steps_title: str
    unit: str
    series: list
    labelled: bool = False  # each point with its value, where there are few


def readable(value):
    for size, letter in ((1e6, 'M'), (1e3, 'k')):
        if value >= size:
            return f'{value / size:g} {letter}'
    return f'{value:g}'


def short(value):
    """Three digits that count."""
    return readable(float(f'{value:.3g}'))


def decades(chart):
    found = [value for series in chart.series for value in series.values if value]
    low, high = math.floor(math.log10(min(found))), math.ceil(math.log10(max(found)))
    return low, max(high, low + 1)


def text(x, y, words, anchor='middle', size=13, extra=''):
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" font-size="{size}"{extra}>{escape(words)}</text>'


class Plane:
    """Where a step and a value are on the paper."""

    def __init__(self, chart):
        self.low, self.high = decades(chart)
        self.count = len(chart.steps)

    def x(self, step):
        return LEFT + (WIDTH - LEFT - RIGHT) * (step + 0.5) / self.count

    def y(self, value):
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share


def axes(chart, plane):
    out = []
    for decade in range(plane.low, plane.high + 1):
        y = plane.y(10 ** decade)
        out.append(f'<line x1="{LEFT}" y1="{y:.0f}" x2="{WIDTH - RIGHT}" y2="{y:.0f}" stroke="#dddddd"/>')
        out.append(text(LEFT - 8, y + 4, readable(10 ** decade), 'end'))
    for step, label in enumerate(chart.steps):
        out.append(text(plane.x(step), HEIGHT - BOTTOM + 20, label))
    out.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 15, chart.steps_title))
    out.append(text(LEFT - 8, TOP - 12, chart.unit, 'end'))
    return out


def line(series, plane):
    points = [(plane.x(step), plane.y(value)) for step, value in enumerate(series.values) if value]
    path = ' '.join(f'{x:.1f},{y:.1f}' for x, y in points)
    dashes = ' stroke-dasharray="6 4"' if series.dashed else ''
    out = [f'<polyline points="{path}" fill="none" stroke="{series.colour}" stroke-width="2.5"{dashes}/>']
    out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{series.colour}"/>' for x, y in points]
    return out


def labels(series, plane):
    return [text(plane.x(step), plane.y(value) - 9, short(value), size=12)
            for step, value in enumerate(series.values) if value]


def legend(chart):
    out = []
    for place, series in enumerate(chart.series):
        x, y = WIDTH - RIGHT + 20, TOP + 15 + 24 * place
        dashes = ' stroke-dasharray="6 4"' if series.dashed else ''
        out.append(f'<line x1="{x}" y1="{y}" x2="{x + 28}" y2="{y}" stroke="{series.colour}" stroke-width="2.5"'
                   f'{dashes}/>')
        out.append(text(x + 36, y + 4, series.label, 'start'))
    return out


def svg(chart):
    plane = Plane(chart)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
           'fill="#222222">',
           f'<title>{escape(chart.title)}</title>',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
           text(WIDTH / 2, 22, chart.title, size=16, extra=' font-weight="bold"')]
    out += axes(chart, plane) + legend(chart)
    for series in chart.series:
        out += line(series, plane) + (labels(series, plane) if chart.labelled else [])
    return '\n'.join(out + ['</svg>', ''])


def medians(data, names, broker, counter, part='rows'):
    out = []
    for row in names:
        found = [run[counter] for run in data[part].get(row, {}).get(broker, []) if counter in run]
        out.append(statistics.median(found) if found else None)
    return out


COUNTS = (1, 10, 100, 1000)


def batch_chart(data, record_bytes, title, counter, unit):
    names = [f'produce/{record_bytes}B_x_{count}' for count in COUNTS]
    series = [Series(label, COLOURS[label], medians(data, names, label.lower(), counter))
              for label in ('Leat', 'Kafka')]
    return Chart(title, [str(count) for count in COUNTS], 'records in a batch', unit, series, labelled=True)


PERCENTILES = (('10', 'p10_us'), ('25', 'p25_us'), ('50', 'p50_us'), ('75', 'p75_us'), ('90', 'p90_us'),
               ('95', 'p95_us'), ('99', 'p99_us'), ('99.9', 'p999_us'), ('99.99', 'p9999_us'), ('max', 'max_us'))


def latency_chart(data, suffix, title):
    series = []
    for row, label, dashed in (('ack/1k_per_s', 'ack', False), ('end_to_end/1k_per_s', 'end to end', True)):
        for name in ('Leat', 'Kafka'):
            found = [medians(data, [row + suffix], name.lower(), counter)[0] for _, counter in PERCENTILES]
            series.append(Series(f'{name}, {label}', COLOURS[name], found, dashed))
    return Chart(title, [label for label, _ in PERCENTILES], 'percentile', 'µs', series)


def charts(data):
    return {
        'throughput-100B.svg': batch_chart(data, 100, 'Produce, records of 100 B, page cache', 'msg_s', 'msg/s'),
        'throughput-1KB.svg': batch_chart(data, 1024, 'Produce, records of 1 KB, page cache', 'MB_s', 'MB/s'),
        'latency.svg': latency_chart(data, '', 'Latency at 1,000 records a second, page cache'),
        'latency-durable.svg': latency_chart(data, '_durable', 'Latency at 1,000 records a second, durable'),
    }


def write_all(data, directory):
    """The charts that the figures allow; gives (file name, title) of each."""
    os.makedirs(directory, exist_ok=True)
    written = []
    for name, chart in charts(data).items():
        chart.series = [series for series in chart.series if any(series.values)]
        if not chart.series:
            continue
        with open(os.path.join(directory, name), 'w') as file:
            file.write(svg(chart))
        written.append((name, chart.title))
    return written
