import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ContentBlocks } from '../../../../gateway/providers/messages/blocks.ts';
import { ProviderFailure } from '../../../../gateway/providers/provider-failure.ts';
import type { TurnEvent } from '../../../../gateway/terms/turn-event.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);
const RISE_BYTES_MAX = 16 * 1024 * 1024;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function heapBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

it('the sources of texts that never end are kept within bounds, and the answer goes on', () => {
  const blocks = new ContentBlocks((index) => `made_${index}`);
  const events: TurnEvent[] = [];
  for (let at = 0; at < 50; at++) blocks.open(at, { type: 'text', text: '' }, events);
  const before = heapBytes();
  for (let nth = 0; nth < 5_000; nth++) {
    const citation = JSON.parse(`{"url":"https://w.test/${nth}","cited_text":"${'x'.repeat(64_000)}"}`);
    blocks.continue(nth % 50, { type: 'citations_delta', citation }, events);
  }
  const rise = heapBytes() - before;
  assert.ok(rise < RISE_BYTES_MAX, `${rise} bytes`);
  for (let at = 0; at < 50; at++) blocks.close(at, events);
  assert.is(events.filter(({ type }) => type === 'citation').length, 256);
});

it('sources of texts that have ended make room for those of the next', () => {
  const blocks = new ContentBlocks((index) => `made_${index}`);
  const events: TurnEvent[] = [];
  const citations = Array.from({ length: 200 }, () => ({ url: 'https://w.test/a', cited_text: 'a' }));
  for (const text of ['one', 'two']) blocks.read({ type: 'text', text, citations }, events);
  const passages = events.flatMap((event) => (event.type === 'citation' ? [event.citation.passage] : []));
  assert.equal(passages, [
    { start: 0, end: 3 },
    { start: 3, end: 6 },
  ]);
});

it('calls that never end may not fill the memory with the arguments of their openings', () => {
  const blocks = new ContentBlocks((index) => `made_${index}`);
  const input = { text: 'x'.repeat(1024 * 1024) };
  const open = (at: number): void => blocks.open(at, { type: 'tool_use', id: `t${at}`, name: 'f', input }, []);
  assert.throws(
    () => {
      for (let at = 0; at < 20; at++) open(at);
    },
    (error: Error) => error instanceof ProviderFailure && error.reason === 'garbage',
  );
  const ended = new ContentBlocks((index) => `made_${index}`);
  for (let at = 0; at < 20; at++) ended.read({ type: 'tool_use', id: `t${at}`, name: 'f', input }, []);
});

test.run();
