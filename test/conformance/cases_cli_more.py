# cases_cli_more.py: what leat does with a shell, a terminal and a file of contexts, against a live leatd: completion as
# bash asks for it, contexts, and `leat top` in lines and on a screen that is put back as it was.
import fcntl
import json
import os
import re
import select
import shutil
import signal
import struct
import subprocess
import termios
import time

from cases_docs import PATIENCE_S, Sandbox, free_port, missing_tool, stop

ENTER, LEAVE = '\x1b[?1049h', '\x1b[?1049l'
BASH = '''
eval "$(leat completion bash)"
COMP_WORDBREAKS=$' \\t\\n"\\'><=;|&(:'
COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDS=("${@:2}") COMP_CWORD=$(($# - 2))
_leat leat
for word in "${COMPREPLY[@]}"; do printf '%s\\n' "$word"; done
'''


def completed_by_bash(sandbox, line):
    """What bash would offer for a line whose end is the cursor."""
    words = re.findall(r'[:=]+|[^\s:=]+', line)
    if line.endswith((' ', ':', '=')):
        words.append('')
    done = subprocess.run(['bash', '--norc', '-c', BASH, 'bash', line] + words, cwd=sandbox.folder,
                          env=sandbox.environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE_S,
                          check=False)
    assert done.returncode == 0, f'{line!r} ended with {done.returncode}: {done.stderr.decode()}'
    return done.stdout.decode().splitlines()


def case_cli_completion(options):
    """The scripts complete commands, flags, values, names of a live broker's topics and groups, files, settings."""
    if skipped := missing_tool(options):
        return skipped
    with Sandbox(options) as sandbox:
        server = sandbox.serve()
        sandbox.run('leat topic create orders && leat topic create prices && seq 3 | leat produce orders')
        for group in ('billing', 'a:b', 'two words'):
            sandbox.run(f'leat consume orders --group "{group}" --from-beginning --exit')
        for line, expected in (
                ('leat to', ['topic', 'top']),
                ('leat topic de', ['describe', 'delete']),
                ('leat topic describe ', ['orders', 'prices']),
                ('leat topic delete orders ', ['prices']),
                ('leat consume o', ['orders']),
                ('leat consume orders --gr', ['--group', '--group-instance-id', '--group-protocol']),
                ('leat consume orders --group b', ['billing']),
                ('leat group describe a:', ['b']),
                ('leat group describe tw', ['two\\ words']),
                ('leat produce orders --compression=s', ['snappy']),
                ('leat produce orders -z ', ['none', 'gzip', 'snappy', 'lz4', 'zstd']),
                ('leat log verify leat-d', ['leat-data']),
                ('leat config get topic orders retention.m', ['retention.ms']),
                ('leat config set topic orders retention.m', ['retention.ms=']),
                ('leat --context st', ['staging']),
                ('leat nothing ', [])):
            found = completed_by_bash(sandbox, line)
            assert found == expected, f'{line!r}: {found}'
        stop(server)
        started = time.monotonic()
        assert completed_by_bash(sandbox, 'leat consume o') == []  # nobody is there, and nobody waits for him
        assert time.monotonic() - started < PATIENCE_S / 2
        note = _check_other_shells(sandbox)
    return note


def _check_other_shells(sandbox):
    """The scripts of shells that are installed are theirs."""
    checked = ['bash']
    if shutil.which('zsh'):
        sandbox.run('leat completion zsh > _leat && zsh -n _leat')
        checked.append('zsh')
    if shutil.which('fish'):
        sandbox.run('leat completion fish > leat.fish && fish --no-execute leat.fish')
        offered = sandbox.run("""fish --no-config -c 'source leat.fish; complete -C "leat topic de"'""")
        assert [line.split('\t')[0] for line in offered.splitlines()] == ['delete', 'describe'], offered
        checked.append('fish')
    return ', '.join(checked)


def case_cli_contexts(options):
    """A context leads to its broker: by --context, or as the current one; -b and the environment come first."""
    if skipped := missing_tool(options):
        return skipped
    with Sandbox(options) as sandbox:
        server = sandbox.serve()
        sandbox.run('leat topic create orders')
        alone = 'env -u LEAT_BOOTSTRAP_SERVER leat'
        nobody = f'127.0.0.1:{free_port()}'
        sandbox.run(f'leat context add nobody {nobody} --use')
        assert sandbox.run(f'{alone} topic list -q --context staging') == 'orders\n'
        assert sandbox.run('leat topic list -q') == 'orders\n'  # by the environment
        failed = sandbox.popen(f'{alone} topic list --timeout 2000', stderr=subprocess.PIPE)
        _, errors = failed.communicate(timeout=PATIENCE_S)
        assert failed.returncode == 3 and nobody in errors.decode(), (failed.returncode, errors)
        sandbox.run('leat context use staging')
        assert sandbox.run(f'{alone} topic list -q') == 'orders\n'
        shown = json.loads(sandbox.run(f'{alone} context show --json'))
        assert shown['context'] == 'staging' and shown['source'] == 'the current context', shown
        assert shown['bootstrap_server'] == sandbox.here('127.0.0.1:9092'), shown
        assert not [name for name in os.listdir(sandbox.folder) if name.endswith('.tmp')]
        stop(server)


class Lines:
    """`leat top --json` that goes on: its samples, one after the other."""

    def __init__(self, sandbox, line):
        self.process = sandbox.popen(f'exec {line}', stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def next_where(self, holds):
        """The first sample from now on for which it holds."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            line = self.process.stdout.readline()
            assert line, self.process.stderr.read().decode()
            sample = json.loads(line)
            if holds(sample):
                return sample
        raise AssertionError(f'no such sample; the last one: {sample}')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()


def topic(sample, name):
    return next((row for row in sample['topics'] if row['topic'] == name), None)


def lag(sample, name):
    return next((row['lag'] for row in sample['groups'] if row['group'] == name), None)


def case_cli_top_lines(options):
    """leat top without a terminal: rates, sizes, lag, connections; a signal ends it, a count, or its broker's end."""
    if skipped := missing_tool(options):
        return skipped
    with Sandbox(options) as sandbox:
        metrics = f'127.0.0.1:{free_port()}'
        server = sandbox.serve(f'leatd --data-dir ./leat-data --metrics {metrics}')
        sandbox.run('leat topic create orders --partitions 3 && seq 100 | leat produce orders')
        sandbox.run('leat consume orders --group billing --from-beginning --exit')
        with Lines(sandbox, f'leat top --json --interval 50 --metrics {metrics}') as top:
            still = top.next_where(lambda sample: sample['records_per_second'] == 0)
            assert topic(still, 'orders')['partitions'] == 3 and lag(still, 'billing') == 0, still
            assert still['connections'] >= 1 and still['size_bytes'] > 100 and not still['troubles'], still
            assert [broker['leaders'] for broker in still['brokers']] == [3], still
            assert not topic(still, '__consumer_offsets'), still
            sandbox.run('seq 1000 | leat produce orders')
            moved = top.next_where(lambda sample: lag(sample, 'billing') == 1000)
            assert moved['lag'] == 1000, moved
            sandbox.run('seq 1000 | leat produce orders')
            top.next_where(lambda sample: topic(sample, 'orders')['records_per_second'] > 0)
            sandbox.run('seq 100000 | leat produce orders')
            top.next_where(lambda sample: topic(sample, 'orders')['bytes_per_second'] > 0)
            sandbox.run('leat consume orders --group billing --from-beginning --exit')
            top.next_where(lambda sample: lag(sample, 'billing') == 0)
            sandbox.run('leat topic create fresh && leat topic delete orders')  # neither ends it
            top.next_where(lambda sample: not topic(sample, 'orders') and topic(sample, 'fresh'))
            top.process.send_signal(signal.SIGTERM)
            assert top.process.wait(PATIENCE_S) == 0
        text = sandbox.run('leat top -n 2 --interval 20 --internal')
        assert text.count('TOPIC') == 2 and '__consumer_offsets' in text and 'fresh' in text, text
        assert '\x1b' not in text and 'connection' not in text, text
        without = sandbox.popen(f'leat --json top -n 1 --interval 20 --metrics 127.0.0.1:{free_port()}',
                                stdout=subprocess.PIPE)
        sample = json.loads(without.communicate(timeout=PATIENCE_S)[0])
        assert without.returncode == 0 and sample['connections'] is None and len(sample['troubles']) == 1, sample
        with Lines(sandbox, 'leat top --json --interval 50') as top:
            top.next_where(lambda sample: True)
            stop(server)  # it looks on
            trouble = json.loads(top.process.stderr.readline())['trouble']
            assert trouble['kind'] == 'unreachable', trouble
            server = sandbox.serve()
            assert json.loads(top.process.stderr.readline())['trouble'] is None
            top.next_where(lambda sample: True)
        with Lines(sandbox, 'leat top --json --interval 50 --count 1000000') as top:
            top.next_where(lambda sample: True)
            stop(server)
            assert top.process.wait(PATIENCE_S) == 3
            error = json.loads(top.process.stderr.read().decode().splitlines()[-1])['error']
            assert error['kind'] == 'unreachable', error


def _lines_of(sandbox, name, count, holds=lambda line: True):
    """The lines of a file for which it holds, once there are so many."""
    deadline = time.monotonic() + PATIENCE_S
    lines = []
    while time.monotonic() < deadline:
        with open(os.path.join(sandbox.folder, name), encoding='utf-8') as file:
            lines = [line for line in file.read().splitlines() if holds(line)]
        if len(lines) >= count:
            return lines
        time.sleep(0.02)
    raise AssertionError(f'{name}: {len(lines)} of {count} lines: {lines[-3:]}')


def case_cli_consume_over_restarts(options):
    """leat consume, alone and in a group, waits for its broker: nothing is lost or doubled, and it says so."""
    if skipped := missing_tool(options):
        return skipped
    for how in ('', '--group billing', '--group classics --group-protocol classic'):
        with Sandbox(options) as sandbox:
            server = sandbox.serve()
            sandbox.run('leat topic create orders')
            reader = sandbox.popen(f'exec leat consume orders --from-beginning {how} >read 2>said')
            for number in range(1, 4):
                sandbox.run(f'seq {100 * number - 99} {100 * number} | leat produce orders')
                _lines_of(sandbox, 'read', 100 * number)
                stop(server)
                _lines_of(sandbox, 'said', number, lambda line: 'is not reachable' in line and 'trying again' in line)
                server = sandbox.serve()
                _lines_of(sandbox, 'said', number, lambda line: 'going on' in line)
            sandbox.run('seq 301 400 | leat produce orders')
            assert _lines_of(sandbox, 'read', 400) == [str(number) for number in range(1, 401)]
            reader.send_signal(signal.SIGINT)
            assert reader.wait(PATIENCE_S) == 0
            troubles = _lines_of(sandbox, 'said', 3, lambda line: 'trying again' in line)
            assert len(troubles) == 3, troubles
            stop(server)


class Screen:
    """A program on a terminal of its own."""

    def __init__(self, sandbox, words, rows=24, columns=80):
        self.master, self.slave = os.openpty()
        self.resize(rows, columns)
        self.settings = termios.tcgetattr(self.slave)
        self.text = ''
        self.process = subprocess.Popen(words, stdin=self.slave, stdout=self.slave, stderr=self.slave,
                                        cwd=sandbox.folder, env=dict(sandbox.environment, TERM='xterm'),
                                        start_new_session=True)

    def resize(self, rows, columns):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))

    def read_until(self, holds, what):
        deadline = time.monotonic() + PATIENCE_S
        while not holds(self.text):
            assert time.monotonic() < deadline, f'{what} did not come: {self.text[-3000:]!r}'
            if select.select([self.master], [], [], 0.2)[0]:
                self.text += os.read(self.master, 65536).decode(errors='replace')
        return self.text

    def frame(self):
        """The lines of the last screen that was drawn whole."""
        whole = self.text.rsplit('\x1b[J', 1)[0].rsplit('\x1b[H', 1)[1]
        return [re.sub(r'\x1b\[[0-9;?]*[A-Za-z]', '', line) for line in whole.replace('\r', '').split('\n')]

    def frame_where(self, holds, what):
        self.text = ''
        self.read_until(lambda text: '\x1b[J' in text and '\x1b[H' in text.rsplit('\x1b[J', 1)[0]
                        and holds(self.frame()), what)
        return self.frame()

    def end(self):
        """The exit code, when the terminal is as it was."""
        code = self.process.wait(PATIENCE_S)
        self.read_until(lambda text: LEAVE in text, 'the way back')
        assert '\x1b[?25h' in self.text and '\x1b[?7h' in self.text, self.text[-200:]
        assert termios.tcgetattr(self.slave) == self.settings, 'the settings of the terminal have changed'
        return code

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)
        os.close(self.slave)


def case_cli_top_screen(options):
    """leat top on a terminal: keys, sizes, a stop and a restart, and every way out puts the screen back."""
    if skipped := missing_tool(options):
        return skipped
    with Sandbox(options) as sandbox:
        server = sandbox.serve()
        sandbox.run('for i in $(seq 30); do leat topic create topic-$i || exit 1; done')
        sandbox.run('seq 5 | leat produce topic-7 && leat consume topic-7 --group billing --from-beginning --exit')
        with Screen(sandbox, ['leat', 'top', '--interval', '100', '--sort', 'name']) as screen:
            screen.read_until(lambda text: ENTER in text, 'the screen')
            lines = screen.frame_where(lambda lines: any('billing' in line for line in lines), 'the group')
            assert len(lines) == 24 and all(len(line) <= 80 for line in lines), lines
            assert lines[-1].endswith('now by name') and any(line.startswith('topic-1 ') for line in lines), lines
            assert any(re.match(r'\.\.\. \d+ more', line) for line in lines), lines
            os.write(screen.master, b's')
            screen.frame_where(lambda lines: lines[-1].endswith('now by size') and
                               lines[lines.index(next(line for line in lines if line.startswith('TOPIC'))) + 1]
                               .startswith('topic-7 '), 'the order by size')
            screen.resize(12, 40)
            screen.process.send_signal(signal.SIGWINCH)
            lines = screen.frame_where(lambda lines: len(lines) == 12, 'the smaller screen')
            assert all(len(line) <= 40 for line in lines), lines
            _check_stop_and_go(screen)
            os.write(screen.master, b'q')
            screen.text = ''
            assert screen.end() == 0
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with Screen(sandbox, ['leat', 'top', '--interval', '100', '--sort', 'size']) as screen:
                screen.frame_where(lambda lines: any('topic-7' in line for line in lines), 'a topic')
                screen.process.send_signal(number)
                assert screen.end() == 0, number
        with Screen(sandbox, ['leat', 'top', '--interval', '100', '--sort', 'size']) as screen:
            screen.frame_where(lambda lines: any('topic-7' in line for line in lines), 'a topic')
            screen.process.send_signal(signal.SIGQUIT)
            assert screen.end() == -signal.SIGQUIT
        with Screen(sandbox, ['leat', 'top', '--interval', '100', '--sort', 'size']) as screen:
            screen.frame_where(lambda lines: any('topic-7' in line for line in lines), 'a topic')
            stop(server)  # it looks on
            screen.frame_where(lambda lines: any('not reachable' in line for line in lines), 'the broker\'s end')
            server = sandbox.serve()
            screen.frame_where(lambda lines: not any('not reachable' in line for line in lines), 'the broker\'s return')
            os.write(screen.master, b'q')
            assert screen.end() == 0
        stop(server)
        with Screen(sandbox, ['leat', 'top', '--timeout', '2000']) as screen:  # nobody is there: no screen at all
            assert screen.process.wait(PATIENCE_S) == 3
            text = screen.read_until(lambda text: 'leatd --listen' in text, 'the advice')
            assert ENTER not in text, text


def _check_stop_and_go(screen):
    """Ctrl-Z gives the terminal back, `fg` takes it again."""
    screen.text = ''
    screen.process.send_signal(signal.SIGTSTP)
    _, status = os.waitpid(screen.process.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status), status
    screen.read_until(lambda text: LEAVE in text, 'the way back')
    assert termios.tcgetattr(screen.slave) == screen.settings
    screen.text = ''
    screen.process.send_signal(signal.SIGCONT)
    screen.read_until(lambda text: ENTER in text, 'the screen again')
    screen.frame_where(lambda lines: len(lines) == 12, 'a frame')
