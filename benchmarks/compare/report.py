# report.py: the generated part of docs/benchmarks.md, from the figures of one comparison. What stands between the two
# marks is replaced; the rest of the document is written by hand and left alone.
import os
import statistics

import chart
import rows

BEGIN = '<!-- compare: begin. Made by ./dev compare; a change by hand would be lost. -->'
END = '<!-- compare: end -->'


def values(data, part, row, broker, counter):
    return [run[counter] for run in data[part].get(row, {}).get(broker, []) if counter in run]


def median(data, part, row, broker, counter):
    found = values(data, part, row, broker, counter)
    return statistics.median(found) if found else None


def number(value):
    if value is None:
        return '–'
    if value >= 100:
        return f'{value:,.0f}'
    return f'{value:.1f}' if value >= 10 else f'{value:.2f}'


def with_unit(value, unit):
    return '–' if value is None else f'{number(value)} {unit}'


def ratio_text(ratio, more_is_better):
    if ratio is None:
        return '–'
    if more_is_better:
        return f'{ratio:.1f} ×' if ratio < 100 else f'{ratio:.0f} ×'
    return f'{ratio:.2f}' if ratio >= 0.01 else f'{ratio:.4f}'


def verdict(value, goal, least, more_is_better):
    """yes: DESIGN's goal; nearly: only what issue 4 asks at least."""
    if value is None or goal is None:
        return ''
    def reached(bound):
        return value >= bound if more_is_better else value <= bound
    if reached(goal):
        return 'yes'
    return 'nearly' if least is not None and reached(least) else 'no'


def goal_text(goal, more_is_better):
    if goal is None:
        return ''
    return f'≥ {goal:g} ×' if more_is_better else f'≤ {goal:.2g}'


def table(head, lines):
    out = ['| ' + ' | '.join(head) + ' |', '|' + '---|' * len(head)]
    return out + ['| ' + ' | '.join(line) + ' |' for line in lines]


def share_of(value, limit, more_is_better):
    if not value or not limit:
        return '–'
    share = value / limit if more_is_better else limit / value
    return f'{share * 100:.0f} %'


def line_cells(data, line):
    figure = line.figure
    kafka = median(data, 'rows', line.row, 'kafka', figure.counter)
    leat = median(data, 'rows', line.row, 'leat', figure.counter)
    limit = median(data, 'limits', line.limit, 'machine', figure.counter) if line.limit else None
    ratio = leat / kafka if kafka and leat is not None else None
    return [line.title, with_unit(kafka, figure.unit), with_unit(leat, figure.unit),
            ratio_text(ratio, figure.more_is_better), goal_text(line.goal, figure.more_is_better),
            verdict(ratio, line.goal, line.least, figure.more_is_better),
            with_unit(limit, figure.unit) if limit else '–', share_of(leat, limit, figure.more_is_better)]


def start_lines(data):
    """Restart and idle memory: DESIGN's goals are absolute, the issue's are ratios."""
    lines = []
    for title, counter, unit, goal, least in (
            ('restart to first answer', 'restart_ms', 'ms', rows.RESTART_GOAL_MS, rows.RESTART_LEAST),
            ('idle resident memory', 'idle_mb', 'MB', rows.IDLE_GOAL_MB, rows.IDLE_LEAST)):
        kafka = median(data, 'start', 'restart', 'kafka', counter)
        leat = median(data, 'start', 'restart', 'leat', counter)
        ratio = leat / kafka if kafka and leat else None
        met = ''
        if ratio is not None:
            met = 'yes' if leat <= goal else 'nearly' if ratio <= least else 'no'
        lines.append([title, with_unit(kafka, unit), with_unit(leat, unit), ratio_text(ratio, False),
                      f'≤ {goal} {unit}', met, '–', '–'])
    return lines


def redis_line(data):
    redis = median(data, 'rows', rows.REDIS_ROW, 'redis', 'req_s')
    leat = median(data, 'rows', rows.DURABLE_ROW, 'leat', 'req_s')
    ratio = leat / redis if redis and leat else None
    return ['the same beside Redis streams (appendfsync always), whose figure is on the left',
            with_unit(redis, 'req/s'), with_unit(leat, 'req/s'), ratio_text(ratio, True),
            goal_text(rows.REDIS_GOAL, True), verdict(ratio, rows.REDIS_GOAL, rows.REDIS_LEAST, True), '–', '–']


HEAD = ['work', 'Kafka', 'Leat', 'ratio', 'goal', 'met', 'limit', 'share of it']


def headline_tables(data):
    none = [line_cells(data, line) for line in rows.LINES if line.row in data['rows']]
    durable = [line_cells(data, line) for line in rows.DURABLE_LINES if line.row in data['rows']]
    if rows.REDIS_ROW in data['rows']:
        durable.insert(1, redis_line(data))
    out = []
    if none or data['start']:
        out += ['### Page cache', '', 'leatd with `leat.flush=none`, Kafka with its defaults.', '']
        out += table(HEAD, none + (start_lines(data) if data['start'] else [])) + ['']
    if durable:
        out += ['### Durable', '', 'leatd with `leat.flush=commit`, Kafka with `flush.messages=1`, acks=all.', '']
        out += table(HEAD, durable) + ['']
    return out


def spread(data, row, broker, counter):
    found = values(data, 'rows', row, broker, counter)
    if not found:
        return '–'
    middle = number(statistics.median(found))
    return middle if len(found) == 1 else f'{middle} ({number(min(found))} … {number(max(found))})'


def all_rows_table(data):
    lines = []
    for row in data['rows']:
        if row == rows.REDIS_ROW:
            continue
        figure = rows.figure_for(row)
        kafka = median(data, 'rows', row, 'kafka', figure.counter)
        leat = median(data, 'rows', row, 'leat', figure.counter)
        ratio = leat / kafka if kafka and leat is not None else None
        cpu = [number(median(data, 'rows', row, broker, 'cpu_ms_MB')) for broker in ('kafka', 'leat')]
        p99 = [number(median(data, 'rows', row, broker, 'p99_us')) for broker in ('kafka', 'leat')]
        name = figure.unit + (' p50' if figure is rows.P50 else '')
        lines.append([f'`{row}`', name, spread(data, row, 'kafka', figure.counter),
                      spread(data, row, 'leat', figure.counter), ratio_text(ratio, figure.more_is_better),
                      ' / '.join(p99), ' / '.join(cpu)])
    head = ['row', 'figure', 'Kafka', 'Leat', 'ratio', 'p99 µs, Kafka / Leat', 'CPU ms/MB, Kafka / Leat']
    return ['### Every row', '', 'Median (least … greatest) of the runs.', ''] + table(head, lines) + ['']


def limits_table(data):
    lines = []
    for title, row, figure in rows.LIMITS:
        value = median(data, 'limits', row, 'machine', figure.counter)
        if value is not None:
            lines.append([title, f'`{row}`', with_unit(value, figure.unit)])
    named = {row for _, row, _ in rows.LIMITS}
    for row in data['limits']:
        if row in named:
            continue
        figure = rows.figure_for(row)
        lines.append(['null responder', f'`{row}`', with_unit(median(data, 'limits', row, 'machine', figure.counter),
                                                              figure.unit)])
    if not lines:
        return []
    return ['### The machine\'s limits, in the same run', ''] + table(['limit', 'row', 'figure'], lines) + ['']


def load_averages(data):
    found = [run['load_avg'] for part in ('rows', 'limits') for row in data[part].values()
             for runs in row.values() for run in runs]
    return f'{min(found):.1f} to {max(found):.1f}' if found else 'unknown'


def machine_text(data):
    machine = data['machine']
    return (f'Made by `{data["command"]}` on {machine.get("cores")} cores ({machine.get("processor")}), '
            f'{machine.get("memory_gb")} GB of memory, {machine.get("kernel")}, {machine.get("file_system")}, '
            f'Java {machine.get("java")}; load average {load_averages(data)}, of which the comparison itself is most.')


def generated(data, images):
    out = [machine_text(data), '']
    out += headline_tables(data)
    for name, title in images:
        out += [f'![{title}](img/{name})', '']
    out += limits_table(data)
    out += all_rows_table(data)
    if data['errors']:
        out += ['### What failed', ''] + [f'- {" ".join(error.split())}' for error in data['errors']] + ['']
    return '\n'.join(out)


def replace_between(text, inner):
    if BEGIN not in text or END not in text:
        raise SystemExit('docs/benchmarks.md lacks the two marks of the generated part')
    before, rest = text.split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    return f'{before}{BEGIN}\n{inner}{END}{after}'


def write(data, repository):
    images = chart.write_all(data, os.path.join(repository, 'docs', 'img'))
    path = os.path.join(repository, 'docs', 'benchmarks.md')
    with open(path) as file:
        text = file.read()
    with open(path, 'w') as file:
        file.write(replace_between(text, generated(data, images)))
