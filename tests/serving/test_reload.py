"""Workers are replaced one and all while requests keep coming."""

import http.client
import os
import signal
import threading
from collections import Counter
from urllib.parse import urlsplit

import psutil

from tests.proxy import until
from tests.servers import QwirkleServer, is_web_server


def web_workers(server: QwirkleServer) -> set[int]:
    """The processes that are forked from the web server's master."""
    masters = [each for each in psutil.Process(server.pid).children() if is_web_server(each)]
    return {worker.pid for master in masters for worker in master.children()}


def test_no_request_is_cut_off_while_workers_are_replaced() -> None:
    with QwirkleServer(workers=3) as server:
        port = urlsplit(server.base_url).port
        answers: Counter[object] = Counter()
        over = threading.Event()

        def ask() -> None:
            while not over.is_set():
                line = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
                try:
                    line.request("GET", "/livez")
                    answers[line.getresponse().status] += 1
                except OSError as error:
                    answers[repr(error)] += 1
                finally:
                    line.close()

        askers = [threading.Thread(target=ask, daemon=True) for _ in range(6)]
        for asker in askers:
            asker.start()
        try:
            for _ in range(2):
                until(lambda: len(web_workers(server)) == 3, 30)
                old = web_workers(server)
                os.kill(server.pid, signal.SIGHUP)
                until(lambda old=old: not web_workers(server) & old, 60)
        finally:
            over.set()
        for asker in askers:
            asker.join(60)

        assert set(answers) == {200}
        assert answers[200] >= len(askers)
