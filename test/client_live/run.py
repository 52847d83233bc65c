#!/usr/bin/env python3
# run.py: the client against live brokers that have trouble, each case with brokers of its own.
#   run.py --binary build/release/bin/leat_client_live --leatd build/release/bin/leatd [--seeds N] [case...]
#   run.py --binary build/release/bin/leat_client_live --kafka NODES [--seeds N] [case...]
# Cases: cases (every call of the interface), soak (a proxy makes trouble, by the seed), ends (clients end at any
# moment), kills (kill -9 of a broker under load); with Apache Kafka also read_committed (one node) and leaders
# (three: leaders move and a broker is killed under load). A failure names its seed; --first N --seeds 1 tries that
# one again.
import argparse
import collections
import concurrent.futures
import random
import re
import struct
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True  # the tree stays as it is

from brokers import KafkaNodes, LeatBroker, Missing  # noqa: E402
from proxy import KINDS, Faults, Proxy  # noqa: E402
from transactions import write_some  # noqa: E402

FAILURES_MAX = 3  # of seeds, then the rest is not worth the time


class Program:
    """One run of leat_client_live, which is ended when it takes too long."""

    def __init__(self, options, command, timeout, **arguments):
        self.command = [options.binary, command]
        for name, value in arguments.items():
            self.command += ['--' + name.replace('_', '-'), str(value)]
        self.timeout = timeout
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                        errors='replace')
        self.lines = []
        self.produced = threading.Event()  # every record has its outcome, or the program ended
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.append(line.rstrip('\n'))
            if line.startswith('PRODUCED'):
                self.produced.set()
        self.produced.set()

    def wait(self):
        """Its counts; AssertionError with its words when it failed."""
        timed_out = False
        try:
            self.process.wait(self.timeout)
        except subprocess.TimeoutExpired:
            timed_out = True
            self.process.kill()
            self.process.wait()
        self.reader.join(10)
        words = '\n'.join(self.lines[-25:])
        assert not timed_out, f'{" ".join(self.command)} was not done after {self.timeout} s:\n{words}'
        assert self.process.returncode == 0, f'{" ".join(self.command)} ended with {self.process.returncode}:\n{words}'
        found = [line for line in self.lines if line.startswith('SUMMARY ')]
        pairs = re.findall(r'(\w+)=(\d+)', found[-1]) if found else []
        return {name: int(value) for name, value in pairs}


class Stand:
    """Brokers with a proxy before them, or without; whatever happens, nothing of it is left behind."""

    def __init__(self, options, proxied):
        self.options = options
        self.proxied = proxied

    def __enter__(self):
        self.proxy = Proxy() if self.proxied else None
        self.broker = None
        try:
            if self.options.kafka:
                self.broker = KafkaNodes(self.options.kafka, self.proxy)
            else:
                self.broker = LeatBroker(self.options.leatd, self.proxy)
            self.broker.start()
        except BaseException:
            self._end()
            raise
        return self

    def _end(self):
        try:
            if self.broker:
                self.broker.stop()
        finally:
            if self.proxy:
                self.proxy.close()

    def __exit__(self, kind, *_):
        if kind is not None and self.broker:
            print(f'--- end of the logs of the brokers\n{self.broker.tail()}', flush=True)
        self._end()


def case_cases(options):
    """Every call of the interface, in small."""
    with Stand(options, proxied=False) as stand:
        program = Program(options, 'cases', options.patience * 10, bootstrap=stand.broker.bootstrap,
                          prefix=f'live-{options.first}')
        try:
            program.wait()
        finally:
            print('\n'.join('  ' + line for line in program.lines), flush=True)
    return f'ok: {sum(": ok (" in line for line in program.lines)} cases'


def soak_one(options, stand, seed):
    promise = {4: 'given-up', 5: 'at-least-once'}.get(seed % 6, 'exactly-once')
    stand.proxy.begin(Faults(random.Random(seed)))
    program = Program(options, 'load', options.patience + 30, bootstrap=stand.broker.bootstrap, topic=f'soak-{seed}',
                      seed=seed, records=300, promise=promise, members=2 if seed % 8 == 0 else 0,
                      deadline=options.patience)
    program.produced.wait(options.patience + 30)
    stand.proxy.calm()
    return program.wait()


def soak_some(options, seeds, failures):
    """A worker's share: a broker and a proxy of its own."""
    counts = collections.Counter()
    with Stand(options, proxied=True) as stand:
        for seed in seeds:
            if len(failures) >= FAILURES_MAX:
                break
            try:
                counts.update(soak_one(options, stand, seed))
                counts['seeds'] += 1
            except AssertionError as error:
                failures.append(seed)
                print(f'soak: seed {seed} FAILED: {error}', flush=True)
        return counts, stand.proxy.injected


def case_soak(options):
    """The proxy delays, splits, cuts, refuses, falls silent, by the seed."""
    workers = 1 if options.kafka else min(options.workers, options.seeds)
    seeds = range(options.first, options.first + options.seeds)
    failures, counts, injected = [], collections.Counter(), collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        shares = [pool.submit(soak_some, options, seeds[i::workers], failures) for i in range(workers)]
        for share in shares:
            some_counts, some_injected = share.result()
            counts.update(some_counts)
            injected.update(some_injected)
    assert not failures, f'seeds {sorted(failures)} failed'
    kinds = ', '.join(f'{kind} {injected[kind]}' for kind in KINDS)
    if options.seeds >= 4:
        never = [kind for kind in KINDS if injected[kind] == 0]
        assert not never, f'never injected: {", ".join(never)} ({kinds})'
        assert counts['retried'] > 0, 'no batch was ever sent again: the trouble troubled nobody'
    return (f'ok: {counts["seeds"]} seeds, {counts["records"]} records, {counts["failed"]} given up, '
            f'{counts["retried"]} batches sent again; {kinds}')


def case_ends(options):
    """Producers, consumers and clients end at any moment, with the broker well and in trouble."""
    rounds = 2 * options.seeds
    with Stand(options, proxied=True) as stand:
        program = Program(options, 'cases', options.patience, bootstrap=stand.broker.bootstrap, prefix='ends',
                          case='produce_acks')  # the topic
        program.wait()
        for trouble in (False, True):
            if trouble:
                stand.proxy.begin(Faults(random.Random(options.first), hard=rounds))
            program = Program(options, 'ends', options.patience + rounds * 4, bootstrap=stand.broker.bootstrap,
                              topic='ends-acks', seed=options.first, rounds=rounds)
            counts = program.wait()
            stand.proxy.calm()
    return f'ok: {2 * rounds} ends, {counts["records"]} records in the second half'


def case_kills(options):
    """kill -9 of a broker under load, and its restart: the idempotent load has every record once, in order."""
    dice = random.Random(options.first)
    cycle = 25 if options.kafka else 5
    with Stand(options, proxied=True) as stand:
        program = Program(options, 'load', 240 + options.kills * cycle * 2, bootstrap=stand.broker.bootstrap,
                          topic='killed', seed=options.first, seconds=2 + options.kills * cycle, rate=1500, window=200,
                          partitions=3, keys=20, members=2, deadline=200 + options.kills * cycle * 2)
        for _ in range(options.kills):
            time.sleep(dice.uniform(0.5, 1.5) + (3 if options.kafka else 0))
            node = dice.randint(1, stand.broker.node_count)
            stand.broker.kill(node)
            time.sleep(dice.uniform(0.0, 0.5))
            stand.broker.restart(node)
            assert not program.produced.is_set(), 'the load ended before the kills did'
        counts = program.wait()
    assert counts['retried'] > 0, 'no batch was ever sent again'
    return f'ok: {options.kills} kills, {counts["records"]} records, {counts["retried"]} batches sent again'


def case_read_committed(options):
    """What transactions took back is not read, however much of it there is; what they committed is, once."""
    if not options.kafka:
        return 'skipped: leatd has no transactions'
    if options.kafka > 1:
        return 'skipped: one node is enough'
    with Stand(options, proxied=False) as stand:
        maker = Program(options, 'cases', options.patience, bootstrap=stand.broker.bootstrap, prefix='txn',
                        case='produce_forms')  # makes a topic, "txn-forms", whose partition 0 nobody writes to
        maker.wait()
        expected = write_some(('127.0.0.1', stand.broker.nodes[1].client_port), 'txn-forms')
        reads = {}
        for isolation in ('committed', 'uncommitted'):
            program = Program(options, 'dump', options.patience, bootstrap=stand.broker.bootstrap, topic='txn-forms',
                              isolation=isolation)
            program.wait()
            reads[isolation] = program.lines
    assert reads['committed'] == expected, f'{reads["committed"]!r:.300} instead of {expected!r}'
    assert len(reads['uncommitted']) == len(expected) + 62, f'{len(reads["uncommitted"])} records'
    return f'ok: {len(expected)} of {len(reads["uncommitted"])} records'


class LeaderMover(threading.Thread):
    """Gives partitions other leaders, again and again, through a node that is alive."""

    def __init__(self, broker, topics, dice):
        super().__init__(daemon=True)
        self.broker, self.topics, self.dice = broker, topics, dice
        self.moved = 0
        self.ending = threading.Event()

    def run(self):
        while not self.ending.wait(self.dice.uniform(0.3, 1.0)):
            try:
                self._move(self.broker.connect(self.dice.choice(self.broker.alive())))
            except (OSError, IndexError, KeyError, struct.error):
                continue  # that node has just been killed, or the topic is not there yet

    def _move(self, admin):
        topic = self.dice.choice(self.topics)
        before = admin.leaders(topic)
        partition = self.dice.choice(sorted(before))
        leader, replicas, in_sync = before[partition]
        others = [node for node in in_sync if node != leader]
        if not others:
            return
        first = self.dice.choice(others)
        order = [first] + [node for node in replicas if node != first]
        if admin.reorder(topic, partition, order) == 0:
            admin.elect_preferred(topic, partition)
        if admin.leaders(topic)[partition][0] == first:
            self.moved += 1

    def end(self):
        self.ending.set()
        self.join(60)


def case_leaders(options):
    """Three nodes: leaders and coordinators move, brokers are killed, and nothing acknowledged is lost or reordered."""
    if options.kafka < 3:
        return 'skipped: needs --kafka 3'
    dice = random.Random(options.first)
    seconds = 20 + options.kills * 40
    with Stand(options, proxied=True) as stand:
        broker = stand.broker
        program = Program(options, 'load', 300 + seconds * 2, bootstrap=broker.bootstrap, topic='led', partitions=6,
                          replicas=3, min_isr=2, seed=options.first, seconds=seconds, rate=1500, window=300, keys=50,
                          members=3, deadline=250 + seconds * 2)
        time.sleep(5)  # the topics come to be
        mover = LeaderMover(broker, ['led', 'led', '__consumer_offsets'], dice)
        mover.start()
        try:
            for _ in range(options.kills):
                time.sleep(dice.uniform(4, 7))
                node = dice.choice(broker.alive())
                broker.kill(node)
                time.sleep(dice.uniform(2, 6))
                broker.restart(node)
                broker.wait_until_in_sync('led')
            assert not program.produced.is_set(), 'the load ended before the kills did'
            program.produced.wait(seconds * 2 + 60)
        finally:
            mover.end()
        counts = program.wait()
    assert mover.moved >= 5, f'leaders moved {mover.moved} times only'
    assert counts['retried'] > 0, 'no batch was ever sent again'
    return (f'ok: {mover.moved} leaders moved, {options.kills} kills, {counts["records"]} records, '
            f'{counts["retried"]} batches sent again')


CASES = {name[len('case_'):]: value for name, value in list(globals().items()) if name.startswith('case_')}


def arguments():
    parser = argparse.ArgumentParser(description='The client against live brokers that have trouble.')
    parser.add_argument('--binary', required=True, help='leat_client_live')
    parser.add_argument('--leatd', help='against this leatd')
    parser.add_argument('--kafka', type=int, choices=(1, 3), default=0, help='against so many nodes of Apache Kafka')
    parser.add_argument('--seeds', type=int, default=24, help='of trouble')
    parser.add_argument('--first', type=int, default=1, help='the first of them')
    parser.add_argument('--kills', type=int, default=2)
    parser.add_argument('--workers', type=int, default=2, help='leatds with a proxy each, side by side')
    parser.add_argument('--patience', type=int, default=60, help='seconds that one seed may take')
    parser.add_argument('--list', action='store_true')
    parser.add_argument('cases', nargs='*')
    options = parser.parse_args()
    if not options.list and not options.leatd and not options.kafka:
        parser.error('--leatd or --kafka is needed')
    unknown = [name for name in options.cases if name not in CASES]
    if unknown:
        parser.error(f'no case {", ".join(unknown)}: {", ".join(CASES)}')
    return options


def main():
    options = arguments()
    if options.list:
        print('\n'.join(CASES))
        return 0
    failed = []
    for name in options.cases or CASES:
        started = time.monotonic()
        try:
            note = CASES[name](options)
        except Missing as missing:
            print(f'not run, for this is missing: {missing}', file=sys.stderr)
            return 2
        except (AssertionError, OSError, subprocess.SubprocessError, RuntimeError) as error:
            failed.append(name)
            note = f'FAILED (--first {options.first}): {type(error).__name__}: {error}'
        print(f'{name}: {note} ({time.monotonic() - started:.1f} s)', flush=True)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
