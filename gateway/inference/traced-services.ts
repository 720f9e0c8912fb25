import type { Cluster } from '../../actors/runtime/index.ts';
import type { TraceSpan } from '../terms/tracing.ts';
import type { InferenceServices } from './services.ts';

/** The services for one traced request: its asks and its calls of providers are parts of `span`. */
export function tracedServices(services: InferenceServices, span: TraceSpan): InferenceServices {
  return { ...services, cluster: tracedCluster(services.cluster, span), span };
}

/** The same cluster; each ask is a span that the owner's node continues. */
function tracedCluster(cluster: Cluster, span: TraceSpan): Cluster {
  const ask: Cluster['ask'] = async (to, event, options) => {
    const asking = span.child(`ask ${event.type}`, { 'troupe.kind': to.slice(0, to.indexOf(':')) });
    try {
      return await cluster.ask(to, event, { ...options, trace: asking.traceparent });
    } catch (thrown) {
      asking.end('unanswered');
      throw thrown;
    } finally {
      asking.end();
    }
  };
  return new Proxy(cluster, {
    get: (target, name) => {
      if (name === 'ask') return ask;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
