import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { TraceAttributes, TraceSpan, Tracing } from '../../terms/tracing.ts';

export interface OtlpOptions {
  /** The collector's address for traces, such as `http://127.0.0.1:4318/v1/traces`. */
  readonly url: string;
  /** Of the requests without a trace of their own. */
  readonly percent: number;
  readonly node: string;
}

/** Spans that wait for the collector; further ones are dropped. */
const SPANS_WAITING_MAX = 4_096;
const SPANS_PER_CALL_MAX = 512;
const EVERY_MS = 1_000;
const CALL_MS_MAX = 5_000;
const PARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Sends the spans of one node to a collector, as OTLP over HTTP. A collector that is away costs spans, no request. */
export class OtlpTracing implements Tracing {
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;

  constructor({ url, percent, node }: OtlpOptions) {
    const exporter = new OTLPTraceExporter({ url, timeoutMillis: CALL_MS_MAX });
    const processor = new BatchSpanProcessor({
      exporter,
      maxQueueSize: SPANS_WAITING_MAX,
      maxExportBatchSize: SPANS_PER_CALL_MAX,
      scheduledDelayMillis: EVERY_MS,
      exportTimeoutMillis: CALL_MS_MAX,
    });
    this.#provider = new TracerProvider({
      resource: resourceFromAttributes({ 'service.name': 'troupe', 'service.instance.id': node }),
      sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(percent / 100) }),
      spanProcessors: [processor],
    });
    this.#tracer = this.#provider.getTracer('troupe');
  }

  begin(name: string, traceparent: string | undefined, attributes: TraceAttributes = {}): TraceSpan {
    const parent = contextOf(traceparent);
    return new OtlpSpan(this.#tracer, this.#tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent));
  }

  async close(): Promise<void> {
    // A collector that is away must not keep the node from leaving.
    await this.#provider.shutdown().catch(() => {});
  }
}

class OtlpSpan implements TraceSpan {
  readonly #tracer: Tracer;
  readonly #span: Span;
  #ended = false;

  constructor(tracer: Tracer, span: Span) {
    this.#tracer = tracer;
    this.#span = span;
  }

  get traceparent(): string {
    const { traceId, spanId, traceFlags } = this.#span.spanContext();
    return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  }

  child(name: string, attributes: TraceAttributes = {}): TraceSpan {
    const parent = trace.setSpan(ROOT_CONTEXT, this.#span);
    return new OtlpSpan(this.#tracer, this.#tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, parent));
  }

  set(attributes: TraceAttributes): void {
    this.#span.setAttributes(attributes);
  }

  end(failure?: string): void {
    if (this.#ended) return;
    this.#ended = true;
    if (failure !== undefined) this.#span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
    this.#span.end();
  }
}

/** A header that is not one begins a trace of its own. */
function contextOf(traceparent: string | undefined): Context {
  const [, traceId, spanId, flags] = PARENT.exec(traceparent ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT;
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}
