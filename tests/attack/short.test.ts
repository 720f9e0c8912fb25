import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../support/bounded.ts';
import { UNLIMITED } from '../support/cluster/shared-cluster.ts';
import { startUnwatched } from '../support/cluster/start-cluster.ts';
import { ATTACKS } from './attacks.ts';
import { hostileDeclaration, startHostileProvider } from './hostile-provider.ts';
import { MORE_ATTACKS } from './more-attacks.ts';

/** The short form of `npm run attack`: every attack once, a few at a time, in one process. It measures no time. */
const it = bounded(test, 240_000);
const STRENGTH = 0.05;
const TENANT_REQUESTS = 3;

let cluster: Awaited<ReturnType<typeof startUnwatched>>;
let provider: Awaited<ReturnType<typeof startHostileProvider>>;
let attacker: string;
let tenant: string;
test.before(async () => {
  provider = await startHostileProvider();
  const providers = [hostileDeclaration(provider.baseUrl)];
  cluster = await startUnwatched({ rates: UNLIMITED, simulators: ['sim-a', 'sim-v'], providers });
  attacker = (await cluster.fund('100000')).key;
  tenant = (await cluster.fund('100')).key;
});
test.after(async () => {
  await cluster.close();
  await provider.close();
});

async function ask(): Promise<number> {
  const body = JSON.stringify({ model: 'sim/fast', messages: [{ role: 'user', content: 'hello' }] });
  const headers = { authorization: `Bearer ${tenant}`, 'content-type': 'application/json' };
  const answer = await fetch(`${cluster.baseUrls[0]}/chat/completions`, { method: 'POST', headers, body });
  await answer.text();
  return answer.status;
}

for (const attack of [...ATTACKS, ...MORE_ATTACKS]) {
  it(`another tenant is served during the attack, which holds: ${attack.name}`, async () => {
    const [node] = cluster.nodes;
    assert.ok(node);
    const statuses: number[] = [];
    const found = attack.run({
      baseUrl: cluster.baseUrls[0] as string,
      operatorUrl: node.operatorUrl,
      grpc: [node.grpcAddress],
      key: attacker,
      goesOn: () => statuses.length < TENANT_REQUESTS,
      strength: STRENGTH,
    });
    while (statuses.length < TENANT_REQUESTS) statuses.push(await ask());
    assert.is(await found, null);
    assert.equal(statuses, Array(TENANT_REQUESTS).fill(200));
  });
}

test.run();
