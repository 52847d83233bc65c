# machine.py: what the machine is, in the few words that a reader of the figures needs. No names, no dates.
import os
import platform
import re
import subprocess


def first_match(path, pattern):
    try:
        with open(path) as file:
            found = re.search(pattern, file.read(), re.MULTILINE)
    except OSError:
        return None
    return found.group(1).strip() if found else None


def file_system_of(directory):
    """The type of the mounted file system that holds the directory."""
    best, kind = '', 'unknown'
    try:
        with open('/proc/mounts') as mounts:
            for line in mounts:
                _, place, found = line.split()[:3]
                inside = directory == place or directory.startswith(place.rstrip('/') + '/')
                if inside and len(place) >= len(best):
                    best, kind = place, found
    except OSError:
        pass
    return kind


def java_version():
    try:
        said = subprocess.run(['java', '-version'], capture_output=True, text=True, check=False).stderr
    except OSError:
        return 'none'
    found = re.search(r'version "([^"]+)"', said)
    return found.group(1) if found else 'unknown'


def describe(directory):
    memory_kb = first_match('/proc/meminfo', r'^MemTotal:\s+(\d+) kB')
    return {
        'cores': os.cpu_count(),
        'processor': first_match('/proc/cpuinfo', r'^model name\s*:\s*(.+)$') or platform.machine(),
        'kernel': f'{platform.system()} {platform.release()}',
        'memory_gb': round(int(memory_kb) * 1024 / 1e9) if memory_kb else None,
        'file_system': file_system_of(os.path.abspath(directory)),
        'java': java_version(),
    }
