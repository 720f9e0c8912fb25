/** What operators read of a provider's error: never a key, never the request, always short. */
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { refusalWords, WORDS_CHARACTERS_MAX } from '../../../gateway/providers/refusal-words.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);
const KEY = 'zq8WnFh2LkPv';

function words(raw: string, prompt = 'Tell me about my landlord Aurelio'): string | null {
  const messages = [{ role: 'user', text: prompt }] as never;
  return refusalWords(raw, {
    body: JSON.stringify({ model: 'm', messages: [{ content: prompt }] }),
    messages,
    keys: [KEY],
  });
}
const error = (message: string, more: object = {}): string => JSON.stringify({ error: { message, ...more } });

it('the message of an error is shown as it is; without one its machine words; markup is left out', () => {
  const table: readonly (readonly [string, string | null])[] = [
    [
      error('The server had an error while processing your request.'),
      'The server had an error while processing your request.',
    ],
    [error('Rate limit reached: 3 requests per minute'), 'Rate limit reached: 3 requests per minute'],
    [error('', { code: 'insufficient_quota', type: 'billing' }), 'insufficient_quota billing'],
    ['<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>', '502 Bad Gateway nginx'],
    ['upstream connect error', 'upstream connect error'],
    [' \n ', null],
    ['', null],
    ['{}', null],
  ];
  for (const [raw, shown] of table) assert.is(words(raw), shown, raw);
});

it('no word of the request is shown, however short the quote, except those of every error message', () => {
  assert.is(words(error('Cannot process "my landlord Aurelio" now')), 'Cannot process "[request]" now');
  assert.is(words(error('Internal error at AURELIO.')), 'Internal error at [request].');
  assert.is(words(error('The model timed out'), 'Which model is best?'), 'The model timed out');
  assert.is(words(error('failed: pin 4711'), 'my pin is 4711'), 'failed: [request]');
  assert.is(
    words(error('处理失败：我的密码'), '我的密码是什么'),
    '[request]：[request]'.replace('[request]：', '处理失败：'),
  );
  assert.is(words(error('échec: Orléans'), 'né à Orléans'), 'échec: [request]');
});

it('no key is shown, nor the parts of one that providers quote (rule I138)', () => {
  assert.is(words(error(`Incorrect key provided: ${KEY}`)), 'Incorrect key provided: [key]');
  assert.is(
    words(error(`Incorrect key: ${KEY.slice(0, 4)}****${KEY.slice(-4)}.`)),
    'Incorrect key: [request]****[request].',
  );
  assert.is(words(error('Incorrect key: sk-proj-ab**********yz')), 'Incorrect key: [key]');
  assert.is(words(error('write to ops@example.com')), 'write to [key]');
});

it('is short, in one line, and nothing where the request is too long to be compared', () => {
  assert.is(words(error(`a\nb ${'word '.repeat(500)}`))?.length, WORDS_CHARACTERS_MAX);
  assert.is(words(error('The server had an error'), 'x'.repeat(270_000)), null);
});

it('whatever a provider quotes of a prompt and a key, no word of them is in the line (rule I138)', () => {
  const WORD = fc.stringMatching(/^[b-df-hj-np-tv-xz]{4,12}$/);
  fc.assert(
    fc.property(fc.array(WORD, { minLength: 1, maxLength: 12 }), fc.nat(11), fc.nat(11), (prompt, from, count) => {
      const quote = prompt.slice(from % prompt.length, (from % prompt.length) + count + 1).join(' ');
      const line = words(error(`It failed after "${quote}" with ${KEY}`), prompt.join(' ')) ?? '';
      for (const word of [...prompt, KEY])
        if (!'it failed after with request key'.includes(word)) assert.not.match(line, word);
    }),
    { numRuns: 300 },
  );
});

test.run();
