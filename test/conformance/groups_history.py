# groups_history.py: what happens to both brokers of compare_groups_tool.py, in scenes: a scene plays something on a
# broker, then the tool runs with each of its commands on both. Scenes follow each other; the order is part of the
# history. Times of records are whole hours before the start of the run.
#   t      four partitions, of 10 records (the oldest 10 hours), 5, none, and 3 of which two are deleted
#   u      two partitions, 6 records in the first
#   gone   deleted after groups have committed to it
import os
import time

from group_members import ConsumerMember, open_groups, settle, within
from groups_history_commands import FORMS, delete_commands, live_reset_commands, offset_commands, reset_commands
from groups_tool import PATIENCE_S
from wire import batch

HOUR_MS = 3_600_000
LONG_MS = 1_500_000  # nobody's session or rebalance ends by itself
RECORDS = {'t': {0: 10, 1: 5, 2: 0, 3: 3}, 'u': {0: 6, 1: 0}, 'gone': {0: 4}}
CLASSIC = {'session_timeout_ms': LONG_MS, 'heartbeat_interval_ms': 500}
COOPERATIVE = {**CLASSIC,
               'partition_assignment_strategy': 'org.apache.kafka.clients.consumer.CooperativeStickyAssignor'}
CONSUMER = {'group_protocol': 'consumer'}
RANGE = {**CONSUMER, 'group_remote_assignor': 'range'}


class Scene:
    def __init__(self, title, play, commands):
        self.title, self.play, self.commands = title, play, commands


class History:
    """Plays on a broker, by Kafka's consumers in the tool's JVM and, where they would not do what is wanted, on the
    wire."""

    def __init__(self, tool, folder):
        self.tool = tool
        self.folder = folder
        self.started_ms = time.time_ns() // 1_000_000
        self.open = []  # members on the wire, which would be missed without their connections
        self.unfinished = {}  # by broker and group: the member on the wire that has joined and not synced

    # ---- topics ----

    def topics(self, broker):
        client = open_groups(broker, PATIENCE_S)
        for topic, partitions in RECORDS.items():
            assert client.create_topic(topic, len(partitions)) == 0, topic
            for partition, count in partitions.items():
                stamps = [self.started_ms - (count - i) * HOUR_MS for i in range(count)]
                if count:
                    data = batch([b'%d' % i for i in range(count)], timestamps=stamps)
                    within(PATIENCE_S, lambda: client.produce(topic, partition, data)[0] == 0, f'{topic} is there')
        assert client.delete_records('t', 3, 2) == (2, 0)

    # ---- groups of Kafka's consumers ----

    def await_state(self, broker, group, state):
        client = open_groups(broker, PATIENCE_S)
        within(PATIENCE_S, lambda: client.list_groups()[group][0] == state, f'{group} is {state}')

    def join(self, broker, group, topics, shares, configs):
        """One member after the other; shares[i] is {name: partitions} of all as soon as the i-th has joined."""
        for held in shares:
            name = list(held)[-1]
            more = {'group_instance_id': name} if name.startswith('static') else {}
            self.tool.open(broker, name, group, topics, **configs, **more)
            for one, partitions in held.items():
                self.tool.wait(broker, one, group, partitions)
        self.await_state(broker, group, 'Stable')

    def leave(self, broker, leaving):
        for group, names in leaving.items():
            for name in names:
                self.tool.close(broker, name, group)

    def pairs(self, broker):
        """Groups of two members, in either protocol."""
        two = [{'one': 4}, {'one': 2, 'two': 2}]
        for group, configs in (('classic', CLASSIC), ('consumer', CONSUMER)):
            self.join(broker, group, 't', two, configs)
            self.tool.commit(broker, 'one', group, 't', 0, 4, 0)
            self.tool.commit(broker, 'two', group, 't', 3, 50)  # behind the end
        self.tool.commit(broker, 'one', 'classic', 't', 1, 5)
        self.tool.commit(broker, 'one', 'classic', 'u', 0, 6)  # none of its own partitions

    def statics(self, broker):
        """Static members; one is gone for a while, and keeps its place."""
        two = [{'static-1': 4}, {'static-1': 2, 'static-2': 2}]
        for group, configs in (('static-classic', CLASSIC), ('static-consumer', CONSUMER)):
            self.join(broker, group, 't', two, configs)
            self.tool.commit(broker, 'static-1', group, 't', 0, 1)
            self.tool.close(broker, 'static-2', group)

    def idlers(self, broker):
        """More members than partitions, in range, uniform, and cooperatively; and two topics in ranges. Ranges go by
        member ids, which begin with names in the classic protocol, and by the instances of static members."""
        three = [{'a': 2}, {'a': 1, 'b': 1}, {'a': 1, 'b': 1, 'c': 0}]
        self.join(broker, 'idle-classic', 'u', three, CLASSIC)
        self.join(broker, 'idle-sticky', 'u', three, COOPERATIVE)
        self.join(broker, 'idle-consumer', 'u', three, CONSUMER)
        self.join(broker, 'range-consumer', 't,u', [{'static-1': 6}, {'static-1': 3, 'static-2': 3}], RANGE)

    def others(self, broker):
        """A pattern, and a group that one member has brought to the newer protocol while the other has not."""
        self.join(broker, 'pattern', '~(t|u)', [{'one': 6}], CONSUMER)
        self.join(broker, 'mixed', 't', [{'one': 4}], CLASSIC)
        self.join(broker, 'mixed', 't', [{'one': 2, 'two': 2}], CONSUMER)

    # ---- groups without members, and some that come to life again ----

    def without_members(self, broker):
        client = open_groups(broker, PATIENCE_S)
        for topic, offsets in (('t', {0: 3, 2: 0}), ('u', {1: 0})):
            assert set(client.commit('simple', offsets, topic=topic).values()) == {0}
        for group in ('dead', 'größe', 'mixed-gone'):
            assert client.commit(group, {0: 2}) == {0: 0}
        for group in ('only-gone', 'mixed-gone'):
            assert client.commit(group, {0: 2}, topic='gone') == {0: 0}
        assert client.delete_group('dead') == 0
        for group, configs, later in (('empty-classic', CLASSIC, None), ('empty-consumer', CONSUMER, None),
                                      ('reborn-classic', CONSUMER, CLASSIC), ('reborn-consumer', CLASSIC, CONSUMER)):
            self.join(broker, group, 't', [{'one': 4}], configs)
            for partition in range(4):
                self.tool.commit(broker, 'one', group, 't', partition, partition)
            self.tool.close(broker, 'one', group)
            self.await_state(broker, group, 'Empty')
            if later:
                self.join(broker, group, 't', [{'two': 4}], later)

    def delete_topic(self, broker):
        client = open_groups(broker, PATIENCE_S)
        assert client.delete_topic('gone') == 0
        for group in ('only-gone', 'mixed-gone'):
            within(PATIENCE_S, lambda: client.fetch_offsets(group, 'gone') == (0, {0: -1}), f'{group} and gone')

    # ---- groups between two states ----

    def _join_on_wire(self, broker, group, **options):
        client = open_groups(broker, PATIENCE_S)
        answer = client.join(group, session_ms=LONG_MS, rebalance_ms=LONG_MS, **options)
        assert answer.error == 0, answer.error
        broker.known[answer.member_id] = f'<on the wire, of {group}>'
        self.open.append(client)
        return client, answer

    def unsettled(self, broker):
        self.unfinished[broker, 'completing'] = self._join_on_wire(broker, 'completing')
        client, one = self._join_on_wire(broker, 'preparing')
        assert client.sync('preparing', one.generation, one.member_id, {one.member_id: {'t': [0, 1, 2, 3]}})[0] == 0
        assert client.commit('preparing', {0: 7}, generation=one.generation, member_id=one.member_id) == {0: 0}
        other = open_groups(broker, PATIENCE_S)
        self.open.append(other)
        other.send_join('preparing', session_ms=LONG_MS, rebalance_ms=LONG_MS)
        second = other.joined().member_id
        other.send_join('preparing', second, session_ms=LONG_MS, rebalance_ms=LONG_MS)  # waits for the first, for ever
        broker.known[second] = '<second of preparing>'
        self.await_state(broker, 'preparing', 'PreparingRebalance')
        one, two = ConsumerMember(broker, 'reconciling'), ConsumerMember(broker, 'reconciling')
        self.open += [one, two]
        settle([one], 4, PATIENCE_S)
        for name, member in (('first', one), ('second', two)):
            broker.known[member.id] = f'<{name} of reconciling>'

        def reconciles():  # Kafka's may be assigning first
            two.beat()  # and the first member does not hear of it
            return client.list_groups()['reconciling'][0] == 'Reconciling'

        within(PATIENCE_S, reconciles, 'reconciling is Reconciling')

    def other_kind(self, broker):
        """A group of the classic protocol that is not of consumers."""
        self.unfinished[broker, 'connect'] = self._join_on_wire(broker, 'connect', kind='connect', protocol='default')

    # ---- the end ----

    def members_leave(self, broker):
        self.leave(broker, {'classic': ('one', 'two'), 'consumer': ('two',), 'pattern': ('one',), 'mixed': ('one',),
                            'idle-consumer': ('c', 'b'), 'idle-classic': ('a',)})
        for group, name, partitions in (('consumer', 'one', 4), ('mixed', 'two', 4), ('idle-consumer', 'a', 2),
                                        ('idle-classic', 'c', 1)):
            self.tool.wait(broker, name, group, partitions)
            self.await_state(broker, group, 'Stable')
        for group in ('classic', 'pattern'):
            self.await_state(broker, group, 'Empty')

    def finish(self, broker):
        """Before a restart, for there is one difference: of a new group's first rebalance that did not end, nothing is
        left in leatd. Apache Kafka lists it as Empty until its next sweep."""
        for group in ('completing', 'connect'):
            client, one = self.unfinished[broker, group]
            assert client.sync(group, one.generation, one.member_id, {one.member_id: {'t': [0, 3]}})[0] == 0
            self.await_state(broker, group, 'Stable')

    def restart(self, broker):
        self.leave(broker, {'consumer': ('one',), 'mixed': ('two',), 'idle-consumer': ('a',),
                            'idle-classic': ('b', 'c'), 'idle-sticky': ('a', 'b', 'c'),
                            'range-consumer': ('static-2', 'static-1'), 'reborn-classic': ('two',),
                            'reborn-consumer': ('two',), 'static-classic': ('static-1',),
                            'static-consumer': ('static-1',)})
        groups = open_groups(broker, PATIENCE_S).list_groups()
        broker.restart()
        client = open_groups(broker, PATIENCE_S)
        for group in groups:  # each of them is read
            client.await_offsets(group, timeout=PATIENCE_S)

    def nothing(self, broker):
        pass

    # ---- in order ----

    def scenes(self):
        path = os.path.join(self.folder, 'offsets.csv')
        lists = [['--list', *more.split()] for more in (
            '', '--state', '--type', '--state --type', '--state Stable', '--state stable,empty', '--state Dead',
            '--state Bogus', '--type classic', '--type consumer', '--type Classic,Consumer', '--type share',
            '--type classic --state Empty', '--state Reconciling', '--state PreparingRebalance,CompletingRebalance')]
        every = [['--describe', '--all-groups', *form] for form in FORMS]

        def described(*groups, forms=FORMS):
            return [['--describe', '--group', group, *form] for group in groups for form in forms]

        return [
            Scene('nothing is there', self.nothing, [['--list'], ['--list', '--state'], *described('none'),
                                                     ['--describe', '--all-groups'], ['--delete', '--all-groups']]),
            Scene('topics', self.topics, []),
            Scene('groups of two', self.pairs, described('classic', 'consumer')),
            Scene('static members', self.statics, []),
            Scene('members without partitions', self.idlers, []),
            Scene('a pattern, a group of both protocols', self.others, []),
            Scene('groups without members', self.without_members,
                  described('dead', '', forms=FORMS[::2]) + described('only-gone', 'mixed-gone', forms=FORMS[:1])),
            Scene('a topic is deleted', self.delete_topic, []),
            Scene('groups between two states', self.unsettled, lists + every),
            Scene('a group of another kind', self.other_kind, described('connect') + [['--list', '--type']]),
            Scene('resets of what is live', self.nothing, live_reset_commands()),
            Scene('resets', self.nothing, reset_commands(['empty-classic', 'none'], path, execute=False)),
            Scene('resets that are done', self.nothing, reset_commands(['simple', 'made'], path, execute=True)),
            Scene('offsets are deleted', self.nothing, offset_commands()),
            Scene('members leave', self.members_leave, lists + every),
            Scene('groups are deleted', self.nothing, delete_commands() + lists[:3]),
            Scene('rebalances end', self.finish, described('completing', 'connect', forms=FORMS[::2])),
            Scene('a restart', self.restart, lists + every),
        ]
