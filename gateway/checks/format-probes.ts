/**
 * The two checks of structured answers: a JSON object where one is asked, and one that follows a schema. The schema is
 * our own and fixed; a caller's is never compiled. (spec: inference, `structured_outputs`)
 */
import { Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { Endpoint } from '../../actors/terms/endpoint.ts';
import type { Heard } from './heard.ts';
import { failed, incomplete, passed, type QualificationProbe, type Seen } from './probe.ts';
import { question } from './question.ts';

/** Names and values that no answer has by accident. */
const members = { capital_name: Type.String(), letter_count: Type.Integer() };
const closed = { additionalProperties: false } as const;
/** As it is sent, in the words that every provider of strict schemas knows, and as an answer is checked. */
const ASKED = Type.Object(
  { ...members, certainty_level: Type.Unsafe<string>({ type: 'string', enum: ['low', 'high'] }) },
  closed,
);
const followed = TypeCompiler.Compile(
  Type.Object({ ...members, certainty_level: Type.Union([Type.Literal('low'), Type.Literal('high')]) }, closed),
);

export function structuredOutputsProbe({ model }: Endpoint): QualificationProbe {
  const json_schema = { name: 'capital', strict: true, schema: ASKED };
  return {
    check: 'structured_outputs',
    turn: question(model, 'What is the capital of Portugal?', {
      responseFormat: { type: 'json_schema', json_schema },
    }),
    judge: (heard) =>
      judged(heard, (value) => followed.Check(value), 'the answer did not follow the asked schema') ??
      passed('the answer followed the asked schema'),
  };
}

export function responseFormatProbe({ model }: Endpoint): QualificationProbe {
  return {
    check: 'response_format',
    turn: question(model, 'What is the capital of Portugal? Answer with a JSON object.', {
      responseFormat: { type: 'json_object' },
    }),
    judge: (heard) =>
      judged(heard, isObject, 'the answer was no JSON object') ?? passed('the answer was a JSON object'),
  };
}

/** Null where the answer is JSON as it should be. */
function judged(heard: Heard, suits: (value: unknown) => boolean, complaint: string): Seen | null {
  let value: unknown;
  try {
    value = JSON.parse(heard.text);
  } catch {
    return incomplete(heard) ?? failed(complaint);
  }
  return suits(value) ? null : (incomplete(heard) ?? failed(complaint));
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
