/** What a provider's actor keeps beside its declaration: readings of its document, raw refusals, earnings, keys. */
import { Type } from 'typebox';
import { createAccount } from '../../../../actors/account/account.ts';
import type { ProviderState } from '../../../../actors/provider/provider.machine.ts';
import { REFUSALS_COLLECTION, recordRefusals } from '../../../../actors/provider/refusals.ts';
import type { Cluster } from '../../../../actors/runtime/index.ts';
import type { ProviderFacts } from '../../../../actors/terms/endpoint.ts';
import { accountAddress, providerAccountId, providerAddress } from '../../../../actors/terms/ids.ts';
import { monthOf, parseMonth } from '../../../../actors/terms/month.ts';
import { ProviderEarnings } from '../../../jobs/earnings/provider-earnings.ts';
import { keyCreateSchema } from '../../../management/key-schema.ts';
import { makeKey } from '../../../management/keys.ts';
import { type ChangePlan, change, quoted } from '../../http/change.ts';
import { isAbsent, isInvalid, type OperatorRoute, operatorRoute } from '../../http/operator-route.ts';
import { listOf } from '../../http/pages.ts';
import { createdKey } from '../account/keys.ts';
import { ASK_MS, type ManagementParts, servicesOf, tenantOf } from '../account/managing.ts';

const REFUSALS_MAX = 100;
const MINUTES_MAX = 24 * 60;

export const providerRecordRoutes = (parts: ManagementParts): readonly OperatorRoute[] => [
  operatorRoute({
    method: 'GET',
    path: '/api/providers/:slug/refreshes',
    policy: 'viewer',
    summary: 'The readings of the models document of a provider on command, the newest first, with their faults.',
    answer: async ({ cluster, params }) => {
      const { refreshes } = await declaredProvider(cluster, params.slug);
      return refreshes ?? { running: null, history: [] };
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/api/providers/:slug/earnings',
    policy: 'viewer',
    summary: 'What a provider earned in a UTC month, by day and endpoint.',
    query: Type.Object({ month: Type.Optional(Type.String({ description: 'YYYY-MM; absent: the running one' })) }),
    answers: listOf(Type.Object({}, { description: 'what one endpoint earned on one day' })),
    answer: async ({ cluster, params, query }) => {
      const month = query.month === undefined ? monthOf(cluster.now()) : parseMonth(query.month);
      if (month === null) throw isInvalid('month', 'must be YYYY-MM');
      const { facts } = await declaredProvider(cluster, params.slug);
      return { data: (await new ProviderEarnings(cluster, ASK_MS).read(facts, month)).earnings, next: null };
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/api/providers/:slug/refusals',
    policy: 'viewer',
    summary: `The newest ${REFUSALS_MAX} raw refusals of a provider that were recorded, redacted.`,
    answers: listOf(Type.Object({}, { description: 'one refusal' })),
    answer: async ({ cluster, params }) => {
      const address = await addressOf(cluster, params.slug);
      const query = { collection: REFUSALS_COLLECTION, address, order: 'descending', limit: REFUSALS_MAX } as const;
      const rows = await cluster.rows.rows(query);
      return { data: rows.map(({ body }) => JSON.parse(body) as object), next: null };
    },
  }),
  change({
    path: '/api/providers/:slug/refusals/record',
    summary: 'Record the raw refusals of a provider for some minutes, redacted; 0 ends it and removes them.',
    members: { minutes: Type.Integer({ minimum: 0, maximum: MINUTES_MAX }) },
    answers: { until: Type.Union([Type.Number(), Type.Null()]) },
    plan: async ({ cluster, params: { slug }, body: { minutes, reason } }): Promise<ChangePlan> => {
      const target = await addressOf(cluster, slug);
      return {
        would: `record the refusals of ${target} for ${minutes} minutes`,
        command: `troupe refusals record ${quoted(slug)} --minutes ${minutes} --reason ${quoted(reason)}`,
        audit: { action: 'refusals.record', target, detail: { minutes } },
        run: async () => {
          const { until } = await recordRefusals(cluster, slug, minutes, ASK_MS);
          return { did: `records the refusals of ${target} for ${minutes} minutes`, until };
        },
      };
    },
  }),
  change({
    path: '/api/providers/:slug/keys',
    summary: 'Create a key that reads and reports for a provider and spends nothing; the answer alone has its text.',
    members: { key: keyCreateSchema },
    answers: { key: Type.Object({}, { description: 'the key, with its text as `secret`' }) },
    plan: async (request): Promise<ChangePlan> => {
      const { cluster, params, body } = request;
      await declaredProvider(cluster, params.slug);
      const account = providerAccountId(params.slug);
      return {
        would: `create a key of ${providerAddress(params.slug)}`,
        command: `troupe providers keys create ${quoted(params.slug)} --reason ${quoted(body.reason)}`,
        audit: { action: 'key.create', target: accountAddress(account), detail: { kind: 'provider' } },
        run: async () => {
          await createAccount(cluster, accountAddress(account), `Provider ${params.slug}`, ASK_MS);
          const input = { ...body.key, kind: 'provider' };
          const made = await makeKey(servicesOf(parts, cluster), tenantOf(account, request), input);
          return { did: `created ${made.view.key}`, key: createdKey(made) };
        },
      };
    },
  }),
];

async function addressOf({ operator }: Cluster, slug: string): Promise<string> {
  const address = providerAddress(slug);
  if ((await operator.inspect(address)) === null) throw isAbsent(address);
  return address;
}

async function declaredProvider(
  { operator }: Cluster,
  slug: string,
): Promise<ProviderState & { readonly facts: ProviderFacts }> {
  const found = await operator.inspect(providerAddress(slug));
  const state = found?.context as unknown as ProviderState | undefined;
  if (!state?.facts) throw isAbsent(providerAddress(slug));
  return { ...state, facts: state.facts };
}
