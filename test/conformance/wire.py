# wire.py: just enough of Kafka's protocol, from the standard library alone, to ask a broker what a test wants to
# know: fixed
# versions, no retries, no caching. One Connection a thread. Bytes that a test wants to damage are built by frame().
import gzip
import socket
import struct

PRODUCE, FETCH, LIST_OFFSETS, METADATA, API_VERSIONS, CREATE_TOPICS, DELETE_TOPICS, DELETE_RECORDS, INIT_PRODUCER_ID = (
    0, 1, 2, 3, 18, 19, 20, 21, 22)


def _crc32c_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = (byte >> 1) ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


_TABLE = _crc32c_table()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = (crc >> 8) ^ _TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def uvarint(value):
    out = bytearray()
    while value > 0x7F:
        out.append((value & 0x7F) | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def varint(value):
    return uvarint((value << 1) ^ (value >> 63))


def string(text):
    if text is None:
        return struct.pack('>h', -1)
    data = text.encode()
    return struct.pack('>h', len(data)) + data


def batch(values, timestamp=1_700_000_000_000, producer_id=-1, producer_epoch=-1, base_sequence=-1, timestamps=None,
          codec='none'):
    """A record batch v2; values are bytes; the timestamp of all, or one each; codec none or gzip."""
    timestamps = timestamps or [timestamp] * len(values)
    records = b''
    for delta, value in enumerate(values):
        body = b'\x00' + varint(timestamps[delta] - timestamps[0]) + varint(delta) + varint(-1)
        body += varint(len(value)) + value + varint(0)
        records += varint(len(body)) + body
    if codec == 'gzip':
        records = gzip.compress(records, 1)
    checked = struct.pack('>hiqqqhii', 1 if codec == 'gzip' else 0, len(values) - 1, timestamps[0], max(timestamps),
                          producer_id, producer_epoch, base_sequence, len(values)) + records
    return struct.pack('>qiibI', 0, len(checked) + 9, -1, 2, crc32c(checked)) + checked


def read_varint(data, at):
    shift = value = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return (value >> 1) ^ -(value & 1), at


def records(data):
    """(offset, value) of every record of whole uncompressed batches; each batch's CRC is checked."""
    at = 0
    while at + 61 <= len(data):
        base, size = struct.unpack_from('>qi', data, at)
        if at + 12 + size > len(data):
            return
        crc, = struct.unpack_from('>I', data, at + 17)
        if crc32c(data[at + 21:at + 12 + size]) != crc:
            raise AssertionError(f'batch at offset {base}: CRC')
        count, = struct.unpack_from('>i', data, at + 57)
        place = at + 61
        for _ in range(count):
            _, place = read_varint(data, place)
            place += 1
            _, place = read_varint(data, place)
            delta, place = read_varint(data, place)
            key_size, place = read_varint(data, place)
            place += max(key_size, 0)
            value_size, place = read_varint(data, place)
            yield base + delta, bytes(data[place:place + value_size])
            place += value_size
            headers, place = read_varint(data, place)
            assert headers == 0
        at += 12 + size


def frame(api, version, body, correlation=1, client='conformance'):
    payload = struct.pack('>hhi', api, version, correlation) + string(client) + body
    return struct.pack('>i', len(payload)) + payload


def flexible_frame(api, version, body, correlation=1, client='conformance'):
    payload = struct.pack('>hhi', api, version, correlation) + string(client) + b'\x00' + body
    return struct.pack('>i', len(payload)) + payload


class Closed(ConnectionError):
    """The broker closed the connection."""


class Connection:
    def __init__(self, address, timeout=20.0):
        self.socket = socket.create_connection(address, timeout=timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def close(self):
        self.socket.close()

    def send(self, data):
        try:
            self.socket.sendall(data)
        except (ConnectionResetError, BrokenPipeError) as error:
            raise Closed from error

    def _read(self, size):
        parts = bytearray()
        while len(parts) < size:
            try:
                data = self.socket.recv(min(size - len(parts), 1 << 20))
            except (ConnectionResetError, BrokenPipeError) as error:
                raise Closed from error
            if not data:
                raise Closed
            parts += data
        return bytes(parts)

    def receive(self):
        size, = struct.unpack('>i', self._read(4))
        return self._read(size)

    def ask(self, api, version, body):
        """The body of the answer, behind the correlation id."""
        self.send(frame(api, version, body))
        return self.receive()[4:]

    def api_versions(self):
        answer = self.ask(API_VERSIONS, 0, b'')
        error, count = struct.unpack_from('>hi', answer)
        assert error == 0, error
        return {key: (low, high) for key, low, high in struct.iter_unpack('>hhh', answer[6:6 + 6 * count])}

    def create_topic(self, name, partitions=1, configs=()):
        body = struct.pack('>i', 1) + string(name) + struct.pack('>ihi', partitions, 1, 0)
        body += struct.pack('>i', len(configs))
        for key, value in configs:
            body += string(key) + string(value)
        answer = self.ask(CREATE_TOPICS, 2, body + struct.pack('>ib', 10_000, 0))
        at = 4 + 4 + 2 + len(name.encode())
        return struct.unpack_from('>h', answer, at)[0]

    def delete_topic(self, name):
        answer = self.ask(DELETE_TOPICS, 1, struct.pack('>i', 1) + string(name) + struct.pack('>i', 10_000))
        return struct.unpack_from('>h', answer, 4 + 4 + 2 + len(name.encode()))[0]

    def produce_frame(self, topic, partition, data, acks=-1, timeout_ms=10_000, correlation=1):
        body = string(None) + struct.pack('>hii', acks, timeout_ms, 1) + string(topic)
        body += struct.pack('>iii', 1, partition, len(data)) + data
        return frame(PRODUCE, 7, body, correlation)

    @staticmethod
    def produce_answer(topic, answer):
        at = 4 + 2 + len(topic.encode()) + 4 + 4
        error, base = struct.unpack_from('>hq', answer, at)
        return error, base

    def produce(self, topic, partition, data, acks=-1, timeout_ms=10_000):
        """(error, base offset)"""
        self.send(self.produce_frame(topic, partition, data, acks, timeout_ms))
        return self.produce_answer(topic, self.receive()[4:])

    @staticmethod
    def fetch_frame(topic, partition, offset, max_wait_ms=0, min_bytes=1, max_bytes=50 << 20, partition_bytes=1 << 20):
        body = struct.pack('>iiiibii', -1, max_wait_ms, min_bytes, max_bytes, 0, 0, -1) + struct.pack('>i', 1)
        body += string(topic) + struct.pack('>iiiqqi', 1, partition, -1, offset, -1, partition_bytes)
        return frame(FETCH, 11, body + struct.pack('>i', 0) + string(''))

    def fetch(self, topic, partition, offset, max_wait_ms=0, min_bytes=1, max_bytes=50 << 20, partition_bytes=1 << 20):
        """(error, high watermark, log start, records)"""
        self.send(self.fetch_frame(topic, partition, offset, max_wait_ms, min_bytes, max_bytes, partition_bytes))
        answer = self.receive()[4:]
        at = 4 + 2 + 4 + 4 + 2 + len(topic.encode()) + 4 + 4
        error, high, _stable, start, aborted = struct.unpack_from('>hqqqi', answer, at)
        assert aborted <= 0, aborted
        at += 30 + 4
        size, = struct.unpack_from('>i', answer, at)
        return error, high, start, answer[at + 4:at + 4 + max(size, 0)]

    def list_offset(self, topic, partition, timestamp, version=1):
        """(error, timestamp, offset)"""
        if version == 7:  # the first that knows -3; flexible
            name = topic.encode()
            body = struct.pack('>ibbb', -1, 0, 2, len(name) + 1) + name
            body += struct.pack('>biiqbbb', 2, partition, -1, timestamp, 0, 0, 0)
            self.send(flexible_frame(LIST_OFFSETS, 7, body))
            answer = self.receive()[5:]  # correlation id, no tags
            return struct.unpack_from('>hqq', answer, 4 + 1 + 1 + len(name) + 1 + 4)
        body = struct.pack('>ii', -1, 1) + string(topic) + struct.pack('>iiq', 1, partition, timestamp)
        answer = self.ask(LIST_OFFSETS, 1, body)
        return struct.unpack_from('>hqq', answer, 4 + 2 + len(topic.encode()) + 4 + 4)

    def delete_records(self, topic, partition, offset):
        """(low watermark, error)"""
        body = struct.pack('>i', 1) + string(topic) + struct.pack('>iiqi', 1, partition, offset, 10_000)
        answer = self.ask(DELETE_RECORDS, 0, body)
        return struct.unpack_from('>qh', answer, 4 + 4 + 2 + len(topic.encode()) + 4 + 4)

    def read_all(self, topic, partition=0, offset=0):
        """Every record up to the high watermark, as (offset, value)."""
        found = []
        while True:
            error, high, start, data = self.fetch(topic, partition, max(offset, 0))
            assert error == 0, f'fetch at {offset}: error {error}'
            batch_records = [(o, v) for o, v in records(data) if o >= offset]
            found += batch_records
            if not batch_records:
                assert offset >= high, f'nothing at {offset} below the high watermark {high}'
                return found
            offset = found[-1][0] + 1
