"""Workers are replaced one and all while requests keep coming."""

import http.client
import os
import signal
import threading
from collections import Counter
from functools import partial
from urllib.parse import urlsplit

import psutil

from tests.proxy import until
from tests.servers import QwirkleServer, is_web_server


def web_workers(server: QwirkleServer) -> set[int]:
    """The processes that are forked from the web server's master."""
    masters = [each for each in psutil.Process(server.pid).children() if is_web_server(each)]
    return {worker.pid for master in masters for worker in master.children()}


def test_no_request_is_cut_off_while_workers_are_replaced() -> None:
    with QwirkleServer(workers=2) as server:
        port = urlsplit(server.base_url).port
        answers: Counter[object] = Counter()
        closes: list[bool] = []
        over = threading.Event()

        def ask(*, keep: bool) -> None:
            line = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            while not over.is_set():
                try:
                    line.request("GET", "/livez")
                    answer = line.getresponse()
                    answer.read()  # closes the connection if the server asks for it
                    answers[answer.status] += 1
                    closes.append(answer.will_close)
                except (OSError, http.client.HTTPException) as error:
                    answers[repr(error)] += 1
                    line.close()
                if not keep:
                    line.close()
            line.close()

        askers = [
            threading.Thread(target=partial(ask, keep=keep), daemon=True)
            for keep in (True, True, True, True, False, False)
        ]
        for asker in askers:
            asker.start()
        try:
            until(lambda: len(web_workers(server)) == 2, 30)
            old = web_workers(server)
            os.kill(server.pid, signal.SIGHUP)
            until(lambda: not web_workers(server) & old, 100)
        finally:
            over.set()
        for asker in askers:
            asker.join(60)

        assert set(answers) == {200}
        assert answers[200] >= len(askers)
        # Each kept connection was told to close by the worker that left.
        assert sum(closes) >= 4


def test_a_second_restart_before_the_first_is_over_leaves_as_many_workers() -> None:
    with QwirkleServer(workers=2) as server:
        old = web_workers(server)
        os.kill(server.pid, signal.SIGHUP)
        until(lambda: len(web_workers(server)) == 3, 60)
        os.kill(server.pid, signal.SIGHUP)
        until(lambda: not web_workers(server) & old and len(web_workers(server)) == 2, 100)
        assert server.get("/livez")[0] == 200
