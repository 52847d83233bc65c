# rows.py: what is compared: the lines of the table with DESIGN's goals, and how often and how long each row of
# leat_bench_macro runs.
from dataclasses import dataclass
from typing import Optional

SUITES = {
    'produce': '^produce/',
    'fetch': '^fetch/',
    'latency': '^(ack|end_to_end)/',
    'flush': '^flush/',
    'scaling': '^scaling/',
    'groups': '^groups/',
}


@dataclass(frozen=True)
class Figure:
    """One figure of a row: a counter of leat_bench_macro, how it is written, and which way is better."""
    counter: str
    unit: str
    more_is_better: bool


REQUESTS = Figure('req_s', 'req/s', True)
RECORDS = Figure('msg_s', 'msg/s', True)
BYTES = Figure('MB_s', 'MB/s', True)
MEAN = Figure('mean_us', 'µs', False)
P50 = Figure('p50_us', 'µs', False)
P99 = Figure('p99_us', 'µs', False)
CPU = Figure('cpu_ms_MB', 'ms/MB', False)


@dataclass(frozen=True)
class Line:
    """A line of the table. goal and least are ratios Leat/Kafka: DESIGN's goal, or an issue's, and what that calls not
    done."""
    title: str
    row: str
    figure: Figure
    goal: Optional[float] = None
    least: Optional[float] = None
    limit: Optional[str] = None  # the row of leat_bench_macro that is the limit, by the same figure


LINES = [
    Line('produce 100 B × 1, 8 in flight, 1 connection', 'produce/100B_x_1', REQUESTS, 20, 10,
         'ceiling/produce_100B_x_1'),
    Line('the same on 8 connections', 'produce/100B_x_1_8_connections', REQUESTS, 20, 10,
         'ceiling/produce_100B_x_1_8_connections'),
    Line('produce 100 B × 1000', 'produce/100B_x_1000', RECORDS, 8, 4, 'ceiling/produce_100B_x_1000_pwrite'),
    Line('produce 1 KB × 1000', 'produce/1024B_x_1000', BYTES, 3.5, 2.5, 'ceiling/produce_1024B_x_1000_pwrite'),
    Line('fetch 1 MiB, in page cache', 'fetch/1024KiB_of_1024B_records', BYTES, 2, 1.4, 'ceiling/fetch_1024KiB'),
    Line('one request at a time, mean round trip', 'produce/100B_x_1_one_in_flight', MEAN, 0.35, 0.6,
         'ceiling/produce_100B_x_1_one_in_flight'),
    Line('ack latency at 1 k/s, p50', 'ack/1k_per_s', P50, 0.4, 0.6, 'ceiling/ack_1k_per_s'),
    Line('ack latency at 1 k/s, p99', 'ack/1k_per_s', P99, 0.15, 0.25, 'ceiling/ack_1k_per_s'),
    Line('produce to parked consumer at 1 k/s, p50', 'end_to_end/1k_per_s', P50, 0.4, 0.6, 'ceiling/ack_1k_per_s'),
    Line('broker CPU for each MB, 1 KB × 1000', 'produce/1024B_x_1000', CPU, 0.2, 1 / 3),
    Line('offset commits, one group, 8 in flight', 'groups/commit_1_group', REQUESTS, 10,
         limit='ceiling/offset_commit_1_group'),
    Line('offset commits, 100 groups, 8 in flight each', 'groups/commit_100_groups', REQUESTS, 10,
         limit='ceiling/offset_commit_100_groups'),
    Line('offset commits, 100 groups, one in flight each', 'groups/commit_100_groups_in_turn', REQUESTS, 10,
         limit='ceiling/offset_commit_100_groups_in_turn'),
    Line('member start to first record, group of 1, classic', 'groups/first_record_1_classic', P50, 1),
    Line('the same, group of 10, all at once', 'groups/first_record_10_classic', P50, 1),
    Line('member start to first record, group of 1, consumer protocol', 'groups/first_record_1_consumer', P50, 1),
    Line('the same, group of 10, all at once', 'groups/first_record_10_consumer', P50, 1),
    Line('a member joins 99, 1,000 partitions, classic', 'groups/rebalance_100_classic', P50),
    Line('the same, consumer protocol', 'groups/rebalance_100_consumer', P50),
]

DURABLE_LINES = [
    Line('durable single records, 32 connections', 'flush/commit_32_connections', REQUESTS, 20, 15,
         'ceiling/commit_32_connections'),
    Line('produce 100 B × 1, 8 in flight, 1 connection', 'produce/100B_x_1_durable', REQUESTS,
         limit='ceiling/produce_100B_x_1_durable'),
    Line('the same on 8 connections', 'produce/100B_x_1_8_connections_durable', REQUESTS,
         limit='ceiling/produce_100B_x_1_8_connections_durable'),
    Line('produce 100 B × 1000', 'produce/100B_x_1000_durable', RECORDS, limit='ceiling/produce_100B_x_1000_durable'),
    Line('produce 1 KB × 1000', 'produce/1024B_x_1000_durable', BYTES, limit='ceiling/produce_1024B_x_1000_durable'),
    Line('fetch 1 MiB, in page cache', 'fetch/1024KiB_of_1024B_records_durable', BYTES, limit='ceiling/fetch_1024KiB'),
    Line('one request at a time, mean round trip', 'produce/100B_x_1_one_in_flight_durable', MEAN,
         limit='ceiling/produce_100B_x_1_one_in_flight_durable'),
    Line('ack latency at 1 k/s, p50', 'ack/1k_per_s_durable', P50, limit='ceiling/ack_1k_per_s_durable'),
    Line('ack latency at 1 k/s, p99', 'ack/1k_per_s_durable', P99, limit='ceiling/ack_1k_per_s_durable'),
    Line('produce to parked consumer at 1 k/s, p50', 'end_to_end/1k_per_s_durable', P50,
         limit='ceiling/ack_1k_per_s_durable'),
    Line('broker CPU for each MB, 1 KB × 1000', 'produce/1024B_x_1000_durable', CPU),
    Line('offset commits, one group, 8 in flight', 'groups/commit_1_group_durable', REQUESTS, 5,
         limit='ceiling/offset_commit_1_group_durable'),
    Line('offset commits, 100 groups, 8 in flight each', 'groups/commit_100_groups_durable', REQUESTS, 5,
         limit='ceiling/offset_commit_100_groups_durable'),
    Line('offset commits, 100 groups, one in flight each', 'groups/commit_100_groups_in_turn_durable', REQUESTS, 5,
         limit='ceiling/offset_commit_100_groups_in_turn_durable'),
]

# Rows that take long and are the same requests as others: not part of the warm-up.
NOT_WARMED_BY = ('groups/first_record_10', 'groups/rebalance')

DURABLE_ROW = 'flush/commit_32_connections'
REDIS_ROW = 'redis/xadd_32_connections'
REDIS_GOAL, REDIS_LEAST = 1.5, 1.2
RESTART_GOAL_MS, RESTART_LEAST = 30, 1 / 30
IDLE_GOAL_MB, IDLE_LEAST = 12, 1 / 20

LIMITS = [
    ('TCP round trip over loopback, 64 B, mean', 'limit/tcp_ping_pong', MEAN),
    ('bytes through loopback', 'limit/loopback', BYTES),
    ('loopback + pwrite, 1 KB × 1000', 'ceiling/produce_1024B_x_1000_pwrite', BYTES),
    ('pwrite to touched memory', 'limit/pwrite_touched', BYTES),
    ('append of 4 KiB and fdatasync, mean', 'limit/sync_4KiB', MEAN),
    ('the same, p50', 'limit/sync_4KiB', P50),
]


def is_durable(row):
    """Whether the row asks for records on disk: then Leat's policy is commit, and Kafka's flush.messages=1."""
    return row.endswith('_durable') or row.startswith('flush/commit')


def is_headline(row):
    return any(line.row == row for line in LINES + DURABLE_LINES)


def limits_of(row):
    """The limit rows that are measured beside the row, run by run: the machine's speed drifts with the hour."""
    return list(dict.fromkeys(line.limit for line in LINES + DURABLE_LINES if line.row == row and line.limit))


def figure_for(row):
    """What the table of all rows shows of a row."""
    if row.startswith(('ack/', 'end_to_end/', 'ceiling/ack', 'groups/first_record', 'groups/rebalance')):
        return P50
    if row.startswith(('groups/', 'ceiling/offset_commit')):
        return REQUESTS
    if row.startswith(('fetch/', 'ceiling/fetch')) or '1024B_x_1000' in row:
        return BYTES
    return RECORDS


@dataclass(frozen=True)
class Effort:
    """How much a run of the comparison does: the numbers that --quick and --runs change."""
    runs: int = 3
    headline_runs: int = 5
    scale: float = 0.5
    headline_scale: float = 0.8
    row_warm_up_scale: float = 0.2  # of a run of each row that is not counted
    warm_up_seconds: float = 30
    ack_seconds: float = 30
    headline_rate_seconds: float = 8
    rate_seconds: float = 5
    limit_runs: int = 3
    restarts: int = 3
    idle_seconds: float = 10

    def runs_of(self, row):
        return self.headline_runs if is_headline(row) else self.runs

    def scale_of(self, row):
        return self.headline_scale if is_headline(row) or row.startswith(('ceiling/', 'limit/')) else self.scale

    def seconds_of(self, row):
        if row == 'ack/1k_per_s':
            return self.ack_seconds
        return self.headline_rate_seconds if is_headline(row) else self.rate_seconds


FULL = Effort()
QUICK = Effort(runs=1, headline_runs=2, scale=0.15, headline_scale=0.25, row_warm_up_scale=0.1, warm_up_seconds=15,
               ack_seconds=5, headline_rate_seconds=3, rate_seconds=1, limit_runs=1, restarts=1, idle_seconds=3)
