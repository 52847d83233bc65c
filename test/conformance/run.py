#!/usr/bin/env python3
# run.py: cases against a live leatd, each with a broker of its own.
#   run.py --leatd build/release/bin/leatd [--rounds 200] [--requests 1000] [--producers 5000] [--commits 1000000]
#          [--patience 150] [--seed N] [case...]
# A case whose tool is missing (kcat, strace, mount as root) is skipped and says so. Everything random follows from
# the seed.
import argparse
import os
import random
import sys
import time
import traceback

sys.dont_write_bytecode = True  # the tree stays as it is

import cases_cli  # noqa: E402
import cases_cli_more
import cases_compat
import cases_data
import cases_docs
import cases_faults
import cases_groups
import cases_hostile
import cases_kcat
import cases_metrics
import cases_streams

CASES = {}
for module in (cases_kcat, cases_compat, cases_data, cases_cli, cases_cli_more, cases_docs, cases_faults, cases_groups,
               cases_hostile, cases_metrics, cases_streams):
    for name, value in vars(module).items():
        if name.startswith('case_'):
            CASES[name[len('case_'):]] = value


def main():
    parser = argparse.ArgumentParser(description='Cases against a live leatd, each with a broker of its own.')
    parser.add_argument('--leatd', required=True)
    parser.add_argument('--rounds', type=int, default=5, help='of kill -9')
    parser.add_argument('--requests', type=int, default=1000, help='hostile ones')
    parser.add_argument('--producers', type=int, default=5000, help='ids in one partition')
    parser.add_argument('--commits', type=int, default=20_000, help='of offsets, before a restart that is timed')
    parser.add_argument('--patience', type=int, default=60, help='seconds that a case may take to wait for an expiry')
    parser.add_argument('--seed', type=int, default=None)
    parser.add_argument('--list', action='store_true')
    parser.add_argument('cases', nargs='*')
    options = parser.parse_args()
    if options.list:
        print('\n'.join(CASES))
        return 0
    if options.seed is None:
        options.seed = time.time_ns() % 1_000_000
    failed = []
    for name in options.cases or CASES:
        options.random = random.Random(options.seed)
        started = time.monotonic()
        try:
            note = CASES[name](options) or 'ok'
        except Exception as error:  # one failed case does not stop the others
            failed.append(name)
            at = traceback.extract_tb(error.__traceback__)[-1]
            place = f'{os.path.basename(at.filename)}:{at.lineno}'
            note = f'FAILED (seed {options.seed}) at {place}: {type(error).__name__}: {error}'
            if '-v' in sys.argv:
                raise
        print(f'{name}: {note} ({time.monotonic() - started:.1f} s)', flush=True)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
