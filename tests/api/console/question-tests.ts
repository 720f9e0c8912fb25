/**
 * The questions of an operator, each answered in words by at most two clicks in the console, and by one command. Tests of
 * `in-use.test.ts`, the last of which drains a node.
 */
import type { Locator, Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { told, toldJson } from '../../gateway/operator/cli/in-process.ts';
import { storeDamaged } from '../../support/cluster/damaged-actor.ts';
import { operatorOptions } from '../../support/cluster/operator-options.ts';
import type { Funded, TestCluster } from '../../support/cluster/start-cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { clientOf } from '../client.ts';

type It = (title: string, run: () => Promise<void>) => void;

interface Asked {
  readonly cluster: TestCluster;
  readonly funded: Funded;
  /** A page that is signed in, at the console's first page. */
  readonly open: () => Promise<Page>;
}

interface Question {
  readonly asks: string;
  /** From the first page to the place of the answer. */
  readonly go: (steps: Steps) => Promise<Locator>;
  readonly shown: RegExp;
  readonly command: readonly string[];
  readonly told: RegExp;
}

const STEPS_MAX = 2;
const BROKEN = 'account:acct_broken';
/** Of two nodes; so many are hardly all at one. */
const ACCOUNTS_MAX = 24;

/** A person's way: clicks, and ids that are typed into the palette. */
class Steps {
  count = 0;
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async click(target: Locator): Promise<void> {
    this.count++;
    await target.click();
  }

  async find(id: string): Promise<Locator> {
    this.count++;
    await eventually(async () => {
      await this.page.keyboard.press('Control+k');
      assert.ok(await this.page.getByRole('combobox', { name: 'An id, a name' }).isVisible());
    });
    await this.page.keyboard.type(id);
    await this.page.locator('.offers [role=option]').first().waitFor();
    await this.page.keyboard.press('Enter');
    return this.page.locator('main');
  }

  region(name: string): Locator {
    return this.page.getByRole('region', { name });
  }

  async open(page: string): Promise<void> {
    await this.click(this.page.getByRole('link', { name: page, exact: true }));
  }
}

export function questionTests(it: It, asked: () => Asked): void {
  it('each question of an operator is answered by two clicks at most, and by one command', async () => {
    const { cluster, open } = asked();
    const at = await operatorOptions(cluster);
    const { batch, client, questions } = await prepared(asked());
    const page = await open();
    const home = page.url();
    for (const { asks, go, shown, command, told: words } of questions) {
      await page.goto(home);
      const steps = new Steps(page);
      const place = await go(steps);
      await eventually(async () => assert.match(await place.innerText(), shown, asks));
      assert.ok(steps.count <= STEPS_MAX, `${asks}: ${steps.count} steps`);
      assert.match(await told([...command, ...at]), words, asks);
    }
    await page.context().close();
    await client.send(`/batches/${batch}/cancel`, { method: 'POST' });
  });

  it('which node ran a video before and after a takeover: by its id, in the console and by command', async () => {
    const { cluster, open } = asked();
    const at = await operatorOptions(cluster);
    const video = await videoAt('t2', cluster);
    await cluster.nodes[1]?.drain();
    const page = await open();
    const steps = new Steps(page);
    const place = await steps.find(video);
    await place.locator('svg .state.lit', { hasText: 'completed' }).waitFor();
    const nodes = steps.region('Last transitions, newest first').locator('[data-name=Node]');
    assert.equal([...new Set(await nodes.allInnerTexts())], ['t1', 't2']);
    const history = await told(['history', video, ...at]);
    assert.match(history, / t2 +\d+ [\s\S]* t1 +\d+ | t1 +\d+ [\s\S]* t2 +\d+ /);
    await page.context().close();
  });
}

/** A stuck batch, a repeated request, one that its provider failed, a node that ended, and an actor that does not load. */
async function prepared({ cluster, funded }: Asked) {
  const at = await operatorOptions(cluster);
  const client = clientOf(cluster, funded.key);
  const asking = (directive: object) => ({
    model: 'sim/fast',
    messages: [{ role: 'user', content: `@sim ${JSON.stringify(directive)}` }],
  });
  const requests = [{ custom_id: 'a', body: asking({ ttft_ms: 600_000 }) }];
  const submitted = await client.ask<{ readonly id: string }>('/batches', {
    body: { endpoint: '/v1/chat/completions', requests },
  });
  const sent = async (directive: object, more: object = {}): Promise<Response> => {
    const answer = await client.send('/chat/completions', { body: { ...asking(directive), ...more } });
    await answer.text();
    return answer;
  };
  // A percentile needs some attempts.
  for (let n = 0; n < 6; n++) await sent({ tokens: 2 }, { stream: true });
  await sent({ tokens: 5 });
  const twice = (await sent({ tokens: 5 })).headers.get('x-generation-id') ?? '';
  assert.ok((await sent({ status: 500 })).status >= 500);
  const lastEnd = { reason: 'ended by SIGKILL', at: Date.now() };
  const times = [lastEnd.at, lastEnd.at, lastEnd.at];
  cluster.nodes[0]?.cluster.operator.noteRestarts({ name: 't2', total: 3, times, lastEnd });
  storeDamaged(cluster, BROKEN);
  assert.match(await told(['why', BROKEN, ...at]), /./);
  const batch = submitted.body.id;
  return { client, batch, questions: questionsOf({ batch, twice, key: funded.keyAddress }) };
}

interface Subjects {
  readonly batch: string;
  readonly twice: string;
  /** Address of the key. */
  readonly key: string;
}

function questionsOf({ batch, twice, key }: Subjects): readonly Question[] {
  return [
    {
      asks: 'why does this batch wait',
      go: (steps) => steps.find(batch),
      shown: /Line 0 has a slot and runs: attempt 1\./,
      command: ['why', batch],
      told: /^Line 0 has a slot and runs: attempt 1\./,
    },
    {
      asks: 'was this customer charged twice',
      go: (steps) => steps.find(twice),
      shown: /Charged twice\? gen-\S+ of the same key and model/,
      command: ['generation', twice, '--timeline'],
      told: /Charged twice\? gen-\S+ of the same key and model/,
    },
    {
      asks: 'which provider is slow',
      go: async (steps) => {
        await steps.open('Endpoints');
        await steps.click(steps.page.getByRole('button', { name: 'Latency, p99' }));
        await steps.page.waitForURL(/order=latency/);
        return steps.region('Endpoints that requests are routed to').locator('tbody tr').first();
      },
      shown: /^\S+ at sim-\w[\s\S]*\d ms/,
      command: ['endpoints', 'list', '--sort', 'latency'],
      told: /^MODEL.*\n\S+ +sim-\w .*\d s/,
    },
    {
      asks: 'why does a node end again and again',
      go: async (steps) => steps.region('Nodes of the cluster').getByRole('row', { name: /t2/ }),
      shown: /\s3\s[\s\S]*ended by SIGKILL/,
      command: ['ps'],
      told: /^t2 .* 3 .*ended by SIGKILL/m,
    },
    {
      asks: 'why is an actor quarantined',
      go: async (steps) => {
        await steps.click(steps.page.locator('.figures > *', { hasText: 'quarantined' }).getByRole('link'));
        await steps.click(steps.region('Actors').getByRole('link', { name: /acct_broken/ }));
        return steps.page.locator('main');
      },
      shown: /cannot be restored: its snapshot carries no check sum[\s\S]*It is quarantined/,
      command: ['why', BROKEN],
      told: /cannot be restored: its snapshot carries no check sum\nIt is quarantined/,
    },
    {
      asks: 'who owns an actor, and what waits in its mailbox',
      go: (steps) => steps.find(key),
      shown: /Node\s+t[12][\s\S]*No message waits/,
      command: ['inspect', key],
      told: /^owner +t[12]$[\s\S]*^queue +0 system, 0 finish, 0 start$/m,
    },
    {
      asks: 'which accounts were charged most today',
      go: async (steps) => {
        await steps.open('Accounts');
        return steps.region('Accounts by what they were charged today');
      },
      shown: /test\s+\d+\s+\S*0\.\d+/,
      command: ['accounts', 'top'],
      told: /^ACCOUNT.*\nacct_\w+ +test +\d+ +0\.\d+/,
    },
    {
      asks: 'what is in flight now',
      go: async (steps) => steps.region('Requests, batch lines and renders in flight'),
      shown: /line[\s\S]*sim\/fast/,
      command: ['inflight'],
      told: / line .* sim\/fast /,
    },
    {
      asks: 'what does the outage of a provider consist of',
      go: async (steps) => {
        await steps.open('Endpoints');
        return steps.region('Providers that sell').getByRole('row', { name: /sim-a/ });
      },
      shown: /\d of \d+ serve[\s\S]* ago/,
      command: ['why', 'provider:sim-a'],
      told: /of \d+ serve[\s\S]*The last failure of a request at ep_\w+ was at /,
    },
  ];
}

/** A video of an account that lives at this node, as all of its jobs do. It outlasts a drain. */
async function videoAt(name: string, cluster: TestCluster): Promise<string> {
  const at = await operatorOptions(cluster);
  const prompt = `a lake at dawn @sim ${JSON.stringify({ render_ms: 4_000 })}`;
  const body = { model: 'sim/filmstrip', prompt, duration: 1, resolution: '480p' };
  for (let n = 0; n < ACCOUNTS_MAX; n++) {
    const { account, key } = await cluster.fund('5');
    const { node } = await toldJson<{ node: string }>(['inspect', account, ...at]);
    if (node !== name) continue;
    const { body: job } = await clientOf(cluster, key).ask<{ readonly id: string }>('/videos', { body });
    return job.id;
  }
  throw new Error(`no account of ${ACCOUNTS_MAX} is at ${name}`);
}
