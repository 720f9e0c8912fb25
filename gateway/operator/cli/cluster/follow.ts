/** Follows committed steps over the feed of the operator API. Loaded with the commands, and its client late. */
import type { CommittedStep } from '../../../../actors/runtime/index.ts';
import { ConfigError } from '../../config/config-error.ts';
import { tlsTo } from '../frame/cluster-tls.ts';
import type { OperatorApi } from '../frame/operator-api.ts';

/** Messages between two acknowledgements; the node sends no more than 256 without one. */
const ACK_EVERY = 64;

type FeedMessage = { readonly cursor: number } & (
  | ({ readonly type: 'step' } & CommittedStep)
  | { readonly type: 'gap'; readonly dropped: number | null }
  | { readonly type: 'error'; readonly message: string }
);

/**
 * Calls `see` with every step until Ctrl-C. Where the node leaves or ends the feed, goes on at the next one, and says that
 * steps may be missing. @throws ConfigError once no node answers
 */
export async function follow(api: OperatorApi, pattern: string, see: (step: CommittedStep) => void): Promise<void> {
  const { dialSocket } = await import('../../../http/dial-socket.ts');
  const tls = await tlsTo(api.found);
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  for (let lives = 0; !stop.signal.aborted; lives++) {
    const node = await api.node();
    if (lives > 0) process.stderr.write(`troupe: follows ${node.name} now; steps in between are left out\n`);
    const headers = { authorization: `Bearer ${api.found.token}` };
    const socket = dialSocket(`${node.operatorUrl.replace(/^http/, 'ws')}/api/feed`, { headers, tls });
    const heard = receiver(see, (frame) => socket.send(JSON.stringify(frame)));
    const why = await socket.run(stop.signal, () => socket.send(JSON.stringify({ watch: [pattern] })), heard);
    if (why === 'refused') throw new ConfigError(`node ${node.name} refused the feed; see \`troupe logs\``);
    if (why === 'lost') api.leave(node);
  }
}

/** A frame is a list of messages. */
function receiver(see: (step: CommittedStep) => void, send: (frame: object) => void) {
  let acknowledged = 0;
  return (text: string): void => {
    const messages = JSON.parse(text) as readonly FeedMessage[];
    for (const message of messages) {
      if (message.type === 'gap') process.stderr.write(`troupe: ${message.dropped} steps were left out\n`);
      if (message.type !== 'step') continue;
      const { cursor: _1, type: _2, ...step } = message;
      see(step);
    }
    const cursor = messages.at(-1)?.cursor ?? acknowledged;
    if (cursor - acknowledged < ACK_EVERY) return;
    acknowledged = cursor;
    send({ ack: cursor });
  };
}
