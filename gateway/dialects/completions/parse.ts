import type { Turn } from '../../terms/turn.ts';
import { forwardedParameters } from '../request/parameter-members.ts';
import { parseModels } from '../request/parse-models.ts';
import { parsePreferences } from '../request/parse-preferences.ts';
import { conversationOf, requestCheck, requestedSettings } from '../request/read-members.ts';
import { type CompletionRequest, completionRequest } from './request-schema.ts';

const checked = requestCheck(completionRequest);

const FORWARDED = forwardedParameters('completions');

/** A parsed text completion request: the turn, and what its rendering needs in addition. */
interface ParsedCompletion {
  readonly turn: Turn;
  /** Text before the answer in the first `choices[].text`: the prompt if `echo` is set. */
  readonly echo: string | null;
}

/**
 * Parses a text completion request into a turn of one user message, by the rules of the chat dialect. `sessionHeader`
 * is `X-Session-Id`. `logprobs` is the number of alternatives here; chat has two members for it. Throws a 400 that
 * names the member and its bound. (rule I62, rule I125)
 */
export function parse(body: unknown, sessionHeader: string | null = null): ParsedCompletion {
  const request = checked(body);
  const conversation = conversationOf([], sessionHeader);
  const turn: Turn = {
    kind: 'continuation',
    models: parseModels(request),
    messages: [{ role: 'user', text: request.prompt }],
    stream: request.stream ?? false,
    sampling: samplingOf(request),
    preferences: parsePreferences(request),
    ...(request.max_tokens == null ? {} : { completionTokensMax: request.max_tokens }),
    ...(request.user == null ? {} : { user: request.user }),
    ...(conversation === null ? {} : { conversation }),
  };
  return { turn, echo: request.echo === true ? request.prompt : null };
}

function samplingOf(request: CompletionRequest): Readonly<Record<string, unknown>> {
  const sampling = requestedSettings(request, FORWARDED);
  if (request.logprobs != null) sampling.logprobs = true;
  if (request.logprobs) sampling.top_logprobs = request.logprobs;
  return sampling;
}
