/** All actor kinds of the marketplace. A node registers exactly these. */
import { accountKind } from './account/account.ts';
import { auditKind } from './audit/audit.ts';
import { batchKind } from './batch/batch.ts';
import { clusterLogKind } from './cluster-log/cluster-log.ts';
import { endpointKind } from './endpoint/endpoint.ts';
import { fileKind } from './file/file.ts';
import { issuanceCodeKind } from './issuance-code/issuance-code.ts';
import { keyKindKeeping } from './key/key.ts';
import { paymentKind } from './payment/payment.ts';
import { transactionKind } from './payment/transaction.ts';
import { providerKind } from './provider/provider.ts';
import { rateWindowKind } from './rate-window/rate-window.ts';
import { refusalLogKind } from './refusal-log/refusal-log.ts';
import type { Kind } from './runtime/index.ts';
import { invitationKind } from './session/invitation.ts';
import { sessionKind } from './session/session.ts';
import { daysMs, type Retention, USUAL_RETENTION } from './terms/retention.ts';
import { videoJobKind } from './video-job/video-job.ts';
import { signingKind } from './webhook/signing.ts';
import { webhookKind } from './webhook/webhook.ts';
import { workspaceKind } from './workspace/workspace.ts';

export function kindsWith({ generations, activity, history: days }: Retention): readonly Kind[] {
  const all: readonly Kind[] = [
    accountKind(daysMs(generations)),
    keyKindKeeping(daysMs(activity)),
    fileKind,
    batchKind,
    videoJobKind,
    webhookKind,
    signingKind,
    auditKind,
    workspaceKind,
    sessionKind,
    invitationKind,
    issuanceCodeKind,
    paymentKind,
    transactionKind,
    refusalLogKind,
    clusterLogKind,
    rateWindowKind,
    providerKind,
    endpointKind,
  ];
  return all.map((kind) => (kind.history === undefined ? kind : { ...kind, history: { ...kind.history, days } }));
}

export const kinds: readonly Kind[] = kindsWith(USUAL_RETENTION);
