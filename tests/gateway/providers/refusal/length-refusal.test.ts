import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { lengthRefusal, type NamedSizes } from '../../../../gateway/providers/refusal/length-refusal.ts';
import { refusalFacts } from '../../../../gateway/providers/refusal/refusal-facts.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);

const refused = (answer: unknown): NamedSizes | null => lengthRefusal(refusalFacts(answer));

it('any other error is no refusal for length', () => {
  for (const error of [null, 'prompt', 7, {}, { message: 'Invalid schema for function f' }, { code: 'rate_limit' }]) {
    assert.is(refused(error), null);
  }
});

it('a number that no window can have is not taken, and a hostile text takes no time', () => {
  assert.equal(refused({ message: `maximum context length is ${'9'.repeat(400)} tokens` }), {});
  for (const piece of ['context length ', 'too long: 1', '(', '> 1']) {
    const startedAt = process.cpuUsage().user;
    refused({ message: `context length ${piece.repeat(100_000)}` });
    assert.ok(process.cpuUsage().user - startedAt < 2_000_000, piece);
  }
});

test.run();
