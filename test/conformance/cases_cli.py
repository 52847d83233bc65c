# cases_cli.py: leat against a live leatd where a broker of canned answers (test/cli) would not do: what is refused,
# under which name, and waiting for a broker that is not there yet.
import json
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
