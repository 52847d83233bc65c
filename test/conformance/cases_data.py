# cases_data.py: what the path of the data promises, seen from a socket: order, wake-ups, limits, deletions, ids.
import os
import struct
import threading
import time

from leatd import Leatd
from wire import FETCH, INIT_PRODUCER_ID, Closed, batch, frame, records, string


def init_producer_id(client):
    answer = client.ask(INIT_PRODUCER_ID, 0, string(None) + struct.pack('>i', 60_000))
    _throttle, error, producer, epoch = struct.unpack('>ihqh', answer)
    return error, producer, epoch


def case_six_producers_keep_order(options):
    """Six connections with pipelined requests: each one's records in its order, every offset once."""
    with Leatd(options.leatd) as broker:
        assert broker.connect().create_topic('six') == 0

        def produce(name):
            client = broker.connect()
            for first in range(0, 200, 8):
                for i in range(first, first + 8):
                    client.send(client.produce_frame('six', 0, batch([b'%d %d' % (name, i)] * (1 + i % 3))))
                for _ in range(8):
                    error, _base = client.produce_answer('six', client.receive()[4:])
                    assert error == 0, error

        threads = [threading.Thread(target=produce, args=(name,)) for name in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        read = broker.connect().read_all('six')
        assert [offset for offset, _ in read] == list(range(len(read)))
        for name in range(6):
            mine = [int(value.split()[1]) for _, value in read if value.startswith(b'%d ' % name)]
            assert mine == [i for i in range(200) for _ in range(1 + i % 3)], f'producer {name}'


def case_long_poll_race(options):
    """A fetch that parks while a produce is under way: no wake-up may be lost."""
    with Leatd(options.leatd) as broker:
        producer, consumer = broker.connect(), broker.connect()
        assert producer.create_topic('race') == 0
        for offset in range(300):
            delay = options.random.random() * 0.002
            thread = threading.Thread(target=lambda: (time.sleep(delay), producer.produce('race', 0, batch([b'x']))))
            thread.start()
            started = time.monotonic()
            error, _high, _start, data = consumer.fetch('race', 0, offset, max_wait_ms=10_000)
            took = time.monotonic() - started
            thread.join()
            assert error == 0 and [o for o, _ in records(data)] == [offset], (offset, error, len(data))
            assert took < 5, f'offset {offset}: woke after {took} s'


def case_first_batch_comes_whole(options):
    """L31"""
    with Leatd(options.leatd) as broker:
        client = broker.connect()
        assert client.create_topic('large') == 0
        assert client.produce('large', 0, batch([b'x' * 900_000]))[0] == 0
        error, _high, _start, data = client.fetch('large', 0, 0, max_bytes=1000, partition_bytes=1000)
        assert error == 0 and len(data) > 900_000, (error, len(data))
        broker.kill()
        broker.start()  # cold now
        error, _high, _start, data = broker.connect().fetch('large', 0, 0, max_bytes=1000, partition_bytes=1000)
        assert error == 0 and len(data) > 900_000, (error, len(data))


def case_produce_during_roll(options):
    """Segments of 1 MiB under pipelined load: nothing lost or doubled where they meet; offsets and times are found."""
    with Leatd(options.leatd) as broker:
        client = broker.connect()
        assert client.create_topic('roll', 1, [('segment.bytes', '1048576')]) == 0
        for i in range(0, 400, 20):
            for k in range(i, i + 20):
                client.send(client.produce_frame('roll', 0, batch([b'%06d' % k + b'x' * 10_000], timestamp=1000 + k)))
            for k in range(i, i + 20):
                assert client.produce_answer('roll', client.receive()[4:]) == (0, k)
        read = client.read_all('roll')
        assert [(offset, int(value[:6])) for offset, value in read] == [(i, i) for i in range(400)]
        for k in (0, 99, 100, 101, 250, 399):
            assert client.list_offset('roll', 0, 1000 + k) == (0, 1000 + k, k), k
        assert client.list_offset('roll', 0, 5000) == (0, -1, -1)
        assert client.list_offset('roll', 0, -2) == (0, -1, 0)


def case_offsets_for_times(options):
    """L08: the record, not the batch; every codec alike; the same after the time index is gone."""
    asked = [(1500, 2000, 1), (2000, 2000, 1), (3500, 4000, 4), (9999, -1, -1), (500, 1000, 0)]
    with Leatd(options.leatd) as broker:
        client = broker.connect()
        for codec in ('none', 'gzip'):
            topic = f'times-{codec}'
            assert client.create_topic(topic) == 0
            assert client.produce(topic, 0, batch([b'x'] * 3, timestamps=[1000, 2000, 3000], codec=codec)) == (0, 0)
            assert client.produce(topic, 0, batch([b'x'] * 2, timestamps=[500, 4000], codec=codec)) == (0, 3)
        for life in range(2):
            for codec in ('none', 'gzip'):
                topic = f'times-{codec}'
                for timestamp, found, offset in asked:
                    answer = client.list_offset(topic, 0, timestamp)
                    assert answer == (0, found, offset), (codec, life, timestamp, answer)
                assert client.list_offset(topic, 0, -1) == (0, -1, 5)
                assert client.list_offset(topic, 0, -2) == (0, -1, 0)
                assert client.list_offset(topic, 0, -3, version=7) == (0, 4000, 4)
            if life == 0:
                assert broker.stop() == 0
                for codec in ('none', 'gzip'):
                    os.remove(os.path.join(broker.data_dir, f'times-{codec}-0', '0' * 20 + '.timeindex'))
                broker.start()
                client = broker.connect()


def case_delete_records(options):
    """L32: durable before it is answered; a reader below the new start hears at once."""
    with Leatd(options.leatd) as broker:
        client = broker.connect()
        assert client.create_topic('cut') == 0
        for i in range(10):
            client.produce('cut', 0, batch([b'%d' % i]))
        assert client.delete_records('cut', 0, 11) == (-1, 1)
        assert client.delete_records('cut', 0, 8) == (8, 0)
        started = time.monotonic()
        error, high, start, _data = client.fetch('cut', 0, 5, max_wait_ms=10_000)
        assert (error, high, start) == (1, -1, -1) and time.monotonic() - started < 2
        broker.kill()
        broker.start()
        client = broker.connect()
        assert client.list_offset('cut', 0, -2)[2] == 8
        assert [o for o, _ in client.read_all('cut', 0, 8)] == [8, 9]
        assert client.delete_records('cut', 0, -1) == (10, 0)


def case_deleted_topic_wakes_its_reader(options):
    with Leatd(options.leatd) as broker:
        client, reader, deleter = broker.connect(), broker.connect(), broker.connect()
        assert client.create_topic('gone') == 0
        deletion = threading.Timer(0.3, lambda: deleter.delete_topic('gone'))
        deletion.start()
        started = time.monotonic()
        error, *_ = reader.fetch('gone', 0, 0, max_wait_ms=15_000)
        assert error == 3 and time.monotonic() - started < 10, error
        deletion.join()
        assert client.produce('gone', 0, batch([b'x']))[0] == 3


def case_producer_ids_are_never_reused(options):
    """Ids, sequences and duplicates over kill -9 (L21)."""
    with Leatd(options.leatd) as broker:
        seen = set()
        client = broker.connect()
        assert client.create_topic('ids') == 0
        sent = []
        for _ in range(3):
            for _ in range(5):
                error, producer, epoch = init_producer_id(client)
                assert error == 0 and epoch == 0 and producer not in seen, (error, producer)
                seen.add(producer)
            first = batch([b'a', b'b'], producer_id=producer, producer_epoch=0, base_sequence=0)
            second = batch([b'c'], producer_id=producer, producer_epoch=0, base_sequence=2)
            error, base = client.produce('ids', 0, first)
            assert error == 0
            assert client.produce('ids', 0, second) == (0, base + 2)
            assert client.produce('ids', 0, first) == (0, base)  # a duplicate: the first offset
            gap = batch([b'z'], producer_id=producer, producer_epoch=0, base_sequence=9)
            assert client.produce('ids', 0, gap)[0] == 45
            sent.append((second, base + 2))
            broker.kill()
            broker.start()
            client = broker.connect()
            for data, offset in sent:
                assert client.produce('ids', 0, data) == (0, offset)
        assert len(client.read_all('ids')) == 9


def case_slow_readers_hold_little(options):
    """L37: readers with huge limits that never read their answers; memory stays bounded and others are served."""
    with Leatd(options.leatd, settings=['leat.flush=none']) as broker:
        client = broker.connect()
        assert client.create_topic('wide', 20) == 0
        payload = batch([b'x' * 900_000])
        for partition in range(20):
            for _ in range(6):
                assert client.produce('wide', partition, payload)[0] == 0
        broker.stop()
        broker.start()
        client = broker.connect()
        slow = []
        for _ in range(50):
            reader = broker.connect()
            body = struct.pack('>iiiibii', -1, 500, 1, 1 << 30, 0, 0, -1) + struct.pack('>i', 1)
            body += string('wide') + struct.pack('>i', 20)
            for partition in range(20):
                body += struct.pack('>iiqqi', partition, -1, 0, -1, 100 << 20)
            for _ in range(4):
                reader.send(frame(FETCH, 11, body + struct.pack('>i', 0) + string('')))
            slow.append(reader)
        slowest = 0.0
        for _ in range(50):
            started = time.monotonic()
            assert client.produce('wide', 0, batch([b'y']))[0] == 0
            slowest = max(slowest, time.monotonic() - started)
        resident = broker.resident_bytes()
        assert resident < 900 << 20, f'{resident >> 20} MiB resident'
        for reader in slow:
            reader.close()
        deadline = time.monotonic() + 10
        while broker.resident_bytes() > 500 << 20 and time.monotonic() < deadline:
            time.sleep(0.1)
        return f'ok: {resident >> 20} MiB with 50 slow readers, slowest produce beside them {slowest * 1000:.0f} ms'


def case_mixed_acks(options):
    """acks=1 is answered while the sync of its group still runs, acks=all after it: one order, each answered once."""
    with Leatd(options.leatd, settings=['leat.flush=commit']) as broker:
        assert broker.connect().create_topic('mixed') == 0

        def produce(acks):
            client = broker.connect()
            for first in range(0, 400, 10):
                for i in range(first, first + 10):
                    client.send(client.produce_frame('mixed', 0, batch([b'%d %d' % (acks, i)]), acks=acks))
                for _ in range(10):
                    assert client.produce_answer('mixed', client.receive()[4:])[0] == 0

        threads = [threading.Thread(target=produce, args=(acks,)) for acks in (1, -1, 1, -1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        client = broker.connect()
        deadline = time.monotonic() + 10
        while client.list_offset('mixed', 0, -1)[2] < 1600 and time.monotonic() < deadline:
            time.sleep(0.01)
        assert [offset for offset, _ in client.read_all('mixed')] == list(range(1600))


def case_acks_zero(options):
    """acks=0 answers nothing; its error closes the connection."""
    with Leatd(options.leatd) as broker:
        client = broker.connect()
        assert client.create_topic('quiet') == 0
        for i in range(20):
            client.send(client.produce_frame('quiet', 0, batch([b'%d' % i]), acks=0))
        # Answered when written: the last may not be durable, and so not visible, yet.
        read, deadline = [], time.monotonic() + 10
        while len(read) < 20 and time.monotonic() < deadline:
            read = [v for _, v in client.read_all('quiet')]
        assert read == [b'%d' % i for i in range(20)], read
        client.send(client.produce_frame('none', 0, batch([b'x']), acks=0))
        try:
            client.receive()
        except Closed:
            return None
        raise AssertionError('an answer to acks=0')
