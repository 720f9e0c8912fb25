import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { JsonReader } from '../../../gateway/json/json-reader.ts';
import { JsonScan } from '../../../gateway/json/json-scan.ts';
import { parseWhole } from '../../../gateway/json/parse-whole.ts';
import { GatewayError } from '../../../gateway/terms/gateway-error.ts';
import { JsonText } from '../../../gateway/terms/json-text.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);
const LIMITS = { depthMax: 64, tokensMax: 200_000 };

/** Renders a value as text that shows all of it, including order and an own `__proto__`; or renders the refusal. */
function described(make: () => unknown): string {
  try {
    return JSON.stringify(make());
  } catch (thrown) {
    if (thrown instanceof GatewayError) return `${thrown.status} ${thrown.message}`;
    throw thrown;
  }
}

function whole(bytes: Buffer): string {
  const scan = new JsonScan(LIMITS);
  assert.ok(scan.feed(bytes));
  return described(() => parseWhole(bytes, scan.members));
}

/** Reads the bytes in pieces of the lengths in `cuts`, repeated. */
function inPieces(bytes: Buffer, cuts: readonly number[]): string {
  return described(() => {
    const reader = new JsonReader();
    let nth = 0;
    for (let at = 0; at < bytes.length; nth++) {
      const length = cuts[nth % cuts.length] as number;
      reader.feed(bytes.subarray(at, at + length));
      at += length;
    }
    return reader.end();
  });
}

const EVERY_CUT = [[1], [2], [3], [5], [7], [1_000_000]];

const SOUND: readonly string[] = [
  '0',
  '-0',
  'true',
  ' null ',
  '-12.5e+3',
  '""',
  '"a"',
  '[]',
  '{}',
  '[[],{},[{}]]',
  '{"a":1,"b":[1,2,{"c":null}],"":0}',
  '\r\n\t {"a" : [ 1 , "x" ] } \n',
  '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\u5b57"',
  '"\\\\\\\\"',
  '"\\ud83d\\ude00"',
  '"ü字😀"',
  '{"ü":{"😀":"\\u0000"}}',
  '{"__proto__":{"x":1},"constructor":2,"toString":3}',
  '{"10":1,"2":2,"b":3,"1":4}',
  `{"long":"${'0123456789'.repeat(20)}","short":"x"}`,
  `"${'\\u0061ü'.repeat(40)}"`,
  `[${'1'.repeat(300)}]`,
  `"\\u2028\\u2029\u2028\u007f"`,
];

const UNSOUND: readonly (string | Buffer)[] = [
  '',
  ' ',
  '{',
  '[1',
  '"a',
  '"a\\',
  '"a\\"',
  '"a\\u00',
  '{"a"',
  '{"a":',
  '{"a":1',
  '{"a":1,',
  '{"a":1,}',
  '[1,]',
  '[,1]',
  '[1 2]',
  '{"a" 1}',
  '{"a":1 "b":2}',
  '{a:1}',
  '{1:1}',
  '{"a"}',
  '{,}',
  '{"a":}',
  '[}',
  '{]',
  ']',
  '}',
  ':',
  ',',
  '1,2',
  '1 2',
  '[]]',
  '[][]',
  '"a" "b"',
  '"a":1',
  'nul',
  'nulls',
  'True',
  'NaN',
  'Infinity',
  '-',
  '+1',
  '01',
  '1.',
  '.5',
  '1e',
  '0x10',
  '1_0',
  "'a'",
  '"\t"',
  '"\n"',
  '"a\u0000b"',
  `"${'a'.repeat(60)}\n"`,
  '"\\x41"',
  '"\\u00g0"',
  `"${'a'.repeat(60)}\\q"`,
  '\ufeff{}',
  '\u00a01',
  '\v1',
  '[1]//',
  '/*a*/1',
  '1e400',
  '[-1e999]',
  '{"a":1,"a":2}',
  '{"a":1,"\\u0061":2}',
  '{"__proto__":1,"__proto__":2}',
  '"\\ud800"',
  '"\\ude00\\ud83d"',
  '{"\\udc00":1}',
  '{"a":"\\ud83d","b":"\\ude00"}',
  Buffer.from([0x22, 0xff, 0x22]),
  Buffer.from([0x22, 0xc3]),
  Buffer.from([0x22, 0xe5, 0xad, 0x22]),
  Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
  Buffer.from([0x22, 0xf8, 0x88, 0x80, 0x80, 0x80, 0x22]),
  Buffer.from([0x80]),
];

for (const text of SOUND) {
  it(`reads ${text.slice(0, 40)} as JSON.parse does, at any cut (rule E34)`, () => {
    const bytes = Buffer.from(text);
    assert.is(whole(bytes), JSON.stringify(JSON.parse(text)));
    for (const cuts of EVERY_CUT) assert.is(inPieces(bytes, cuts), whole(bytes), `cut into ${cuts}`);
  });
}

for (const given of UNSOUND) {
  const bytes = Buffer.from(given as string);
  it(`refuses ${JSON.stringify(bytes.toString('latin1').slice(0, 40))} with the same message`, () => {
    assert.match(whole(bytes), /^400 The body is (?:not|empty)/);
    for (const cuts of EVERY_CUT) assert.is(inPieces(bytes, cuts), whole(bytes), `cut into ${cuts}`);
  });
}

const BROKEN: readonly (readonly [text: string, where: string])[] = [
  ['{"a": 1,}', 'unexpected character, at line 1, byte 9'],
  ['{\n  "a": 1\n  "b": 2\n}', 'unexpected character, at line 3, byte 3'],
  ['{"a": tru}', 'unexpected character, at line 1, byte 7'],
  ["{\r\n'a': 1}", 'unexpected character, at line 2, byte 1'],
  ['[1, 2', 'it ends too early, at line 1, byte 6'],
  ['{"a": "b', 'it ends too early, at line 1, byte 9'],
  ['{"a":\n"b\\u00', 'it ends too early, at line 2, byte 7'],
  ['{"a":\n"word \n"}', 'a string holds a control character, such as a line break, at line 2, byte 7'],
  [
    `{"${'x'.repeat(100)}":"${'wörd '.repeat(50)}\t"}`,
    'a string holds a control character, such as a line break, at line 1, byte 406',
  ],
  ['["\\\\ \\" \\u00e9 \\d"]', 'a string holds an unknown escape, at line 1, byte 16'],
  ['["\\u12x4"]', 'a string holds an unknown escape, at line 1, byte 3'],
  ['{"tools":[{"function":{"parameters":{"a":\n{]}}}]}', 'unexpected character, at line 2, byte 2'],
  ['{}\n{}', 'unexpected character, at line 2, byte 1'],
];

for (const [text, where] of BROKEN) {
  it(`says where ${JSON.stringify(text).slice(0, 40)} is broken, in both readers and at any cut`, () => {
    const bytes = Buffer.from(text);
    assert.is(whole(bytes), `400 The body is not valid JSON: ${where}`);
    for (const cuts of EVERY_CUT) assert.is(inPieces(bytes, cuts), whole(bytes), `cut into ${cuts}`);
  });
}

it('says that a body is empty', () => {
  for (const text of ['', ' ', '\r\n\t '])
    assert.is(whole(Buffer.from(text)), '400 The body is empty: send a JSON object');
});

it('an own member of any name stays data (rule E35)', () => {
  const reader = new JsonReader();
  reader.feed(Buffer.from('{"__proto__":{"polluted":1}}'));
  const value = reader.end() as object;
  assert.is(Object.getPrototypeOf(value), Object.prototype);
  assert.equal(Object.keys(value), ['__proto__']);
  assert.is(({} as { polluted?: number }).polluted, undefined);
});

const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 });

it('any value is read as written, with any spaces and escapes, at any cut', () => {
  const spaces = fc.constantFrom(0, 1, '\t', '\r\n ');
  const unit = fc.constantFrom('binary', 'grapheme', 'binary-ascii') as fc.Arbitrary<'binary'>;
  const value = unit.chain((stringUnit) => fc.jsonValue({ stringUnit, depthSize: 'medium' }));
  fc.assert(
    fc.property(value, spaces, fc.boolean(), cuts, (given, space, escaped, lengths) => {
      let text = JSON.stringify(given, null, space);
      if (escaped) text = text.replace(/[^\x20-\x7e\s]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
      const bytes = Buffer.from(text);
      assert.is(inPieces(bytes, lengths), JSON.stringify(JSON.parse(text)));
    }),
    { numRuns: 2_000 },
  );
});

const BROKEN_TEXT = /^400 The body is (?:not valid JSON|empty)/;

function areBoth(form: RegExp, ours: string, theirs: string): boolean {
  return form.test(ours) && form.test(theirs);
}

it('any text is read or refused as JSON.parse does', () => {
  const parts = [
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    '"',
    '\\',
    '\\u',
    'd83d',
    '"a"',
    '"b":',
    '1',
    '-',
    '.5',
    'e9',
    ' ',
    '\n',
  ];
  const text = fc
    .array(fc.constantFrom(...parts, 'null', 'tru', 'ü', '😀'), { maxLength: 14 })
    .map((all) => all.join(''));
  fc.assert(
    fc.property(text, cuts, (given, lengths) => {
      const bytes = Buffer.from(given);
      const [ours, theirs] = [inPieces(bytes, lengths), whole(bytes)];
      if (!theirs.startsWith('400') || !ours.startsWith('400') || areBoth(BROKEN_TEXT, ours, theirs)) {
        assert.is(ours, theirs);
      }
    }),
    { numRuns: 20_000 },
  );
});

it('a valid text with one byte changed is read or refused as JSON.parse does', () => {
  const sound = fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value)));
  fc.assert(
    fc.property(sound, fc.nat(), fc.integer({ min: 0, max: 255 }), cuts, (bytes, at, byte, lengths) => {
      const changed = Buffer.from(bytes);
      changed[at % changed.length] = byte;
      const [ours, theirs] = [inPieces(changed, lengths), whole(changed)];
      if (!theirs.startsWith('400') || !ours.startsWith('400')) assert.is(ours, theirs);
    }),
    { numRuns: 10_000 },
  );
});

it('numbers and words of any length that the scan accepts are read alike', () => {
  const ones = (count: number): string => '1'.repeat(count);
  const words = [1_021, 1_022, 1_023, 1_024].flatMap((count) => [
    ones(count),
    `0.${ones(count)}e1`,
    `${ones(count)}e-1000`,
    `0.${ones(count)}E1`,
    `-${ones(count)}`,
    `tru${'e'.repeat(count)}`,
  ]);
  for (const word of words) {
    const bytes = Buffer.from(`[${word}]`);
    for (const cuts of [[1], [7], [1_000], [5_000]]) {
      const scan = new JsonScan(LIMITS);
      if (word.length > 1_024) assert.not.ok(scan.feed(bytes), word);
      else assert.is(inPieces(bytes, cuts), whole(bytes), word);
    }
  }
});

const place = {
  parameters: (schema: string) =>
    `{"tools":[{"function":{"name":"f"}},{"type":"function","function":{"parameters":${schema},"name":"g"}}],"z":[{}]}`,
  nested: (schema: string) => `{"tools":[{"type":"namespace","tools":[{"parameters":${schema}}]}]}`,
  schema: (schema: string) => `{"response_format":{"json_schema":{"schema":${schema},"strict":true}}}`,
};

/** The value with each schema in it as its text. */
function readSchemas(text: string, lengths: readonly number[]): string {
  const reader = new JsonReader();
  const bytes = Buffer.from(text);
  let nth = 0;
  for (let at = 0; at < bytes.length; nth++) {
    const length = lengths[nth % lengths.length] as number;
    reader.feed(bytes.subarray(at, at + length));
    at += length;
  }
  const seen = (value: unknown): unknown => {
    if (value instanceof JsonText) return { text: value.text };
    if (Array.isArray(value)) return value.map(seen);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, seen(member)]));
  };
  return JSON.stringify(seen(reader.end()));
}

it('a JSON schema of a tool or of the answer is its compact text, at any cut', () => {
  const schema = { type: 'object', properties: { a: { enum: ['x', 1.5, null, true, 'ü"\\\n'] }, b: [[], {}] } };
  const spaced = JSON.stringify(schema, null, 2);
  const text = JSON.stringify(JSON.stringify(schema));
  for (const lengths of EVERY_CUT) {
    assert.is(readSchemas(place.parameters(spaced), lengths), place.parameters(`{"text":${text}}`).replaceAll(' ', ''));
    assert.is(readSchemas(place.nested(spaced), lengths), place.nested(`{"text":${text}}`));
    assert.is(readSchemas(place.schema(spaced), lengths), place.schema(`{"text":${text}}`));
  }
});

it('a value elsewhere is never kept as text, whatever the names around it', () => {
  for (const text of [
    '{"tools":{"a":{"function":{"parameters":{"a":1}}}}}',
    '{"tools":[[{"function":{"parameters":{"a":1}}}]]}',
    '{"x":[{"function":{"parameters":{"a":1}}}],"parameters":{}}',
    '{"tools":[{"function":{"x":{"parameters":{"a":1}}}}]}',
    '{"tools":[{"function":{"parameters":[{"a":1}]}}]}',
    '{"tools":[{"function":{"parameters":null}}]}',
    '{"response_format":{"json_schema":{"name":"schema","x":{"schema":{}}}}}',
    '[{"response_format":{"json_schema":{"schema":{}}}}]',
  ]) {
    assert.is(readSchemas(text, [3]), text);
  }
});

it('a defect inside a schema is refused as elsewhere', () => {
  const repeated = 'a member name is written twice in one object';
  for (const [schema, message] of [
    ['{"a":1,"a":2}', repeated],
    ['{"a":{"b":{},"b":[]}}', repeated],
    ['{"a":[1}}', 'not valid JSON'],
    ['{"a":{]}', 'not valid JSON'],
    ['{"a" 1}', 'not valid JSON'],
    ['{"a":1,}', 'not valid JSON'],
    ['{"a":1e999}', 'out of range'],
    ['{"a":"\\ud800"}', 'half of a surrogate pair'],
  ] as const) {
    for (const wrap of Object.values(place)) {
      const outcome = inPieces(Buffer.from(wrap(schema)), [5]);
      assert.match(outcome, new RegExp(`^400 .*${message}`), schema);
    }
  }
});

it('the structure of schemas is unbounded here, and that of everything else is bounded', () => {
  const large = `{"a":[${'{},'.repeat(300_000)}0]}`;
  const reader = new JsonReader();
  reader.feed(Buffer.from(place.schema(large)));
  reader.end();
  const refused = inPieces(Buffer.from(`{"x":${large}}`), [65_536]);
  assert.is(refused, '400 The body has more than 600000 brackets, braces, colons and commas outside JSON schemas');
});

it('a text of megabytes is read in pieces of the size of a socket read', () => {
  for (const piece of ['word ', '\\u0061', '\\\\', '\\"', 'wörd ', '字wor', '😀', '\\ud83d\\ude00']) {
    const text = `{"x":["${piece.repeat(1_000_000 / piece.length)}"],"y":"${piece}"}`;
    assert.is(inPieces(Buffer.from(text), [65_536, 262_145, 3]), JSON.stringify(JSON.parse(text)));
  }
});

test.run();
