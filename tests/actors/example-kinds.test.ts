import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

test('the example kind in the README is the one that is tested, uses every effect, and is short', () => {
  const example = read('./example-kinds/order.ts').trimEnd();
  assert.ok(read('../../actors/README.md').includes(`\`\`\`ts\n${example}\n\`\`\``));
  assert.ok(example.split('\n').length <= 60, `${example.split('\n').length} lines`);
  const union = read('../../actors/runtime/actor/effect.ts')
    .split('export type Effect =')[1]
    ?.split('/** The arguments of a named')[0];
  const effects = new Set([...(union ?? '').matchAll(/type: '(\w+)'/g)].map((match) => match[1]));
  assert.ok(effects.size >= 9);
  for (const effect of effects) assert.ok(example.includes(`type: '${effect}'`), `${effect} is not used`);
  assert.ok(example.includes("type: 'cancel', name") && example.includes("type: 'cancel', perform"));
});

test('the blob example in the README is the one that is tested, and is short', () => {
  const example = read('./example-kinds/film.ts').trimEnd();
  assert.ok(read('../../actors/README.md').includes(`\`\`\`ts\n${example}\n\`\`\``));
  assert.ok(example.split('\n').length <= 75, `${example.split('\n').length} lines`);
});

test('the example kinds are nine at most, and each says what it proves or that it is to be copied', () => {
  const files = readdirSync(new URL('./example-kinds/', import.meta.url)).filter((file) => file !== 'test-kind.ts');
  assert.ok(files.length > 0 && files.length <= 9, files.join(' '));
  for (const file of files) {
    assert.match(read(`./example-kinds/${file}`), /^\/\*\*[\s*]+An? (\w+ proves|example to copy)/, file);
  }
});

test.run();
