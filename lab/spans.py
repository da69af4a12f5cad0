"""What the spans of a call with a search cost: `python -m lab.spans` prints microseconds of processor time."""

import time

from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

from clerestory import spans
from clerestory.server.tracing import Traces

CALLS, ROUNDS = 1000, 7


class Encoder(SpanExporter):  # type: ignore[misc, unused-ignore]
    """Makes of spans what would be sent."""

    def export(self, batch: object) -> SpanExportResult:
        """Encode spans."""
        encode_spans(batch).SerializeToString()  # type: ignore[arg-type, unused-ignore]
        return SpanExportResult.SUCCESS


def call() -> None:
    """Tell what a call with a search tells."""
    with spans.call("AdvisorService/RecommendMove", "") as span:
        with spans.part("place"):
            pass
        with spans.part("admission") as admission:
            admission.note(priority="MOVE", threads=1, seconds=0.1)
        search = spans.part("search")
        search.note(iterations=10_000, depth=20)
        search.note(stop_reason="time", waited=0.001)
        search.end()
        span.note(code="OK", reason="", via="grpc")


def cost(provider: TracerProvider | None) -> float:
    """Return the microseconds of processor time of one call, in the best of ROUNDS."""
    found = []
    for _ in range(ROUNDS):
        began = time.process_time()
        for _ in range(CALLS):
            call()
        if provider is not None:
            provider.force_flush()
        found.append(1e6 * (time.process_time() - began) / CALLS)
    return min(found)


def main() -> None:
    """Measure calls that nobody traces, and calls that somebody does."""
    print(f"off {cost(None):.1f}")
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(Encoder(), max_queue_size=10 * CALLS))
    spans.NOW.set(Traces(provider))
    print(f"on  {cost(provider):.1f}")


if __name__ == "__main__":
    main()
