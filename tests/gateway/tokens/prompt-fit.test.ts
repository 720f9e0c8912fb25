import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { measureFit, measureTokens, quantile, refusedInVain, sentInVain } from '../../bench/tokens.bench.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test, 240_000);

it('a hold covers the charge of every prompt of the corpus, and its prompt part is at most 1.5 times the charge at the median (rule K57)', () => {
  const measured = measureTokens();
  assert.ok(measured.length > 4_000);
  const declared = measured.filter((each) => each.declared);
  assert.equal(
    declared.filter(({ tokens, held }) => held < tokens),
    [],
  );
  for (const vocabulary of ['cl100k_base', 'o200k_base']) {
    for (const isDeclared of [true, false]) {
      const of = measured.filter((each) => each.vocabulary === vocabulary && each.declared === isDeclared);
      const ratio = quantile(
        of.map(({ tokens, held }) => held / tokens),
        0.5,
      );
      assert.ok(ratio <= 1.5, `${vocabulary}, declared ${isDeclared}: ${ratio}`);
      assert.ok(of.filter(({ tokens, held }) => held < tokens).length <= of.length / 1_000);
    }
  }
  const errors = declared.map(({ tokens, counted }) => Math.abs(counted - tokens) / tokens);
  assert.ok(quantile(errors, 0.5) < 0.001 && quantile(errors, 0.95) < 0.05, 'the count is that of the tokenizer');
});

it('in 21 languages, code, LaTeX and JSON no prompt below 97 % of a window is refused, and none is sent in vain (rule I118)', () => {
  const fitted = measureFit([4_096]);
  assert.ok(fitted.length > 500);
  assert.equal(refusedInVain(fitted), []);
  assert.ok(sentInVain(fitted).length <= fitted.length / 200, JSON.stringify(sentInVain(fitted)));
  const served = fitted.filter(({ ceiling }) => ceiling !== null);
  assert.ok(served.length > fitted.length / 3 && served.length < fitted.length, 'some fit and some do not');
  for (const { tokens, window, asked, ceiling } of served) {
    if (asked === 100 && tokens + asked < 0.97 * window)
      assert.is(ceiling, 100, 'a ceiling that fits is sent as asked');
    if (asked === null && tokens < 0.95 * window)
      assert.ok((ceiling as number) >= (window - tokens) / 3, 'a lowered ceiling uses the room');
  }
});

test.run();
