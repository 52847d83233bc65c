# leatd.py: a leatd of a test's own: a free port, a data directory of its own, its log in a file. It is ended by its
# id.
import os
import re
import signal
import subprocess
import tempfile
import time

from wire import Connection


class Leatd:
    def __init__(self, binary, data_dir=None, settings=(), prefix=()):
        self.binary = binary
        self.folder = tempfile.mkdtemp(prefix='leat-conformance-')
        self.data_dir = data_dir or os.path.join(self.folder, 'data')
        self.settings = list(settings)
        self.prefix = list(prefix)  # strace and its options
        self.log_path = os.path.join(self.folder, 'leatd.log')
        self.process = None
        self.address = None
        self.ready_line = None

    def start(self, timeout=60.0):
        command = self.prefix + [self.binary, '--data-dir', self.data_dir, '--listen', '127.0.0.1:0']
        for setting in self.settings:
            command += ['--set', setting]
        environment = dict(os.environ)
        if self.prefix:  # a leak check cannot run under strace
            environment['ASAN_OPTIONS'] = environment.get('ASAN_OPTIONS', '') + ':detect_leaks=0'
        with open(self.log_path, 'ab') as log:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, env=environment)
        line = self._ready_line(time.monotonic() + timeout)
        found = re.match(r'leatd ready on .*?(\d+\.\d+\.\d+\.\d+):(\d+)', line)
        assert found, f'not a ready line: {line!r}'
        self.ready_line = line
        self.address = (found.group(1), int(found.group(2)))
        return self

    def _ready_line(self, deadline):
        line = self.process.stdout.readline().decode()
        if line and time.monotonic() < deadline:
            return line
        raise AssertionError(f'leatd did not start, exit code {self.process.wait()}:\n{self.log()}')

    def connect(self, **options):
        return Connection(self.address, **options)

    @property
    def server(self):
        return f'{self.address[0]}:{self.address[1]}'

    def pid(self):
        """Of leatd itself, also when strace started it."""
        if not self.prefix:
            return self.process.pid
        with open(f'/proc/{self.process.pid}/task/{self.process.pid}/children') as children:
            return int(children.read().split()[0])

    def resident_bytes(self):
        with open(f'/proc/{self.pid()}/status') as status:
            return int(re.search(r'VmRSS:\s+(\d+) kB', status.read()).group(1)) * 1024

    def cpu_seconds(self):
        with open(f'/proc/{self.pid()}/stat') as stat:
            fields = stat.read().rsplit(')', 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')

    def kill(self):
        os.kill(self.pid(), signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()

    def stop(self, timeout=30.0):
        """The exit code of a clean stop."""
        os.kill(self.pid(), signal.SIGTERM)
        code = self.process.wait(timeout)
        self.process.stdout.close()
        return code

    def alive(self):
        return self.process is not None and self.process.poll() is None

    def log(self):
        with open(self.log_path, errors='replace') as log:
            return log.read()

    def wait_for_line(self, *words):
        """A line of the log that has all words; of this start or an earlier one."""
        deadline = time.monotonic() + 10
        while True:
            for line in self.log().splitlines():
                if all(word in line for word in words):
                    return line
            assert time.monotonic() < deadline, f'no line with {words}:\n{self.log()[-2000:]}'
            time.sleep(0.05)

    def __enter__(self):
        return self.start()

    def __exit__(self, kind, *_):
        if self.alive():
            self.kill()
        if kind is not None:
            print(f'--- end of the log of leatd ({self.log_path})\n{self.log()[-3000:]}')
            return
        subprocess.run(['rm', '-rf', self.folder], check=False)
