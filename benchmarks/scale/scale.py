#!/usr/bin/env python3
# scale.py: how one leatd bears many connections, partitions and readers, and a log far larger than memory would keep.
#   scale.py --leatd build/release/bin/leatd [--scale 1.0] [case...]
# Each case has a leatd of its own, prints one line with its figures and the limits they are held to, and fails when
# one is broken. --scale 0.01 shows that the cases work; only 1.0 says anything about limits. Standard library only.
import argparse
import ctypes
import ctypes.util
import glob
import mmap
import os
import resource
import socket
import struct
import subprocess
import sys
import time
import traceback

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'test', 'conformance'))

from leatd import Leatd  # noqa: E402
from wire import CREATE_TOPICS, FETCH, PRODUCE, batch, frame, string  # noqa: E402

MB = 2**20


class Limits:
    """Figures of a case beside what they may be; a broken one fails the case when the scale is full."""

    def __init__(self, strict):
        self.strict = strict
        self.words = []
        self.broken = []

    def hold(self, name, value, limit, unit):
        self.words.append(f'{name} {value:,.1f} {unit} (limit {limit:,.1f})')
        if self.strict and value > limit:
            self.broken.append(name)

    def note(self, text):
        self.words.append(text)

    def line(self):
        return ', '.join(self.words) + (f'; BROKEN: {", ".join(self.broken)}' if self.broken else '')


def percentile(values, part):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))]


def own_descriptors(count):
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count + 200
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, hard) if hard > 0 else wanted, hard))
    assert hard >= wanted or hard == resource.RLIM_INFINITY, f'{wanted} descriptors are needed, {hard} allowed'


def open_sockets(broker, count):
    """Many connections; from several loopback addresses, so that no limit for one peer is met."""
    opened = []
    for i in range(count):
        client = socket.socket()
        client.bind((f'127.0.0.{2 + i % 50}', 0))
        client.connect(broker.address)
        opened.append(client)
    return opened


def case_idle_connections(options, limits):
    count = int(10_000 * options.scale)
    own_descriptors(count)
    with Leatd(options.leatd) as broker:
        broker.connect().api_versions()
        before = broker.resident_bytes()
        opened = open_sockets(broker, count)
        for client in opened:  # each has said something: a frame reader, a peer
            client.sendall(frame(18, 0, b''))
        for client in opened:
            assert client.recv(4096)
        time.sleep(1)
        limits.hold('resident', (broker.resident_bytes()) / MB, 150, 'MB')
        limits.note(f'{(broker.resident_bytes() - before) / count / 1024:.1f} KB for each of {count} connections')
        started = broker.cpu_seconds()
        time.sleep(3)
        limits.hold('CPU when idle', (broker.cpu_seconds() - started) / 3 * 100, 5, '%')
        for client in opened:
            client.close()
        assert broker.connect().create_topic('after') == 0


def case_active_connections(options, limits):
    count = max(10, int(1000 * options.scale))
    own_descriptors(count)
    with Leatd(options.leatd, settings=['leat.flush=none']) as broker:
        client = broker.connect()
        assert client.create_topic('busy', 4) == 0
        opened = open_sockets(broker, count)
        requests = [client.produce_frame('busy', partition, batch([b'x' * 100])) for partition in range(4)]
        took = []
        rounds = 20
        started = time.monotonic()
        for _ in range(rounds):
            begin = time.monotonic()
            for i, each in enumerate(opened):
                each.sendall(requests[i % 4])
            for each in opened:
                answer = each.recv(4096)
                error, _base = client.produce_answer('busy', answer[8:])
                assert error == 0, error
            took.append(time.monotonic() - begin)
        seconds = time.monotonic() - started
        limits.note(f'{count * rounds / seconds:,.0f} requests/s from one Python thread on {count} connections')
        limits.hold('slowest round', max(took) * 1000, 5000, 'ms')
        total = sum(client.list_offset('busy', partition, -1)[2] for partition in range(4))
        assert total == count * rounds, total


def create_topics(client, names, partitions):
    body = struct.pack('>i', len(names))
    for name in names:
        body += string(name) + struct.pack('>ihii', partitions, 1, 0, 0)
    answer = client.ask(CREATE_TOPICS, 2, body + struct.pack('>ib', 120_000, 0))
    at = 8
    for name in names:
        error, = struct.unpack_from('>h', answer, at + 2 + len(name))
        assert error == 0, f'{name}: error {error}'
        at += 2 + len(name) + 2
        size, = struct.unpack_from('>h', answer, at)
        at += 2 + max(size, 0)


def produce_to_all(client, names, partitions, data):
    for name in names:
        body = string(None) + struct.pack('>hii', -1, 120_000, 1) + string(name) + struct.pack('>i', partitions)
        body += b''.join(struct.pack('>ii', partition, len(data)) + data for partition in range(partitions))
        answer = client.ask(PRODUCE, 7, body)
        at = 4 + 2 + len(name) + 4
        for _ in range(partitions):
            _index, error = struct.unpack_from('>ih', answer, at)
            assert error == 0, error
            at += 30


def fetch_all(client, names, partitions, session, epoch):
    """One Fetch 11 over all partitions, or the next of its session; (session id, partitions with records)."""
    body = struct.pack('>iiiibii', -1, 100, 1, 50 * MB, 0, session, epoch)
    if epoch == 0:
        body += struct.pack('>i', len(names))
        for name in names:
            body += string(name) + struct.pack('>i', partitions)
            body += b''.join(struct.pack('>iiqqi', partition, -1, 0, -1, 4096) for partition in range(partitions))
    else:
        body += struct.pack('>i', 0)
    answer = client.ask(FETCH, 11, body + struct.pack('>i', 0) + string(''))
    _throttle, error, session, topics = struct.unpack_from('>ihii', answer)
    assert error == 0, error
    at = 14
    with_records = 0
    for _ in range(topics):
        size, = struct.unpack_from('>h', answer, at)
        at += 2 + size
        count, = struct.unpack_from('>i', answer, at)
        at += 4
        for _ in range(count):
            error, = struct.unpack_from('>h', answer, at + 4)
            assert error == 0, error
            at += 4 + 2 + 8 + 8 + 8
            aborted, = struct.unpack_from('>i', answer, at)
            at += 4 + max(aborted, 0) * 16 + 4
            size, = struct.unpack_from('>i', answer, at)
            with_records += size > 0
            at += 4 + max(size, 0)
    return session, with_records


def many_partitions(options, limits, count, memory_mb, restart_ms):
    per_topic = min(count, 1000)
    names = [f'wide-{i}' for i in range(count // per_topic)]
    own_descriptors(1000)
    with Leatd(options.leatd, settings=['leat.flush=none']) as broker:
        client = broker.connect(timeout=180)
        started = time.monotonic()
        for name in names:
            create_topics(client, [name], per_topic)
        limits.note(f'{count} partitions made in {time.monotonic() - started:.1f} s')
        started = time.monotonic()
        produce_to_all(client, names, per_topic, batch([b'x' * 100]))
        limits.note(f'a batch to each in {(time.monotonic() - started) * 1000:.0f} ms')
        started = time.monotonic()
        session, seen = fetch_all(client, names, per_topic, 0, 0)
        assert seen == count, f'{seen} of {count} partitions gave records'
        limits.note(f'all in one fetch in {(time.monotonic() - started) * 1000:.0f} ms')
        epoch = 1
        idle = fetch_all(client, names, per_topic, session, epoch)[1]
        limits.note(f'next of the session: {idle} partitions with records')
        time.sleep(2)
        limits.hold('idle memory', broker.resident_bytes() / MB, memory_mb, 'MB')
        broker.kill()
        started = time.monotonic()
        broker.start()
        limits.hold('restart after kill -9', (time.monotonic() - started) * 1000, restart_ms, 'ms')
        client = broker.connect(timeout=60)
        assert fetch_all(client, names, per_topic, 0, 0)[1] == count
        time.sleep(2)
        limits.hold('idle memory then', broker.resident_bytes() / MB, memory_mb, 'MB')


def case_partitions_1000(options, limits):
    many_partitions(options, limits, max(10, int(1000 * options.scale)), 100, 500)


def case_partitions_10000(options, limits):
    many_partitions(options, limits, max(20, int(10_000 * options.scale) // 1000 * 1000), 250, 2000)


def case_parked_consumers(options, limits):
    count = max(5, int(100 * options.scale))
    with Leatd(options.leatd, settings=['leat.flush=none']) as broker:
        producer = broker.connect()
        assert producer.create_topic('watched') == 0
        consumers = [broker.connect() for _ in range(count)]
        took = []
        for offset in range(50):
            for consumer in consumers:
                consumer.send(consumer.fetch_frame('watched', 0, offset, max_wait_ms=20_000))
            time.sleep(0.02)
            started = time.monotonic()
            assert producer.produce('watched', 0, batch([b'x'])) == (0, offset)
            for consumer in consumers:
                assert len(consumer.receive()) > 100
            took.append((time.monotonic() - started) * 1000)
        limits.note(f'{count} parked on one partition: all answered in {percentile(took, 0.5):.1f} ms (median)')
        limits.hold('p99', percentile(took, 0.99), 100, 'ms')


def page_cache():
    """(share of the files that is cached, by mincore; takes them out, by posix_fadvise)."""
    libc = ctypes.CDLL(ctypes.util.find_library('c'), use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    libc.mincore.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]

    def share(paths):
        pages = cached = 0
        for path in paths:
            size = os.path.getsize(path)
            if size == 0:
                continue
            with open(path, 'rb') as file:
                address = libc.mmap(None, size, mmap.PROT_READ, mmap.MAP_SHARED, file.fileno(), 0)
            count = (size + mmap.PAGESIZE - 1) // mmap.PAGESIZE
            seen = (ctypes.c_ubyte * count)()
            assert libc.mincore(address, size, seen) == 0
            libc.munmap(address, size)
            cached += sum(byte & 1 for byte in bytes(seen))
            pages += count
        return cached / max(pages, 1)

    def drop(paths):
        for path in paths:
            with open(path, 'rb') as file:
                os.fdatasync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)

    return share, drop


def fill(broker, topic, size_bytes):
    client = broker.connect(timeout=120)
    request = client.produce_frame(topic, 0, batch([bytes([65 + i % 26]) * 1000 for i in range(900)]))
    count = size_bytes // len(request) + 1
    sent = answered = 0
    while answered < count:
        while sent < count and sent - answered < 8:
            client.send(request)
            sent += 1
        error, _base = client.produce_answer(topic, client.receive()[4:])
        assert error == 0, error
        answered += 1


def tail_latencies(broker, seconds):
    """From the produce to the arrival at a parked consumer, some 500 times a second, in ms."""
    producer, consumer = broker.connect(), broker.connect()
    offset = producer.list_offset('tail', 0, -1)[2]
    data = batch([b'x' * 100])
    took = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        consumer.send(consumer.fetch_frame('tail', 0, offset, max_wait_ms=20_000))
        time.sleep(0.0015)
        started = time.monotonic()
        producer.send(producer.produce_frame('tail', 0, data))
        consumer.receive()
        took.append((time.monotonic() - started) * 1000)
        producer.receive()
        offset += 1
    return took


def case_cold_reader(options, limits):
    """A reader of a log that is on disk alone, while a producer and a consumer at the tail go on."""
    size = int(10e9 * options.scale)
    share, drop = page_cache()
    with Leatd(options.leatd, settings=['leat.flush=none']) as broker:
        client = broker.connect()
        assert client.create_topic('old') == 0 and client.create_topic('tail') == 0
        started = time.monotonic()
        fill(broker, 'old', size)
        limits.note(f'{size / 1e9:.1f} GB written in {time.monotonic() - started:.0f} s')
        files = glob.glob(os.path.join(broker.data_dir, 'old-0', '*.log'))
        drop(files)
        cached = share(files)
        limits.hold('still cached', cached * 100, 5, '%')
        quiet = tail_latencies(broker, max(2, 10 * options.scale))
        leat = os.path.join(os.path.dirname(options.leatd), 'leat')
        reader = subprocess.Popen([leat, '-b', broker.server, 'consume', 'old', '--from-beginning', '--exit'],
                                  stdout=subprocess.DEVNULL)
        busy = []
        started = time.monotonic()
        while reader.poll() is None:
            busy += tail_latencies(broker, 1)
        limits.note(f'read in {time.monotonic() - started:.0f} s')
        assert reader.returncode == 0, reader.returncode
        limits.note(f'tail p50 {percentile(quiet, 0.5):.2f} -> {percentile(busy, 0.5):.2f} ms, '
                    f'p99 {percentile(quiet, 0.99):.2f} -> {percentile(busy, 0.99):.2f} ms')
        limits.hold('p99 beside the reader', percentile(busy, 0.99) / percentile(quiet, 0.99), 2, 'times')
        limits.hold('resident', broker.resident_bytes() / MB, 300, 'MB')


CASES = {name[len('case_'):]: value for name, value in list(globals().items()) if name.startswith('case_')}


def main():
    parser = argparse.ArgumentParser(description='How one leatd bears many connections, partitions and readers.')
    parser.add_argument('--leatd', required=True)
    parser.add_argument('--scale', type=float, default=1.0)
    parser.add_argument('cases', nargs='*', help=' '.join(CASES))
    options = parser.parse_args()
    failed = []
    for name in options.cases or CASES:
        limits = Limits(strict=options.scale >= 1)
        try:
            CASES[name](options, limits)
            text = limits.line()
            failed += [name] if limits.broken else []
        except Exception as error:  # one failed case does not stop the others
            failed.append(name)
            at = traceback.extract_tb(error.__traceback__)[-1]
            text = f'FAILED at {os.path.basename(at.filename)}:{at.lineno}: {type(error).__name__}: {error}'
        print(f'{name}: {text}', flush=True)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
