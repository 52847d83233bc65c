# cases_streams.py: programs whose standard streams, terminal or reader are not there, or go away while they run.
import json
import os
import signal
import subprocess

from cases_docs import PATIENCE_S, Sandbox, missing_tool, stop

CLOSED = ('<&-', '>&-', '2>&-', '<&- >&-', '<&- >&- 2>&-')


def finished(sandbox, line):
    """(exit code, output, errors) of a line that may fail."""
    done = sandbox.popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, errors = done.communicate(timeout=PATIENCE_S)
    return done.returncode, out.decode(), errors.decode()


def live_without(sandbox, closed):
    """A life of a leatd that is started without these streams: records, and a clean end."""
    # Not by way of the folder's leatd, a script: the shell that reads it would be given the numbers.
    line = f'exec "{sandbox.leatd}" --listen 127.0.0.1:{sandbox.port} --data-dir ./leat-data {closed}'
    server = sandbox.popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        sandbox.run(f'leat topic create orders --if-not-exists --wait {PATIENCE_S * 1000}')
        sandbox.run('seq 100 | leat produce orders')
        server.send_signal(signal.SIGTERM)
        code = server.wait(PATIENCE_S)
        assert code == 0, f'leatd {closed} ended with {code}'
        assert os.path.exists(os.path.join(sandbox.folder, 'leat-data', '.kafka_cleanshutdown')), closed
    finally:
        if server.poll() is None:
            server.kill()
            server.wait()


def case_closed_streams(options):
    """leatd and leat without standard streams: what they open instead is not written into, and lost output fails."""
    if skipped := missing_tool(options):
        return skipped
    with Sandbox(options) as sandbox:
        for closed in CLOSED:
            live_without(sandbox, closed)
        sandbox.run('leat log verify ./leat-data')
        server = sandbox.serve()
        for line, expected in (('leat topic list -q 2>&-', (0, 'orders\n')),
                               ('leat topic list -q <&-', (0, 'orders\n')),
                               ('leat topic list >&-', (1, '')),
                               ('leat topic list -q >&-', (1, '')),
                               ('leat topic create fresh >&-', (1, '')),
                               ('leat topic create quiet -q >&-', (0, '')),
                               ('leat produce orders <&-', (0, 'No input, no records.\n')),
                               ('leat produce orders -q <&- >&- 2>&-', (0, ''))):
            code, out, errors = finished(sandbox, line)
            assert (code, out) == expected, f'{line!r}: {code} {out!r} {errors!r}'
            assert code == 0 or 'standard output' in errors, f'{line!r}: {errors!r}'
        code, out, errors = finished(sandbox, 'leat produce orders < .')  # no empty input, but none that can be read
        assert (code, out) == (1, '') and 'standard input' in errors, (code, out, errors)
        code, _, errors = finished(sandbox, 'leat --json topic list >&-')
        assert code == 1 and 'standard output' in json.loads(errors)['error']['message'], errors
        assert sorted(sandbox.run('leat topic list -q').split()) == ['fresh', 'orders', 'quiet']
        count = len(sandbox.run('leat consume orders --from-beginning --exit').splitlines())
        assert count == 100 * len(CLOSED), count
        stop(server)


def case_hangup(options):
    """The terminal is closed: leatd and leat consume end in order, unless nohup tells them to go on."""
    if skipped := missing_tool(options):
        return skipped
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # children inherit it, also where nohup runs all of this
    try:
        with Sandbox(options) as sandbox:
            server = sandbox.serve()
            sandbox.run('leat topic create orders && seq 3 | leat produce orders')
            consumer = sandbox.popen('exec leat consume orders --group billing --from-beginning',
                                     stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            assert [consumer.stdout.readline() for _ in range(3)] == [b'1\n', b'2\n', b'3\n']
            consumer.send_signal(signal.SIGHUP)
            assert consumer.wait(PATIENCE_S) == 0
            consumer.stdout.close()
            group = json.loads(sandbox.run('leat --json group describe billing'))
            assert not group['members'] and [row['lag'] for row in group['partitions']] == [0], group
            server.send_signal(signal.SIGHUP)
            assert server.wait(PATIENCE_S) == 0
            server.stdout.close()
            assert os.path.exists(os.path.join(sandbox.folder, 'leat-data', '.kafka_cleanshutdown'))
            server = sandbox.serve('nohup leatd --data-dir ./leat-data')
            server.send_signal(signal.SIGHUP)
            sandbox.run('for i in 1 2 3; do leat topic create topic-$i || exit 1; done')
            assert server.poll() is None
            stop(server)
    finally:
        signal.signal(signal.SIGHUP, before)


def case_reader_that_leaves(options):
    """leat consume ... | head -1 ends though nothing more is written: alone, and as a member of a group."""
    if skipped := missing_tool(options):
        return skipped
    with Sandbox(options) as sandbox:
        server = sandbox.serve()
        sandbox.run('leat topic create orders && seq 3 | leat produce orders')
        for more in ('', '--json', '--group billing'):
            out = sandbox.run(f'leat consume orders --from-beginning {more} | head -1')
            assert len(out.splitlines()) == 1, (more, out)
        stop(server)
