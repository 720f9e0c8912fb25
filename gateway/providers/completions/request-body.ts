import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import type { Turn } from '../../terms/turn.ts';
import { rulesOf } from '../../terms/turn-kind.ts';
import type { TextWriter } from '../adapter.ts';
import { UNSUPPORTED } from '../alternating.ts';
import { isExcluded } from '../left-out.ts';
import { ownOptions } from '../own-options.ts';
import { ProviderFailure } from '../provider-failure.ts';
import { shaper } from '../shaper.ts';

/** Members that no passthrough parameter may change: they decide what is sold, the hold and how the answer is read. */
const OURS: ReadonlySet<string> = new Set([
  'model',
  'prompt',
  'stream',
  'stream_options',
  'max_tokens',
  'n',
  'best_of',
  'echo',
]);

/**
 * A text to continue as the body of a text completion request, with what the endpoint declares. The gateway repeats the
 * prompt itself where that is asked for. Throws `ProviderFailure` for a conversation. (rule I110)
 */
export function completionsWriter(endpoint: Endpoint): TextWriter {
  const { wire = {} } = endpoint.target;
  const asksUsage = !wire.omit?.includes('stream_options');
  const shape = shaper(wire);
  return (turn, ceiling) => {
    const body: Record<string, unknown> = {
      model: endpoint.target.upstreamId,
      prompt: promptOf(turn),
      stream: turn.stream,
    };
    if (wire.ceiling !== 'asked' || turn.completionTokensMax !== undefined) body.max_tokens = ceiling;
    if (turn.stream && asksUsage) body.stream_options = { include_usage: true };
    addSampling(turn, endpoint, body);
    if (turn.user !== undefined) body.user = turn.user;
    shape?.(body);
    const { options } = turn.preferences;
    return JSON.stringify(options === undefined ? body : { ...body, ...ownOptions(options, endpoint, OURS) });
  };
}

function promptOf(turn: Turn): string {
  const [message] = turn.messages;
  if (rulesOf(turn).continuesText && message?.role === 'user') return message.text;
  throw new ProviderFailure('rejected', 'the wire has no form for a conversation', null, UNSUPPORTED);
}

/** The scores of tokens are one member here: the number of alternatives. */
function addSampling(turn: Turn, endpoint: Endpoint, body: Record<string, unknown>): void {
  for (const name of endpoint.supportedParameters) {
    const value = turn.sampling[name] ?? endpoint.defaultParameters[name];
    if (value === undefined || name === 'top_logprobs' || isExcluded(name, turn, endpoint)) continue;
    if (name !== 'logprobs') body[name] = value;
    else if (value === true) body.logprobs = turn.sampling.top_logprobs ?? 0;
  }
}

/** What the body of a turn leaves out, for `honoured`. */
export function leftOut(turn: Turn, endpoint: Endpoint): readonly string[] {
  const names = Object.keys(turn.sampling).filter((name) => isExcluded(name, turn, endpoint));
  if (turn.user !== undefined && endpoint.target.wire?.omit?.includes('user')) names.push('user');
  return names;
}
