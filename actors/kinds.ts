/** All actor kinds of the marketplace. A node registers exactly these. */
import { accountKind } from './account/account.ts';
import { auditKind } from './audit/audit.ts';
import { batchKind } from './batch/batch.ts';
import { endpointKind } from './endpoint/endpoint.ts';
import { fileKind } from './file/file.ts';
import { issuanceCodeKind } from './issuance-code/issuance-code.ts';
import { keyKind } from './key/key.ts';
import { paymentKind } from './payment/payment.ts';
import { transactionKind } from './payment/transaction.ts';
import { providerKind } from './provider/provider.ts';
import { rateWindowKind } from './rate-window/rate-window.ts';
import { refusalLogKind } from './refusal-log/refusal-log.ts';
import type { Kind } from './runtime/index.ts';
import { invitationKind } from './session/invitation.ts';
import { sessionKind } from './session/session.ts';
import { videoJobKind } from './video-job/video-job.ts';
import { signingKind } from './webhook/signing.ts';
import { webhookKind } from './webhook/webhook.ts';
import { workspaceKind } from './workspace/workspace.ts';

/** `generationMs`: retention of generation records; null keeps them for ever. */
export interface Retention {
  readonly generationMs?: number | null;
}

export function kindsWith({ generationMs }: Retention): readonly Kind[] {
  return [
    accountKind(generationMs),
    keyKind,
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
    rateWindowKind,
    providerKind,
    endpointKind,
  ];
}

export const kinds: readonly Kind[] = kindsWith({});
