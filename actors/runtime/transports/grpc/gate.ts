import { ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js';
import type { Headers } from '../../ports/transport.ts';

/** Why a call of one method with these headers may not enter; null: it may. */
export type CallJudge = (headers: Headers) => string | null;

/**
 * Judges calls by their headers, before any of their body is read, so that nothing of a stranger's message is ever held:
 * its bytes wait in the windows of HTTP/2, and are dropped once the call is refused (rule E41). Methods without a judge
 * judge for themselves, and read nothing before.
 */
export function gate(judges: ReadonlyMap<string, CallJudge>, trust: (peer: string) => void): ServerInterceptor {
  return ({ path }, call) => {
    const judge = judges.get(path);
    if (judge === undefined) return new ServerInterceptingCall(call);
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata: (metadata, enter) => {
            const details = judge((name) => metadata.get(name)[0]);
            if (details !== null) return call.sendStatus({ code: status.UNAUTHENTICATED, details });
            trust(call.getPeer());
            enter(metadata);
          },
        }),
    });
  };
}
