# brokers.py: the brokers that the live tests run against: one leatd, or one or three nodes of Apache Kafka from the
# jars that ../shared/peers/kafka.sh fetches. Each is a process of ours, started with its advertised address at a
# proxy's port where there is a proxy, and is ended by its id. All have: bootstrap, proxied by default; kill(node),
# restart(node), tail(), and stop().
import base64
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import uuid

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, 'test', 'conformance'))
sys.path.append(os.path.join(ROOT, 'benchmarks', 'compare'))

from cases_docs import free_port  # noqa: E402
from leatd import Leatd  # noqa: E402
from peers import Missing, has_kafka_jars, kafka_jars, kafka_script  # noqa: E402
from wire import Closed, Connection, frame, string  # noqa: E402
from wire_groups import compact, compact_array  # noqa: E402

# Groups in which a test can wait: members that are gone are missed within seconds.
GROUP_SETTINGS = ['group.initial.rebalance.delay.ms=0', 'group.min.session.timeout.ms=500',
                  'group.consumer.min.session.timeout.ms=500', 'group.consumer.session.timeout.ms=6000',
                  'group.consumer.min.heartbeat.interval.ms=100', 'group.consumer.heartbeat.interval.ms=250']


class LeatBroker:
    kind = 'leatd'
    node_count = 1

    def __init__(self, binary, proxy=None, settings=()):
        self.proxy = proxy
        settings = list(GROUP_SETTINGS) + list(settings)
        self.port = proxy.open('1') if proxy else None
        if proxy:
            settings.append(f'advertised.listeners=PLAINTEXT://127.0.0.1:{self.port}')
        self.leatd = Leatd(binary, settings=settings)

    def start(self):
        self.leatd.start()
        if self.proxy:
            self.proxy.set_upstream('1', self.leatd.address)
        return self

    @property
    def bootstrap(self):
        return f'127.0.0.1:{self.port}' if self.proxy else self.leatd.server

    def kill(self, _node=1):
        self.leatd.kill()

    def restart(self, _node=1):
        self.start()

    def tail(self):
        return self.leatd.log()[-3000:]

    def stop(self):
        """A clean stop must be one."""
        if self.leatd.alive():
            code = self.leatd.stop()
            assert code == 0, f'leatd ended with {code}:\n{self.tail()}'
        shutil.rmtree(self.leatd.folder, ignore_errors=True)


# ---- Apache Kafka ----------------------------------------------------------------------------------------------------

ALTER_PARTITION_REASSIGNMENTS, ELECT_LEADERS, METADATA = 45, 43, 3
PREFERRED = 0
NO_TAGS = b'\x00'


def fetched_kafka_jars():
    """The folder of Kafka's jars; kafka.sh fetches them when they are not there yet."""
    script = kafka_script(ROOT)
    if not has_kafka_jars():
        subprocess.run(['bash', script, 'tool', 'kafka.tools.StorageTool', 'random-uuid'], check=True, timeout=900,
                       stdout=subprocess.DEVNULL)
    return kafka_jars()


class Admin(Connection):
    """What moves leaders, on the wire: a JVM for each move would take seconds."""

    def leaders(self, topic):
        """Of each partition: (leader, replicas, in-sync replicas)."""
        answer = self.ask(METADATA, 1, struct.pack('>i', 1) + string(topic))
        at = 0

        def take(form):
            nonlocal at
            values = struct.unpack_from('>' + form, answer, at)
            at += struct.calcsize('>' + form)
            return values[0]

        def take_string():
            nonlocal at
            size = take('h')
            at += max(size, 0)

        def take_ids():
            return [take('i') for _ in range(take('i'))]

        for _ in range(take('i')):
            take('i')
            take_string()
            take('i')
            take_string()
        take('i')  # the controller
        found = {}
        for _ in range(take('i')):
            take('h')
            take_string()
            take('b')
            for _ in range(take('i')):
                take('h')
                index, leader = take('i'), take('i')
                found[index] = (leader, take_ids(), take_ids())
        return found

    def node_count(self):
        answer = self.ask(METADATA, 1, struct.pack('>i', 0))
        return struct.unpack_from('>i', answer)[0]

    def reorder(self, topic, partition, replicas):
        """The same replicas in another order, so that another one is preferred: the error code."""
        ids = compact_array([struct.pack('>i', node) for node in replicas])
        asked = struct.pack('>i', partition) + ids + NO_TAGS
        topics = compact_array([compact(topic) + compact_array([asked]) + NO_TAGS])
        body = struct.pack('>i', 10_000) + topics + NO_TAGS
        payload = struct.pack('>hhi', ALTER_PARTITION_REASSIGNMENTS, 0, 1) + string('client-live') + NO_TAGS + body
        self.send(struct.pack('>i', len(payload)) + payload)
        return struct.unpack_from('>h', self.receive(), 4 + 1 + 4)[0]

    def elect_preferred(self, topic, partition):
        asked = string(topic) + struct.pack('>ii', 1, partition)
        self.send(frame(ELECT_LEADERS, 1, struct.pack('>bi', PREFERRED, 1) + asked + struct.pack('>i', 10_000)))
        return struct.unpack_from('>h', self.receive(), 4 + 4)[0]


class KafkaNode:
    def __init__(self, number, folder, advertised_port):
        self.number = number
        self.folder = os.path.join(folder, str(number))
        self.client_port, self.internal_port, self.controller_port = free_port(), free_port(), free_port()
        self.advertised_port = advertised_port or self.client_port
        self.process = None
        os.makedirs(self.folder)

    def properties(self, voters, node_count):
        in_sync = 2 if node_count > 2 else 1
        replicas = min(node_count, 3)
        return [
            'process.roles=broker,controller', f'node.id={self.number}', f'controller.quorum.voters={voters}',
            f'listeners=CLIENT://127.0.0.1:{self.client_port},INTERNAL://127.0.0.1:{self.internal_port},'
            f'CONTROLLER://127.0.0.1:{self.controller_port}',
            f'advertised.listeners=CLIENT://127.0.0.1:{self.advertised_port},'
            f'INTERNAL://127.0.0.1:{self.internal_port}',
            'inter.broker.listener.name=INTERNAL', 'controller.listener.names=CONTROLLER',
            'listener.security.protocol.map=CLIENT:PLAINTEXT,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT',
            f'log.dirs={self.folder}/logs', f'default.replication.factor={replicas}', f'min.insync.replicas={in_sync}',
            f'offsets.topic.replication.factor={replicas}', 'offsets.topic.num.partitions=4',
            f'transaction.state.log.replication.factor={replicas}', f'transaction.state.log.min.isr={in_sync}',
            'transaction.state.log.num.partitions=4', f'share.coordinator.state.topic.replication.factor={replicas}',
            f'share.coordinator.state.topic.min.isr={in_sync}',
            # A broker that was killed is missed within seconds; leaders move only when a test moves them.
            'broker.heartbeat.interval.ms=500', 'broker.session.timeout.ms=3000', 'replica.lag.time.max.ms=5000',
            'auto.leader.rebalance.enable=false',
            # Three brokers share a small machine.
            'num.network.threads=2', 'num.io.threads=4', 'log.cleaner.dedupe.buffer.size=4194304',
            'log.segment.delete.delay.ms=100', *GROUP_SETTINGS]


class KafkaNodes:
    kind = 'Apache Kafka'

    def __init__(self, node_count, proxy=None):
        self.jars = fetched_kafka_jars()
        self.node_count = node_count
        self.proxy = proxy
        self.folder = tempfile.mkdtemp(prefix='leat-client-live-')
        self.nodes = {}
        for number in range(1, node_count + 1):
            port = proxy.open(str(number)) if proxy else None
            node = self.nodes[number] = KafkaNode(number, self.folder, port)
            if proxy:
                proxy.set_upstream(str(number), ('127.0.0.1', node.client_port))

    @property
    def bootstrap(self):
        return ','.join(f'127.0.0.1:{node.advertised_port}' for node in self.nodes.values())

    def start(self):
        cluster_id = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip('=')
        while cluster_id.startswith('-'):
            cluster_id = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip('=')
        voters = ','.join(f'{node.number}@127.0.0.1:{node.controller_port}' for node in self.nodes.values())
        for node in self.nodes.values():
            settings = os.path.join(node.folder, 'server.properties')
            with open(settings, 'w') as file:
                file.write('\n'.join(node.properties(voters, self.node_count)) + '\n')
            done = subprocess.run(self._java('-Xmx200m', 'kafka.tools.StorageTool', 'format', '-t', cluster_id, '-c',
                                             settings), capture_output=True, text=True, timeout=120, check=False)
            assert done.returncode == 0, f'Kafka\'s storage could not be made: {done.stdout}{done.stderr}'
        for node in self.nodes.values():
            self._launch(node)
        self.wait_until_whole()
        return self

    def _java(self, memory, *arguments):
        return ['java', memory, '-XX:+UseSerialGC', '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn', '-cp',
                f'{self.jars}/*', *arguments]

    def _launch(self, node):
        with open(os.path.join(node.folder, 'out.log'), 'ab') as log:
            node.process = subprocess.Popen(
                self._java('-Xmx400m', 'kafka.Kafka', os.path.join(node.folder, 'server.properties')),
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)

    def connect(self, number):
        return Admin(('127.0.0.1', self.nodes[number].internal_port), timeout=15)

    def alive(self):
        return [number for number, node in self.nodes.items() if node.process and node.process.poll() is None]

    def wait_until_whole(self, timeout=180):
        """Every node that runs serves, and knows all that run."""
        deadline = time.monotonic() + timeout
        for number in self.alive():
            while True:
                try:
                    if self.connect(number).node_count() == len(self.alive()):
                        break
                except (OSError, Closed, struct.error):
                    pass
                node = self.nodes[number]
                assert node.process.poll() is None, f'node {number} ended with {node.process.returncode}: {self.tail()}'
                assert time.monotonic() < deadline, f'node {number} does not serve after {timeout} s: {self.tail()}'
                time.sleep(0.2)

    def kill(self, number=1):
        process = self.nodes[number].process
        os.kill(process.pid, signal.SIGKILL)
        process.wait(30)

    def restart(self, number=1):
        self._launch(self.nodes[number])
        self.wait_until_whole()

    def wait_until_in_sync(self, topic, timeout=120):
        deadline = time.monotonic() + timeout
        while True:
            found = self.connect(self.alive()[0]).leaders(topic)
            if all(len(in_sync) == len(replicas) for _leader, replicas, in_sync in found.values()):
                return
            assert time.monotonic() < deadline, f'{topic} is not in sync after {timeout} s: {found}'
            time.sleep(0.3)

    def tail(self):
        parts = []
        for node in self.nodes.values():
            path = os.path.join(node.folder, 'out.log')
            if os.path.exists(path):
                with open(path, errors='replace') as log:
                    parts.append(f'--- node {node.number}\n{log.read()[-1500:]}')
        return '\n'.join(parts)

    def stop(self):
        for how, seconds in ((signal.SIGTERM, 30), (signal.SIGKILL, 10)):
            for node in self.nodes.values():
                if node.process and node.process.poll() is None:
                    os.kill(node.process.pid, how)
            for node in self.nodes.values():
                if node.process:
                    try:
                        node.process.wait(seconds)
                    except subprocess.TimeoutExpired:
                        continue
        shutil.rmtree(self.folder, ignore_errors=True)
