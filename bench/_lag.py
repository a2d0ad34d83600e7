"""A link to another machine: what is sent arrives some milliseconds later, or never."""

import asyncio
import multiprocessing
import socket
from typing import Self

CHUNK = 1 << 16


class SlowLink:
    """Listens on `port` and speaks for the server at `upstream`, late by `seconds` each way.

    It is a process of its own, so that nobody's work delays it. `cut` loses all that is still
    on its way, as the end of a machine does.
    """

    def __init__(self, upstream: int, seconds: float) -> None:
        listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = listener.getsockname()[1]
        context = multiprocessing.get_context("fork")
        self._process = context.Process(
            target=lambda: asyncio.run(_serve(listener, upstream, seconds)), daemon=True
        )
        self._process.start()
        listener.close()

    def cut(self) -> None:
        self._process.kill()
        self._process.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.cut()


async def _serve(listener: socket.socket, upstream: int, seconds: float) -> None:
    async def welcome(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from_store, to_store = await asyncio.open_connection("127.0.0.1", upstream)
        # A small message must not wait for the receipt of the one before.
        end = writer.get_extra_info("socket")
        end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await asyncio.gather(_carry(reader, to_store, seconds), _carry(from_store, writer, seconds))

    server = await asyncio.start_server(welcome, sock=listener)
    await server.serve_forever()


async def _carry(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, seconds: float
) -> None:
    loop = asyncio.get_running_loop()
    while data := await reader.read(CHUNK):
        loop.call_later(seconds, writer.write, data)
    loop.call_later(seconds, writer.close)
