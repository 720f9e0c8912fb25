import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { html } from '../../../../gateway/pages/kit/html.ts';

test('text is escaped as content and in attributes; HTML is inserted as it is (rule K35)', () => {
  const hostile = `<script>alert("1")</script> & 'x' \`y\``;
  const inner = html`<b title="${hostile}">${hostile}</b>`;
  const escaped = '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39; &#96;y&#96;';
  assert.is(String(html`<p>${inner}</p>`), `<p><b title="${escaped}">${escaped}</b></p>`);
});

test('no text becomes markup: its special characters never appear in the page (rule K35)', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
      const page = String(html`<i id="${text}">${[text, null, text]}</i>`);
      assert.is(page.match(/[<>"]/g)?.join(''), '<""></>'.replace('</>', '<>'));
    }),
    { numRuns: 200 },
  );
});

test('null, undefined and false write nothing; numbers and lists are written', () => {
  assert.is(String(html`<i>${null}${undefined}${false}${0}${['a', html`<br>`, 2n]}</i>`), '<i>0a<br>2</i>');
});

test('an attribute without quotes is an error of the template', () => {
  assert.throws(() => html`<i id=${'x'}></i>`, /must be quoted/);
  assert.throws(() => html`<i class="a b" id=${'x'}></i>`, /must be quoted/);
  assert.is(String(html`<i>a=${'x'}</i><i title="a=${'x'}">`), '<i>a=x</i><i title="a=x">');
});

for (const [address, written] of [
  ['/models?a=1', '/models?a=1'],
  ['https://example.com/a', 'https://example.com/a'],
  ['#main', '#main'],
  ['javascript:alert(1)', '#'],
  [' javascript:alert(1)', '#'],
  ['data:text/html,x', '#'],
  ['//evil.example/', '#'],
  ['/\\evil.example/', '#'],
] as const)
  test(`a link to ${address} is written as ${written} (rule K35)`, () => {
    assert.is(String(html`<a class="b" href="${address}">x</a>`), `<a class="b" href="${written}">x</a>`);
    assert.is(String(html`<form action="${address}"></form>`), `<form action="${written}"></form>`);
  });

test.run();
