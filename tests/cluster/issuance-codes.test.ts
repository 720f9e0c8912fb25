/**
 * A node that dies between the commit that consumes a code and the answer never makes a second key of it, whichever
 * node asked and whichever owns the account. (rule K23)
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findCode, issueCode, type Trade, tradeCode } from '../../actors/issuance-code/issuance-code.ts';
import { listKeys } from '../../actors/key/credential.ts';
import { accountAddress, keyAddress } from '../../actors/terms/ids.ts';
import { challengeOf } from '../../actors/terms/one-time.ts';
import { watchCommits } from '../../gateway/node/open-gateway.ts';
import { bounded } from '../support/bounded.ts';
import type { VirtualNode } from './virtual-nodes.ts';
import { inWorld, WITHIN_MS, World } from './world.ts';

const it = bounded(test);
const VERIFIER = 'v'.repeat(43);
const POINT = 'authcode.consumed';

const digestOf = (n: number): string => n.toString(16).padStart(64, '0');
const tradeOf = (account: string, n: number): Trade => ({
  ...{ trade: `gen-${n}`, challenge: challengeOf(VERIFIER) },
  issued: { key: keyAddress(account, `key_${n}0`), digest: digestOf(n), label: 'sk', handle: digestOf(n) },
});

async function issue(via: VirtualNode, account: string): Promise<string> {
  const code = `issuance-code:${account}/code_1`;
  const approval = { challenge: challengeOf(VERIFIER), origin: 'https://app.example', limit: null };
  const made = { digest: digestOf(99), approval, lifetimeMs: 600_000, by: { kind: 'system', id: 'test' } as const };
  await issueCode(via.node, code, made, WITHIN_MS);
  return code;
}

for (const isOwnerAsked of [true, false]) {
  it(`${isOwnerAsked ? 'the node that asks owns the account' : 'another node asks the owner'}: one key, and the code is dead`, async () => {
    await inWorld(new World(), async ({ world, owner, other, account }) => {
      const code = await issue(other, account);
      let deaths = 0;
      watchCommits(owner.node, (name) => {
        if (name !== POINT) return;
        deaths++;
        void owner.kill();
      });
      const asker = isOwnerAsked ? owner : other;
      let answer: boolean | null = null;
      tradeCode(asker.node, code, tradeOf(account, 1), WITHIN_MS).then(
        (isGranted) => {
          answer = isGranted;
        },
        () => {},
      );
      await world.nodes.until(() => deaths === 1, 'the owner dies at the crash point');
      // An asker that survives learns from the new owner that its own trade was served.
      if (!isOwnerAsked) await world.nodes.until(() => answer === true, 'the asker is answered');
      // The client that got no answer sends the code again: a new trade, with a new key.
      assert.is(await findCode(other.node, digestOf(99)), null);
      assert.is(await tradeCode(other.node, code, tradeOf(account, 2), WITHIN_MS), false);
      assert.is(await tradeCode(other.node, code, tradeOf(account, 3), WITHIN_MS), false);
      const keys = await listKeys(other.node, accountAddress(account), 10);
      assert.equal(
        keys.map(({ key }) => key),
        [keyAddress(account, 'key_10'), keyAddress(account, 'key_1')],
      );
    });
  });
}

test.run();
