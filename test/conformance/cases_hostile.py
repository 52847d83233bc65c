# cases_hostile.py: random and mutated requests, claims without bytes, half requests, readers that never read, against
# a live
# leatd: it stays up, its memory is bounded, others are served.
import socket
import struct
import time

from leatd import Leatd
from wire import (API_VERSIONS, CREATE_TOPICS, DELETE_RECORDS, FETCH, INIT_PRODUCER_ID, LIST_OFFSETS, METADATA, Closed,
                  batch, frame, string)


def _requests(client):
    fetch = struct.pack('>iiiibii', -1, 10, 1, 1 << 20, 0, 0, -1) + struct.pack('>i', 1) + string('victim')
    fetch += struct.pack('>iiiqqi', 1, 0, -1, 0, -1, 1 << 20) + struct.pack('>i', 0) + string('')
    return [
        client.produce_frame('victim', 0, batch([b'value'] * 5)),
        frame(FETCH, 11, fetch),
        frame(LIST_OFFSETS, 1, struct.pack('>ii', -1, 1) + string('victim') + struct.pack('>iiq', 1, 0, -1)),
        frame(METADATA, 1, struct.pack('>i', 1) + string('victim')),
        frame(API_VERSIONS, 0, b''),
        frame(CREATE_TOPICS, 2, struct.pack('>i', 1) + string('made') + struct.pack('>ihiiib', 1, 1, 0, 0, 100, 0)),
        frame(DELETE_RECORDS, 0, struct.pack('>i', 1) + string('victim') + struct.pack('>iiqi', 1, 0, 0, 100)),
        frame(INIT_PRODUCER_ID, 0, string(None) + struct.pack('>i', 100)),
    ]


def _mutated(rng, request):
    data = bytearray(request)
    for _ in range(rng.randint(1, 8)):
        kind = rng.randrange(4)
        at = rng.randrange(4, len(data))
        if kind == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            data[at] = rng.choice((0, 0x7F, 0x80, 0xFF))
        elif kind == 2:
            data[at:at + 4] = struct.pack('>i', rng.choice((-1, -2, 0x7FFFFFFF, 1 << 30, 0)))
        else:
            data = data[:at] or data
            if len(data) < 8:
                break
    data[0:4] = struct.pack('>i', max(len(data) - 4, 0))
    return bytes(data)


def case_hostile_requests(options):
    rng = options.random
    with Leatd(options.leatd) as broker:
        good = broker.connect()
        assert good.create_topic('victim') == 0
        templates = _requests(good)
        before = broker.resident_bytes()
        written = 0
        for number in range(options.requests):
            client = broker.connect(timeout=0.05)
            if rng.random() < 0.3:
                size = rng.randint(0, 300)
                data = struct.pack('>i', size) + rng.randbytes(size)
            elif rng.random() < 0.2:
                data = frame(rng.randrange(0, 95), rng.randrange(0, 20), rng.randbytes(rng.randint(0, 200)))
            else:
                data = _mutated(rng, rng.choice(templates))
            try:
                client.send(data)
                client.receive()
            except (Closed, OSError):
                pass
            client.close()
            if number % 50 == 0:
                error, _base = good.produce('victim', 0, batch([b'mine %d' % number]))
                assert error == 0, f'after {number} requests the others are not served: error {error}'
                written += 1
        assert broker.alive(), 'leatd is gone'
        resident = broker.resident_bytes()
        assert resident - before < 300 << 20, f'{before >> 20} → {resident >> 20} MiB'
        start = good.list_offset('victim', 0, -2)[2]
        mine = [value for _, value in good.read_all('victim', 0, start) if value.startswith(b'mine ')]
        assert mine == [b'mine %d' % (i * 50) for i in range(written)][-len(mine):] and mine, len(mine)
        assert broker.stop() == 0
        return f'ok: {options.requests} requests, {before >> 20} → {resident >> 20} MiB'


def case_claims_and_silence(options):
    """A claim of 2 GB, half a request and silence, 500 idle connections: memory stays, others are served."""
    with Leatd(options.leatd) as broker:
        good = broker.connect()
        assert good.create_topic('served') == 0
        before = broker.resident_bytes()
        held = []
        for size in (0x7FFFFFFF, -1, 100 << 20, 1 << 20):
            for _ in range(20):
                client = broker.connect()
                client.send(struct.pack('>i', size) + b'\x00\x00')
                held.append(client)
        whole = good.produce_frame('served', 0, batch([b'x' * 1000]))
        for _ in range(100):
            client = broker.connect()
            client.send(whole[:len(whole) // 2])
            held.append(client)
        held += [broker.connect() for _ in range(500)]
        for i in range(50):
            assert good.produce('served', 0, batch([b'%d' % i])) == (0, i)
        grown = broker.resident_bytes() - before
        assert grown < 100 << 20, f'grew by {grown >> 20} MiB'
        for client in held:
            client.close()
        return f'ok: grew by {grown >> 10} KiB with {len(held)} idle peers'


def case_swelling_batches(options):
    """L36: a small batch that unpacks to 256 MiB, eight at a time: refused, memory bounded, others hardly notice."""
    bomb = batch([b'\0' * (256 << 20)], codec='gzip')
    with Leatd(options.leatd) as broker:
        good = broker.connect()
        assert good.create_topic('bombed') == 0
        assert good.create_topic('beside') == 0
        before = broker.resident_bytes()
        attackers = [broker.connect() for _ in range(8)]
        for attacker in attackers:
            attacker.send(attacker.produce_frame('bombed', 0, bomb))
        slowest = 0.0
        for i in range(100):
            started = time.monotonic()
            assert good.produce('beside', 0, batch([b'%d' % i])) == (0, i)
            slowest = max(slowest, time.monotonic() - started)
        for attacker in attackers:
            error, _base = attacker.produce_answer('bombed', attacker.receive()[4:])
            assert error in (10, 87), error
        grown = broker.resident_bytes() - before
        assert grown < 120 << 20, f'grew by {grown >> 20} MiB'
        assert good.list_offset('bombed', 0, -1)[2] == 0
        slowest_ms = round(slowest * 1000)
        return f'ok: {len(bomb) >> 10} KiB each, grew by {grown >> 20} MiB, slowest produce beside {slowest_ms} ms'


def case_session_flood(options):
    """L33: clients that open a new fetch session with every poll."""
    with Leatd(options.leatd) as broker:
        client = broker.connect()
        assert client.create_topic('flood') == 0

        def fetch(session, epoch, topics=True):
            body = struct.pack('>iiiibii', -1, 0, 0, 1 << 20, 0, session, epoch) + struct.pack('>i', 1 if topics else 0)
            if topics:
                body += string('flood') + struct.pack('>iiiqqi', 1, 0, -1, 0, -1, 1 << 20)
            answer = client.ask(FETCH, 11, body + struct.pack('>i', 0) + string(''))
            _throttle, error, given = struct.unpack_from('>ihi', answer)
            return error, given

        _error, mine = fetch(0, 0)
        assert mine != 0
        before = broker.resident_bytes()
        for _ in range(5000):
            error, _given = fetch(0, 0)
            assert error == 0
        assert fetch(mine, 1, topics=False) == (0, mine), 'the session was pushed out'
        assert fetch(mine, 9, topics=False)[0] == 71
        assert fetch(0x7ABCDEF0, 1, topics=False)[0] == 70
        grown = broker.resident_bytes() - before
        assert grown < 60 << 20, f'grew by {grown >> 20} MiB'


def case_reader_that_never_reads(options):
    with Leatd(options.leatd) as broker:
        good = broker.connect()
        assert good.create_topic('unread') == 0
        for _ in range(20):
            assert good.produce('unread', 0, batch([b'x' * 500_000]))[0] == 0
        before = broker.resident_bytes()
        client = broker.connect()
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        request = client.fetch_frame('unread', 0, 0, max_wait_ms=10, partition_bytes=50 << 20)
        client.socket.settimeout(0.5)
        try:
            for _ in range(2000):
                client.send(request)
        except OSError:
            pass  # the broker stopped reading: back pressure
        time.sleep(0.5)
        grown = broker.resident_bytes() - before
        assert grown < 150 << 20, f'grew by {grown >> 20} MiB'
        for _ in range(20):
            assert good.produce('unread', 0, batch([b'y']))[0] == 0
