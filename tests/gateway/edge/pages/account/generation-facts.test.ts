import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Generation } from '../../../../../actors/terms/hold.ts';
import { attemptTable } from '../../../../../gateway/edge/pages/account/generation-facts.ts';
import { RUNNING } from '../../api/generation-rows.ts';

test('only an open generation says that no provider has been called yet', () => {
  const release = { generation: 'gen-1', attempt: 1, reason: 'gone', status: 502, attempts: [] };
  const released: Generation = { ...RUNNING, status: 'released', endedAt: 1_000, release };
  assert.match(String(attemptTable(RUNNING)), 'No provider has been called yet.');
  assert.match(String(attemptTable(released)), 'No call to a provider is recorded.');
  const attempt = { endpoint: 'ep_1', provider: 'Sim V', status: 503, outcome: 'failed', latencyMs: 3 } as const;
  const shown = String(attemptTable({ ...released, release: { ...release, attempts: [attempt] } }));
  assert.match(shown, /Sim V.*ep_1.*failed.*503/s);
});

test.run();
