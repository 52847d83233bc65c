# cases_kcat.py: kcat (librdkafka) produces and consumes; codecs; a parked consumer wakes.
import json
import os
import shutil
import subprocess
import time

from leatd import Leatd
from wire import batch


def kcat(broker, *arguments, stdin=None, timeout=60):
    command = ['kcat', '-b', broker.server, *arguments]
    done = subprocess.run(command, input=stdin, capture_output=True, timeout=timeout, check=False)
    assert done.returncode == 0, f'kcat {" ".join(arguments)}: {done.stderr.decode()[-500:]}'
    return done.stdout


def case_kcat_round_trip(options):
    """Every codec, keys, several partitions; auto-creation by the first produce (L05)."""
    if not shutil.which('kcat'):
        return 'skipped: no kcat'
    with Leatd(options.leatd) as broker:
        for codec in ('none', 'gzip', 'snappy', 'lz4', 'zstd'):
            lines = b''.join(b'k%d:value %d of %s\n' % (i, i, codec.encode()) for i in range(1000))
            kcat(broker, '-P', '-t', f'round-{codec}', '-K:', '-z', codec, '-X', 'enable.idempotence=true', stdin=lines)
            read = kcat(broker, '-C', '-t', f'round-{codec}', '-e', '-q', '-K:')
            assert read == lines, f'{codec}: {len(read)} bytes read, {len(lines)} written'
        topics = json.loads(kcat(broker, '-L', '-J'))['topics']
        names = sorted(topic['topic'] for topic in topics)
        assert names == sorted(f'round-{c}' for c in ('none', 'gzip', 'snappy', 'lz4', 'zstd')), names
        assert broker.stop() == 0


def case_parked_consumer_wakes(options):
    """L30: an idle consumer costs no CPU; a produce wakes it within a few milliseconds."""
    if not shutil.which('kcat'):
        return 'skipped: no kcat'
    with Leatd(options.leatd) as broker:
        kcat(broker, '-P', '-t', 'wake', stdin=b'first\n')
        command = ['kcat', '-b', broker.server, '-C', '-t', 'wake', '-q', '-u', '-o', 'beginning']
        consumer = subprocess.Popen(command, stdout=subprocess.PIPE)
        try:
            assert consumer.stdout.readline() == b'first\n'
            before = broker.cpu_seconds()
            time.sleep(3)
            idle_cpu = broker.cpu_seconds() - before
            assert idle_cpu < 0.3, f'{idle_cpu} s of CPU in 3 s of idling'
            client = broker.connect()
            started = time.monotonic()
            assert client.produce('wake', 0, batch([b'second']))[0] == 0
            assert consumer.stdout.readline() == b'second\n'
            took = time.monotonic() - started
            assert took < 0.4, f'woke after {took} s'
        finally:
            consumer.kill()
            consumer.wait()
            consumer.stdout.close()


def case_restart_serves_the_same(options):
    with Leatd(options.leatd) as broker:
        client = broker.connect()
        assert client.create_topic('kept', 3) == 0
        for i in range(50):
            assert client.produce('kept', i % 3, batch([b'v%d' % i]))[0] == 0
        before = [client.read_all('kept', p) for p in range(3)]
        assert broker.stop() == 0
        assert os.path.exists(os.path.join(broker.data_dir, '.kafka_cleanshutdown'))
        broker.start()
        client = broker.connect()
        assert [client.read_all('kept', p) for p in range(3)] == before


def case_kcat_crosses_lost_offsets(options):
    """Where damage has cost the last records of a log, no reader waits: kcat -e ends, from any offset."""
    if not shutil.which('kcat'):
        return 'skipped: no kcat'
    with Leatd(options.leatd) as broker:
        client = broker.connect()
        assert client.create_topic('lost', 1) == 0
        for i in range(20):
            assert client.produce('lost', 0, batch([b'value %d' % i]))[0] == 0
        broker.kill()
        with open(os.path.join(broker.data_dir, 'lost-0', '0' * 20 + '.log'), 'r+b') as log:
            data = log.read()
            position = 0
            for _ in range(10):
                position += 12 + int.from_bytes(data[position + 8:position + 12], 'big')
            log.seek(position + 65)  # in the record of offset 10
            log.write(bytes([data[position + 65] ^ 1]))
        broker.start()
        kept = b''.join(b'%d ' % i for i in range(10))
        assert kcat(broker, '-C', '-t', 'lost', '-e', '-q', '-f', '%o ') == kept
        for offset in (10, 15, 19, 20):
            assert kcat(broker, '-C', '-t', 'lost', '-p', '0', '-o', str(offset), '-e', '-q') == b''
        assert broker.connect().produce('lost', 0, batch([b'after'])) == (0, 20)
        assert kcat(broker, '-C', '-t', 'lost', '-e', '-q', '-f', '%o ') == kept + b'20 '
        assert broker.stop() == 0
