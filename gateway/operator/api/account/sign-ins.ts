/** How people sign in to an account without a key: links that work once, and the sessions of their browsers. */
import { Type } from 'typebox';
import { createInvitation } from '../../../../actors/session/invitation.ts';
import { accountAddress } from '../../../../actors/terms/ids.ts';
import { invitationAddress, oneTimeSecret, secretDigest } from '../../../../actors/terms/one-time.ts';
import { endSessions, openSessions } from '../../../management/sessions.ts';
import { type ChangePlan, change, quoted } from '../../http/change.ts';
import { type OperatorRoute, operatorRoute } from '../../http/operator-route.ts';
import { listOf } from '../../http/pages.ts';
import { ASK_MS, type ManagementParts, requireAccount, servicesOf, tenantOf } from './managing.ts';

const HOUR_MS = 3_600_000;
const HOURS = 24;
const HOURS_MAX = 7 * 24;

export const signInRoutes = (parts: ManagementParts): readonly OperatorRoute[] => [
  operatorRoute({
    method: 'GET',
    path: '/api/accounts/:id/sessions',
    policy: 'viewer',
    summary: 'The browsers that are signed in to an account, the newest first.',
    answers: listOf(Type.Object({}, { description: 'one session' })),
    answer: async (request) => {
      const { cluster, params } = request;
      await requireAccount(cluster, params.id);
      return { data: await openSessions(servicesOf(parts, cluster), tenantOf(params.id, request)), next: null };
    },
  }),
  change({
    path: '/api/accounts/:id/sign-out',
    summary: 'End every session of an account.',
    answers: { ended: Type.Integer() },
    plan: async (request): Promise<ChangePlan> => {
      const { cluster, params, body } = request;
      await requireAccount(cluster, params.id);
      return {
        would: `end every session of ${params.id}`,
        command: `troupe accounts sign-out ${params.id} --reason ${quoted(body.reason)}`,
        audit: { action: 'account.sign-out', target: accountAddress(params.id), detail: {} },
        run: async () => {
          const ended = await endSessions(servicesOf(parts, cluster), tenantOf(params.id, request));
          return { did: `ended ${ended} sessions of ${params.id}`, ended };
        },
      };
    },
  }),
  change({
    path: '/api/accounts/:id/invite',
    summary: 'Make a link with which a person signs in once; the answer alone has its path, below the public address.',
    members: {
      hours: Type.Optional(
        Type.Integer({ minimum: 1, maximum: HOURS_MAX, description: `how long it works; ${HOURS} if absent` }),
      ),
    },
    answers: { path: Type.String(), expiresAt: Type.Number() },
    plan: async (request): Promise<ChangePlan> => {
      const { cluster, params, body, principal: by } = request;
      const { hours = HOURS } = body;
      await requireAccount(cluster, params.id);
      return {
        would: `make a link that signs a person in to ${params.id} once, within ${hours} hours`,
        command: `troupe accounts invite ${params.id} --hours ${hours} --reason ${quoted(body.reason)}`,
        audit: { action: 'account.invite', target: accountAddress(params.id), detail: { hours } },
        run: async () => {
          const { pepper, random } = servicesOf(parts, cluster);
          const secret = oneTimeSecret(random);
          const made = { digest: secretDigest(pepper, 'invitation', secret), lifetimeMs: hours * HOUR_MS, by };
          const { expiresAt } = await createInvitation(cluster, invitationAddress(params.id, random), made, ASK_MS);
          return { did: `made a link to ${params.id}`, path: `/sign-in?invite=${secret}`, expiresAt };
        },
      };
    },
  }),
];
