/** What an operator does with a whole account: opens it, credits and corrects it, suspends and resumes it. */
import { Type } from 'typebox';
import {
  changeAccount,
  createAccount,
  creditDeposit,
  type PaidInAnswer,
  recordAdjustment,
} from '../../../../actors/account/account.ts';
import { findProfile, type Profile } from '../../../../actors/account/profile.ts';
import { type Cluster, ownerOf, systemRandom } from '../../../../actors/runtime/index.ts';
import { accountAddress, accountId, adjustmentId, depositId } from '../../../../actors/terms/ids.ts';
import { isPaymentDepositId } from '../../../../actors/terms/payment.ts';
import { compare, isZero, parseUsd } from '../../../../actors/terms/usd.ts';
import { setNotice } from '../../../management/low-balance.ts';
import { type ChangePlan, change, quoted } from '../../http/change.ts';
import { isAbsent, isInvalid, type OperatorRoute } from '../../http/operator-route.ts';
import { ASK_MS, type ManagementParts, servicesOf, tenantOf } from './managing.ts';

export interface AccountChangeParts extends ManagementParts {
  /** Above it a deposit or an adjustment names who else approved it; exact decimal USD. */
  readonly approvalAboveUsd: () => string;
}

const ID = /^acct_\w{1,64}$/;
const APPROVED_BY = Type.Optional(
  Type.String({
    pattern: '^[\\p{L}\\p{N}][\\p{L}\\p{N} .@_-]{0,63}$',
    description: 'who else approved a large amount: letters, digits, blanks and . @ _ -',
  }),
);
const NATURAL_ID = Type.Optional(
  Type.String({ minLength: 1, maxLength: 96, description: 'a natural id, so that a repeat is recorded once' }),
);
const MADE = Type.Object({}, { description: 'what was recorded, with the balance after it' });

export const accountChangeRoutes = (parts: AccountChangeParts): readonly OperatorRoute[] => [
  change({
    path: '/api/accounts',
    summary: 'Create an account; one that exists with this id stays as it is.',
    members: {
      id: Type.Optional(Type.String({ description: 'acct_...; absent: a new one' })),
      name: Type.Optional(Type.String({ maxLength: 256, description: 'a display name' })),
    },
    answers: { id: Type.String(), created: Type.Boolean() },
    plan: ({ cluster, body }): ChangePlan => {
      const { id = accountId(systemRandom), name = '', reason } = body;
      if (!ID.test(id)) throw isInvalid('id', 'must be acct_ and letters or digits');
      return {
        would: `create the account ${id}`,
        command: `troupe accounts create ${quoted(name)} --id ${id} --reason ${quoted(reason)}`,
        audit: { action: 'account.create', target: accountAddress(id), detail: { name } },
        run: async () => {
          const made = await createAccount(cluster, accountAddress(id), name, ASK_MS);
          return { did: `${made.created ? 'created' : 'found'} ${id}`, ...made, id };
        },
      };
    },
  }),
  change({
    path: '/api/accounts/:id/deposit',
    summary: 'Credit an account.',
    members: { usd: Type.String({ description: 'exact, above 0' }), approvedBy: APPROVED_BY, id: NATURAL_ID },
    answers: { made: MADE },
    plan: async ({ cluster, params, body, principal: by }): Promise<ChangePlan> => {
      const { account } = await requireProfile(cluster, params.id);
      const { usd, approvedBy, reason, id = depositId(systemRandom) } = body;
      if (isPaymentDepositId(id)) throw isInvalid('id', `${id} is the id of a payment; choose another`);
      const amount = amountIn(usd);
      const approved = approvalOf(parts.approvalAboveUsd(), amount, approvedBy);
      return {
        would: `credit ${account} with ${amount} USD`,
        command: `troupe accounts deposit ${ownerOf(account)} ${amount}${optionOf(approved)} --reason ${quoted(reason)}`,
        audit: null,
        run: async () => {
          const made = await creditDeposit(cluster, account, { id, amount, reason, ...approved, by }, ASK_MS);
          return recorded(`credited ${account} with ${made.amount} USD`, made);
        },
      };
    },
  }),
  change({
    path: '/api/accounts/:id/adjust',
    summary: 'Correct the balance of an account.',
    members: {
      usd: Type.String({ description: 'exact; negative takes away' }),
      approvedBy: APPROVED_BY,
      id: NATURAL_ID,
    },
    answers: { made: MADE },
    plan: async ({ cluster, params, body, principal: by }): Promise<ChangePlan> => {
      const { account } = await requireProfile(cluster, params.id);
      const { usd, approvedBy, reason, id = adjustmentId(systemRandom) } = body;
      const takes = usd.startsWith('-');
      const size = amountIn(takes ? usd.slice(1) : usd);
      const approved = approvalOf(parts.approvalAboveUsd(), size, approvedBy);
      const options = `${takes ? ' --take' : ''}${optionOf(approved)}`;
      return {
        would: `${takes ? 'take' : 'add'} ${size} USD ${takes ? 'from' : 'to'} the balance of ${account}`,
        command: `troupe accounts adjust ${ownerOf(account)} ${size}${options} --reason ${quoted(reason)}`,
        audit: null,
        run: async () => {
          const asked = { id, amount: `${takes ? '-' : ''}${size}`, reason, ...approved, by };
          const made = await recordAdjustment(cluster, account, asked, ASK_MS);
          return recorded(`adjusted ${account} by ${made.amount} USD`, made);
        },
      };
    },
  }),
  changeOf('suspend', 'Answer every request of an account with 401 until it is resumed.'),
  changeOf('resume', 'Let a suspended account send requests again.'),
  change({
    path: '/api/accounts/:id/notice',
    summary: 'Set below which balance the owner of an account is told.',
    members: { below: Type.Union([Type.String(), Type.Null()], { description: 'exact USD; null: no notice' }) },
    answers: { lowBalance: Type.Union([Type.String(), Type.Null()]) },
    plan: async (request): Promise<ChangePlan> => {
      const { cluster, params, body } = request;
      const { account } = await requireProfile(cluster, params.id);
      const { below, reason } = body;
      return {
        would: `tell the owner of ${account} ${below === null ? 'of no low balance' : `of a balance below ${below} USD`}`,
        command: `troupe deposits notice ${ownerOf(account)} ${below ?? 'off'} --reason ${quoted(reason)}`,
        audit: { action: 'account.notice', target: account, detail: { below } },
        run: async () => {
          const input = { low_balance: below };
          const lowBalance = await setNotice(servicesOf(parts, cluster), tenantOf(params.id, request), input);
          return { did: `set the notice of ${account} to ${lowBalance ?? 'off'}`, lowBalance };
        },
      };
    },
  }),
];

function changeOf(verb: 'suspend' | 'resume', summary: string): OperatorRoute {
  return change({
    path: `/api/accounts/:id/${verb}`,
    summary,
    answers: { status: Type.String() },
    plan: async ({ cluster, params, body: { reason }, principal }): Promise<ChangePlan> => {
      const { account, name } = await requireProfile(cluster, params.id);
      const what = name === '' ? account : `${account} (${name})`;
      const effect = verb === 'suspend' ? 'is answered 401 until it is resumed' : 'is answered again';
      return {
        would: `${verb} ${what}: every request with any of its keys ${effect}`,
        command: `troupe accounts ${verb} ${ownerOf(account)} --reason ${quoted(reason)}`,
        audit: { action: `account.${verb}`, target: account, detail: {} },
        run: async () => {
          const { status } = await changeAccount(cluster, account, verb, ASK_MS, principal);
          return { did: `${account} is ${status} (${reason})`, status };
        },
      };
    },
  });
}

export async function requireProfile({ rows }: Cluster, id: string): Promise<Profile> {
  const profile = await findProfile(rows, accountAddress(id));
  if (profile === null) throw isAbsent(accountAddress(id));
  return profile;
}

function amountIn(text: string): string {
  const amount = parseUsd(text);
  if (amount === null || isZero(amount)) throw isInvalid('usd', 'must be an amount in USD, such as 2.50');
  return amount;
}

/**
 * The approval of a second person. Operators share one token, so the name is what the first one states; it stops no one
 * who holds the token.
 */
export function approvalOf(most: string, amount: string, approvedBy: string | undefined) {
  if (approvedBy !== undefined) return { approvedBy };
  if (compare(amount, most) <= 0) return {};
  throw isInvalid(
    'approvedBy',
    `must name a second person: ${amount} USD is above deposits.approvalAboveUsd (${most}); have one approve it and add --approved-by NAME`,
  );
}

function optionOf({ approvedBy }: { readonly approvedBy?: string }): string {
  return approvedBy === undefined ? '' : ` --approved-by ${quoted(approvedBy)}`;
}

function recorded(did: string, made: PaidInAnswer) {
  const before = made.repeated ? ' before' : '';
  return { did: `${did}${before}; its balance ${made.repeated ? 'was' : 'is'} ${made.balance} USD`, made };
}
