/** The look of the pages in a real browser: each element once, in light, dark and on a phone. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { html } from '../../../gateway/pages/kit/html.ts';
import { layout } from '../../../gateway/pages/kit/layout.ts';
import { bounded } from '../../support/bounded.ts';
import { closeBrowser, LOOKS, openContext, overflow, screenshot } from '../../support/browser.ts';
import { ASSETS, type PageServer, servePages } from '../../support/page-server.ts';

const it = bounded(test);
const HASH = '0123456789abcdef'.repeat(4);
const content = html`<h1>Every element</h1>
<div class="panel"><h2>A form</h2>
<form><div class="field"><label for="a">Name</label><input type="text" id="a" aria-invalid="true" aria-describedby="e">
<p class="error" id="e">A name is required</p></div>
<div class="actions"><button>Create</button><button>Cancel</button><button class="danger">Revoke</button></div>
</form></div>
<div class="panel"><dl class="facts"><div><dt>Key</dt><dd><code>${HASH}</code></dd></div><div><dt>Limit</dt><dd>none</dd></div></dl>
<div class="copied"><input id="code" readonly value="${HASH}"><button data-copy="code" hidden>Copy</button></div></div>
<div class="panel"><div class="table"><table><caption>Requests of today</caption>
<thead><tr><th>Model</th><th>State</th><th class="number">Requests</th><th class="number">Cost in USD</th></tr></thead>
<tbody><tr><td>sim/fast</td><td><span class="badge good">active</span></td><td class="number">12</td><td class="number">0.00120</td></tr>
<tr><td>sim/slow</td><td><span class="badge bad">revoked</span></td><td class="number">3,120</td><td class="number">1.25</td></tr></tbody>
</table></div></div>
<div class="notice">A notice</div><div class="notice good">Done</div><div class="notice warn">Take care</div>
<div class="notice bad">Refused</div><div class="panel empty">Nothing here yet. <a href="/">Create the first one</a>.</div>`;

let server: PageServer;
let base: string;

test.before(async () => {
  const person = { account: 'acct_0123456789abcdef', token: 't' };
  server = await servePages(() => layout({ title: 'Elements', current: '/account/sessions', person, content }));
  base = `${server.origin}/`;
});
test.after(async () => {
  await closeBrowser();
  server.close();
});

for (const look of LOOKS)
  it(`the elements fit their page, ${look}, and its policy refuses none of them`, async () => {
    const context = await openContext(look);
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())));
    await page.goto(base);
    assert.is(await overflow(page), 0);
    assert.is(await page.getByRole('button', { name: 'Copy' }).isVisible(), true, 'the script shows the button');
    assert.is(await page.getByRole('navigation', { name: 'Main' }).count(), 1);
    await page.keyboard.press('Tab');
    assert.is(await page.evaluate<string>('document.activeElement.className'), 'skip');
    await screenshot(page, `elements-${look}`);
    assert.equal(errors, []);
    await context.close();
  });

it('without a script the page shows no button that does nothing', async () => {
  const context = await openContext('light', { javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(base);
  assert.is(await page.locator('button[data-copy]').isVisible(), false);
  await context.close();
});

/** Colours by name, of the light sheet or of the dark one. */
function coloursOf(sheet: string): Readonly<Record<string, string>> {
  return Object.fromEntries([...sheet.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, hex]) => [name, hex]));
}

/** The relative luminance of WCAG 2. */
function luminance(hex: string): number {
  const parts = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);
  const [r, g, b] = parts.map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * (r as number) + 0.7152 * (g as number) + 0.0722 * (b as number);
}

function contrast(a: string, b: string): number {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

test('text has the contrast of WCAG AA on every ground it stands on, borders of fields that of 3:1', () => {
  const sheet = readFileSync(join(ASSETS, 'tokens.css'), 'utf8');
  const dark = sheet.indexOf('prefers-color-scheme: dark');
  for (const part of [sheet.slice(0, dark), sheet.slice(dark)]) {
    const colours = coloursOf(part) as Record<string, string>;
    const pairs = [
      ...['paper', 'surface', 'sunken'].flatMap((ground) => [`ink ${ground}`, `muted ${ground}`, `accent ${ground}`]),
      ...['accent-ink accent', 'accent accent-soft', 'bad surface', 'accent-ink accent-hover'],
      ...['good', 'warn', 'bad'].flatMap((tone) => [`${tone} ${tone}-soft`, `ink ${tone}-soft`]),
    ];
    for (const pair of pairs) {
      const [text, ground] = pair.split(' ').map((name) => colours[name] as string) as [string, string];
      assert.ok(contrast(text, ground) >= 4.5, `${pair}: ${contrast(text, ground).toFixed(2)}`);
    }
    assert.ok(contrast(colours['line-strong'] as string, colours.surface as string) >= 3);
  }
});

test.run();
