# cases_metrics.py: the admin listener of a live leatd: figures that move, text that Prometheus can read, health.
import http.client
import os
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time

from leatd import Leatd
from wire import batch

SAMPLE = re.compile(r'^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (-?[0-9.e+-]+|[+-]Inf|Nan)$')
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(?:,|$)')


def ask(address, path, method='GET'):
    connection = http.client.HTTPConnection(*address, timeout=20)
    connection.request(method, path)
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def parse(text):
    """{name: {labels: value}}; strict about the text format, one family after the other."""
    families, samples, current = {}, {}, None
    for line in text.splitlines():
        if line.startswith('# HELP '):
            name, help_text = line[7:].split(' ', 1)
            assert name not in families and help_text, line
            continue
        if line.startswith('# TYPE '):
            current, kind = line[7:].split(' ')
            assert current not in families and kind in ('counter', 'gauge', 'histogram'), line
            families[current] = kind
            continue
        found = SAMPLE.match(line)
        assert found, f'not a sample: {line!r}'
        name, labels, value = found.groups()
        base = re.sub('_(bucket|sum|count)$', '', name) if families[current] == 'histogram' else name
        assert base == current, (line, current)
        pairs = LABEL.findall(labels or '')
        assert LABEL.sub('', labels or '') == '', line
        key = tuple(pairs)
        assert key not in samples.setdefault(name, {}), line
        samples[name][key] = float(value)
    return samples


def _metrics_address(broker):
    return broker.ready_line and tuple(
        (host, int(port)) for host, port in re.findall(r'metrics on (\S+):(\d+)', broker.ready_line))[0]


def _scrape(address):
    status, text = ask(address, '/metrics')
    assert status == 200, (status, text[:200])
    return parse(text)


def case_metrics(options):
    """Figures move with what is done, in text that parses; health and readiness; what else is asked is refused."""
    settings = ['leat.metrics.listener=127.0.0.1:0', 'leat.metrics.partitions.max=3']
    with Leatd(options.leatd, settings=settings) as broker:
        address = _metrics_address(broker)
        assert ask(address, '/healthz') == (200, 'ok\n')
        assert ask(address, '/readyz') == (200, 'ready\n')
        assert ask(address, '/')[0] == 404 and ask(address, '/metrics', 'POST')[0] == 405
        before = _scrape(address)
        client = broker.connect()
        assert client.create_topic('counted', 4) == 0
        for i in range(5):
            assert client.produce('counted', 1, batch([b'x' * 100] * 3)) == (0, 3 * i)
        assert client.produce('none', 0, batch([b'x']))[0] == 3
        assert len(client.read_all('counted', 1)) == 15
        parked = threading.Thread(target=lambda: broker.connect().fetch('counted', 0, 0, max_wait_ms=3000))
        parked.start()
        deadline = time.monotonic() + 20
        while not _scrape(address)['leat_fetches_parked'][()]:
            assert parked.is_alive() and time.monotonic() < deadline
        after = _scrape(address)
        parked.join()

        def moved(name, *labels):
            return after[name][labels] - before[name].get(labels, 0) if name in before else after[name][labels]

        produce, client_logs = ('api', 'Produce'), ('log_kind', 'client')
        assert moved('leat_requests_total', produce) == 6
        assert moved('leat_request_errors_total', produce, ('error', 'UNKNOWN_TOPIC_OR_PARTITION')) == 1
        assert moved('leat_request_duration_seconds_count', produce) == 6
        assert moved('leat_request_duration_seconds_sum', produce) > 0
        assert moved('leat_append_records_total', client_logs) == 15
        assert moved('leat_append_batches_total', client_logs) == 5
        assert moved('leat_write_duration_seconds_count', client_logs) == 5
        assert moved('leat_sync_duration_seconds_count', client_logs) == 5
        assert moved('leat_received_bytes_total') > 1500 and moved('leat_sent_bytes_total') > 1500
        assert moved('leat_connections_accepted_total') == 2 and after['leat_connections'][()] == 2
        assert moved('leat_tail_cache_hits_total') >= 1 and after['leat_tail_cache_bytes'][()] > 1500
        assert after['leat_log_directory_online'][(('directory', broker.data_dir),)] == 1
        assert after['leat_log_directory_free_bytes'][(('directory', broker.data_dir),)] > 0
        assert after['leat_partitions'][()] == 4 and after['leat_partitions_unlisted'][()] == 2
        partition = (('topic', 'counted'), ('partition', '1'))
        assert after['leat_partition_log_end_offset'][partition] == 15
        assert after['leat_partition_high_watermark'][partition] == 15
        assert after['leat_partition_log_start_offset'][partition] == 0
        assert after['leat_partition_log_bytes'][partition] > 1500
        assert 1 << 20 < after['process_resident_memory_bytes'][()] < 1 << 33
        assert after['process_open_fds'][()] > 5 and after['leat_ready'][()] == 1
        assert client.create_topic('wide', 300) == 0  # more than the loop looks at in one go
        wide = _scrape(address)
        assert wide['leat_partitions'][()] == 304 and wide['leat_partitions_unlisted'][()] == 302
        assert wide['leat_log_segments'][()] == 305 and len(wide['leat_partition_log_bytes']) == 3
        _check_bad_clients(address)
        assert broker.stop() == 0
    return f'ok: {len(after)} names'


def _check_bad_clients(address):
    slow = [socket.create_connection(address) for _ in range(60)]  # silent; more than the listener keeps
    for path in ('/healthz', '/readyz', '/metrics'):
        started = time.monotonic()
        assert ask(address, path)[0] == 200, path
        took_s = time.monotonic() - started
        assert took_s < 1.5, f'{path} took {took_s:.1f} s beside silent connections'  # one of them has two seconds
    with socket.create_connection(address) as endless:
        try:
            endless.sendall(b'GET /metrics HTTP/1.1\r\nX: ' + b'a' * (4 << 20))
        except OSError:
            pass  # closed on us, as it should
    for client in slow:
        client.close()
    assert ask(address, '/healthz') == (200, 'ok\n')


def case_metrics_disk_full(options):
    """L15: a full disk is seen in the metrics while reads go on and the broker stays ready."""
    if os.geteuid() != 0 or not shutil.which('mount'):
        return 'skipped: needs root and mount'
    folder = tempfile.mkdtemp(prefix='leat-full-')
    if subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=16m', 'none', folder], stderr=subprocess.DEVNULL).returncode:
        return 'skipped: mount is not allowed'
    try:
        settings = ['leat.metrics.listener=127.0.0.1:0', 'leat.disk.reserve.bytes=4194304']
        with Leatd(options.leatd, data_dir=os.path.join(folder, 'data'), settings=settings) as broker:
            client = broker.connect()
            assert client.create_topic('full') == 0
            error = 0
            while error == 0:
                error, _ = client.produce('full', 0, batch([b'y' * 500_000]))
            address = _metrics_address(broker)
            figures = _scrape(address)
            directory = (('directory', broker.data_dir),)
            assert figures['leat_append_refused_disk_full_total'][(('log_kind', 'client'),)] >= 1
            assert figures['leat_log_directory_below_reserve'][directory] == 1
            assert figures['leat_log_directory_online'][directory] == 1
            assert ask(address, '/readyz')[0] == 200
    finally:
        subprocess.run(['umount', '-l', folder], check=False)
        shutil.rmtree(folder, ignore_errors=True)
    return 'ok'
