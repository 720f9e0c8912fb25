import { parse } from '../../../../gateway/dialects/chat/parse.ts';
import type { Turn } from '../../../../gateway/terms/turn.ts';

/** Building blocks of the rows of the request table. */
export const BASE = { model: 'a/b', messages: [{ role: 'user', content: 'hello' }] };
export const PLAIN = parse(BASE);
export const TOOL = { type: 'function', function: { name: 'add' } };
export const tools = [{ name: 'add' }];
export const tooled = { tools: [TOOL] };

/** The members that a value adds to the plain turn, and further members that the body needs. */
export type Accepted = readonly [value: unknown, adds: Partial<Turn>, beside?: object];
type Refused = readonly [value: unknown, message: string];

export interface Row {
  readonly accepts: readonly Accepted[];
  readonly refuses: readonly Refused[];
  /** Required: null is refused. */
  readonly required?: true;
}

export const NOTHING: Partial<Turn> = {};
export const sampled = (name: string, ...values: unknown[]): Accepted[] =>
  values.map((value) => [value, { sampling: { [name]: value } }]);
export const omitted = (...values: unknown[]): Accepted[] => values.map((value) => [value, NOTHING]);
export const preferring = (adds: Partial<Turn['preferences']>): Partial<Turn> => ({
  preferences: { ...PLAIN.preferences, ...adds },
});

export const NUMBER: Refused[] = [
  ['1', 'must be a number'],
  [true, 'must be a number'],
  [[], 'must be a number'],
  [Number.POSITIVE_INFINITY, 'must be a number'],
];
export const INTEGER: Refused[] = [
  ['1', 'must be an integer'],
  [1.5, 'must be an integer'],
  [false, 'must be an integer'],
];
export const BOOLEAN: Refused[] = [
  ['true', 'must be a boolean'],
  [1, 'must be a boolean'],
  [{}, 'must be a boolean'],
];
const STRING: Refused[] = [
  [5, 'must be a string'],
  [{}, 'must be a string'],
  [[], 'must be a string'],
];
export const OBJECT: Refused[] = [
  ['x', 'must be an object'],
  [[], 'must be an object'],
  [true, 'must be an object'],
];
export const ARRAY: Refused[] = [
  ['x', 'must be an array'],
  [{}, 'must be an array'],
];
export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export const EFFORT_LIST = 'must be one of "none", "minimal", "low", "medium", "high", "xhigh", "max"';
export const long = (length: number): string => 'x'.repeat(length);
export const label = (adds: (text: string) => Partial<Turn>): Row => ({
  accepts: [
    ['x', adds('x')],
    [long(256), adds(long(256))],
  ],
  refuses: [...STRING, [long(257), 'must have at most 256 characters']],
});
export const audio = (format: string): Accepted => [
  { voice: 'v', format, speed: 2 },
  { speech: { voice: 'v', format }, modalities: { input: [], output: ['audio'] } },
];
