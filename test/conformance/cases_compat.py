# cases_compat.py: what other programs count on, and what damage on disk or a crowd of producers may not do
# (../shared/CASES.md: L02, L03, L07, L12, L40).
import glob
import os
import shutil
import struct
import threading
import time

from cases_kcat import kcat
from leatd import Leatd
from wire import CREATE_TOPICS, METADATA, PRODUCE, Closed, batch, frame, records, string

DESCRIBE_CONFIGS = 32
INVALID_REPLICATION_FACTOR = 38
CORRUPT_MESSAGE = 2


def batches_on_disk(broker, partition):
    """(file, position, size, base offset, attributes) of every batch of a partition, by its files."""
    found = []
    for path in sorted(glob.glob(os.path.join(broker.data_dir, partition, '*.log'))):
        with open(path, 'rb') as file:
            data = file.read()
        at = 0
        while at + 61 <= len(data) and struct.unpack_from('>i', data, at + 8)[0] > 0:
            base, size = struct.unpack_from('>qi', data, at)
            found.append((path, at, 12 + size, base, struct.unpack_from('>h', data, at + 21)[0]))
            at += 12 + size
    return found


def case_codecs_are_stored(options):
    """L02: Produce is advertised from version 0, so that librdkafka compresses; the codec is in the stored batch."""
    if not shutil.which('kcat'):
        return 'skipped: no kcat'
    with Leatd(options.leatd) as broker:
        assert broker.connect().api_versions()[PRODUCE][0] == 0
        for bits, codec in enumerate(('none', 'gzip', 'snappy', 'lz4', 'zstd')):
            kcat(broker, '-P', '-t', codec, '-z', codec, stdin=b'the same words, and again\n' * 500)
            stored = {attributes & 7 for *_, attributes in batches_on_disk(broker, f'{codec}-0')}
            # A batch that does not shrink (one record) is sent as it is.
            assert bits in stored and stored <= {0, bits}, f'{codec}: codec bits {stored}'
        old = broker.connect()
        try:  # what was listed for librdkafka's sake only is refused all the same
            old.ask(PRODUCE, 0, struct.pack('>hii', 1, 1000, 0))
        except Closed:
            pass
        else:
            raise AssertionError('Produce v0 was answered')


def case_unsupported_version_is_named(options):
    """L03: closed, and one line says whose request it was and what was asked; others are served."""
    with Leatd(options.leatd) as broker:
        for api, version, name in ((METADATA, 99, 'Metadata'), (PRODUCE, 2, 'Produce'), (999, 0, '999')):
            client = broker.connect()
            port = client.socket.getsockname()[1]
            try:
                client.send(frame(api, version, b'\xff\xff\xff\xff', client='an-old-client'))
                client.receive()
                raise AssertionError(f'API {api} version {version} was answered')
            except Closed:
                pass
            deadline = time.monotonic() + 5
            while not (lines := [line for line in broker.log().splitlines() if f':{port}' in line]):
                assert time.monotonic() < deadline, f'no line about port {port}'
                time.sleep(0.02)
            assert len(lines) == 1, lines
            assert all(word in lines[0] for word in ('an-old-client', name, str(version))), lines[0]
        assert broker.connect().create_topic('still-served') == 0


def create_topic_v4(client, name, partitions, replicas, configs):
    """(error, text)"""
    body = struct.pack('>i', 1) + string(name) + struct.pack('>ihi', partitions, replicas, 0)
    body += struct.pack('>i', len(configs)) + b''.join(string(k) + string(v) for k, v in configs)
    answer = client.ask(CREATE_TOPICS, 4, body + struct.pack('>ib', 10_000, 0))
    at = 4 + 4 + 2 + len(name)
    error, size = struct.unpack_from('>hh', answer, at)
    return error, answer[at + 4:at + 4 + max(size, 0)].decode()


def topic_config(client, topic, key):
    body = struct.pack('>ib', 1, 2) + string(topic) + struct.pack('>i', 1) + string(key) + b'\x00'
    answer = client.ask(DESCRIBE_CONFIGS, 1, body)
    at = 4 + 4
    error, text_size = struct.unpack_from('>hh', answer, at)
    assert error == 0, error
    at += 4 + max(text_size, 0) + 1 + 2 + len(topic)
    count, name_size = struct.unpack_from('>ih', answer, at)
    assert count == 1, count
    at += 6 + name_size
    size, = struct.unpack_from('>h', answer, at)
    return answer[at + 2:at + 2 + size].decode()


def case_topics_of_kafka_connect(options):
    """L07: -1 takes the broker's defaults, the policy is read back as it was set, 3 replicas are refused in words."""
    with Leatd(options.leatd, settings=['num.partitions=3']) as broker:
        client = broker.connect()
        assert create_topic_v4(client, 'connect-offsets', -1, -1, [('cleanup.policy', 'compact')])[0] == 0
        error, text = create_topic_v4(client, 'connect-status', 5, 3, [('cleanup.policy', 'compact')])
        assert error == INVALID_REPLICATION_FACTOR and 'largest' in text and '1' in text, (error, text)
        for _ in range(2):
            assert topic_config(client, 'connect-offsets', 'cleanup.policy') == 'compact'
            assert client.fetch('connect-offsets', 2, 0)[0] == 0 and client.fetch('connect-offsets', 3, 0)[0] == 3
            assert broker.stop() == 0
            broker.start()
            client = broker.connect()


def flip_bit(path, position):
    with open(path, 'r+b') as file:
        file.seek(position)
        byte = file.read(1)[0]
        file.seek(position)
        file.write(bytes([byte ^ 0x10]))


def check_damaged(broker, topic, damaged, end):
    """Others are served; what lies behind the damage is read; the next offset is a new one."""
    client = broker.connect()
    assert len(client.read_all('sound')) == 1
    high = client.list_offset(topic, 0, -1)[2]
    assert high >= end, f'{topic}: the log ends at {high}, {end} were acknowledged'
    whole = damaged['before'] + damaged['behind']
    for _file, _at, _size, base, _attributes in whole:
        error, _high, _start, data = client.fetch(topic, 0, base, partition_bytes=1)
        first, = struct.unpack_from('>q', data) if error == 0 else (-1,)
        assert error == 0 and first <= base, f'{topic}: offset {base}: error {error}'
        if base in (whole[0][3], damaged['base'] - 1, whole[-1][3]):
            assert next(records(data))[0] == first, f'{topic}: offset {base}'  # checks its CRC
    error, _high, _start, data = client.fetch(topic, 0, damaged['base'], partition_bytes=1)
    if error == 0:  # then it is the client's CRC check that tells
        try:
            assert damaged['base'] not in [offset for offset, _ in records(data)], f'{topic}: damage went unnoticed'
        except AssertionError as told:
            assert 'CRC' in str(told), told
    else:
        assert error == CORRUPT_MESSAGE, f'{topic}: error {error}'
        broker.wait_for_line(' error ', f'{topic}-0', f'offset {damaged["base"]} cannot be read')
    error, base = client.produce(topic, 0, batch([b'new']))
    assert error in (0, 56) and (error != 0 or base >= end), f'{topic}: {base} was handed out before (error {error})'
    return high + (1 if error == 0 else 0)


def case_flipped_bits(options):
    """L12: one bit of a payload, of a batch length, of a base offset, in a sealed segment and in the active one."""
    fields = {'payload': 70, 'length': 10, 'base': 5}  # where in a batch
    topics = [f'{segment}-{field}' for segment in ('sealed', 'active') for field in fields]
    with Leatd(options.leatd) as broker:
        client = broker.connect()
        for topic in ('sound', *topics):
            assert client.create_topic(topic, 1, [('segment.bytes', '1048576')]) == 0
        assert client.produce('sound', 0, batch([b'sound'])) == (0, 0)
        for topic in topics:
            for i in range(25):  # the first segment holds ten
                assert client.produce(topic, 0, batch([b'%06d' % i + b'x' * 100_000])) == (0, i)
        assert broker.stop() == 0
        damaged = {}
        for topic in topics:
            stored = batches_on_disk(broker, f'{topic}-0')
            sealed = [b for b in stored if b[0] == stored[0][0]]
            active = [b for b in stored if b[0] == stored[-1][0]]
            assert len(sealed) > 3 and len(active) > 3 and len({b[0] for b in stored}) == 3, topic
            segment = sealed if topic.startswith('sealed') else active
            path, at, _size, base, _attributes = segment[len(segment) // 2]
            flip_bit(path, at + fields[topic.split('-')[1]])
            place = stored.index(segment[len(segment) // 2])
            # A length or an offset that lies hides the rest of its own segment, never another one.
            behind = [b for b in stored[place + 1:] if b[0] != path or topic.endswith('payload')]
            damaged[topic] = {'base': base, 'before': stored[:place], 'behind': behind}
        broker.start()
        ends = {topic: check_damaged(broker, topic, damaged[topic], 25) for topic in topics}
        for topic in topics[:len(fields)]:  # of what is read of a closed segment the server checks the CRC, too
            broker.wait_for_line(' error ', f'{topic}-0', 'damaged', '.log at ', f'offset {damaged[topic]["base"]} on')
        broker.kill()
        broker.start()
        for topic in topics:
            check_damaged(broker, topic, damaged[topic], ends[topic])


def case_crowd_of_producers(options):
    """L40: very many producer ids in one partition: others are served meanwhile, memory and restart stay bounded."""
    count = options.producers
    with Leatd(options.leatd, settings=['leat.flush=none']) as broker:
        client = broker.connect()
        assert client.create_topic('crowd', 1, [('segment.bytes', '1048576')]) == 0
        assert client.create_topic('steady') == 0
        before = broker.resident_bytes()
        slowest = [0.0]
        done = threading.Event()

        def steady():
            probe = broker.connect()
            while not done.is_set():
                started = time.monotonic()
                assert probe.produce('steady', 0, batch([b'x']))[0] == 0
                slowest[0] = max(slowest[0], time.monotonic() - started)
                time.sleep(0.002)

        thread = threading.Thread(target=steady)
        thread.start()
        try:
            for first in range(0, count, 100):
                for producer in range(first, min(first + 100, count)):
                    data = batch([b'x'], producer_id=1_000_000 + producer, producer_epoch=0, base_sequence=0)
                    client.send(client.produce_frame('crowd', 0, data))
                for producer in range(first, min(first + 100, count)):
                    assert client.produce_answer('crowd', client.receive()[4:]) == (0, producer)
        finally:
            done.set()
            thread.join()
        grown = broker.resident_bytes() - before
        assert grown < 64 * 2**20 + count * 1000, f'{grown} bytes for {count} producers'
        assert slowest[0] < 2, f'{slowest[0]} s for one request meanwhile'
        broker.kill()
        started = time.monotonic()
        broker.start()
        took = time.monotonic() - started
        assert took < 20, f'{took} s to start'
        client = broker.connect()
        again = batch([b'x'], producer_id=1_000_000, producer_epoch=0, base_sequence=0)
        assert client.produce('crowd', 0, again) == (0, 0), 'the first of them was forgotten'
        assert client.produce('crowd', 0, batch([b'x'])) == (0, count)
        return (f'ok: {count} ids, {grown // count} bytes each, slowest other {slowest[0] * 1000:.0f} ms, '
                f'restart {took * 1000:.0f} ms')
