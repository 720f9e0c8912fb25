import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ENDPOINTS_TOPIC } from '../../../actors/endpoint/endpoint.ts';
import type { Board, Json } from '../../../actors/runtime/index.ts';
import { logHealth } from '../../../gateway/node/health-log.ts';
import { HandClock } from '../../actors/runtime/durable/hand-clock.ts';
import { MemoryBoard } from '../../support/memory-board.ts';

function endpoints(health: Readonly<Record<string, string>>): ReadonlyMap<string, Json> {
  const entries = Object.entries(health).map(([id, now]) => [
    id,
    {
      id,
      model: 'sim/fast',
      provider: { id: 'p', slug: 'alpha', name: 'Alpha' },
      health: now,
      healthReason: `as ${now}`,
    },
  ]);
  return new Map(entries as [string, Json][]);
}

test('a change of health is logged once with its reason, by the node that owns the endpoint', () => {
  const clock = new HandClock();
  const memory = new MemoryBoard();
  let changed = (): void => {};
  const board: Board = Object.assign(Object.create(memory) as Board, {
    topic: (name: string) => memory.topic(name),
    onChange: (_: string, see: () => void) => {
      changed = see;
      return () => {};
    },
  });
  const lines: unknown[] = [];
  const log = {
    info: (record: object) => void lines.push(['info', record]),
    warn: (record: object) => void lines.push(['warn', record]),
  };
  logHealth({ board, owns: (address) => address === 'endpoint:ep_1' }, clock, log);
  const publish = (health: Readonly<Record<string, string>>): void => {
    memory.set(ENDPOINTS_TOPIC, endpoints(health));
    changed();
    changed();
    clock.advance(1_000);
  };
  publish({ ep_1: 'unknown', ep_2: 'unknown' });
  publish({ ep_1: 'down', ep_2: 'down' });
  publish({ ep_1: 'down', ep_2: 'down' });
  publish({ ep_1: 'healthy', ep_2: 'down' });
  const about = { endpoint: 'ep_1', model: 'sim/fast', provider: 'alpha' };
  assert.equal(lines, [
    ['warn', { ...about, from: 'unknown', to: 'down', reason: 'as down' }],
    ['info', { ...about, from: 'down', to: 'healthy', reason: 'as healthy' }],
  ]);
});

test.run();
