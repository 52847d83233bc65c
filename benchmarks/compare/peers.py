# peers.py: the servers that are compared: leatd, Apache Kafka by ../shared/peers/kafka.sh, Redis. Each is a process of
# ours in a session of its own (a Ctrl-C of ours must not reach it before we end it) and is ended by its id.
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import time


class Missing(Exception):
    """Something that the comparison needs is not on this machine."""


FIRST_PORT = int(os.environ.get('LEAT_COMPARE_PORT', '22000'))
given_ports = set()


def free_port_pair():
    """A free port whose successor is free as well, for Kafka's controller. Below the ports that the system gives to
    outgoing connections, one of which might sit on it when the broker comes back from a restart."""
    for port in range(FIRST_PORT, FIRST_PORT + 1000, 2):
        if port in given_ports:
            continue
        with socket.socket() as first, socket.socket() as second:
            try:
                first.bind(('127.0.0.1', port))
                second.bind(('127.0.0.1', port + 1))
            except OSError:
                continue
        given_ports.add(port)
        return port
    raise Missing('two free ports in a row')


# ApiVersions version 0, correlation id 1, no client id: any Kafka answers it, and first of all.
API_VERSIONS = struct.pack('>ihhih', 10, 18, 0, 1, -1)


def answers(port):
    try:
        with socket.create_connection(('127.0.0.1', port), timeout=2) as connection:
            connection.sendall(API_VERSIONS)
            return len(connection.recv(8)) == 8
    except OSError:
        return False


class Peer:
    """A server with a port, started and ended by us."""
    name = ''  # for people
    key = ''   # in compare.json

    def __init__(self, directory, port):
        self.directory = directory
        self.port = port
        self.process = None
        os.makedirs(directory, exist_ok=True)

    def command(self):
        raise NotImplementedError

    def launch(self, command):
        with open(os.path.join(self.directory, 'peer.log'), 'ab') as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            start_new_session=True)

    def ready(self):
        return answers(self.port)

    def start(self, command=None, seconds_max=180, interval=0.0005):
        """Seconds from the start of the process to its first answer."""
        begin = time.monotonic()
        self.launch(command or self.command())
        while not self.ready():
            if self.process.poll() is not None:
                raise RuntimeError(f'{self.name} ended with {self.process.returncode}; its log: {self.log_tail()}')
            if time.monotonic() - begin > seconds_max:
                raise RuntimeError(f'{self.name} does not answer after {seconds_max} s; its log: {self.log_tail()}')
            time.sleep(interval)
        return time.monotonic() - begin

    def log_tail(self):
        with open(os.path.join(self.directory, 'peer.log'), errors='replace') as log:
            return log.read()[-400:]

    def stop(self):
        if self.process is None:
            return
        for how, seconds in ((signal.SIGTERM, 60), (signal.SIGKILL, 10)):
            if self.process.poll() is None:
                os.kill(self.process.pid, how)
                try:
                    self.process.wait(seconds)
                except subprocess.TimeoutExpired:
                    continue
        self.process = None

    def resident_mb(self):
        with open(f'/proc/{self.process.pid}/status') as status:
            return int(re.search(r'VmRSS:\s+(\d+) kB', status.read()).group(1)) * 1024 / 1e6


# Topics of earlier rows are to be gone when the next row runs, in both brokers: half a minute of dead page cache is
# nobody's workload.
DELETE_SOON = 'log.segment.delete.delay.ms=100'
# As kafka.sh has it for Kafka: a classic group that waits 3 s for more members measures that wait.
NO_REBALANCE_DELAY = 'group.initial.rebalance.delay.ms=0'


class Leatd(Peer):
    key = 'leat'

    def __init__(self, binary, directory, port, policy):
        super().__init__(directory, port)
        self.name = f'leatd ({policy})'
        self.binary = binary
        self.policy = policy

    def command(self):
        return [self.binary, '--data-dir', os.path.join(self.directory, 'data'), '--listen', f'127.0.0.1:{self.port}',
                '--log-level', 'warn', '--set', f'leat.flush={self.policy}', '--set', DELETE_SOON,
                '--set', NO_REBALANCE_DELAY]

    def restart(self):
        self.stop()
        return self.start()


class Kafka(Peer):
    name = 'Kafka'
    key = 'kafka'

    def __init__(self, script, directory, port):
        super().__init__(directory, port)
        self.script = script

    def command(self):
        return ['bash', self.script, 'start', os.path.join(self.directory, 'kafka'), str(self.port), DELETE_SOON,
                NO_REBALANCE_DELAY]

    def restart(self):
        self.stop()
        return self.start(['bash', self.script, 'restart', os.path.join(self.directory, 'kafka'), str(self.port)])


class Redis(Peer):
    name = 'Redis'
    key = 'redis'

    def command(self):
        return ['redis-server', '--port', str(self.port), '--bind', '127.0.0.1', '--dir', self.directory,
                '--appendonly', 'yes', '--appendfsync', 'always', '--save', '']

    def ready(self):
        try:
            with socket.create_connection(('127.0.0.1', self.port), timeout=2) as connection:
                connection.sendall(b'PING\r\n')
                return connection.recv(16).startswith(b'+PONG')
        except OSError:
            return False


def kafka_jars():
    """The folder in which kafka.sh keeps Kafka's jars, whether they are there yet or not."""
    cache = os.environ.get('KAFKA_PEER_CACHE') or os.path.join(os.environ.get('TMPDIR', '/tmp'), 'kafka-peer')
    return os.path.join(cache, 'lib')


def has_kafka_jars():
    jars = kafka_jars()
    return os.path.isdir(jars) and any(name.startswith('kafka_2.13-') for name in os.listdir(jars))


def kafka_script(repository):
    """The path of kafka.sh, or Missing with the words that help."""
    script = os.path.join(repository, '..', 'shared', 'peers', 'kafka.sh')
    if not os.path.exists(script):
        raise Missing('../shared/peers/kafka.sh, which starts Apache Kafka; it is kept beside this repository')
    if shutil.which('java') is None:
        raise Missing('java, 17 or newer (Debian: apt-get install openjdk-17-jre-headless)')
    version = subprocess.run(['java', '-version'], capture_output=True, text=True, check=False).stderr
    found = re.search(r'version "(\d+)', version)
    if found is None or int(found.group(1)) < 17:
        raise Missing(f'java 17 or newer; this one says {version.splitlines()[:1]}')
    if not has_kafka_jars() and shutil.which('mvn') is None:
        raise Missing('mvn, to fetch Kafka\'s jars once (Debian: apt-get install maven)')
    return os.path.abspath(script)
