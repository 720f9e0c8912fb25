/**
 * The two checks of structured answers: a JSON object on request, and one that follows a schema. The schema is our own
 * and fixed; a caller's schema is never compiled. (rule I112)
 */
import { Type } from 'typebox';
import type { Endpoint } from '../../actors/terms/endpoint.ts';
import { checkOf } from '../json/schema-check.ts';
import { failed, incomplete, type Judgement, passed, type QualificationProbe } from './probe.ts';
import type { ProbeAnswer } from './probe-answer.ts';
import { question } from './probe-answer.ts';

/** Names that an answer does not contain by accident. */
const members = { capital_name: Type.String(), letter_count: Type.Integer() };
const closed = { additionalProperties: false } as const;
/**
 * The schema as it is sent, with keywords that every provider of strict schemas supports; `followed` checks answers.
 */
const SENT_SCHEMA = Type.Object(
  { ...members, certainty_level: Type.Unsafe<string>({ type: 'string', enum: ['low', 'high'] }) },
  closed,
);
const followed = checkOf(
  Type.Object({ ...members, certainty_level: Type.Union([Type.Literal('low'), Type.Literal('high')]) }, closed),
);

export function structuredOutputsProbe({ model }: Endpoint): QualificationProbe {
  const json_schema = { name: 'capital', strict: true, schema: SENT_SCHEMA };
  return {
    check: 'structured_outputs',
    turn: question(model, 'What is the capital of Portugal?', {
      responseFormat: { type: 'json_schema', json_schema },
    }),
    judge: (answer) =>
      judged(answer, followed, 'the answer did not follow the requested schema') ??
      passed('the answer followed the requested schema'),
  };
}

export function responseFormatProbe({ model }: Endpoint): QualificationProbe {
  return {
    check: 'response_format',
    turn: question(model, 'What is the capital of Portugal? Answer with a JSON object.', {
      responseFormat: { type: 'json_object' },
    }),
    judge: (answer) =>
      judged(answer, isObject, 'the answer was not a JSON object') ?? passed('the answer was a JSON object'),
  };
}

/** Null if the answer is JSON that suits. */
function judged(answer: ProbeAnswer, suits: (value: unknown) => boolean, detail: string): Judgement | null {
  let value: unknown;
  try {
    value = JSON.parse(answer.text);
  } catch {
    return incomplete(answer) ?? failed(detail);
  }
  return suits(value) ? null : (incomplete(answer) ?? failed(detail));
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
