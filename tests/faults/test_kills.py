"""Whoever is killed, and whenever: what was acknowledged is there, once, and the rest can be sent
again under the same key.
"""

import os
import signal
from collections.abc import Callable, Sequence
from time import sleep

import psutil
import pytest

from service.server.managed_process import DEATHS_WITHIN, MAX_DEATHS
from service.store.redis_store import COMMIT
from tests.api.client import Answer, Client
from tests.api.positions import in_play
from tests.faults.acknowledged_actions import Acknowledged, Ledger
from tests.faults.checker import check
from tests.faults.conftest import Far
from tests.faults.load import Load
from tests.live.streams import meanwhile, store_of, workers_of
from tests.proxy import Fault, until
from tests.servers import QwirkleServer

Death = Callable[[QwirkleServer], None]

TIMES_IN_SOAK = 20
MOMENTS = {
    # The worker dies, and so does what it was about to say.
    "before the commit": Fault.SWALLOW,
    # The worker dies while its words are on their way; the store hears them all the same.
    "during the commit": Fault.HOLD,
    # The store has written; the worker dies before it hears of it.
    "after the commit": Fault.HOLD_ANSWER,
}


def kill(victims: list[psutil.Process]) -> None:
    for victim in victims:
        victim.kill()
    _, alive = psutil.wait_procs(victims, timeout=30)
    assert not alive


def kill_workers(server: QwirkleServer) -> None:
    """Kill every process that answers requests, once there are two."""
    until(lambda: len(workers_of(server)) >= 2, 60)
    kill(workers_of(server))


def die_at(far: Far, moments: Sequence[Fault]) -> None:
    """Deaths at these moments of a commit, under load."""
    ledger = Ledger()
    with Load(far.address, clients=1, seed=1, ledger=ledger) as load:
        for moment in moments:
            load.carry_on(1)
            play_through_a_death(far, moment, ledger)
        load.carry_on(2)
    assert check(far.store.url, ledger) >= 3 * len(moments)


def test_a_worker_killed_before_during_and_after_a_commit(far: Far) -> None:
    die_at(far, list(MOMENTS.values()))


@pytest.mark.soak
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_worker_killed_at_a_commit_many_times(far: Far, moment: str) -> None:
    die_at(far, [MOMENTS[moment]] * TIMES_IN_SOAK)


def play_through_a_death(far: Far, fault: Fault, ledger: Ledger) -> None:
    """A play whose worker is killed at the moment chosen; the client sends it until it is told."""
    table = in_play(Client(far.address(), 60))
    ledger.acknowledge(Acknowledged(table.id, 1, None, "created", None, Answer(201, {}, b"{}")))
    # A worker that is new to the store sends the script's text first: this one is known.
    where = (COMMIT.digest, f"qw:{{{table.id}}}:s")
    trouble = far.proxy.trouble("EVALSHA", fault, where=where)

    def play() -> Answer:
        while True:
            try:
                answer = table.play(0, "rd@2,0", key="the-play-of-the-dead")
            except OSError:
                continue
            if answer.status != 503:
                return answer.ok(201)

    with meanwhile(play) as (told,):
        assert trouble.struck.wait(30)
        kill_workers(far.server)
        trouble.release()
        answer = told.result(60)
    # Only a worker that died before its words were heard leaves the action to the next one.
    assert answer.replayed == (fault is not Fault.SWALLOW)
    body = {"placements": [{"tile": "red-diamond", "x": 2, "y": 0}]}
    ledger.acknowledge(Acknowledged(table.id, 2, 0, "played", body, answer))
    again = table.play(0, "rd@2,0", key="the-play-of-the-dead").ok(201)
    assert (again.replayed, again.body) == (True, answer.body)


def worker(server: QwirkleServer) -> None:
    kill(workers_of(server)[:1])


def web_server(server: QwirkleServer) -> None:
    """Kills gunicorn's master; its workers end with it."""
    kill([psutil.Process(workers_of(server)[0].ppid())])


def store(server: QwirkleServer) -> None:
    kill([store_of(server)])


def stop_and_start(server: QwirkleServer) -> None:
    assert server.stop() == 0
    server.start()


def everything(server: QwirkleServer) -> None:
    """Kills the whole group at one stroke, then starts again."""
    everyone = psutil.Process(server.pid).children(recursive=True)
    os.killpg(server.pid, signal.SIGKILL)
    server.process.wait(30)
    _, alive = psutil.wait_procs(everyone, timeout=30)
    assert not alive
    server.start()


DEATHS = (worker, web_server, store, stop_and_start, everything)


def die_by(server: QwirkleServer, deaths: Sequence[Death], pause: float = 0.0) -> None:
    """One death after the other under load; whoever was cut off is told in the end."""
    with Load(lambda: server.base_url, clients=2, seed=2) as load:
        for death in deaths:
            load.carry_on(6)
            until(lambda: len(workers_of(server)) == 2, 60)
            death(server)
            sleep(pause)
        load.carry_on(6)
    ledger = load.ledger
    assert not ledger.unanswered
    assert ledger.replays
    assert check(server.redis_url, ledger) == len(ledger.entries)
    assert "Traceback" not in server.errors


def test_deaths_of_every_kind_under_load(whole: QwirkleServer) -> None:
    die_by(whole, DEATHS)


@pytest.mark.soak
@pytest.mark.parametrize("death", DEATHS, ids=lambda death: death.__name__)
def test_a_death_under_load_many_times(whole: QwirkleServer, death: Death) -> None:
    # The supervisor rightly gives up on what dies five times in ten seconds.
    die_by(whole, [death] * TIMES_IN_SOAK, DEATHS_WITHIN / (MAX_DEATHS - 1))
