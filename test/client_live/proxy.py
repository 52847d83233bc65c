# proxy.py: a proxy that makes trouble, a listener before each broker: brokers advertise the proxy's ports, so that
# clients come through it wherever metadata send them. What it does follows from a seed: which fate the next
# connections have (a deck that is dealt from, so that a short run meets every kind), how likely a chunk of bytes is
# delayed or split, when everything stands still. When it happens depends on the clients as well: a seed repeats
# likelihoods, not moments.
#   delay            a chunk waits for some milliseconds
#   split            a chunk is passed on in small pieces
#   cut_request      the connection ends in the middle of what the client sends
#   late_request     the same, and what was still on its way arrives at the broker afterwards
#   cut_response     the connection ends in the middle of what the broker sends
#   refuse           a connection is reset as soon as it is made
#   mute             a connection is taken, nothing is ever answered, and it is reset after a while
#   blackhole        for a while nothing is passed on, in any connection and either way
# Thread: one of its own, with an asyncio loop; the methods may be called from any.
import asyncio
import collections
import contextlib
import socket
import struct
import threading

KINDS = ('delay', 'split', 'cut_request', 'late_request', 'cut_response', 'refuse', 'mute', 'blackhole')
CHUNK_BYTES = 64 << 10
NEVER = 1 << 62


class Faults:
    """What one run meets, from a random.Random of its own."""

    def __init__(self, random, hard=2):
        self.random = random
        self.delay_rate = random.uniform(0.05, 0.4)
        self.delay_max = random.choice((0.001, 0.005, 0.02))
        self.split_rate = random.uniform(0.05, 0.4)
        self.deck = ['cut_request', 'late_request', 'cut_response', 'refuse', 'mute'] * hard + ['healthy'] * 3 * hard
        random.shuffle(self.deck)
        self.freezes = [random.randrange(5, 30), random.randrange(40, 150)]  # by the number of the chunk
        self.chunk_count = 0

    def next_fate(self):
        return self.deck.pop() if self.deck else 'healthy'

    def freeze_seconds(self):
        """How long everything stands still before the next chunk; 0 mostly."""
        self.chunk_count += 1
        return self.random.uniform(0.1, 0.4) if self.chunk_count in self.freezes else 0.0


class Link:
    """One connection of a client's, and the one to the broker that goes with it."""

    def __init__(self, fate, random):
        self.fate = fate
        bytes_left = int(10 ** random.uniform(1.0, 3.3)) if random else NEVER  # 10 to 2000: mostly inside a frame
        self.request_bytes_left = bytes_left if fate in ('cut_request', 'late_request') else NEVER
        self.response_bytes_left = bytes_left if fate == 'cut_response' else NEVER
        self.writers = []
        self.client_is_gone = False
        self.is_broken = fate in ('refuse', 'mute')

    def end(self):
        """With a reset where it was broken; else what was written still leaves."""
        for writer in self.writers:
            if self.is_broken:
                reset(writer)
            else:
                writer.close()


def reset(writer):
    """Closes so that the other side is told of a reset, not of an end."""
    with contextlib.suppress(OSError):
        writer.get_extra_info('socket').setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
    writer.transport.abort()


def no_delay(writer):
    with contextlib.suppress(OSError):
        writer.get_extra_info('socket').setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


class Proxy:
    def __init__(self):
        self.faults = None
        self.injected = collections.Counter()
        self.upstreams = {}
        self.links = set()
        self.frozen_until = 0.0
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()

    def _call(self, coroutine, timeout=30):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(timeout)

    # ---- what tests call ---------------------------------------------------------------------------------------------

    def open(self, name):
        """A port before the broker of that name, whose address is told later."""
        return self._call(self._open(name))

    def set_upstream(self, name, address):
        self.upstreams[name] = address

    def begin(self, faults):
        self.faults = faults

    def calm(self):
        """No trouble from here on; connections that were muted or stand still are reset."""
        self.faults = None
        self.loop.call_soon_threadsafe(self._calm)

    def close(self):
        self._call(self._close())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(10)

    # ---- in its thread -----------------------------------------------------------------------------------------------

    async def _open(self, name):
        async def on_client(reader, writer):
            await self._serve(name, reader, writer)
        server = await asyncio.start_server(on_client, '127.0.0.1', 0)
        return server.sockets[0].getsockname()[1]

    async def _close(self):
        for link in list(self.links):
            link.is_broken = True
            link.end()

    def _calm(self):
        self.frozen_until = 0.0
        for link in list(self.links):
            if link.fate == 'mute':
                link.end()

    async def _serve(self, name, reader, writer):
        faults = self.faults
        link = Link(faults.next_fate() if faults else 'healthy', faults.random if faults else None)
        link.writers.append(writer)
        self.links.add(link)
        try:
            if link.fate == 'refuse':
                self.injected['refuse'] += 1
                return
            if link.fate == 'mute':
                self.injected['mute'] += 1
                await asyncio.sleep(faults.random.uniform(0.1, 0.6))
                return
            no_delay(writer)
            upstream_reader, upstream_writer = await asyncio.open_connection(*self.upstreams[name])
            link.writers.append(upstream_writer)
            no_delay(upstream_writer)
            pumps = [asyncio.ensure_future(self._pump_requests(link, reader, upstream_writer)),
                     asyncio.ensure_future(self._pump_responses(link, upstream_reader, writer))]
            _done, pending = await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
            for pump in pending:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)
        except OSError:
            pass  # the broker is down, as seen from outside
        finally:
            link.end()
            self.links.discard(link)

    async def _pump_requests(self, link, reader, writer):
        while data := await reader.read(CHUNK_BYTES):
            await self._trouble()
            left = link.request_bytes_left
            if len(data) < left:
                link.request_bytes_left -= len(data)
                await self._pass_on(writer, data)
                continue
            self.injected[link.fate] += 1
            await self._pass_on(writer, data[:left])
            if link.fate == 'late_request':
                await self._arrive_late(link, reader, writer, data[left:])
            else:
                link.is_broken = True
            return

    async def _arrive_late(self, link, reader, writer, data):
        """The client is told of a reset; what it had sent arrives all the same, when it has tried again perhaps."""
        with contextlib.suppress(asyncio.TimeoutError):
            data += await asyncio.wait_for(reader.read(CHUNK_BYTES), 0.02)
        link.client_is_gone = True
        reset(link.writers[0])
        faults = self.faults
        await asyncio.sleep(faults.random.uniform(0.01, 0.2) if faults else 0.01)
        writer.write(data)
        await writer.drain()

    async def _pump_responses(self, link, reader, writer):
        while data := await reader.read(CHUNK_BYTES):
            await self._trouble()
            if link.client_is_gone:
                continue
            left = link.response_bytes_left
            if len(data) < left:
                link.response_bytes_left -= len(data)
                await self._pass_on(writer, data)
                continue
            self.injected[link.fate] += 1
            link.is_broken = True
            await self._pass_on(writer, data[:left])
            return

    async def _trouble(self):
        """Before a chunk is passed on: everything stands still, or this one waits."""
        faults = self.faults
        if faults is None:
            return
        freeze = faults.freeze_seconds()
        if freeze > 0:
            self.injected['blackhole'] += 1
            self.frozen_until = self.loop.time() + freeze
        while self.loop.time() < self.frozen_until:
            await asyncio.sleep(0.01)
        if faults.random.random() < faults.delay_rate:
            self.injected['delay'] += 1
            await asyncio.sleep(faults.random.uniform(0, faults.delay_max))

    async def _pass_on(self, writer, data):
        faults = self.faults
        if faults is None or len(data) < 2 or faults.random.random() >= faults.split_rate:
            writer.write(data)
            await writer.drain()
            return
        self.injected['split'] += 1
        pieces = faults.random.randint(2, 6)
        for piece in range(pieces):
            writer.write(data[len(data) * piece // pieces:len(data) * (piece + 1) // pieces])
            await writer.drain()
            await asyncio.sleep(0)
