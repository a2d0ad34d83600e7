"""Traces go to a collector that the settings name, whatever else is switched off."""

import psutil
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.api.client import client_of
from tests.api.positions import in_play
from tests.observing.collector import Collector
from tests.observing.reading import lines, wait_for
from tests.servers import QwirkleServer

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = "b7ad6b7169203331"


def attributes(span: Span) -> dict[str, str | int]:
    return {each.key: each.value.string_value or each.value.int_value for each in span.attributes}


def test_a_request_is_a_span_of_its_senders_trace_and_its_trips_are_spans_of_it(
    collector: Collector, quiet: QwirkleServer
) -> None:
    table = in_play(client_of(quiet))
    sender = {"traceparent": f"00-{TRACE}-{PARENT}-01", "X-Request-ID": "traced"}
    table.play(0, "rd@2,0", headers=sender).ok(201)

    def ours() -> list[Span]:
        return [span for span in list(collector.spans) if span.trace_id.hex() == TRACE]

    wait_for(lambda: len(ours()) == 3)
    [request] = [span for span in ours() if span.kind == Span.SPAN_KIND_SERVER]
    trips = [span for span in ours() if span.kind == Span.SPAN_KIND_CLIENT]
    assert request.name == "POST /v1/games/{game_id}/plays"
    assert request.parent_span_id.hex() == PARENT
    told = attributes(request)
    assert (told["http.response.status_code"], told["qwirkle.game"]) == (201, table.id)
    assert told["qwirkle.request_id"] == "traced"
    assert {trip.parent_span_id for trip in trips} == {request.span_id}
    for trip in trips:
        assert request.start_time_unix_nano <= trip.start_time_unix_nano
        assert trip.end_time_unix_nano <= request.end_time_unix_nano
    assert "commit" in {attributes(trip)["db.operation.name"] for trip in trips}
    assert collector.services == {"qwirkle"}


def test_without_a_collector_nothing_of_it_is_loaded(server: QwirkleServer) -> None:
    maps = [
        mapped.path
        for process in psutil.Process(server.pid).children(recursive=True)
        for mapped in process.memory_maps()
    ]
    assert any("orjson" in path for path in maps)
    assert not [path for path in maps if "google/_upb" in path]


def test_numbers_and_lines_can_be_switched_off(quiet: QwirkleServer) -> None:
    client = client_of(quiet)
    client.get("/metrics").refused(404, "not_found")
    client.get("/v1/editions").ok(200)
    assert quiet.stop() == 0  # so that nothing is still to be written
    assert [line["message"] for line in lines(quiet.output)] == [quiet.announcement.strip()]
