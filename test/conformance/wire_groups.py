# wire_groups.py: what wire.py is for records, for groups: joining, committing, asking about them. Fixed versions: the
# last that are not flexible where that will do, else one flexible version. A Groups is a Connection.
import struct
import time

from wire import METADATA, Connection, flexible_frame, frame, string, uvarint

OFFSET_COMMIT, OFFSET_FETCH, FIND_COORDINATOR, JOIN_GROUP, HEARTBEAT, LEAVE_GROUP, SYNC_GROUP = 8, 9, 10, 11, 12, 13, 14
DESCRIBE_GROUPS, LIST_GROUPS, DELETE_GROUPS, OFFSET_DELETE = 15, 16, 42, 47
CONSUMER_GROUP_HEARTBEAT, CONSUMER_GROUP_DESCRIBE = 68, 69

# Errors, by Kafka's names.
COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR = 14, 15, 16
UNKNOWN_TOPIC_OR_PARTITION, ILLEGAL_GENERATION, UNKNOWN_MEMBER_ID, REBALANCE_IN_PROGRESS = 3, 22, 25, 27
NON_EMPTY_GROUP, GROUP_ID_NOT_FOUND, MEMBER_ID_REQUIRED, FENCED_INSTANCE_ID = 68, 69, 79, 82
GROUP_SUBSCRIBED_TO_TOPIC, OFFSET_METADATA_TOO_LARGE = 86, 12
UNKNOWN_TOPIC_ID, FENCED_MEMBER_EPOCH, UNRELEASED_INSTANCE_ID, STALE_MEMBER_EPOCH = 100, 110, 111, 113
MAY_ANSWER_LATER = (COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR)

NO_TAGS = b'\x00'


def compact(text):
    """A compact string; None is null."""
    if text is None:
        return b'\x00'
    data = text.encode()
    return uvarint(len(data) + 1) + data


def compact_array(items):
    return b'\x00' if items is None else uvarint(len(items) + 1) + b''.join(items)


def array(items):
    return struct.pack('>i', len(items)) + b''.join(items)


def sized(data):
    return struct.pack('>i', len(data)) + data


class Reader:
    """Takes values off the front of an answer."""

    def __init__(self, data):
        self.data = data
        self.at = 0

    def _number(self, form, size):
        value, = struct.unpack_from(form, self.data, self.at)
        self.at += size
        return value

    def i8(self):
        return self._number('>b', 1)

    def i16(self):
        return self._number('>h', 2)

    def i32(self):
        return self._number('>i', 4)

    def i64(self):
        return self._number('>q', 8)

    def take(self, size):
        data = self.data[self.at:self.at + size]
        assert len(data) == size, 'an answer ends too early'
        self.at += size
        return data

    def string(self):
        size = self.i16()
        return None if size < 0 else self.take(size).decode()

    def bytes(self):
        return self.take(max(self.i32(), 0))

    def array(self, read):
        return [read() for _ in range(self.i32())]

    def uvarint(self):
        value = shift = 0
        while True:
            byte = self.i8() & 0xFF
            value |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                return value

    def compact(self):
        size = self.uvarint()
        return None if size == 0 else self.take(size - 1).decode()

    def compact_array(self, read):
        return [read() for _ in range(max(self.uvarint() - 1, 0))]

    def tags(self):
        for _ in range(self.uvarint()):
            self.uvarint()
            self.take(self.uvarint())


def subscription(topics, version=0):
    """What a consumer of the classic protocol puts into its JoinGroup."""
    return struct.pack('>h', version) + array([string(topic) for topic in topics]) + struct.pack('>i', -1)


def assignment(partitions):
    """What a leader gives a member: {topic: [partition]}."""
    topics = [string(topic) + array([struct.pack('>i', p) for p in owned]) for topic, owned in partitions.items()]
    return struct.pack('>h', 0) + array(topics) + struct.pack('>i', -1)


def assigned(data):
    """{topic: [partition]} of a member's assignment."""
    if not data:
        return {}
    reader = Reader(data)
    reader.i16()
    return dict(reader.array(lambda: (reader.string(), reader.array(reader.i32))))


class Joined:
    """A JoinGroup's answer."""

    def __init__(self, reader, with_instances):
        reader.i32()
        self.error = reader.i16()
        self.generation = reader.i32()
        self.protocol = reader.string()
        self.leader = reader.string()
        self.member_id = reader.string()
        self.members = []

        def member():
            name = reader.string()
            if with_instances:
                reader.string()
            reader.bytes()
            return name

        self.members = reader.array(member)


class Beat:
    """A ConsumerGroupHeartbeat's answer; `assigned` is {topic id: {partitions}}, or None when it is no news."""

    def __init__(self, reader):
        reader.i32()
        self.error = reader.i16()
        self.message = reader.compact()
        self.member_id = reader.compact()
        self.epoch = reader.i32()
        self.interval_ms = reader.i32()
        self.assigned = None
        if reader.i8() >= 0:
            self.assigned = dict(reader.compact_array(lambda: _topic_partitions(reader)))


def _topic_partitions(reader):
    topic_id = reader.take(16)
    partitions = set(reader.compact_array(reader.i32))
    reader.tags()
    return topic_id, partitions


class Groups(Connection):
    def ask_plain(self, api, version, body):
        return Reader(self.ask(api, version, body))

    def ask_flexible(self, api, version, body):
        self.send(flexible_frame(api, version, body + NO_TAGS))
        return self.flexible_answer()

    def flexible_answer(self):
        reader = Reader(self.receive())
        reader.i32()
        reader.tags()
        return reader

    def topic_id(self, topic):
        body = compact_array([bytes(16) + compact(topic) + NO_TAGS]) + b'\x00\x00'
        reader = self.ask_flexible(METADATA, 12, body)
        reader.i32()

        def broker():
            reader.i32(), reader.compact(), reader.i32(), reader.compact(), reader.tags()

        reader.compact_array(broker)
        reader.compact()
        reader.i32()
        assert reader.uvarint() == 2, 'one topic was asked for'
        error = reader.i16()
        assert error == 0, error
        reader.compact()
        return reader.take(16)

    # ---- classic protocol ----

    def send_join(self, group, member_id='', topics=('t',), session_ms=10_000, rebalance_ms=10_000, instance_id=None,
                  version=5, protocol='range', kind='consumer'):
        body = string(group) + struct.pack('>ii', session_ms, rebalance_ms) + string(member_id)
        if version >= 5:
            body += string(instance_id)
        body += string(kind) + array([string(protocol) + sized(subscription(topics))])
        self.send(frame(JOIN_GROUP, version, body))

    def joined(self, version=5):
        return Joined(Reader(self.receive()[4:]), version >= 5)

    def join(self, group, member_id='', **options):
        """Joins, taking the id that the broker asks for first; waits for the others."""
        version = options.get('version', 5)
        self.send_join(group, member_id, **options)
        answer = self.joined(version)
        if answer.error == MEMBER_ID_REQUIRED:
            self.send_join(group, answer.member_id, **options)
            answer = self.joined(version)
        return answer

    def sync(self, group, generation, member_id, assignments=None, instance_id=None):
        """(error, {topic: [partition]}); `assignments` is a leader's {member id: {topic: [partition]}}."""
        given = [string(name) + sized(assignment(owned)) for name, owned in (assignments or {}).items()]
        reader = self.ask_plain(SYNC_GROUP, 3, string(group) + struct.pack('>i', generation) + string(member_id) +
                                string(instance_id) + array(given))
        reader.i32()
        return reader.i16(), assigned(reader.bytes())

    def heartbeat(self, group, generation, member_id, instance_id=None):
        reader = self.ask_plain(HEARTBEAT, 3, string(group) + struct.pack('>i', generation) + string(member_id) +
                                string(instance_id))
        reader.i32()
        return reader.i16()

    def leave(self, group, member_id, instance_id=None):
        """The error of the member."""
        reader = self.ask_plain(LEAVE_GROUP, 3, string(group) + array([string(member_id) + string(instance_id)]))
        reader.i32()
        error = reader.i16()
        assert error == 0, error
        return reader.array(lambda: (reader.string(), reader.string(), reader.i16()))[0][2]

    # ---- consumer protocol ----

    def beat(self, group, member_id, epoch, topics=None, owned=None, instance_id=None, assignor=None,
             rebalance_ms=-1):
        """One ConsumerGroupHeartbeat; `owned` is {topic id: partitions}."""
        body = compact(group) + compact(member_id) + struct.pack('>i', epoch) + compact(instance_id) + compact(None)
        body += struct.pack('>i', rebalance_ms)
        body += compact_array(None if topics is None else [compact(topic) for topic in topics])
        body += compact(None) + compact(assignor)
        if owned is None:
            body += compact_array(None)
        else:
            body += compact_array([
                topic_id + compact_array([struct.pack('>i', p) for p in sorted(partitions)]) + NO_TAGS
                for topic_id, partitions in owned.items() if partitions])
        return Beat(self.ask_flexible(CONSUMER_GROUP_HEARTBEAT, 1, body))

    def describe_consumer_group(self, group):
        """(error, state, {member id: member epoch})"""
        body = compact_array([compact(group)]) + b'\x00'
        reader = self.ask_flexible(CONSUMER_GROUP_DESCRIBE, 0, body)
        reader.i32()
        assert reader.uvarint() == 2
        error, _message, _group, state = reader.i16(), reader.compact(), reader.compact(), reader.compact()
        reader.i32(), reader.i32(), reader.compact()

        def topics():
            def topic():
                reader.take(16), reader.compact(), reader.compact_array(reader.i32), reader.tags()
            reader.compact_array(topic)
            reader.tags()

        def member():
            name, _instance, _rack, epoch = reader.compact(), reader.compact(), reader.compact(), reader.i32()
            reader.compact(), reader.compact(), reader.compact_array(reader.compact), reader.compact()
            topics(), topics(), reader.tags()
            return name, epoch

        return error, state, dict(reader.compact_array(member))

    # ---- offsets ----

    @staticmethod
    def commit_body(version, group, offsets, topic='t', generation=-1, member_id='', instance_id=None,
                    retention_ms=-1, metadata='', topic_id=None):
        """OffsetCommit in version 2, 7, 9 or 10; `offsets` is {partition: offset}."""
        if version < 8:
            body = string(group) + struct.pack('>i', generation) + string(member_id)
            body += struct.pack('>q', retention_ms) if version < 5 else string(instance_id)
            leader_epoch = b'' if version < 6 else struct.pack('>i', -1)
            rows = [struct.pack('>iq', p, offset) + leader_epoch + string(metadata) for p, offset in offsets.items()]
            return body + array([string(topic) + array(rows)])
        body = compact(group) + struct.pack('>i', generation) + compact(member_id) + compact(instance_id)
        rows = [struct.pack('>iqi', p, offset, -1) + compact(metadata) + NO_TAGS for p, offset in offsets.items()]
        name = topic_id if version >= 10 else compact(topic)
        return body + compact_array([name + compact_array(rows) + NO_TAGS]) + NO_TAGS

    def send_commit(self, group, offsets, version=7, **options):
        make = frame if version < 8 else flexible_frame
        self.send(make(OFFSET_COMMIT, version, self.commit_body(version, group, offsets, **options)))

    def committed_answer(self, version=7):
        """{partition: error}"""
        if version >= 8:
            reader = self.flexible_answer()
            reader.i32()
            assert reader.uvarint() == 2
            reader.take(16) if version >= 10 else reader.compact()
            rows = reader.compact_array(lambda: (reader.i32(), reader.i16(), reader.tags()))
            return {row[0]: row[1] for row in rows}
        reader = Reader(self.receive()[4:])
        if version >= 3:
            reader.i32()
        assert reader.i32() == 1
        reader.string()
        return dict(reader.array(lambda: (reader.i32(), reader.i16())))

    def commit(self, group, offsets, version=7, **options):
        """{partition: error}"""
        self.send_commit(group, offsets, version, **options)
        return self.committed_answer(version)

    def fetch_offsets(self, group, topic='t', partitions=(0,)):
        """(error, {partition: offset}); -1: nothing is committed."""
        body = string(group) + array([string(topic) + array([struct.pack('>i', p) for p in partitions])])
        reader = self.ask_plain(OFFSET_FETCH, 5, body)
        reader.i32()
        found = {}

        def partition():
            index, offset = reader.i32(), reader.i64()
            reader.i32(), reader.string()
            error = reader.i16()
            assert error == 0, error
            found[index] = offset

        reader.array(lambda: (reader.string(), reader.array(partition)))
        return reader.i16(), found

    def await_offsets(self, group, topic='t', partitions=(0,), timeout=20.0):
        """{partition: offset}, as soon as the coordinator has read its log."""
        deadline = time.monotonic() + timeout
        while True:
            error, found = self.fetch_offsets(group, topic, partitions)
            if error == 0:
                return found
            assert error in MAY_ANSWER_LATER and time.monotonic() < deadline, f'group {group}: error {error}'
            time.sleep(0.001)

    def delete_offsets(self, group, topic, partition):
        """(error, error of the partition)"""
        reader = self.ask_plain(OFFSET_DELETE, 0, string(group) + array([
            string(topic) + array([struct.pack('>i', partition)])]))
        error, _throttle = reader.i16(), reader.i32()
        rows = reader.array(lambda: (reader.string(), reader.array(lambda: (reader.i32(), reader.i16()))))
        return error, rows[0][1][0][1] if rows else 0

    # ---- groups ----

    def describe_group(self, group):
        """(error, state, [member id])"""
        reader = self.ask_plain(DESCRIBE_GROUPS, 4, array([string(group)]) + b'\x00')
        reader.i32()
        assert reader.i32() == 1
        error, _group, state = reader.i16(), reader.string(), reader.string()
        reader.string(), reader.string()

        def member():
            name = reader.string()
            reader.string(), reader.string(), reader.string(), reader.bytes(), reader.bytes()
            return name

        return error, state, reader.array(member)

    def list_groups(self):
        """{group: (state, type)}"""
        reader = self.ask_flexible(LIST_GROUPS, 5, compact_array([]) + compact_array([]))
        reader.i32()
        error = reader.i16()
        assert error == 0, error

        def group():
            name, _kind, state, kind = reader.compact(), reader.compact(), reader.compact(), reader.compact()
            reader.tags()
            return name, (state, kind)

        return dict(reader.compact_array(group))

    def delete_group(self, group):
        reader = self.ask_plain(DELETE_GROUPS, 1, array([string(group)]))
        reader.i32()
        return reader.array(lambda: (reader.string(), reader.i16()))[0][1]

    def find_coordinators(self, groups):
        """{group: (error, node id, host, port)}, asked for in one request."""
        reader = self.ask_flexible(FIND_COORDINATOR, 4, b'\x00' + compact_array([compact(group) for group in groups]))
        reader.i32()

        def coordinator():
            name, node, host, port = reader.compact(), reader.i32(), reader.compact(), reader.i32()
            error = reader.i16()
            reader.compact(), reader.tags()
            return name, (error, node, host, port)

        return dict(reader.compact_array(coordinator))
