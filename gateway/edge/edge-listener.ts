import { Listener, type ListenerOptions } from '../http/listener.ts';
import { earlyRefusal } from './early-refusal.ts';
import { contextsOf, type RequestContext } from './request-context.ts';

interface EdgeListenerOptions extends Omit<ListenerOptions<RequestContext>, 'contexts' | 'refusal'> {
  /** Makes a generation id. */
  readonly generation: () => string;
}

/** A listener that gives each request its context and generation id, and refuses in the envelopes of the API. */
export function edgeListener({ generation, ...options }: EdgeListenerOptions): Listener<RequestContext> {
  return new Listener({
    ...options,
    contexts: () => contextsOf(generation),
    refusal: (error, context) => earlyRefusal(error, context?.id ?? generation(), context?.errorEnvelope),
  });
}
