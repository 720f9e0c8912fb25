import type { Endpoint } from '../../actors/terms/endpoint.ts';
import { failed, incomplete, type Judgement, passed, type QualificationProbe } from './probe.ts';
import type { ProbeAnswer } from './probe-answer.ts';
import { question } from './question.ts';

const TEXT =
  'The left half of this picture has one colour, the right half another. Which two colours are these, left one first? ' +
  'Answer with two of the words red, green, blue and yellow.';
/** A PNG of 64 by 64 pixels, blue on the left and yellow on the right. */
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAT0lEQVR42u3PMQ0AMBADseNPOoXQ6TdLJuBqp7ZOJSAg' +
  'ICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICDw8wBm4Olat0NTZwAAAABJRU5ErkJggg==';
const COLOURS = /\b(red|green|blue|yellow)\b/gi;

/** Checks that the endpoint sees a picture sent inline, rather than ignoring it. (spec: catalogue, `input_modalities`) */
export function imageProbe({ model }: Endpoint): QualificationProbe {
  const picture = { type: 'image', source: { kind: 'data', mediaType: 'image/png', base64: PICTURE } } as const;
  return {
    check: 'input:image',
    turn: question(model, TEXT, {
      messages: [{ role: 'user', text: TEXT, parts: [{ type: 'text', text: TEXT }, picture] }],
    }),
    control: question(model, TEXT),
    judge,
  };
}

function judge(answer: ProbeAnswer): Judgement {
  const named = (answer.text.match(COLOURS) ?? []).map((colour) => colour.toLowerCase());
  if (named.at(-2) === 'blue' && named.at(-1) === 'yellow') return passed('it named the colours of a picture');
  return incomplete(answer) ?? failed('it did not name the colours of a picture');
}
