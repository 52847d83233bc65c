# cases_docs.py: what the README and the help of leat and leatd tell people to type runs as it is printed. Every case
# has a folder of its own with programs first in PATH that are the built ones; only the address differs, so that no port
# is fixed.
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from random import Random

README = os.path.join(os.path.dirname(__file__), '..', '..', 'README.md')
PATIENCE_S = 60
# Lines of the README that build, which whoever runs this has done, and one that changes the whole machine.
NOT_HERE = ('./dev ', 'cmake --preset ', 'cmake --build ', 'sudo ldconfig')


def blocks(section):
    """The indented lines of a section of the README."""
    with open(README, encoding='utf-8') as file:
        sections = dict(part.split('\n', 1) for part in file.read().split('\n## ')[1:])
    lines = [line[4:] for line in sections[section].splitlines() if line.startswith('    ')]
    assert lines, f'no commands in the section {section!r}'
    return lines


def free_port():
    """Below the range from which the system picks ports by itself, so that nobody is given it by chance, not even while
    its server restarts."""
    random = Random(os.getpid() + time.monotonic_ns())
    for _ in range(1000):
        port = random.randrange(10_000, 30_000)
        with socket.socket() as probe:
            try:
                probe.bind(('127.0.0.1', port))
            except OSError:
                continue
        return port
    raise AssertionError('no free port between 10000 and 30000')


class Sandbox:
    """An empty folder to type commands in."""

    def __init__(self, options):
        self.leatd = os.path.abspath(options.leatd)
        self.port = free_port()
        self.root = tempfile.mkdtemp(prefix='leat-docs-')
        self.folder = os.path.join(self.root, 'here')
        self.pids_path = os.path.join(self.root, 'pids')
        programs = os.path.join(self.root, 'bin')
        os.mkdir(self.folder)
        os.mkdir(programs)
        os.symlink(os.path.join(os.path.dirname(self.leatd), 'leat'), os.path.join(programs, 'leat'))
        shim = os.path.join(programs, 'leatd')
        with open(shim, 'w', encoding='utf-8') as file:
            file.write(f'#!/bin/sh\necho $$ >>"{self.pids_path}"\n'
                       f'case " $* " in *" --listen "*|*" --config "*) exec "{self.leatd}" "$@" ;; esac\n'
                       f'exec "{self.leatd}" --listen 127.0.0.1:{self.port} "$@"\n')
        os.chmod(shim, 0o755)
        self.environment = dict(os.environ, LEAT_BOOTSTRAP_SERVER=f'127.0.0.1:{self.port}', TMPDIR=self.root,
                                LEAT_CONFIG=os.path.join(self.folder, 'contexts'),
                                PATH=f'{programs}:{os.environ["PATH"]}', HISTFILE='/dev/null')
        self.write('contexts', f'context.staging.bootstrap-server = 127.0.0.1:{self.port}\n')
        self.write('server.properties', f'listeners=PLAINTEXT://127.0.0.1:{self.port}\nlog.dirs=leat-data\n')
        self.write('orders.txt', 'bread\nsalt\n')

    def write(self, name, text):
        with open(os.path.join(self.folder, name), 'w', encoding='utf-8') as file:
            file.write(text)

    def here(self, line):
        """A line as it is printed, with ports and paths of this folder's own."""
        return line.replace(':9092', f':{self.port}').replace(':9644', ':0').replace('/var/lib/leat', 'leat-data')

    def popen(self, line, **streams):
        return subprocess.Popen(['bash', '-o', 'pipefail', '-c', line], cwd=self.folder, env=self.environment,
                                stdin=subprocess.DEVNULL, **streams)

    def run(self, line):
        """Standard output; whatever fails in the line is an error."""
        done = subprocess.run(['bash', '-o', 'pipefail', '-c', self.here(line)], cwd=self.folder, env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE_S, check=False)
        assert done.returncode == 0, f'{line!r} ended with {done.returncode}: {done.stderr.decode()[-1000:]}'
        return done.stdout.decode()

    def serve(self, line='leatd --data-dir ./leat-data'):
        """The process, when it is ready."""
        with open(os.path.join(self.root, 'leatd.log'), 'ab') as log:
            server = self.popen(f'exec {self.here(line)}', stdout=subprocess.PIPE, stderr=log)
        ready = first_line(server)
        assert ready.startswith('leatd ready on '), f'{line!r} printed {ready!r}: {self.log()[-1000:]}'
        return server

    def log(self):
        with open(os.path.join(self.root, 'leatd.log'), encoding='utf-8', errors='replace') as file:
            return file.read()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if os.path.exists(self.pids_path):
            with open(self.pids_path, encoding='utf-8') as file:
                for pid in file.read().split():
                    end(int(pid))
        shutil.rmtree(self.root, ignore_errors=True)


def end(pid):
    """A server that a failed case has left behind."""
    try:
        with open(f'/proc/{pid}/cmdline', 'rb') as file:
            if b'leatd' in file.read():
                os.kill(pid, signal.SIGKILL)
    except OSError:
        pass


def first_line(process):
    readable, _, _ = select.select([process.stdout], [], [], PATIENCE_S)
    return process.stdout.readline().decode() if readable else ''


def stop(server):
    server.send_signal(signal.SIGTERM)
    code = server.wait(PATIENCE_S)
    server.stdout.close()
    assert code == 0, f'leatd ended with {code} after SIGTERM'


def missing_tool(options):
    if not os.path.exists(os.path.join(os.path.dirname(os.path.abspath(options.leatd)), 'leat')):
        return 'skipped: no leat beside leatd'
    return None if shutil.which('bash') else 'skipped: no bash'


def without(lines, tool):
    """The lines that can run here: all, or those that do not need a tool that is not installed."""
    return lines if shutil.which(tool) else [line for line in lines if not re.search(rf'\b{tool}\b', line)]


def case_readme_tour(options):
    """The README's tour as one paste, its `kill -9` included: each line works, and what was acknowledged is there."""
    if skipped := missing_tool(options):
        return skipped
    lines = [line for line in without(blocks('Five minutes'), 'kcat') if not line.startswith(NOT_HERE)]
    with Sandbox(options) as sandbox:
        # As an interactive shell: jobs, history. -v prints each line before it runs; the trap notes what failed.
        script = ['set -m -v -o pipefail -o history -H', "trap 'echo \"$? $BASH_COMMAND\" >>../failed' ERR"]
        script += [sandbox.here(line) for line in lines]
        done = subprocess.run(['bash', '--noprofile', '--norc'], input='\n'.join(script + ['']).encode(),
                              cwd=sandbox.folder, env=sandbox.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=PATIENCE_S, check=False)
        transcript = done.stdout.decode()
        with open(os.path.join(sandbox.root, 'failed'), encoding='utf-8') as file:
            failed = file.read().splitlines()
        assert failed == ['137 wait $!'], f'failed: {failed}\n{transcript}'  # the server that was killed
        after = transcript.split('kill -9', 1)[1]
        for word in ('bread', 'salt', 'wine'):
            assert re.search(rf'^{word}$', after, re.MULTILINE), f'{word!r} is lost:\n{transcript}'
        with open(sandbox.pids_path, encoding='utf-8') as file:
            assert len(file.read().split()) == 2
    return f'{len(lines)} lines'


def run_server_line(sandbox, line):
    stop(sandbox.serve(line))


def install_line(sandbox, build):
    """`cmake --install` of what is built, and whether it is there; or why not."""
    if not os.path.exists(os.path.join(build, 'bin', 'leat_admin.so')) or not shutil.which('cmake'):
        return 'not installed: not all is built'
    prefix = os.path.join(sandbox.root, 'usr')
    sandbox.run(f'cmake --install "{build}" --prefix "{prefix}"')
    sandbox.run(f'"{prefix}/bin/leatd" --version && "{prefix}/bin/leat" --version')
    return 'ok'


def case_readme_commands(options):
    """The README's other commands: servers become ready and stop cleanly; installing installs."""
    if skipped := missing_tool(options):
        return skipped
    build = os.path.dirname(os.path.dirname(os.path.abspath(options.leatd)))
    note = 'ok'
    for line in blocks('Running it') + blocks('In tests and other programs'):
        if line.startswith(NOT_HERE):
            continue
        with Sandbox(options) as sandbox:
            if line.startswith('leatd'):
                run_server_line(sandbox, line)
            elif 'cmake --install build/release --prefix /usr/local' in line:
                note = install_line(sandbox, build)
            else:
                server = sandbox.serve()
                sandbox.run(line)
                stop(server)
    return note


def help_text(sandbox, *words):
    return sandbox.run(' '.join((*words, '--help')))


def names_in(text):
    """Of the commands that a help text lists."""
    listed = re.search(r'^Commands:\n((?:  .*\n)+)', text, re.MULTILINE)
    return [line.split()[0] for line in listed.group(1).splitlines() if not line.startswith('   ')] if listed else []


def examples_in(text, heading):
    found = re.search(rf'^{heading}.*\n((?:  .*\n?)+)', text, re.MULTILINE)
    assert found, f'no {heading!r} in:\n{text}'
    return [line.strip() for line in found.group(1).splitlines()]


def all_examples(sandbox):
    """(command, line) of every command of leat."""
    examples = []
    for name in names_in(help_text(sandbox, 'leat')):
        text = help_text(sandbox, 'leat', name)
        for command in [f'{name} {inner}' for inner in names_in(text)] or [name]:
            text = help_text(sandbox, 'leat', command)
            assert f'Usage: leat {command} ' in text, text
            examples += [(command, line) for line in examples_in(text, 'Examples:')]
    return examples


def fill(sandbox):
    """What the examples are about: topics with records, a group that has read them."""
    server = sandbox.serve()
    sandbox.run('leat topic create orders --partitions 3 && leat topic create prices')
    sandbox.run('for p in 0 1 2; do seq 60 | leat produce orders -p $p || exit 1; done')
    sandbox.run('seq 10 | leat produce speed')
    sandbox.run('leat consume orders --group billing --from-beginning --exit')
    stop(server)


def bounded(line):
    """A bench that ends soon."""
    if not line.startswith('leat bench '):
        return line
    return re.sub(r'--duration \d+', '', line) + ' --duration 1'


def is_endless(line):
    if re.match(r'leat top( |$)', line):
        return not re.search(r' (-n|--count) ', line)
    return line.startswith('leat consume ') and not re.search(r' --(exit|count) ', line + ' ')


def run_endless(sandbox, line):
    """Until it has printed something; then Ctrl-C ends it in order."""
    consumer = sandbox.popen(f'exec {line}', stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + PATIENCE_S
        while not select.select([consumer.stdout], [], [], 0.1)[0]:
            assert time.monotonic() < deadline, f'{line!r} printed nothing'
            sandbox.run('echo more | leat produce orders')
        consumer.send_signal(signal.SIGINT)
        consumer.stdout.read()
        assert consumer.wait(PATIENCE_S) == 0, f'{line!r} ended with {consumer.returncode} after Ctrl-C'
    finally:
        if consumer.poll() is None:
            consumer.kill()
            consumer.wait()
        consumer.stdout.close()


def run_example(options, filled, command, line):
    """On a broker that holds what `filled` does; commands that look into files have none."""
    with Sandbox(options) as sandbox:
        if command not in ('', 'topic create'):
            shutil.copytree(os.path.join(filled.folder, 'leat-data'), os.path.join(sandbox.folder, 'leat-data'))
        server = None if command.startswith('log ') else sandbox.serve()
        if is_endless(line):
            run_endless(sandbox, line)
        else:
            sandbox.run(bounded(line))
        if server:
            stop(server)


def case_help_examples(options):
    """Every example in the help of leat, of its commands, and of leatd."""
    if skipped := missing_tool(options):
        return skipped
    with Sandbox(options) as filled:
        fill(filled)
        examples = all_examples(filled)
        assert len({command for command, _ in examples}) >= 19, examples
        runnable = without([line for _, line in examples], 'jq')
        run_example(options, filled, '', ' && '.join(examples_in(help_text(filled, 'leat'), 'Begin here')))
        for command, line in examples:
            if line in runnable:
                run_example(options, filled, command, line)
        servers = [line for line in examples_in(help_text(filled, 'leatd'), '.*Examples:') if line.startswith('leatd')]
    assert len(servers) >= 3, servers
    for line in servers:
        with Sandbox(options) as sandbox:
            run_server_line(sandbox, line)
    left_out = len(examples) - len(runnable)
    return f'{len(examples) + len(servers)} examples' + (f', {left_out} left out: no jq' if left_out else '')
