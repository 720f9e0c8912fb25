import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ChatReader } from '../../../gateway/providers/chat/reply-reader.ts';
import type { Citation, TurnEvent } from '../../../gateway/terms/turn-event.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);

const LISTED = {
  citations: ['https://a.example/', 'https://b.example/'],
  search_results: [
    { title: 'B', url: 'https://b.example/', date: '2025-01-01', snippet: 'of b' },
    { title: 'A', url: 'https://a.example/', date: null },
  ],
};
const MERGED: Citation[] = [
  { url: 'https://a.example/', title: 'A' },
  { url: 'https://b.example/', title: 'B', excerpt: 'of b' },
];

function cited(events: readonly TurnEvent[]): Citation[] {
  return events.flatMap((event) => (event.type === 'citation' ? [event.citation] : []));
}

function whole(message: object, beside: object = {}): TurnEvent[] {
  const events: TurnEvent[] = [];
  const choice = { message: { content: 'a [1]', ...message }, finish_reason: 'stop' };
  new ChatReader(() => 'made').readWhole({ choices: [choice], ...beside }, events);
  return events;
}

function streamed(...chunks: readonly object[]): TurnEvent[] {
  const events: TurnEvent[] = [];
  const reader = new ChatReader(() => 'made');
  for (const chunk of chunks) reader.readFrame(undefined, JSON.stringify(chunk), events);
  return events;
}

it('lists of sources beside the choices are cited once, in the order of the marks, before the finish', () => {
  const events = whole({}, LISTED);
  assert.equal(cited(events), MERGED);
  assert.is(events.at(-1)?.type, 'finish');
  const chunk = (content: string, finish: string | null, beside: object) => ({
    choices: [{ delta: { content }, finish_reason: finish }],
    ...beside,
  });
  const repeated = streamed(
    chunk('a', null, { citations: LISTED.citations.slice(0, 1) }),
    chunk('b', null, LISTED),
    chunk('', 'stop', LISTED),
  );
  assert.equal(cited(repeated), MERGED);
  assert.is(repeated.at(-1)?.type, 'finish');
});

it('search results alone are cited in their order', () => {
  const found = { search_results: LISTED.search_results };
  assert.equal(
    cited(whole({}, found)).map(({ title }) => title),
    ['B', 'A'],
  );
});

it('annotations keep their passage, and win over lists; repeated ones are cited once', () => {
  const source = { url: 'https://a.example/', title: 'A', content: 'so', start_index: 2, end_index: 5 };
  const annotation = { type: 'url_citation', url_citation: source };
  const expected = [{ url: 'https://a.example/', title: 'A', excerpt: 'so', passage: { start: 2, end: 5 } }];
  assert.equal(cited(whole({ annotations: [annotation] }, LISTED)), expected);
  const flat = { type: 'url_citation', ...source, start_index: 0, end_index: 0 };
  const delta = { choices: [{ delta: { annotations: [annotation, flat] } }] };
  assert.equal(cited(streamed(delta, delta)), [...expected, { url: 'https://a.example/', title: 'A', excerpt: 'so' }]);
});

it('drops what is no source on the web, and sources beyond a bound', () => {
  const bad = [null, 7, 'text', {}, { type: 'file', url: 'https://a.example/' }, { type: 'url_citation' }];
  const urls = ['javascript:alert(1)', 'data:text/html,a', 'https://a.example/ b', `https://${'a'.repeat(9_000)}`, 5];
  const hostile = urls.map((url) => ({ type: 'url_citation', url_citation: { url } }));
  assert.equal(cited(whole({ annotations: [...bad, ...hostile] }, { citations: urls, search_results: bad })), []);
  assert.equal(cited(whole({ annotations: 'text' }, { citations: {}, search_results: 'x' })), []);
  const many = Array.from({ length: 1_000 }, (_, nth) => `https://a.example/${nth}`);
  assert.is(cited(whole({}, { citations: many })).length, 256);
});

test.run();
