# group_members.py: members of groups as the cases of cases_groups.py play them, one connection each, nothing in the
# background: a member does only what it is told.
import time
import uuid

from wire_groups import MAY_ANSWER_LATER, MEMBER_ID_REQUIRED, REBALANCE_IN_PROGRESS, Groups


def open_groups(broker, seconds=20):
    """A connection, once the broker's coordinator answers."""
    client = Groups(broker.address, timeout=seconds)
    deadline = time.monotonic() + seconds
    while (error := client.find_coordinators(['any'])['any'][0]) != 0:
        assert error in MAY_ANSWER_LATER and time.monotonic() < deadline, error
        time.sleep(0.001)
    client.await_offsets('any', timeout=seconds)
    return client


def within(seconds, question, what):
    """Asks again and again until the answer is truthy; how long it took."""
    started = time.monotonic()
    while not question():
        assert time.monotonic() - started < seconds, f'not within {seconds} s: {what}'
        time.sleep(0.02)
    return time.monotonic() - started


class ClassicMember:
    """A member of a classic group that reads topic `t`."""

    def __init__(self, broker, group, instance_id=None, session_ms=10_000):
        self.client = open_groups(broker)
        self.group = group
        self.instance_id = instance_id
        self.session_ms = session_ms
        self.id = ''
        self.generation = -1
        self.leader = None
        self.owned = set()

    def send_join(self):
        self.client.send_join(self.group, self.id, session_ms=self.session_ms, instance_id=self.instance_id)

    def begin_join(self):
        """A newcomer's first join; with the id that it is given when it is to ask with one."""
        self.send_join()
        if not self.id and self.instance_id is None:
            answer = self.client.joined()
            assert answer.error == MEMBER_ID_REQUIRED, answer.error
            self.id = answer.member_id
            self.send_join()

    def finish_join(self):
        answer = self.client.joined()
        assert answer.error == 0, answer.error
        self.id, self.generation, self.leader = answer.member_id, answer.generation, answer.leader
        return answer

    def sync(self, assignments=None):
        error, topics = self.client.sync(self.group, self.generation, self.id, assignments, self.instance_id)
        assert error == 0, error
        self.owned = set(topics.get('t', ()))

    def heartbeat(self):
        return self.client.heartbeat(self.group, self.generation, self.id, self.instance_id)

    def await_rebalance(self, seconds=5):
        return within(seconds, lambda: self.heartbeat() == REBALANCE_IN_PROGRESS, f'{self.id} hears of a rebalance')

    def commit(self, offsets, **options):
        options = {'generation': self.generation, 'member_id': self.id, 'instance_id': self.instance_id, **options}
        return self.client.commit(self.group, offsets, **options)

    def leave(self):
        return self.client.leave(self.group, self.id)


def gather(members, partitions):
    """One rebalance of all these members: those that are new begin it, the others hear of it; the leader gives each a
    range of the partitions of `t`."""
    for member in members:
        if member.generation < 0:
            member.begin_join()
    for member in members:
        if member.generation >= 0:
            member.await_rebalance()
            member.send_join()
    names = [member.finish_join().members for member in members]
    assert len({member.generation for member in members}) == 1, [member.generation for member in members]
    leader = next(member for member in members if member.id == member.leader)
    assert sorted(max(names, key=len)) == sorted(member.id for member in members), names
    each = -(-partitions // len(members))
    shares = {member.id: {'t': list(range(i * each, min((i + 1) * each, partitions)))}
              for i, member in enumerate(members)}
    leader.sync(shares)
    for member in members:
        if member is not leader:
            member.sync()
        assert member.owned == set(shares[member.id]['t']), (member.id, member.owned)


class ConsumerMember:
    """A member that speaks the consumer protocol (KIP-848) and reads topic `t`. `watch` is called whenever what it owns
    has changed."""

    def __init__(self, broker, group, instance_id=None, watch=lambda: None, assignor=None):
        self.client = open_groups(broker)
        self.group = group
        self.instance_id = instance_id
        self.assignor = assignor
        self.id = str(uuid.uuid4())
        self.epoch = 0
        self.owned = {}  # topic id: partitions
        self.watch = watch

    def partitions(self):
        return {(topic, partition) for topic, owned in self.owned.items() for partition in owned}

    def send_beat(self, **more):
        if self.epoch == 0:
            more = {'topics': ['t'], 'owned': {}, 'rebalance_ms': 10_000, 'assignor': self.assignor, **more}
        return self.client.beat(self.group, self.id, self.epoch, instance_id=self.instance_id, **more)

    def beat(self):
        answer = self.send_beat()
        assert answer.error == 0, (answer.error, answer.message)
        self._take(answer)

    def _take(self, answer):
        self.epoch = answer.epoch
        while answer.assigned is not None and answer.assigned != self.owned:
            given = answer.assigned
            self.owned = {topic: owned & given.get(topic, set()) for topic, owned in self.owned.items()}
            self.watch()  # what is taken away is given up first
            self.owned = given
            self.watch()
            answer = self.send_beat(owned=given)
            assert answer.error == 0, (answer.error, answer.message)
            self.epoch = answer.epoch

    def commit(self, offsets, **options):
        options = {'version': 9, 'generation': self.epoch, 'member_id': self.id, **options}
        return self.client.commit(self.group, offsets, **options)

    def leave(self, epoch=-1):
        answer = self.client.beat(self.group, self.id, epoch, instance_id=self.instance_id)
        assert answer.error == 0, answer.error
        self.epoch, self.owned = 0, {}
        return answer


def settle(members, partitions, seconds=20):
    """Beats until all members are of one epoch and own all the partitions of `t` together."""

    def settled():
        for member in members:
            member.beat()
        owned = sum(len(member.partitions()) for member in members)
        return owned == partitions and len({member.epoch for member in members}) == 1

    within(seconds, settled, 'the group settles')
