import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Generation, Settlement } from '../../../../actors/terms/hold.ts';
import { attemptTable, moneyFacts } from '../../../../gateway/pages/account/generation-facts.ts';
import { html } from '../../../../gateway/pages/kit/html.ts';
import { RUNNING, SETTLEMENT } from '../../management/generation-rows.ts';

const named = (_id: string, provider: string) => html`<b>${provider}</b>`;
const prices = html`Input $1.00`;

test('only an open generation says that no provider has been called yet', () => {
  const release = { generation: 'gen-1', attempt: 1, reason: 'gone', status: 502, attempts: [] };
  const released: Generation = { ...RUNNING, status: 'released', endedAt: 1_000, release };
  assert.match(String(attemptTable(RUNNING, named)), 'No provider has been called yet.');
  assert.match(String(attemptTable(released, named)), 'No call to a provider is recorded.');
  const attempt = { endpoint: 'ep_1', provider: 'Sim V', status: 503, outcome: 'failed', latencyMs: 3 } as const;
  const shown = String(attemptTable({ ...released, release: { ...release, attempts: [attempt] } }, named));
  assert.match(shown, /Sim V.*failed.*503/s);
  assert.not.match(shown, 'ep_1', 'an endpoint is named, not numbered');
});

test('the money of a video is told with its seconds, that of a turn with its tokens', () => {
  const settled = (more: Partial<Settlement>): Generation => ({
    ...{ ...RUNNING, status: 'settled', endedAt: 1_000 },
    settlement: { ...SETTLEMENT, ...more },
  });
  const video = String(moneyFacts(settled({ promptTokens: null, media: { videoSeconds: '1.5' } }), prices));
  assert.match(video, /Video.*1\.5 s/s);
  assert.not.match(video, 'Tokens');
  const turn = String(moneyFacts(settled({}), prices));
  assert.match(turn, 'Input $1.00');
  assert.match(turn, /Tokens.*3 prompt, unknown completion/s);
  assert.not.match(turn, 'Video');
  assert.not.match(turn, 'Prompt cut');
  assert.match(
    String(moneyFacts(settled({ promptTokensCut: 10_003 }), prices)),
    /provider read 3 of about 10,003 tokens/,
  );
});

test.run();
