import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseModelsValue } from '../../../../gateway/catalogue/document/models-document.ts';
import { checkWire } from '../../../../gateway/catalogue/document/wire-of.ts';
import { PRESETS } from '../../../../gateway/catalogue/presets/presets.ts';
import { MODEL } from '../../../fixtures/models/plain.ts';
import { PRESETS_PAGE, withPresets } from '../../../support/presets-page.ts';
import { ROOT } from '../../../support/sources.ts';

test('docs/providers.md lists exactly the presets, each with what was verified and what only a key can confirm', () => {
  const page = readFileSync(join(ROOT, PRESETS_PAGE), 'utf8');
  assert.is(page, withPresets(page), 'run node tests/support/presets-page.ts');
});

test('every preset is a declaration that a models document may have', () => {
  for (const [name, { wire, baseUrl, example }] of Object.entries(PRESETS)) {
    checkWire(wire, [name]);
    parseModelsValue({ data: [{ ...MODEL, wire: { preset: name, ...wire } }] }, () => null);
    assert.ok(new URL(baseUrl ?? example ?? ''), name);
  }
});

test.run();
