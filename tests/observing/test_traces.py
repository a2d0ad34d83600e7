"""Traces go to a collector that the settings name; without one there is nothing of them."""

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import psutil
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.api.client import client_of
from tests.api.positions import in_play
from tests.observing.reading import wait_for
from tests.servers import QwirkleServer

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = "b7ad6b7169203331"


class Collector:
    """Takes spans over HTTP, as any OTLP collector does."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self.services: set[str] = set()
        take = self._take

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                assert self.path == "/v1/traces"
                take(body)
                self.send_response(200)
                self.send_header("Content-Type", "application/x-protobuf")
                self.end_headers()
                self.wfile.write(ExportTraceServiceResponse().SerializeToString())

            def log_message(self, *_: object) -> None:
                """Quietly."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def _take(self, body: bytes) -> None:
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            for attribute in resource.resource.attributes:
                if attribute.key == "service.name":
                    self.services.add(attribute.value.string_value)
            for scope in resource.scope_spans:
                self.spans += scope.spans

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def collector() -> Iterator[Collector]:
    started = Collector()
    yield started
    started.close()


def attributes(span: Span) -> dict[str, str | int]:
    return {each.key: each.value.string_value or each.value.int_value for each in span.attributes}


def test_a_request_is_a_span_of_its_senders_trace_and_its_trips_are_spans_of_it(
    collector: Collector, start_qwirkle: Callable[..., QwirkleServer]
) -> None:
    settings = {
        "QWIRKLE_OTEL_ENDPOINT": collector.url,
        "OTEL_BSP_SCHEDULE_DELAY": "100",
        "OTEL_EXPORTER_OTLP_COMPRESSION": "none",
    }
    server = start_qwirkle(workers=1, **settings)
    table = in_play(client_of(server))
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
