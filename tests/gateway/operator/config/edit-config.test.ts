import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { slugsIn, withProvider } from '../../../../gateway/operator/config/edit-config.ts';

const ENTRY = { slug: 'new', models: './new.models.json' };

test('an entry goes behind the others and nothing else changes', () => {
  const before = '{\n    "data": "d",\n    "providers": [\n        {"slug":"a", "x": [1,{"]":2}]}\n    ]\n}\n';
  const after = withProvider(before, ENTRY);
  assert.is(
    after,
    '{\n    "data": "d",\n    "providers": [\n        {"slug":"a", "x": [1,{"]":2}]},\n      {\n        "slug": "new",\n        "models": "./new.models.json"\n      }\n    ]\n}\n',
  );
});

test('without a list, or without anything, one is made', () => {
  const made = '{\n  "providers": [\n    {\n      "slug": "new",\n      "models": "./new.models.json"\n    }\n  ]\n}\n';
  assert.is(withProvider('{}\n', ENTRY), made);
  assert.is(withProvider('{\n  "providers": []\n}\n', ENTRY), made);
  assert.is(withProvider('{\n  "data": "d"\n}', ENTRY), `{\n  "data": "d",${made.slice(1).trimEnd()}`);
});

test('any configuration keeps its values, and gains the entry', () => {
  const value = fc.record(
    { data: fc.string(), providers: fc.array(fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true })) },
    { requiredKeys: [] },
  );
  const indent = fc.constantFrom(undefined, 2, '\t');
  fc.assert(
    fc.property(value, indent, (config, space) => {
      const text = JSON.stringify(config, null, space);
      const { providers = [], ...rest } = JSON.parse(withProvider(text, ENTRY)) as typeof config;
      const { providers: before = [], ...others } = JSON.parse(text) as typeof config;
      assert.equal(providers, [...before, ENTRY]);
      assert.equal(rest, others);
    }),
  );
});

test('what cannot be edited is refused with the file', () => {
  assert.equal(slugsIn('{"providers": [{"slug": "a"}, 1]}', 'c.json'), ['a', undefined]);
  assert.throws(() => slugsIn('{', 'c.json'), /c\.json: is not valid JSON/);
  assert.throws(() => slugsIn('[]', 'c.json'), /c\.json: the value must be an object/);
  assert.throws(() => slugsIn('{"providers": {}}', 'c.json'), /c\.json: providers must be a list/);
});

test.run();
