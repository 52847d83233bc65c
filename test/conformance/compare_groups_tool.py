#!/usr/bin/env python3
# compare_groups_tool.py: what Kafka's own kafka-consumer-groups prints against leatd is what it prints against Apache
# Kafka for the same history (groups_history.py). Prints a unified diff of every command whose output, errors or exit
# status differ, Kafka's first; exit status 1 when any does, 2 when something that is needed is not on this machine.
#   compare_groups_tool.py --leatd build/release/bin/leatd [--keep FILE]
# Not compared: member ids (each member has a name instead), the brokers' addresses, spaces between columns, the order
# of rows (Kafka's own is that of a hash of what is random), and which line of the tool threw something.
import argparse
import difflib
import os
import re
import shutil
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # the tree stays as it is

import groups_history  # noqa: E402
import groups_tool  # noqa: E402

FOR_FILE = 't,0,6\nt,1,1\n'


def named(text, broker):
    """The text with names for what is each broker's own."""
    for member_id, name in broker.known.items():
        text = text.replace(member_id, name)
    return text.replace(broker.server, '<broker>')


def in_order(paragraph, is_list):
    """Rows of tables, and of lists as a whole, sorted."""
    if is_list:
        return sorted(paragraph)
    if paragraph and re.match('(GROUP|TOPIC) ', paragraph[0]):
        return paragraph[:1] + sorted(paragraph[1:])
    return paragraph


def comparable(text, broker, is_list):
    lines = [re.sub(' +', ' ', line).rstrip() for line in named(text, broker).split('\n')]
    out, paragraph = [], []
    for line in [*lines, '']:
        if re.match(r'\s+at |\s+\.\.\. \d+ more', line):
            continue
        if line:
            paragraph.append(line)
            continue
        out += in_order(paragraph, is_list) + ['']
        paragraph = []
    while out and not out[-1]:
        out.pop()
    return out


def report(printed, broker, words):
    """All that one run of the tool gave, as lines."""
    is_list = '--export' in words or words[0] == '--list'
    lines = comparable(printed.out, broker, is_list)
    errors = [f'stderr: {line}' for line in comparable(printed.err, broker, False)]
    return lines + errors + [f'exit status {printed.status}']


class Comparison:
    def __init__(self, tool, kafka, ours, keep):
        self.tool, self.kafka, self.ours, self.keep = tool, kafka, ours, keep
        self.ran = self.differ = 0

    def run(self, words):
        reports = [report(self.tool.run(broker, *words), broker, words) for broker in (self.kafka, self.ours)]
        title = 'kafka-consumer-groups ' + ' '.join(word or "''" for word in words)
        self.ran += 1
        if self.keep:
            self.keep.write('\n'.join(['$ ' + title, *reports[0], '', '']))
            self.keep.flush()
        if reports[0] == reports[1]:
            return
        self.differ += 1
        print(f'\n$ {title}')
        names = (self.kafka.name, self.ours.name)
        print('\n'.join(difflib.unified_diff(*reports, *names, lineterm='', n=2)), flush=True)


def compare(options, folder):
    kafka, ours = groups_tool.KafkaBroker(folder), groups_tool.LeatdBroker(options.leatd, folder)
    tool = None
    try:
        kafka.start()
        ours.start()
        tool = groups_tool.Tool(folder)
        with open(options.keep or os.devnull, 'w') as keep:
            begun = time.monotonic()
            comparison = Comparison(tool, kafka, ours, keep)
            for scene in groups_history.History(tool, folder).scenes():
                print(f'== {scene.title} ({time.monotonic() - begun:.0f} s)', flush=True)
                for broker in (kafka, ours):
                    try:
                        scene.play(broker)
                    except Exception:
                        print(f'{broker.name}, in "{scene.title}"; the end of its log:\n{broker.log_tail()}')
                        raise
                for words in scene.commands:
                    comparison.run(words)
        print(f'\n{comparison.ran} commands, {comparison.differ} differ')
        return 1 if comparison.differ else 0
    finally:
        for one in (tool, ours, kafka):
            if one is not None:
                one.stop()


def main():
    parser = argparse.ArgumentParser(description='kafka-consumer-groups against leatd and against Apache Kafka.')
    parser.add_argument('--leatd', required=True)
    parser.add_argument('--keep', help='a file for all that was printed against Apache Kafka, as compared')
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix='leat-groups-tool-')
    with open(os.path.join(folder, 'offsets.csv'), 'w') as file:
        file.write(FOR_FILE)
    try:
        return compare(options, folder)
    except groups_tool.peers.Missing as missing:
        print(f'not compared: this machine has not {missing}', file=sys.stderr)
        return 2
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == '__main__':
    sys.exit(main())
