#!/usr/bin/env python3
# package_test.py: installs Leat into an empty folder, takes the programs out of README.md and docs/client.md, builds
# each from the installed package alone (CMake's way, and one by pkg-config), and runs them against a leatd of their
# own.
#   test/client/package_test.py --build build/release --leatd build/release/bin/leatd
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'test', 'conformance'))
from leatd import Leatd  # noqa: E402

LIST = '''cmake_minimum_required(VERSION 3.25)
project(programs LANGUAGES CXX)
find_package(leat {version} REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(libuv REQUIRED IMPORTED_TARGET libuv)
'''


def programs():
    found = []
    for document in ('README.md', os.path.join('docs', 'client.md')):
        with open(os.path.join(ROOT, document)) as file:
            text = file.read()
        here = re.findall(r'<!-- program: (\w+)(, needs libuv)? -->\n```cpp\n(.*?)```', text, re.DOTALL)
        assert len(here) == text.count('```cpp') > 0, f'a program in {document} has no name'
        found += here
    return found


def run(command, **options):
    subprocess.run(command, check=True, **options)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--build', required=True)
    parser.add_argument('--cmake', default='cmake')
    parser.add_argument('--generator', default='Ninja', help="CMake's own default wants make, which may be missing")
    parser.add_argument('--leatd', required=True)
    parser.add_argument('--version', default='0.1')
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix='leat-package-')
    prefix = os.path.join(folder, 'prefix')
    source = os.path.join(folder, 'programs')
    os.mkdir(source)
    run([options.cmake, '--install', options.build, '--prefix', prefix], stdout=subprocess.DEVNULL)
    lines = LIST.format(version=options.version)
    for name, needs_libuv, text in programs():
        with open(os.path.join(source, name + '.cpp'), 'w') as file:
            file.write(text)
        libraries = 'leat::client' + (' PkgConfig::libuv' if needs_libuv else '')
        lines += f'add_executable({name} {name}.cpp)\ntarget_link_libraries({name} PRIVATE {libraries})\n'
    with open(os.path.join(source, 'CMakeLists.txt'), 'w') as file:
        file.write(lines)
    build = os.path.join(folder, 'build')
    run([options.cmake, '-G', options.generator, '-S', source, '-B', build, f'-DCMAKE_PREFIX_PATH={prefix}',
         '-DCMAKE_CXX_FLAGS=-Wall -Wextra'], stdout=subprocess.DEVNULL)
    run([options.cmake, '--build', build], stdout=subprocess.DEVNULL)

    library = next(path for path, _, files in os.walk(prefix) if 'leat.pc' in files)
    environment = dict(os.environ, PKG_CONFIG_PATH=library)
    flags = subprocess.run(['pkg-config', '--cflags', '--libs', 'leat'], check=True, capture_output=True, text=True,
                           env=environment).stdout.split()
    by_pkg_config = os.path.join(folder, 'first')
    run([os.environ.get('CXX', 'c++'), '-std=c++20', os.path.join(source, 'first.cpp'), '-o', by_pkg_config, *flags,
         '-Wl,-rpath,' + os.path.dirname(library)])

    with Leatd(options.leatd) as broker:
        environment = dict(os.environ, LEAT=broker.server)
        for name, _, _ in programs():
            print(f'running {name}', flush=True)
            run([os.path.join(build, name), broker.server], env=environment, timeout=60)
        run([by_pkg_config], env=environment, timeout=60)
    shutil.rmtree(folder)


if __name__ == '__main__':
    main()
