/** Traces, as OTLP over HTTP. */
export interface TracingConfig {
  /** The collector's address for traces, such as `http://127.0.0.1:4318/v1/traces`; null: no traces. */
  readonly url: string | null;
  /** How many of a hundred requests begin a trace; one that comes with a sampled `traceparent` is always traced. */
  readonly percent: number;
}

/** Texts, numbers and switches that a span carries: our own words and names of the catalogue, never what a client wrote. */
export type TraceAttributes = Readonly<Record<string, string | number | boolean | string[]>>;

/** One part of the work on a request. */
export interface TraceSpan {
  /** The W3C header that makes what is done elsewhere a part of this span. */
  readonly traceparent: string;
  child(name: string, attributes?: TraceAttributes): TraceSpan;
  set(attributes: TraceAttributes): void;
  /** `failure` in our own words, if the work failed. No effect the second time. */
  end(failure?: string): void;
}

/** The traces of one node. */
export interface Tracing {
  /** A span under the span that a `traceparent` header names, or a trace of its own. */
  begin(name: string, traceparent: string | undefined, attributes?: TraceAttributes): TraceSpan;
  /** Sends what is left, within a bound. */
  close(): Promise<void>;
}
