import { Type } from 'typebox';
import { API_TYPES } from '../../../actors/terms/hold.ts';
import { described, listOf, oneOf, orNull } from '../../dialects/request/members.ts';
import { callerOf, type RequestContext } from '../../edge/request-context.ts';
import type { Route } from '../../edge/route.ts';
import { jsonAnswer, type RouteAnswer } from '../../http/write-answer.ts';
import { renderExact } from '../../json/exact-json.ts';
import { renderGeneration } from '../../management/generation-record.ts';
import { requireGeneration } from '../../management/generations.ts';
import type { ManagementServices } from '../../management/services.ts';
import { invalid } from '../../terms/gateway-error.ts';
import type { Operations } from '../wire/operation.ts';

const text = Type.String();
const flag = Type.Boolean();
const usd = Type.Number({ description: 'USD, exact digits.' });
const whole = Type.Integer();
const instant = Type.String({ format: 'date-time' });
const open = { additionalProperties: true };

const generationSchema = Type.Object(
  {
    data: Type.Object(
      {
        id: described(text, 'Id of the generation, as `X-Generation-Id` named it.'),
        model: described(text, 'Id of the model that served, or that was asked for.'),
        status: described(text, 'running, then settled with a charge or released without one.'),
        created_at: described(instant, 'When the hold was written.'),
        settled_at: orNull(instant, 'When the charge was recorded; null until then.'),
        ended_at: orNull(instant, 'When the last attempt ended; null until then.'),
        origin: described(text, 'Address of the application, from its header; empty without one.'),
        usage: described(usd, 'Charge of the generation, USD.'),
        total_cost: described(usd, 'Equal to `usage`.'),
        hold_cost: orNull(usd, 'What was held before the first attempt, USD; null where nothing was.'),
        overshoot_cost: orNull(usd, 'What was charged beyond the hold, USD; null for nothing.'),
        unpriced: Type.Array(text, { description: 'Consumed units without a declared price, which were not charged.' }),
        streamed: described(flag, 'Whether the answer was sent as server-sent events.'),
        cancelled: orNull(flag, 'Whether the client left before the end; null until it ended.'),
        estimated: orNull(
          flag,
          'Whether this service counted tokens because the provider did not; null until it ended.',
        ),
        latency: orNull(Type.Number(), 'Milliseconds to the first part of the answer; null without one.'),
        generation_time: orNull(Type.Number(), 'Milliseconds from the request to its end; null until then.'),
        finish_reason: orNull(text, 'Why the answer ended, in the words of chat; null without an answer.'),
        native_finish_reason: orNull(
          text,
          "Why the answer ended, in the provider's own word; null where it gave none.",
        ),
        tokens_prompt: orNull(whole, 'Prompt tokens that were charged; null until they are known.'),
        tokens_completion: orNull(whole, 'Completion tokens that were charged; null until they are known.'),
        refused_prompt_tokens: orNull(
          whole,
          'The prompt tokens that the provider reported, where they were implausible and our own count is charged; null otherwise.',
        ),
        cut_prompt_tokens: orNull(
          whole,
          'The prompt by our own count, where the provider reported so few tokens that it cannot have read all of it; null otherwise.',
        ),
        provider_name: described(text, 'Name of the serving company, for people.'),
        upstream_id: orNull(text, 'Id that the provider gave its answer; null where it gave none.'),
        session_id: orNull(text, 'Conversation that the request named; null for none.'),
        http_referer: orNull(text, 'The header HTTP-Referer; null without it.'),
        app_title: orNull(text, 'The header X-Title; null without it.'),
        workspace_id: described(text, 'Id of the workspace of the key that asked.'),
        api_type: described(
          oneOf('completions', ...API_TYPES),
          'What the request was answered with; completions for words.',
        ),
        endpoint_id: described(text, 'Which endpoint answered the request.'),
        tariff_id: described(text, 'Id of the prices by which it was charged.'),
        attempt: described(whole, 'Number of the last hold: 1, 2 and so on in the first run, from 1001 in the second.'),
        late: described(flag, 'Whether the charge was recorded after the hold had ended.'),
        unread_members: Type.Array(text, {
          description: 'Members of the request body that nothing reads, at most 16.',
        }),
        media: orNull(
          Type.Object(
            {
              images: orNull(whole, 'Pictures that were generated.'),
              megapixels: orNull(Type.Number(), 'Megapixels of those pictures.'),
              audio_seconds: orNull(Type.Number(), 'Seconds of speech that were generated.'),
              input_images: orNull(whole, 'Pictures of the prompt.'),
              video_seconds: Type.Optional(Type.Number({ description: 'Seconds of the clips, as measured.' })),
            },
            open,
          ),
          'Consumed units other than tokens; null for none.',
        ),
        provider_responses: Type.Array(
          Type.Object(
            {
              endpoint_id: described(text, 'Id of the endpoint that was called.'),
              provider_name: described(text, 'Name of the serving company, for people.'),
              outcome: described(text, 'How the attempt ended.'),
            },
            open,
          ),
          { description: 'One entry for each attempt, in order.' },
        ),
        holds: listOf('One entry for each hold, in order.', {
          attempt: described(whole, 'Number of the hold: 1, 2 and so on in the first run, from 1001 in the second.'),
          endpoint_id: described(text, 'Id of the endpoint for whose price it was held.'),
          amount: orNull(usd, 'What was held, USD; null where no bound was known.'),
        }),
        timings: Type.Object(
          {
            admitted: orNull(Type.Number(), 'Milliseconds until the money was held.'),
            total: orNull(Type.Number(), 'Milliseconds until the end; null before it.'),
          },
          { ...open, description: 'Milliseconds from the request to its stages.' },
        ),
      },
      { ...open, description: 'The whole record: route, attempts, holds and charge.' },
    ),
  },
  open,
);

/** What the document says of the routes. */
export const GENERATION_OPERATIONS: Operations = {
  'GET /generation': {
    key: 'inference',
    summary: 'One generation of this account',
    description: 'From the moment its hold is written: route, attempts, holds, tokens and charge.',
    answers: 'The record of the generation.',
    query: { id: Type.String({ description: 'Id of the generation, as `X-Generation-Id` named it.' }) },
    required: ['id'],
    reply: { Generation: generationSchema },
  },
};

/**
 * `GET /generation?id=`: one generation of the caller's account, from the moment its hold is written. Unknown ids and
 * ids of other accounts give the same 404. (rule I141)
 */
export function generationRoute(services: ManagementServices): Route {
  return {
    method: 'GET',
    path: '/generation',
    policy: 'key',
    answer: (context) => showGeneration(context, services),
  };
}

async function showGeneration(context: RequestContext, services: ManagementServices): Promise<RouteAnswer> {
  const [id = '', ...others] = new URLSearchParams(context.query).getAll('id');
  if (id === '' || others.length > 0) throw invalid('The query parameter id must be given exactly once');
  const { generation } = await requireGeneration(services, callerOf(context).account, id);
  return jsonAnswer(renderExact({ data: renderGeneration(id, generation) }));
}
