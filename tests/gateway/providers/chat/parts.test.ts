import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Media } from '../../../../gateway/providers/chat/media.ts';
import { ReasoningDetails } from '../../../../gateway/providers/chat/reasoning-details.ts';
import { ProviderFailure } from '../../../../gateway/providers/provider-failure.ts';
import type { TurnEvent } from '../../../../gateway/terms/turn-event.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);

const isFailure = (error: unknown): boolean => error instanceof ProviderFailure;

// rule I47
it('consecutive streamed fragments of one type without an index share an index', () => {
  const details = new ReasoningDetails();
  const events: TurnEvent[] = [];
  for (const entry of [
    { type: 'reasoning.text', text: 'a' },
    { type: 'reasoning.text', text: 'b', signature: null },
    { type: 'reasoning.encrypted', data: 'x' },
    { type: 'reasoning.text', text: 'c', index: 7, format: 'f', id: 'i', extra: 1 },
    { type: 'reasoning.text', text: 'd' },
  ]) {
    details.read([entry], true, events);
  }
  assert.equal(
    events.map((event) => event.type === 'reasoning-detail' && event.detail),
    [
      { type: 'reasoning.text', text: 'a', index: 0 },
      { type: 'reasoning.text', text: 'b', signature: null, index: 0 },
      { type: 'reasoning.encrypted', data: 'x', index: 1 },
      { type: 'reasoning.text', text: 'c', format: 'f', id: 'i', index: 7 },
      { type: 'reasoning.text', text: 'd', index: 7 },
    ],
  );
});

it('drops invalid entries and refuses a value that is not a list (rule I47)', () => {
  const events: TurnEvent[] = [];
  const entries = [null, 5, {}, { type: 'reasoning.text', text: 5 }, { type: 'reasoning.summary', summary: null }];
  new ReasoningDetails().read([...entries, { type: 'other', text: 'a' }], false, events);
  assert.equal(events, []);
  assert.throws(() => new ReasoningDetails().read('a', false, events), isFailure);
  assert.throws(() => new ReasoningDetails().read(new Array(5_000).fill(null), false, events), isFailure);
});

it('pictures are complete, numbered and have a valid address', () => {
  const media = new Media();
  const events: TurnEvent[] = [];
  const picture = (url: unknown, index?: unknown) => ({ type: 'image_url', image_url: { url }, index });
  media.readImages([picture('data:image/webp;base64,AA'), picture('http://p.test/a.png', 5)], events);
  media.readImages([{ image_url: 'https://p.test/b.png' }, picture('data:image/JPEG;base64,AA', -1)], events);
  assert.equal(events, [
    { type: 'image', url: 'data:image/webp;base64,AA', index: 0 },
    { type: 'image', url: 'http://p.test/a.png', index: 5 },
    { type: 'image', url: 'https://p.test/b.png', index: 2 },
    { type: 'image', url: 'data:image/JPEG;base64,AA', index: 3 },
  ]);
  for (const url of [
    'javascript:1',
    'data:text/html,x',
    'data:image/svg+xml,x',
    'data:image/svg+xml;base64,AA',
    'data:image/png,AA',
    'data:image/png;x=<script>;base64,AA',
    'http://',
    'http://a b',
    'file:///a',
    '',
    5,
    null,
    undefined,
  ]) {
    assert.throws(() => new Media().readImages([picture(url)], []), isFailure, String(url));
  }
  assert.throws(() => new Media().readImages('a', []), isFailure);
  assert.throws(() => new Media().readImages([null], []), isFailure);
});

it('speech arrives in pieces with any subset of the members', () => {
  const eventsOf = (audio: unknown): TurnEvent[] => {
    const events: TurnEvent[] = [];
    new Media().readAudio(audio, events);
    return events;
  };
  assert.equal(eventsOf({ id: 'a', data: 'AAAA', transcript: 'Hi', expires_at: 5 }), [
    { type: 'audio-delta', id: 'a', data: 'AAAA', transcript: 'Hi', expiresAt: 5 },
  ]);
  assert.equal(eventsOf({ id: '', data: '', transcript: null, expires_at: 1e18 }), []);
  assert.equal(eventsOf({ id: '', data: '', transcript: '', expires_at: 0 }), [], 'zeroed members are no speech');
  assert.equal(eventsOf(null), []);
  const media = new Media();
  const events: TurnEvent[] = [];
  for (const piece of [{ id: 'a' }, { expires_at: 5 }]) media.readAudio(piece, events);
  assert.equal(events, [
    { type: 'audio-delta', id: 'a' },
    { type: 'audio-delta', expiresAt: 5 },
  ]);
  assert.throws(() => eventsOf('a'), isFailure);
  assert.throws(() => eventsOf({ data: 'no base64!' }), isFailure);
});

test.run();
