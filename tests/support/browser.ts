/**
 * A real Chromium for the tests of pages: one process per test process, a context of its own per test. It needs nothing
 * but the package: no download, no sandbox, no network of its own.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import chromiumPackage from '@sparticuz/chromium';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { paced } from './pace.ts';
import { ROOT } from './sources.ts';

const ARGUMENTS = [
  ...['--no-sandbox', '--no-zygote', '--disable-gpu', '--disable-dev-shm-usage', '--hide-scrollbars'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-domain-reliability'],
  ...['--disable-sync', '--no-default-browser-check', '--no-first-run', '--no-pings'],
];
/** A wait in a page ends when its condition holds; this only ends a hanging test. */
const HANGING_MS = 30_000;

type Look = 'light' | 'dark' | 'phone';
export const LOOKS: readonly Look[] = ['light', 'dark', 'phone'];
const VIEWPORTS = { light: [1180, 800], dark: [1180, 800], phone: [360, 740] } as const;

/** Set by scripts/run-tests.mjs: closes resources shared by several test files, after the last of them. */
interface Runner {
  readonly TROUPE_AT_END?: (close: () => Promise<void>) => void;
}

let launched: Promise<Browser> | null = null;

/** The browser of this process. One that was launched without these `args` is replaced by one that has them. */
export async function browser(args: readonly string[] = []): Promise<Browser> {
  if (args.length > 0) await close();
  if (launched === null) {
    launched = launch(args);
    (globalThis as Runner).TROUPE_AT_END?.(close);
  }
  return launched;
}

async function launch(args: readonly string[]): Promise<Browser> {
  const executablePath = await chromiumPackage.executablePath();
  return chromium.launch({ executablePath, headless: true, args: [...ARGUMENTS, ...args] });
}

/** For `test.after` of a file that opened pages; the runner does it for files that share a process, after the last. */
export async function closeBrowser(): Promise<void> {
  if ((globalThis as Runner).TROUPE_AT_END === undefined) await close();
}

async function close(): Promise<void> {
  const closing = launched;
  launched = null;
  await (await closing)?.close();
}

/** A context with its own cookies. */
export async function openContext(look: Look = 'light', options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const [width, height] = VIEWPORTS[look];
  const context = await (await browser()).newContext({
    viewport: { width, height },
    colorScheme: schemeOf(look),
    ...options,
  });
  context.setDefaultTimeout(paced(HANGING_MS));
  return context;
}

/** Gives an open page another look, without loading it again. */
export async function give(page: Page, look: Look): Promise<void> {
  const [width, height] = VIEWPORTS[look];
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: schemeOf(look) });
}

const schemeOf = (look: Look): 'light' | 'dark' => (look === 'dark' ? 'dark' : 'light');

/** With a script the page offers to copy what it shows: the button is shown once the script has run. */
export async function copyButtonIs(page: Page, shown: boolean): Promise<void> {
  const button = page.getByRole('button', { name: 'Copy' }).first();
  await button.waitFor({ state: shown ? 'visible' : 'hidden' });
}

/** Writes a picture of the whole page into the folder that `TROUPE_SCREENSHOTS` names; without it, nothing is drawn. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.TROUPE_SCREENSHOTS;
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

/** Pixels by which the page is wider than its window; 0 where nothing scrolls sideways. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

const AXE = join(ROOT, 'node_modules/axe-core/axe.min.js');

/**
 * What makes the page hard to use without sight, by all rules of axe or by some. Its context must have `bypassCSP`.
 */
export async function axeFindings(page: Page, rules: readonly string[] | null = null): Promise<readonly string[]> {
  const options = { resultTypes: ['violations'], ...(rules === null ? {} : { runOnly: rules }) };
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(`${readFileSync(AXE, 'utf8')}; 0`);
  return page.evaluate<readonly string[]>(`axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ' ' + target.join(' '))))`);
}
