#!/usr/bin/env python3
# compare.py: runs the macro suites on leatd and on Apache Kafka, row by row and broker by broker in one go, with the
# machine's limits and Redis beside them; keeps all figures in build/bench/compare.json, and writes the generated part
# of docs/benchmarks.md and its charts from there. Usually run by ./dev compare.
#   compare.py [--quick] [--runs N] [--suite NAME]... [--render-only]
import argparse
import csv
import dataclasses
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import machine
import peers
import report
import rows

REPOSITORY = os.path.abspath(os.path.join(os.path.dirname(__file__), '..', '..'))


def say(text):
    print(text, flush=True)


class Results:
    """All figures so far, in the file after each row: an interrupted run is not lost."""

    def __init__(self, path, command):
        self.path = path
        self.data = {'command': command, 'machine': {}, 'rows': {}, 'limits': {}, 'start': {}, 'errors': []}

    def add(self, part, row, broker, figures):
        self.data[part].setdefault(row, {}).setdefault(broker, []).append(figures)
        self.save()

    def error(self, text):
        say(f'  FAILED: {text}')
        self.data['errors'].append(text)
        self.save()

    def save(self):
        with open(self.path + '.new', 'w') as file:
            json.dump(self.data, file, indent=1)
        os.replace(self.path + '.new', self.path)


class Macro:
    """leat_bench_macro, one repetition of one row at a time."""

    def __init__(self, binary, directory):
        self.binary = binary
        self.directory = directory

    def names(self):
        command = [self.binary, '--benchmark_list_tests=true']
        listed = subprocess.run(command, capture_output=True, text=True, check=True)
        names = [line.split('/iterations:')[0] for line in listed.stdout.splitlines() if '/iterations:' in line]
        return list(dict.fromkeys(names))

    def run(self, row, scale, seconds, peer=None):
        csv_path = os.path.join(self.directory, 'row.csv')
        environment = dict(os.environ, TMPDIR=self.directory, LEAT_BENCH_REPETITIONS='1', LEAT_BENCH_CEILING='0',
                           LEAT_BENCH_SCALE=str(scale), LEAT_BENCH_SECONDS=str(seconds))
        if peer is not None:
            address = f'127.0.0.1:{peer.port}'
            environment.update(LEAT_BENCH_BROKER=address, LEAT_BENCH_REDIS=address,
                               LEAT_BENCH_PID=str(peer.process.pid))
        done = subprocess.run([self.binary, f'--csv={csv_path}', f'--benchmark_filter=^{re.escape(row)}/'],
                              env=environment, capture_output=True, text=True, timeout=300 + seconds, check=False)
        if done.returncode != 0:
            raise RuntimeError((done.stdout + done.stderr).strip()[-300:])
        with open(csv_path, newline='') as file:
            found = next(csv.DictReader(file))
        figures = {name[:-len('_median')]: float(value) for name, value in found.items()
                   if name.endswith('_median') and value != ''}
        return dict(figures, load_avg=float(found['load_avg']))


class Comparison:
    def __init__(self, effort, results, macro, directory):
        self.effort = effort
        self.results = results
        self.macro = macro
        self.directory = directory
        self.started = []
        self.beside = set()  # limits that are measured beside their rows
        self.kafka = self.none = self.commit = self.redis = None

    def start_peer(self, peer):
        self.started.append(peer)
        seconds = peer.start()
        say(f'{peer.name} answers on port {peer.port} after {seconds:.2f} s')
        return peer

    def start_all(self, binary, kafka_script):
        def place(name):
            return os.path.join(self.directory, name)
        self.none = self.start_peer(peers.Leatd(binary, place('none'), peers.free_port_pair(), 'none'))
        self.commit = self.start_peer(peers.Leatd(binary, place('commit'), peers.free_port_pair(), 'commit'))
        self.kafka = self.start_peer(peers.Kafka(kafka_script, place('kafka'), peers.free_port_pair()))
        if shutil.which('redis-server') is None:
            self.results.error('redis-server is missing (Debian: apt-get install redis-server): no row of Redis')
            return
        try:
            self.redis = self.start_peer(peers.Redis(place('redis'), peers.free_port_pair()))
        except RuntimeError as error:
            self.results.error(str(error))

    def stop_all(self):
        for peer in reversed(self.started):
            peer.stop()

    def warm_up(self):
        """The just-in-time compiler needs its time on every path that is measured."""
        warm_rows = [line.row for line in rows.LINES + rows.DURABLE_LINES
                     if not line.row.startswith(rows.NOT_WARMED_BY)]
        for peer, seconds in ((self.kafka, self.effort.warm_up_seconds), (self.none, 2), (self.commit, 2)):
            say(f'warming up {peer.name} for {seconds:.0f} s ...')
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                for row in dict.fromkeys(warm_rows):
                    if time.monotonic() < end:
                        self.run_row(row, 0.25, 1, peer)

    def run_row(self, row, scale, seconds, peer):
        """The figures, or None when the row failed, which is noted and costs no other row."""
        try:
            return self.macro.run(row, scale, seconds, peer)
        except (RuntimeError, subprocess.TimeoutExpired, OSError) as error:
            self.results.error(f'{row} on {peer.name if peer else "the machine"}: {error}')
            return None

    def measure(self, part, row, peer, scale=None):
        figures = self.run_row(row, scale or self.effort.scale_of(row), self.effort.seconds_of(row), peer)
        if figures is not None:
            self.results.add(part, row, peer.key if peer else 'machine', figures)
        return figures

    def compare_row(self, row, position):
        leat = self.commit if rows.is_durable(row) else self.none
        figure = rows.figure_for(row)
        for peer in (self.kafka, leat):  # the just-in-time compiler has not seen each row's own path yet
            self.run_row(row, self.effort.row_warm_up_scale, 0.5, peer)
        for run in range(self.effort.runs_of(row)):
            # Who goes first alternates, so that what one leaves behind (dirty pages) does not always meet the other.
            order = [self.kafka, leat] if run % 2 == 0 else [leat, self.kafka]
            seen = {peer: self.measure('rows', row, peer) for peer in order}
            if run < self.effort.limit_runs:
                for limit in rows.limits_of(row):
                    self.measure('limits', limit, None)
            if row == rows.DURABLE_ROW and self.redis is not None:
                self.measure('rows', rows.REDIS_ROW, self.redis, self.effort.scale_of(row))
            if all(seen.values()):
                values = [seen[peer][figure.counter] for peer in (self.kafka, leat)]
                say(f'{position} {row}: Kafka {values[0]:,.0f}, Leat {values[1]:,.0f} {figure.unit}')

    def measure_limits(self, names):
        wanted = [name for name in names if name.startswith(('ceiling/', 'limit/')) and name not in self.beside]
        for number, row in enumerate(wanted):
            for _ in range(self.effort.limit_runs):
                self.measure('limits', row, None)
            say(f'limit {number + 1}/{len(wanted)}: {row}')

    def measure_starts(self):
        for peer, name in ((self.none, 'leat'), (self.kafka, 'kafka')):
            for _ in range(self.effort.restarts):
                try:
                    seconds = peer.restart()
                    time.sleep(self.effort.idle_seconds)
                    figures = {'restart_ms': seconds * 1000, 'idle_mb': peer.resident_mb()}
                except (RuntimeError, OSError) as error:
                    self.results.error(f'restart of {peer.name}: {error}')
                    break
                self.results.add('start', 'restart', name, figures)
                say(f'{peer.name}: {figures["restart_ms"]:.0f} ms to the first answer after a restart, '
                    f'{figures["idle_mb"]:.1f} MB when idle')

    def run(self, suites):
        names = self.macro.names()
        chosen = [name for name in names if any(re.match(rows.SUITES[suite], name) for suite in suites)]
        self.warm_up()
        self.beside = {limit for name in chosen for limit in rows.limits_of(name)}
        half = len(chosen) // 2
        for number, row in enumerate(chosen):
            if number == half:  # in the middle, as the machine's speed drifts with the hour
                self.measure_limits(names)
            self.compare_row(row, f'{number + 1}/{len(chosen)}')
        self.measure_starts()


def parse_arguments():
    parser = argparse.ArgumentParser(prog='./dev compare', description='Leat beside Apache Kafka, in one run')
    parser.add_argument('--quick', action='store_true', help='about six minutes: tendencies, not figures to quote')
    parser.add_argument('--runs', type=int, help='runs of each row (5 of the headline rows, 3 of the others)')
    parser.add_argument('--suite', action='append', choices=sorted(rows.SUITES), help='only this one; may be repeated')
    parser.add_argument('--render-only', action='store_true', help='only document and charts, from the last run')
    parser.add_argument('--output', default=os.path.join(REPOSITORY, 'build', 'bench', 'compare.json'))
    parser.add_argument('--binaries', default=os.path.join(REPOSITORY, 'build', 'release', 'bin'))
    parser.add_argument('--no-render', action='store_true', help='leave docs/ as it is')
    return parser.parse_args()


def effort_of(arguments):
    effort = rows.QUICK if arguments.quick else rows.FULL
    if arguments.runs is None:
        return effort
    return dataclasses.replace(effort, runs=arguments.runs, headline_runs=arguments.runs, limit_runs=arguments.runs)


def command_of(arguments):
    words = ['./dev compare']
    words += ['--quick'] if arguments.quick else []
    words += [f'--runs {arguments.runs}'] if arguments.runs is not None else []
    words += [f'--suite {suite}' for suite in arguments.suite or []]
    return ' '.join(words)


SIGNALS = (signal.SIGINT, signal.SIGTERM)


def on_signals(handler):
    for number in SIGNALS:
        signal.signal(number, handler)


def interrupted(_signal, _frame):
    """Once: a second signal must not end the clean-up, which would leave brokers running."""
    on_signals(signal.SIG_IGN)
    raise KeyboardInterrupt


def measure_all(arguments):
    kafka_script = peers.kafka_script(REPOSITORY)
    os.makedirs(os.path.dirname(arguments.output), exist_ok=True)
    directory = tempfile.mkdtemp(prefix='compare.', dir=os.path.dirname(arguments.output))
    results = Results(arguments.output, command_of(arguments))
    results.data['machine'] = machine.describe(directory)
    macro = Macro(os.path.join(arguments.binaries, 'leat_bench_macro'), directory)
    comparison = Comparison(effort_of(arguments), results, macro, directory)
    try:
        on_signals(interrupted)
        comparison.start_all(os.path.join(arguments.binaries, 'leatd'), kafka_script)
        comparison.run(arguments.suite or list(rows.SUITES))
    finally:
        on_signals(signal.SIG_IGN)
        comparison.stop_all()
        shutil.rmtree(directory, ignore_errors=True)
    on_signals(signal.SIG_DFL)  # no broker runs any more
    return results.data


def main():
    arguments = parse_arguments()
    begin = time.monotonic()
    try:
        if arguments.render_only:
            with open(arguments.output) as file:
                data = json.load(file)
        else:
            data = measure_all(arguments)
    except peers.Missing as missing:
        sys.exit(f'compare: this needs {missing}')
    except KeyboardInterrupt:
        sys.exit('compare: interrupted; the brokers are stopped')
    if not arguments.no_render:
        report.write(data, REPOSITORY)
        say('written: docs/benchmarks.md and its charts in docs/img')
    for error in data['errors']:
        say(f'failed: {error}')
    say(f'{(time.monotonic() - begin) / 60:.1f} minutes; figures: {arguments.output}')
    sys.exit(1 if data['errors'] else 0)


if __name__ == '__main__':
    main()
