# groups_tool.py: what compare_groups_tool.py compares with: a leatd and an Apache Kafka, set alike, and the JVM of
# GroupsTool.java, which runs Kafka's own tool and consumers against both. Each is a process of ours, ended by its id.
import os
import select
import shutil
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
REPOSITORY = os.path.join(HERE, '..', '..')
sys.path.append(os.path.join(REPOSITORY, 'benchmarks', 'compare'))

import leatd  # noqa: E402
import peers  # noqa: E402

PATIENCE_S = int(os.environ.get('LEAT_PATIENCE_S', '60'))  # more on a machine that has other things to do
# Each JVM lives for a minute or two: compiling well takes longer than it saves.
os.environ.setdefault('JAVA_TOOL_OPTIONS', '-XX:TieredStopAtLevel=1 -Xshare:auto')

# On both. Nobody's session ends while the tool is busy, no sweep removes a group that has lost its last offset, and a
# consumer hears of a rebalance soon.
SETTINGS = ['group.initial.rebalance.delay.ms=0', 'offsets.retention.check.interval.ms=86400000',
            'group.consumer.max.session.timeout.ms=900000', 'group.consumer.session.timeout.ms=900000',
            'group.consumer.min.heartbeat.interval.ms=100', 'group.consumer.heartbeat.interval.ms=500']


class Broker:
    """Either of the two, as members and the tool see it: `address`, `server`, and in `known` what to call the member
    ids that it has given or been given."""

    def __init__(self, name):
        self.name = name
        self.address = None
        self.known = {}

    @property
    def server(self):
        return f'{self.address[0]}:{self.address[1]}'


class LeatdBroker(Broker):
    def __init__(self, binary, folder):
        super().__init__('leatd')
        self.server_process = leatd.Leatd(binary, os.path.join(folder, 'leatd'), SETTINGS)

    def start(self):
        self.address = self.server_process.start().address

    def restart(self):
        assert self.server_process.stop() == 0
        self.start()

    def stop(self):
        if self.server_process.alive():
            self.server_process.kill()
        subprocess.run(['rm', '-rf', self.server_process.folder], check=False)

    def log_tail(self):
        return self.server_process.log()[-3000:]


class KafkaPeer(peers.Kafka):
    def command(self):
        return super().command() + SETTINGS


class KafkaBroker(Broker):
    def __init__(self, folder):
        super().__init__('Apache Kafka')
        script = peers.kafka_script(REPOSITORY)  # peers.Missing tells what is not here
        if shutil.which('javac') is None:
            raise peers.Missing('a JDK, 17 or newer (Debian: apt-get install openjdk-17-jdk-headless)')
        self.peer = KafkaPeer(script, os.path.join(folder, 'kafka'), peers.free_port_pair())
        self.address = ('127.0.0.1', self.peer.port)

    def start(self):
        self.peer.start(seconds_max=3 * PATIENCE_S, interval=0.1)

    def restart(self):
        self.peer.restart()

    def stop(self):
        if self.peer.process is not None:
            os.kill(self.peer.process.pid, signal.SIGKILL)  # nobody needs its data
        self.peer.stop()

    def log_tail(self):
        with open(os.path.join(self.peer.directory, 'kafka', 'out.log'), errors='replace') as log:
            return log.read()[-3000:]


class Printed:
    """What a run of the tool left behind."""

    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err


class Tool:
    """The JVM of GroupsTool.java: its head says what it understands."""

    def __init__(self, folder):
        command = ['java', '-Xmx256m', '-XX:+UseSerialGC', f'-Dpatience.s={PATIENCE_S}', '-Dfile.encoding=UTF-8',
                   '-Dorg.slf4j.simpleLogger.defaultLogLevel=off', '-Duser.timezone=UTC',
                   '-cp', os.path.join(peers.kafka_jars(), '*'), os.path.join(HERE, 'GroupsTool.java')]
        self.log_path = os.path.join(folder, 'tool.log')
        with open(self.log_path, 'wb') as log:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
                                            bufsize=0, start_new_session=True)

    def _read(self, size, deadline):
        data = b''
        while len(data) < size if size else not data.endswith(b'\n'):
            ready, _, _ = select.select([self.process.stdout], [], [], max(deadline - time.monotonic(), 0))
            piece = os.read(self.process.stdout.fileno(), size - len(data) if size else 1) if ready else b''
            if not piece:
                with open(self.log_path, errors='replace') as log:
                    raise RuntimeError(f'the JVM of the tool does not answer; its log: {log.read()[-2000:]}')
            data += piece
        return data

    def _ask(self, words):
        assert not any('\t' in word or '\n' in word for word in words), words
        self.process.stdin.write(('\t'.join(words) + '\n').encode())
        deadline = time.monotonic() + 2 * PATIENCE_S  # it has its own patience
        status, out_bytes, err_bytes = map(int, self._read(0, deadline).split())
        out = self._read(out_bytes, deadline).decode() if out_bytes else ''
        err = self._read(err_bytes, deadline).decode() if err_bytes else ''
        return Printed(status, out, err)

    def run(self, broker, *words):
        """kafka-consumer-groups --bootstrap-server the broker, with these words."""
        return self._ask(['tool', '--bootstrap-server', broker.server, *words, '--timeout', str(PATIENCE_S * 1000)])

    def _play(self, *words):
        answer = self._ask([str(word) for word in words])
        if answer.status != 0:
            raise RuntimeError(f'{" ".join(map(str, words))}: {answer.err[-3000:]}')
        return answer.out

    def open(self, broker, name, group, topics, **configs):
        """A consumer that polls from now on; configs are its own, with _ for the dots."""
        pairs = [f'{key.replace("_", ".")}={value}' for key, value in configs.items()]
        self._play('open', f'{name}/{group}/{broker.name}', broker.server, group, topics, *pairs)

    def wait(self, broker, name, group, partitions):
        """Until the consumer has so many partitions."""
        member_id = self._play('await', f'{name}/{group}/{broker.name}', partitions)
        broker.known[member_id] = f'<{name} of {group}>'

    def commit(self, broker, name, group, topic, partition, offset, *leader_epoch):
        self._play('commit', f'{name}/{group}/{broker.name}', topic, partition, offset, *leader_epoch)

    def close(self, broker, name, group):
        self._play('close', f'{name}/{group}/{broker.name}')

    def stop(self):
        self.process.kill()
        self.process.wait()
