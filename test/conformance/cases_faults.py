# cases_faults.py: kill -9 under load, full disks, failing syncs, and what strace sees of the order of sync and
# answer.
import errno
import os
import re
import shutil
import subprocess
import tempfile
import threading
import time

from cases_docs import missing_tool
from leatd import Leatd
from wire import Closed, batch


class Load:
    """Producers that remember what was acknowledged."""

    def __init__(self, broker, seed, partitions):
        self.acknowledged = [{} for _ in range(partitions)]  # offset: value
        self.threads = [threading.Thread(target=self._produce, args=(broker, seed, p)) for p in range(partitions)]
        for thread in self.threads:
            thread.start()

    def _produce(self, broker, seed, partition):
        try:
            client = broker.connect()
            number = 0
            while True:
                sent = []
                for _ in range(4):  # pipelined
                    padding = b'.' * (number % 500)
                    values = [b'%d %d %d %d' % (seed, partition, number, i) + padding for i in range(1 + number % 3)]
                    client.send(client.produce_frame('killed', partition, batch(values)))
                    sent.append(values)
                    number += 1
                for values in sent:
                    error, base = client.produce_answer('killed', client.receive()[4:])
                    assert error == 0, error
                    for i, value in enumerate(values):
                        self.acknowledged[partition][base + i] = value
        except (Closed, OSError):
            pass

    def join(self):
        for thread in self.threads:
            thread.join()


def _check_kept(where, read, start, kept):
    assert [o for o, _ in read] == list(range(start, start + len(read))), f'{where}: the offsets have holes'
    found = dict(read)
    for offset, value in kept.items():
        if offset >= start:
            assert found.get(offset) == value, f'{where}, offset {offset}: {found.get(offset)!r:.60} for {value!r:.60}'
    values = [value for _, value in read]
    assert len(set(values)) == len(values), f'{where}: a record twice'


def case_kill_nine(options):
    """Every record acknowledged with acks=all is there afterwards, at its offset, in order, once; --rounds of it."""
    partitions = 3
    broker = Leatd(options.leatd, settings=['log.segment.bytes=1048576'])
    kept = [{} for _ in range(partitions)]
    total = 0
    with broker:
        assert broker.connect().create_topic('killed', partitions) == 0
        for round_number in range(options.rounds):
            load = Load(broker, round_number, partitions)
            time.sleep(0.05 + options.random.random() * 0.4)
            broker.kill()
            load.join()
            broker.start()
            client = broker.connect()
            whole = round_number % 50 == 49 or round_number + 1 == options.rounds  # else only what this round wrote
            for partition in range(partitions):
                acknowledged = load.acknowledged[partition]
                kept[partition].update(acknowledged)
                total += len(acknowledged)
                start = 0 if whole else min(acknowledged, default=0)
                where = f'round {round_number}, partition {partition}'
                _check_kept(where, client.read_all('killed', partition, start), start, kept[partition])
    return f'ok: {options.rounds} rounds, {total} records acknowledged'


def case_stop_after_kill(options):
    """After kill -9 and a start, a stop does not wait for a sync or two of each of many idle partitions."""
    topics = 200
    with Leatd(options.leatd) as broker:
        client = broker.connect()
        for i in range(topics):
            assert client.create_topic(f'idle-{i}') == 0
        for i in range(0, topics, 2):
            assert client.produce(f'idle-{i}', 0, batch([b'one'])) == (0, 0)
        assert broker.stop(60) == 0
        broker.start()
        broker.kill()
        broker.start()
        started = time.monotonic()
        assert broker.stop(60) == 0
        took = time.monotonic() - started
        assert took < 3, f'{took:.1f} s'
        broker.start()
        client = broker.connect()
        assert client.produce('idle-0', 0, batch([b'two'])) == (0, 1)
        assert client.produce('idle-1', 0, batch([b'one'])) == (0, 0)
    return f'ok: {topics} topics, {took * 1000:.0f} ms'


def _leat(options, *arguments):
    """(exit code, what it says) of leat, which lies beside leatd."""
    binary = os.path.join(os.path.dirname(os.path.abspath(options.leatd)), 'leat')
    pipes = {'stdout': subprocess.PIPE, 'stderr': subprocess.STDOUT}
    done = subprocess.run([binary, *arguments], text=True, check=False, **pipes)
    return done.returncode, done.stdout


def case_missing_segment(options):
    """A closed segment that is gone, or cut to nothing: an error in the log at start, and damage to leat log verify."""
    if skipped := missing_tool(options):
        return skipped
    with Leatd(options.leatd) as broker:
        client = broker.connect()
        for topic in ('gone', 'emptied'):
            assert client.create_topic(topic, 1, [('segment.bytes', '1048576')]) == 0
            for i in range(25):  # a segment holds ten
                assert client.produce(topic, 0, batch([b'%06d' % i + b'x' * 100_000])) == (0, i)
        assert broker.stop() == 0
        assert _leat(options, 'log', 'verify', broker.data_dir)[0] == 0
        segment = '0' * 18 + '10.log'
        os.rename(os.path.join(broker.data_dir, 'gone-0', segment), os.path.join(broker.folder, segment))
        os.truncate(os.path.join(broker.data_dir, 'emptied-0', segment), 0)
        code, said = _leat(options, 'log', 'verify', broker.data_dir)
        assert code == 1 and said.count('the records of offsets 10 to 19 are missing') == 2, (code, said)
        broker.start()
        for topic in ('gone-0', 'emptied-0'):
            assert ' error ' in broker.wait_for_line(topic, 'damaged', 'offsets 10 to 19 are missing')
            read = broker.connect().read_all(topic[:-2])
            assert [offset for offset, _ in read] == [*range(10), *range(20, 25)], topic
        assert broker.stop() == 0
        os.rename(os.path.join(broker.folder, segment), os.path.join(broker.data_dir, 'gone-0', segment))
        code, said = _leat(options, 'log', 'repair', broker.data_dir)
        assert code == 0 and 'offsets 10 to 19' in said and '1 of' in said, (code, said)
        assert _leat(options, 'log', 'verify', broker.data_dir)[0] == 0
        broker.start()
        assert len(broker.connect().read_all('gone')) == 25
        assert len(broker.connect().read_all('emptied')) == 15


def _strace_lines(path):
    for entry in sorted(os.listdir(path)):
        with open(os.path.join(path, entry), errors='replace') as trace:
            for line in trace:
                found = re.match(r'(\d+\.\d+) (\w+)\((.*)', line)
                if found:
                    yield float(found.group(1)), found.group(2), found.group(3)


def case_sync_before_answer(options):
    """L13: under policy commit fdatasync of the segment returns before the answer leaves."""
    if not shutil.which('strace'):
        return 'skipped: no strace'
    traces = tempfile.mkdtemp(prefix='leat-strace-')
    prefix = ['strace', '-ff', '-ttt', '-T', '-y', '-o', os.path.join(traces, 't'), '-e',
              'trace=fdatasync,fsync,pwritev,pwrite64,pwritev2,writev,sendmsg,write,sendto']
    broker = Leatd(options.leatd, settings=['leat.flush=commit'], prefix=prefix)
    with broker:
        client = broker.connect()
        assert client.create_topic('synced') == 0
        for i in range(20):
            assert client.produce('synced', 0, batch([b'%d' % i])) == (0, i)
        assert broker.stop() == 0
    syncs, writes, answers = [], [], []
    for start, call, rest in _strace_lines(traces):
        took = re.search(r'<(\d+\.\d+)>$', rest.strip())
        end = start + (float(took.group(1)) if took else 0)
        if 'synced-0' in rest and call in ('fdatasync', 'fsync') and '.log' in rest:
            syncs.append((start, end))
        elif 'synced-0' in rest and call.startswith('pwrite') and '.log' in rest:
            writes.append((start, end))
        elif call in ('writev', 'sendmsg', 'write', 'sendto') and ('TCP' in rest or 'socket' in rest):
            answers.append((start, end))
    assert len(writes) == 20 and len(syncs) >= 20, (len(writes), len(syncs), len(answers))
    for written in writes:
        synced = min(end for start, end in syncs if start >= written[1])
        answered = [start for start, _ in answers if start > written[1]]
        assert answered, 'no answer'
        assert min(answered) >= synced, f'an answer left {synced - min(answered):.6f} s before the sync returned'
    shutil.rmtree(traces)
    return f'ok: {len(writes)} writes, each synced before its answer'


def case_failed_sync(options):
    """L14: a sync that fails is answered 56, never retried; nothing more is acknowledged; reads go on."""
    if not shutil.which('strace'):
        return 'skipped: no strace'
    with Leatd(options.leatd) as setup:
        data_dir = setup.data_dir
        assert setup.connect().create_topic('bad-sync') == 0
        for i in range(5):
            assert setup.connect().produce('bad-sync', 0, batch([b'%d' % i])) == (0, i)
        assert setup.stop() == 0
        prefix = ['strace', '-f', '-o', '/dev/null', '-P', os.path.join(data_dir, 'bad-sync-0', '0' * 20 + '.log'),
                  '-e', 'trace=fdatasync', '-e', 'inject=fdatasync:error=EIO']
        with Leatd(options.leatd, data_dir=data_dir, prefix=prefix) as broker:
            client = broker.connect()
            error, _base = client.produce('bad-sync', 0, batch([b'lost?']))
            assert error == 56, error
            assert client.produce('bad-sync', 0, batch([b'more']))[0] == 56
            assert [v for _, v in client.read_all('bad-sync')] == [b'%d' % i for i in range(5)]
            assert client.list_offset('bad-sync', 0, -1)[2] == 5
            broker.kill()
        with Leatd(options.leatd, data_dir=data_dir) as after:
            read = [v for _, v in after.connect().read_all('bad-sync')]
            assert read[:5] == [b'%d' % i for i in range(5)], read


def case_full_disk(options):
    """L15: a full disk refuses writes with 56 and a text, serves reads, takes deletes, and resumes by itself."""
    if os.geteuid() != 0 or not shutil.which('mount'):
        return 'skipped: needs root to mount a small tmpfs'
    mount = tempfile.mkdtemp(prefix='leat-full-')
    mounting = ['mount', '-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', mount]
    if subprocess.run(mounting, capture_output=True, check=False).returncode != 0:
        os.rmdir(mount)
        return 'skipped: cannot mount here'
    try:
        settings = ['leat.disk.reserve.bytes=2097152', 'log.segment.bytes=1048576',
                    'log.retention.check.interval.ms=500', 'log.segment.delete.delay.ms=100']
        with Leatd(options.leatd, data_dir=os.path.join(mount, 'data'), settings=settings) as broker:
            client = broker.connect()
            assert client.create_topic('full', 1, [('retention.ms', '-1')]) == 0
            good = 0
            large = batch([b'x' * 300_000])
            for _ in range(200):
                error, base = client.produce('full', 0, large)
                if error:
                    break
                assert base == good
                good += 1
            assert error == 56 and good > 20, (error, good)
            for _ in range(10):
                assert client.produce('full', 0, large)[0] == 56
            assert [o for o, _ in client.read_all('full', 0, good - 5)] == list(range(good - 5, good))
            assert client.delete_records('full', 0, good - 3) == (good - 3, 0)
            deadline = time.monotonic() + 30
            while client.produce('full', 0, batch([b'y']))[0] != 0:
                assert time.monotonic() < deadline, 'does not resume'
                time.sleep(0.2)
            assert [o for o, _ in client.read_all('full', 0, good - 3)][:4] == [good - 3, good - 2, good - 1, good]
            log = broker.log()  # whichever the writer met first: the reserve, or the end of the disk
            assert 'reserve' in log or 'No space left' in log, log[-2000:]
            broker.kill()
            broker.start()  # also a restart on what is left
            assert len(broker.connect().read_all('full', 0, good - 3)) >= 4
    finally:
        subprocess.run(['umount', mount], check=False)
        os.rmdir(mount)
    return f'ok: full after {good} batches'


def _fill(path):
    """To the last byte that there is room for."""
    with open(path, 'wb', buffering=0) as file:
        for size in (65536, 4096, 1):
            try:
                while True:
                    file.write(b'.' * size)
            except OSError as error:
                assert error.errno == errno.ENOSPC, error


def case_full_volume(options):
    """A volume that others have filled to the last byte, after kill -9: topics can be deleted and settings changed."""
    if os.geteuid() != 0 or not shutil.which('mount'):
        return 'skipped: needs root to mount a small tmpfs'
    mount = tempfile.mkdtemp(prefix='leat-full-')
    mounting = ['mount', '-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', mount]
    if subprocess.run(mounting, capture_output=True, check=False).returncode != 0:
        os.rmdir(mount)
        return 'skipped: cannot mount here'
    try:
        settings = ['leat.disk.reserve.bytes=1048576']
        with Leatd(options.leatd, data_dir=os.path.join(mount, 'data'), settings=settings) as broker:
            client = broker.connect()
            for topic in ('gone', 'kept'):
                assert client.create_topic(topic) == 0
                for i in range(10):
                    assert client.produce(topic, 0, batch([b'x' * 300_000])) == (0, i)
            broker.kill()
            _fill(os.path.join(mount, 'others'))
            broker.start()
            client = broker.connect()
            assert client.produce('kept', 0, batch([b'y']))[0] == 56
            assert len(client.read_all('kept')) == 10
            if not missing_tool(options):
                said = _leat(options, '-b', broker.server, 'config', 'set', 'topic', 'kept', 'retention.ms=86400000')
                assert said[0] == 0, said
            assert client.delete_topic('gone') == 0
            deadline = time.monotonic() + 30
            while client.produce('kept', 0, batch([b'y']))[0] != 0:
                assert time.monotonic() < deadline, 'does not resume'
                time.sleep(0.2)
            broker.kill()
            broker.start()
            assert len(broker.connect().read_all('kept')) >= 11
    finally:
        subprocess.run(['umount', mount], check=False)
        os.rmdir(mount)
    return None
