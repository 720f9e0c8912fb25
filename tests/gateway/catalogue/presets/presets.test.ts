import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseModelsValue } from '../../../../gateway/catalogue/document/models-document.ts';
import { checkWire } from '../../../../gateway/catalogue/document/wire-of.ts';
import { PRESETS, type Preset } from '../../../../gateway/catalogue/presets/presets.ts';
import { MODEL } from '../../../fixtures/models/plain.ts';

const PAGE = readFileSync(new URL('../../../../docs/providers.md', import.meta.url), 'utf8');

function rowOf([name, preset]: readonly [string, Preset]): string {
  const { title, baseUrl, example, dialect, wire, verified, unverified } = preset;
  const address = baseUrl === null ? `an own one, such as \`${example}\`` : `\`${baseUrl}\``;
  return `| \`${name}\` | ${title}: ${dialect}, ${address} | \`${JSON.stringify(wire)}\` | ${verified} | ${unverified} |`;
}

test('docs/providers.md lists exactly the presets, each with what was verified and what only a key can confirm', () => {
  const listed = PAGE.split('\n').filter((line) => /^\| `[a-z]+` \| .*: (chat|messages|\w+), /.test(line));
  assert.equal(listed, Object.entries(PRESETS).map(rowOf));
});

test('every preset is a declaration that a models document may have', () => {
  for (const [name, { wire, baseUrl, example }] of Object.entries(PRESETS)) {
    checkWire(wire, [name]);
    parseModelsValue({ data: [{ ...MODEL, wire: { preset: name, ...wire } }] }, () => null);
    assert.ok(new URL(baseUrl ?? example ?? ''), name);
  }
});

test.run();
