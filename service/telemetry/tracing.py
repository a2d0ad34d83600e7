"""OpenTelemetry traces: a span for each request and each of its round trips to the store.

Imported only if traces are enabled. The usual `OTEL_*` variables configure the exporter.
"""

from collections.abc import Mapping
from importlib.metadata import version
from time import time_ns
from typing import Final

from opentelemetry import trace
from opentelemetry.context import Context, attach, detach
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import (
    SERVICE_NAME,
    SERVICE_VERSION,
    OTELResourceDetector,
    Resource,
)
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from service.telemetry.redis_timing import on_round_trip

NAME: Final = "qwirkle"
_FAILURE: Final = 500


class RequestSpan:
    """The span of one request, from `Tracing.begin` to `end`; round trips are its children."""

    __slots__ = ("_span", "_token")

    def __init__(self, span: trace.Span) -> None:
        self._span = span
        self._token = attach(trace.set_span_in_context(span))

    def end(self, name: str, status: int, attributes: Mapping[str, str | int | None]) -> None:
        """Name the span and end it."""
        self._span.update_name(name)
        known = {key: value for key, value in attributes.items() if value is not None}
        self._span.set_attributes({**known, "http.response.status_code": status})
        if status >= _FAILURE:
            self._span.set_status(Status(StatusCode.ERROR))
        self._span.end()
        detach(self._token)


class Tracing:
    """Makes spans, which are exported in the background."""

    def __init__(self, endpoint: str | None) -> None:
        """``endpoint`` is the base URL of a collector; None leaves it to `OTEL_*`."""
        url = f"{endpoint.rstrip('/')}/v1/traces" if endpoint else None
        release = version("qwirkle-service")
        own = Resource.create({SERVICE_NAME: NAME, SERVICE_VERSION: release})
        # Merged last: what `OTEL_*` says of the service counts more.
        provider = TracerProvider(resource=own.merge(OTELResourceDetector().detect()))
        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=url)))
        self._tracer = provider.get_tracer(NAME, release)
        self._propagator = TraceContextTextMapPropagator()
        on_round_trip(self._record_round_trip)

    def begin(self, method: str, traceparent: str | None, tracestate: str | None) -> RequestSpan:
        """Start the span of a request, in its client's trace if it has one."""
        carrier = {"traceparent": traceparent or "", "tracestate": tracestate or ""}
        context: Context = self._propagator.extract(carrier, Context())
        return RequestSpan(self._tracer.start_span(method, context, SpanKind.SERVER))

    def _record_round_trip(self, operation: str, seconds: float) -> None:
        if not trace.get_current_span().is_recording():
            return  # not part of a request, or of one that is not sampled
        now = time_ns()
        attributes = {"db.system.name": "redis", "db.operation.name": operation}
        span = self._tracer.start_span(
            f"store {operation}",
            kind=SpanKind.CLIENT,
            attributes=attributes,
            start_time=now - int(seconds * 1e9),
        )
        span.end(now)
