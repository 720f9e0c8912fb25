import type { StrictRefusal } from './strict-provider.ts';

/** The published rules of text completions: the wording of each refusal is the provider's. */

type Members = Readonly<Record<string, unknown>>;

const OPENAI: readonly string[] = [
  'model',
  'prompt',
  'best_of',
  'echo',
  'frequency_penalty',
  'logit_bias',
  'logprobs',
  'max_tokens',
  'n',
  'presence_penalty',
  'seed',
  'stop',
  'stream',
  'stream_options',
  'suffix',
  'temperature',
  'top_p',
  'user',
];
const LOGPROBS_MAX = 5;
const STOPS_MAX = 4;
/** Only this family has text behind the gap. */
const FILLS_GAPS = /instruct/;

/** How OpenAI refuses a text completion; null for one that it answers. */
export function openaiCompletions(body: Members): StrictRefusal | null {
  const strange = Object.keys(body).find((name) => !OPENAI.includes(name));
  if (strange !== undefined) return refusal(`Unrecognized request argument supplied: ${strange}`);
  const { logprobs, stop, suffix, model } = body;
  if (typeof logprobs === 'number' && logprobs > LOGPROBS_MAX) {
    return refusal(`Invalid value for 'logprobs': must be less than or equal to ${LOGPROBS_MAX}.`);
  }
  if (Array.isArray(stop) && stop.length > STOPS_MAX) {
    return refusal(`Invalid 'stop': array too long. Expected an array with maximum length ${STOPS_MAX}.`);
  }
  if (suffix !== undefined && !FILLS_GAPS.test(String(model))) {
    return refusal('This model does not support the suffix parameter.');
  }
  return refusedByVllm(body);
}

/** A server that ignores what it does not know. */
export function refusedByVllm({ prompt, stream, stream_options: options }: Members): StrictRefusal | null {
  if (typeof prompt !== 'string' || prompt === '') return refusal("you must provide a 'prompt' parameter");
  if (options === undefined || stream === true) return null;
  return refusal("The 'stream_options' parameter is only allowed when 'stream' is enabled.");
}

function refusal(message: string): StrictRefusal {
  const error = { message, type: 'invalid_request_error', param: null, code: null };
  return { status: 400, body: JSON.stringify({ error }) };
}
