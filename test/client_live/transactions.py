# transactions.py: a transactional producer on the wire, for readers with read_committed: transactions that end well,
# that are aborted, and one whose records fill every bound of a reader before it is aborted. The client has none of
# its own.
import struct
import time

from wire import INIT_PRODUCER_ID, PRODUCE, Connection, batch, crc32c, frame, string

FIND_COORDINATOR, ADD_PARTITIONS_TO_TXN, END_TXN = 10, 24, 26
TRANSACTION = 1
NOT_YET = (14, 15, 16, 51)  # the coordinator loads, is not there, is another one; a transaction before is being ended
ATTRIBUTES_AT, CRC_AT, TRANSACTIONAL = 21, 17, 0x10


def transactional(data):
    marked = bytearray(data)
    attributes, = struct.unpack_from('>h', marked, ATTRIBUTES_AT)
    struct.pack_into('>h', marked, ATTRIBUTES_AT, attributes | TRANSACTIONAL)
    struct.pack_into('>I', marked, CRC_AT, crc32c(marked[ATTRIBUTES_AT:]))
    return bytes(marked)


class TransactionalProducer(Connection):
    """Of partition 0 of one topic, on the only broker."""

    def __init__(self, address, name, topic):
        super().__init__(address)
        self.name = name
        self.topic = topic
        self.sequence = 0
        self._until_ready(self._find_coordinator)
        self._until_ready(self._init)

    @staticmethod
    def _until_ready(ask):
        deadline = time.monotonic() + 60
        while (error := ask()) in NOT_YET:
            assert time.monotonic() < deadline, f'error {error} does not pass'
            time.sleep(0.1)
        assert error == 0, f'{ask.__name__}: error {error}'

    def _find_coordinator(self):
        answer = self.ask(FIND_COORDINATOR, 1, string(self.name) + struct.pack('>b', TRANSACTION))
        return struct.unpack_from('>ih', answer)[1]

    def _init(self):
        answer = self.ask(INIT_PRODUCER_ID, 1, string(self.name) + struct.pack('>i', 60_000))
        _throttle, error, self.producer_id, self.epoch = struct.unpack_from('>ihqh', answer)
        return error

    def begin(self):
        def add():
            body = string(self.name) + struct.pack('>qhi', self.producer_id, self.epoch, 1) + string(self.topic)
            answer = self.ask(ADD_PARTITIONS_TO_TXN, 1, body + struct.pack('>ii', 1, 0))
            return struct.unpack_from('>ih', answer, 4 + 4 + 2 + len(self.topic.encode()) + 4)[1]
        self._until_ready(add)

    def write(self, values):
        data = transactional(batch(values, timestamp=int(time.time() * 1000), producer_id=self.producer_id,
                                   producer_epoch=self.epoch, base_sequence=self.sequence))
        self.sequence += len(values)
        body = string(self.name) + struct.pack('>hii', -1, 30_000, 1) + string(self.topic)
        body += struct.pack('>iii', 1, 0, len(data)) + data
        self.send(frame(PRODUCE, 7, body))
        error, _base = self.produce_answer(self.topic, self.receive()[4:])
        assert error == 0, f'a transactional record: error {error}'

    def end(self, commits):
        def finish():
            body = string(self.name) + struct.pack('>qhb', self.producer_id, self.epoch, 1 if commits else 0)
            return struct.unpack_from('>ih', self.ask(END_TXN, 1, body))[1]
        self._until_ready(finish)


def write_some(address, topic):
    """What readers of committed records are to see, of all that is in the topic afterwards."""
    committed = []
    producer = TransactionalProducer(address, topic + '-writer', topic)

    def transaction(values, commits):
        producer.begin()
        for some in values:
            producer.write(some)
        producer.end(commits)
        if commits:
            committed.extend(value for some in values for value in some)

    transaction([[b'first', b'second']], True)
    transaction([[b'never']], False)
    transaction([[b'third'], [b'fourth', b'fifth']], True)
    large = bytes(200_000)
    transaction([[b'x' + large, b'y' + large, b'z' + large] for _ in range(20)], False)  # 12 MB of nothing
    transaction([[b'sixth']], True)
    transaction([[b'the last words, taken back']], False)
    return [value.decode() for value in committed]
