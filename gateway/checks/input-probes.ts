import type { Endpoint, Modality } from '../../actors/terms/endpoint.ts';
import { failed, incomplete, inconclusive, type Judgement, passed, type QualificationProbe } from './probe.ts';
import type { ProbeAnswer } from './probe-answer.ts';
import { question } from './probe-answer.ts';
import { BEEPS, CODE_WORD, clip, DOCUMENT, PICTURE, recording } from './probe-media.ts';

export type Medium = Exclude<Modality, 'text'>;

/** A file that only an endpoint which reads it can tell about. */
interface InputTest {
  readonly mediaType: string;
  readonly base64: () => string;
  readonly filename?: string;
  readonly text: string;
  readonly judge: (answer: ProbeAnswer) => Judgement;
}

const COLOURS = /\b(red|green|blue|yellow)\b/gi;
const colourTest = (seen: string): Pick<InputTest, 'text' | 'judge'> => ({
  text:
    `The left half of this ${seen} has one colour, the right half another. Which two colours are these, left one first? ` +
    'Answer with two of the words red, green, blue and yellow.',
  judge: (answer) => {
    const named = (answer.text.match(COLOURS) ?? []).map((colour) => colour.toLowerCase());
    if (named.at(-2) === 'blue' && named.at(-1) === 'yellow') return passed(`it named the colours of a ${seen}`);
    return incomplete(answer) ?? failed(`it did not name the colours of a ${seen}`);
  },
});

const CODE = {
  text: 'Which code word does the document state? Answer with the code word and its number alone.',
  judge: (answer: ProbeAnswer): Judgement => {
    const words = answer.text.toUpperCase().split(/[^A-Z0-9]+/);
    if (CODE_WORD.split(' ').every((word) => words.includes(word))) return passed('it read a document');
    return incomplete(answer) ?? failed('it did not read a document');
  },
};
const SENTENCE = Buffer.from(`The code word is ${CODE_WORD}.\n`).toString('base64');

/** By modality, the preferred media type first. */
const TESTS: Readonly<Record<Medium, readonly InputTest[]>> = {
  image: [{ mediaType: 'image/png', base64: () => PICTURE, ...colourTest('picture') }],
  video: [{ mediaType: 'video/mp4', base64: clip, ...colourTest('video') }],
  audio: [
    {
      mediaType: 'audio/wav',
      base64: recording,
      text: 'How many beeps does this recording have? Answer with one number.',
      judge: judgeBeeps,
    },
  ],
  file: [
    { mediaType: 'application/pdf', base64: () => DOCUMENT, filename: 'note.pdf', ...CODE },
    { mediaType: 'text/plain', base64: () => SENTENCE, filename: 'note.txt', ...CODE },
  ],
};

const NUMBERS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'] as const;

/** A wrong count shows that something was heard: only an answer without any sound fails. */
function judgeBeeps(answer: ProbeAnswer): Judgement {
  const words = answer.text.toLowerCase().split(/\s+/);
  const bare = words.map((word) => word.replace(/^[^a-z\d]+|[^a-z\d]+$/g, ''));
  const counts = bare.map((word) => (/^\d{1,4}$/.test(word) ? Number(word) : NUMBERS.indexOf(word as 'zero')));
  const count = counts.filter((each) => each >= 0).at(-1) ?? 0;
  if (count === BEEPS) return passed('it counted the beeps of a recording');
  if (count > 0) return inconclusive('it counted other beeps than a recording has');
  return incomplete(answer) ?? failed('it heard no beep of a recording');
}

/** The media whose inline bytes the endpoint declares to accept in a form that a check has. */
export function checkedMedia(endpoint: Endpoint): readonly Medium[] {
  return (Object.keys(TESTS) as Medium[]).filter((medium) => testOf(endpoint, medium) !== undefined);
}

/**
 * Checks that the endpoint reads a file sent inline, rather than ignoring it. `medium` is one of `checkedMedia`.
 * (rule C44)
 */
export function inputProbe(endpoint: Endpoint, medium: Medium): QualificationProbe {
  const [preferred] = TESTS[medium] as readonly [InputTest];
  const { mediaType, base64, filename, text, judge } = testOf(endpoint, medium) ?? preferred;
  const part = {
    type: medium,
    source: { kind: 'data', mediaType, base64: base64() },
    ...(filename === undefined ? {} : { filename }),
  } as const;
  return {
    check: `input:${medium}`,
    turn: question(endpoint.model, text, {
      messages: [{ role: 'user', text, parts: [{ type: 'text', text }, part] }],
    }),
    control: question(endpoint.model, text),
    judge,
  };
}

function testOf({ inputModalities, inputs }: Endpoint, medium: Medium): InputTest | undefined {
  const accepted = inputs[medium];
  if (!inputModalities.includes(medium) || !accepted?.sources.includes('data')) return undefined;
  const { containers } = accepted;
  return TESTS[medium].find(({ mediaType }) => containers === null || containers.includes(mediaType));
}
