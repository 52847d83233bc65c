# cases_cli.py: leat against a live leatd where a broker of canned answers (test/cli) would not do: what is refused,
# under which name, and waiting for a broker that is not there yet.
import json
import socket
import subprocess

from cases_docs import PATIENCE_S, Sandbox, missing_tool, stop


def refused(sandbox, line):
    """(exit code, kind, message) of a command that fails with one error."""
    done = sandbox.popen(f'leat --json {line}', stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    _, errors = done.communicate(timeout=PATIENCE_S)
    lines = errors.decode().splitlines()
    assert len(lines) == 1, f'{line!r}: {lines}'
    error = json.loads(lines[0])['error']
    assert sorted(error) == ['kind', 'message'], error
    return done.returncode, error['kind'], error['message']


def case_cli_refusals_are_named(options):
    """With --json the kind of a refusal is Kafka's name of it, and the message says what to do."""
    if skipped := missing_tool(options):
        return skipped
    with Sandbox(options) as sandbox:
        server = sandbox.serve()
        sandbox.run('leat topic create orders && echo x | leat produce orders')
        for line, kind, word in (
                ('topic create orders', 'TOPIC_ALREADY_EXISTS', 'orders'),
                ('topic create a/b', 'INVALID_TOPIC_EXCEPTION', 'a/b'),
                ('topic create c -r 3', 'INVALID_REPLICATION_FACTOR', '1'),
                ('topic create d -c retention.msx=1', 'INVALID_CONFIG', 'retention.ms'),
                ('topic delete gone', 'UNKNOWN_TOPIC_OR_PARTITION', 'leat topic list'),
                ('topic describe gone', 'UNKNOWN_TOPIC_OR_PARTITION', 'leat topic create gone'),
                ('topic alter orders -p 1', 'INVALID_PARTITIONS', 'orders'),
                ('produce orders -p 7', 'UNKNOWN_TOPIC_OR_PARTITION', '7'),
                ('consume orders -o 99999 --exit', 'OFFSET_OUT_OF_RANGE', 'begins at 0 and ends at 1'),
                ('group describe gone', 'GROUP_ID_NOT_FOUND', 'leat group list'),
                ('group delete gone', 'GROUP_ID_NOT_FOUND', 'leat group list'),
                ('config set topic orders retention.msx=1', 'INVALID_CONFIG', 'retention.ms'),
                ('config get topic orders retention.msx', 'not found', "did you mean 'retention.ms'?"),
                ('config get broker num.partition', 'not found', "did you mean 'num.partitions'?")):
            code, named, message = refused(sandbox, line)
            assert (code, named) == (1, kind), f'{line!r}: {code} {named}: {message}'
            assert word in message and '..' not in message, f'{line!r}: {message}'
        stop(server)
        assert refused(sandbox, 'topic list')[:2] == (3, 'unreachable')


def case_cli_waits_for_a_broker(options):
    """--wait: a command that is started before its broker is answered by it."""
    if skipped := missing_tool(options):
        return skipped
    with Sandbox(options) as sandbox:
        early = sandbox.popen(f'leat topic create orders --wait {PATIENCE_S * 1000}', stdout=subprocess.PIPE)
        assert early.poll() is None
        server = sandbox.serve()
        out, _ = early.communicate(timeout=PATIENCE_S)
        assert early.returncode == 0 and out == b"Created topic 'orders' with 1 partition.\n", (early.returncode, out)
        stop(server)


def case_cli_topic_that_exists(options):
    """topic create --if-not-exists tells of the topic that is there, whatever was asked for."""
    if skipped := missing_tool(options):
        return skipped
    with Sandbox(options) as sandbox:
        server = sandbox.serve()
        made = json.loads(sandbox.run('leat --json topic create orders --partitions 3'))
        assert made['created'] and made['partitions'] == 3 and made['topic_id'] != 'A' * 22, made
        again = json.loads(sandbox.run('leat --json topic create orders --partitions 5 --if-not-exists'))
        assert again == dict(made, created=False), again
        said = sandbox.run('leat topic create orders --if-not-exists')
        assert said == "Topic 'orders' exists with 3 partitions.\n", said
        stop(server)


def case_cli_unset_names(options):
    """What is no setting cannot be unset by mistake; what is one can, whether it was set or not."""
    if skipped := missing_tool(options):
        return skipped
    with Sandbox(options) as sandbox:
        server = sandbox.serve()
        sandbox.run('leat topic create orders --config retention.ms=5000')
        for line, word in (('config set topic orders --unset nope', "a topic has no setting 'nope'"),
                           ('config set topic orders --unset retention.msx', "did you mean 'retention.ms'?"),
                           ('config set topic orders flush.ms=1 --unset retention.msx', 'nothing is changed'),
                           ('topic alter orders --partitions 4 --unset segment.byte', "did you mean 'segment.bytes'?"),
                           ('config set broker --unset log.retention.msx', "did you mean 'log.retention.ms'?")):
            code, named, message = refused(sandbox, line)
            assert (code, named) == (1, 'not found') and word in message, f'{line!r}: {code} {named}: {message}'
        described = json.loads(sandbox.run('leat --json topic describe orders'))
        assert described['configs'] == {'retention.ms': '5000'} and len(described['partitions']) == 1, described
        sandbox.run('leat config set topic orders --unset retention.ms --unset flush.ms')
        assert json.loads(sandbox.run('leat --json topic describe orders'))['configs'] == {}
        stop(server)


def failed(sandbox, line):
    """(exit code, errors) of a line that prints nothing else."""
    done = sandbox.popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, errors = done.communicate(timeout=PATIENCE_S)
    assert done.returncode != 0 and not out, f'{line!r}: {done.returncode} {out!r}'
    return done.returncode, errors.decode()


def case_cli_too_large(options):
    """What is larger than a topic or a broker takes, or names longer than any: refused at once, in words that help."""
    if skipped := missing_tool(options):
        return skipped
    with Sandbox(options) as sandbox:
        server = sandbox.serve()
        sandbox.run('leat topic create orders && leat topic create keyed --config cleanup.policy=compact')
        line = "head -c 130000000 /dev/zero | tr '\\0' x | leat produce orders"
        for limit in ('max.message.bytes is 1048588', 'socket.request.max.bytes is 104857600'):
            code, errors = failed(sandbox, line)
            assert code == 1 and 'line 1 has 130000000 bytes' in errors and limit in errors, (code, errors)
            assert 'MESSAGE_TOO_LARGE' in errors and '--batch-bytes' not in errors, errors
            sandbox.run('leat config set topic orders max.message.bytes=200000000')
        code, errors = failed(sandbox, 'leat bench produce orders -s 2000000 -d 1')
        assert code == 2 and 'fits in no request' in errors, (code, errors)
        code, errors = failed(sandbox, 'leat bench produce orders -s 2000000 -n 100 -d 1')
        assert code == 1 and 'socket.request.max.bytes is 104857600' in errors, (code, errors)
        code, errors = failed(sandbox, 'echo x | leat produce keyed')
        assert code == 1 and 'INVALID_RECORD' in errors and errors.count('without key') == 1, (code, errors)
        group, topic = 'g' * 40_000, 't' * 40_000
        for words in (f'consume orders --group {group}', f'group describe {group}', f'group delete {group}',
                      f'topic describe {topic}', f'topic create {topic}', f'consume {topic}',
                      f'config get topic {topic}'):
            code, errors = failed(sandbox, f'leat {words}')
            assert code == 2 and 'a name may have' in errors and len(errors) < 200, (words[:30], code, errors)
        stop(server)


def case_cli_group_settings(options):
    """Settings of a group are got, set and unset like those of a topic."""
    if skipped := missing_tool(options):
        return skipped
    with Sandbox(options) as sandbox:
        server = sandbox.serve()
        name = 'consumer.session.timeout.ms'
        assert sandbox.run(f'leat config get group billing {name}') == '45000\n'
        assert sandbox.run(f'leat config set group billing {name}=50000') == f'Set {name} = 50000.\n'
        assert sandbox.run(f'leat config get group billing {name}') == '50000\n'
        shown = [json.loads(line) for line in sandbox.run('leat --json config get group billing').splitlines()]
        assert {row['name']: row['value'] for row in shown}[name] == '50000' and len(shown) > 1, shown
        assert refused(sandbox, f'config set group billing {name}=1')[:2] == (1, 'INVALID_CONFIG')
        code, kind, message = refused(sandbox, 'config get group billing consumer.session.timeout')
        assert (code, kind) == (1, 'not found') and 'a group has no setting' in message and name in message, message
        sandbox.run(f'leat config set group billing --unset {name}')
        assert sandbox.run(f'leat config get group billing {name}') == '45000\n'
        stop(server)


def case_other_protocols(options):
    """HTTP and TLS on the Kafka port are called so in the log."""
    if skipped := missing_tool(options):
        return skipped
    with Sandbox(options) as sandbox:
        server = sandbox.serve()
        for said in (b'GET / HTTP/1.1\r\nHost: x\r\n\r\n', b'\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'):
            with socket.create_connection(('127.0.0.1', sandbox.port), PATIENCE_S) as peer:
                peer.sendall(said)
                try:
                    assert peer.recv(1) == b''
                except ConnectionError:
                    pass  # it was closed with bytes of ours that nobody read
        stop(server)
        log = sandbox.log()
        assert log.count('it looks like HTTP') == 1 and log.count('it looks like a TLS handshake') == 1, log
