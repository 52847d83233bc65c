# groups_history_commands.py: what the tool of compare_groups_tool.py is told, but for what scenes say themselves.

FORMS = [[], ['--offsets', '--verbose'], ['--members'], ['--members', '--verbose'], ['--state'],
         ['--state', '--verbose']]

# Those that follow a time say which record they mean by half an hour beside its own.
SPECS = ['--to-earliest', '--to-latest', '--to-current', '--to-offset 2', '--to-offset 100', '--to-offset 0',
         '--shift-by 1', '--shift-by -1', '--shift-by 100', '--shift-by -100', '--by-duration PT5H30M',
         '--by-duration PT0S', '--by-duration P30D', '--to-datetime 2000-01-01T00:00:00.000',
         '--to-datetime 2100-01-01T00:00:00.000Z', '--to-datetime nonsense', '--by-duration nonsense']
SCOPES = ['--topic t', '--topic t:0,3', '--topic t:0 --topic u', '--all-topics']


def reset_commands(groups, path, execute):
    """Every spec in one scope or another, and what is wrong; executed ones are described after each."""
    how = ['--execute'] if execute else ['--dry-run']
    commands = []
    for group in groups:
        reset = ['--reset-offsets', '--group', group]
        for number, spec in enumerate(SPECS):
            scopes = SCOPES if spec in ('--to-earliest', '--shift-by 1') else [SCOPES[number % len(SCOPES)]]
            for scope in scopes:
                commands.append([*reset, *scope.split(), *spec.split(), *how])
                if execute:
                    commands.append(['--describe', '--group', group])
        commands += [[*reset, *words.split(), *how] for words in (
            '--topic t', '--to-earliest', '--topic nope --to-earliest', '--topic t:9 --to-earliest',
            '--topic t:x --to-earliest', '--topic t --topic nope --to-latest', '--topic t --to-latest --export',
            '--all-topics --to-current --export', f'--from-file {path}', f'--from-file {path} --export',
            '--from-file /no/such/file')]
        if execute:
            commands.append(['--describe', '--group', group, '--offsets', '--verbose'])
    commands.append(['--reset-offsets', '--group', groups[0], '--topic', 't', '--to-earliest'])  # neither of both
    if not execute:
        everything = ['--reset-offsets', '--all-groups', '--all-topics', '--to-earliest', '--dry-run']
        commands += [everything, [*everything, '--export']]
    return commands


def live_reset_commands():
    return [['--reset-offsets', '--group', group, *words.split()] for group in (
        'classic', 'consumer', 'static-consumer', 'preparing', 'reconciling', 'connect') for words in (
        '--topic t --to-earliest --execute', '--all-topics --to-latest --dry-run')]


def offset_commands():
    """Of offsets one by one."""
    asked = [('classic', 't'), ('classic', 't:0'), ('classic', 'u'), ('consumer', 't'), ('consumer', 'u'),
             ('static-classic', 't'), ('pattern', 't'), ('mixed', 't:1'), ('connect', 't'), ('simple', 't:0'),
             ('simple', 't:9'), ('simple', 'nope'), ('simple', 'nope:0'), ('simple', 'u'), ('none', 't'),
             ('none', 'nope:0'), ('', 't'), ('only-gone', 'gone'), ('only-gone', 't'), ('empty-consumer', 't:1,2')]
    commands = [['--delete-offsets', '--group', group, '--topic', topic] for group, topic in asked]
    commands.append(['--delete-offsets', '--group', 'simple', '--topic', 't:2', '--topic', 'nope', '--topic', 'u:7'])
    commands.append(['--delete-offsets', '--group', 'simple'])
    return commands + [['--describe', '--group', group] for group in ('classic', 'simple', 'only-gone',
                                                                      'empty-consumer')]


def delete_commands():
    """Of whole groups; and what is no command at all."""
    commands = [['--delete', '--group', group] for group in (
        'consumer', 'static-classic', 'static-consumer', 'mixed', 'none', 'größe', 'größe', 'empty-consumer', '',
        'connect', 'classic')]
    commands += [['--delete', '--group', 'simple', '--group', 'none', '--group', 'consumer'],
                 ['--delete', '--group', 'pattern', '--group', 'empty-classic'],
                 ['--describe', '--group', 'pattern'], ['--describe', '--group', 'größe', '--state'],
                 ['--delete', '--all-groups'],
                 ['--validate-regex', 't|u'], ['--validate-regex', '('],
                 ['--list', '--describe', '--all-groups'], ['--all-groups'], ['--describe']]
    return commands
