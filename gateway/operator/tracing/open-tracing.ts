import type { Tracing, TracingConfig } from '../../terms/tracing.ts';

/** The tracing of a node; null while no collector is configured, and then none of its packages is loaded. */
export async function openTracing({ url, percent }: TracingConfig, node: string): Promise<Tracing | null> {
  if (url === null) return null;
  const { OtlpTracing } = await import('./otlp-tracing.ts');
  return new OtlpTracing({ url, percent, node });
}
