import type { Downloading } from '../../edge/downloads/write-download.ts';
import type { PageRoute } from '../kit/page-route.ts';
import { auditPageRoutes } from './audit.ts';
import { batchPageRoutes } from './batches.ts';
import { creditPageRoutes } from './credits.ts';
import { filePageRoutes } from './files.ts';
import { generationRoutes } from './generations.ts';
import { keyPageRoutes } from './keys.ts';
import { overviewRoutes } from './overview.ts';
import { sessionRoutes } from './sessions.ts';
import { usageRoutes } from './usage.ts';
import { videoPageRoutes } from './videos.ts';
import { webhookPageRoutes } from './webhooks.ts';

export interface AccountParts {
  readonly downloads: Downloading;
  /** How long the signing secret before a rotation remains valid. */
  readonly secretOverlapMs: number;
}

/** The pages of the person behind an account. They read and change by the same functions as the routes of the API. */
export function accountRoutes({ downloads, secretOverlapMs }: AccountParts): readonly PageRoute[] {
  return [
    ...overviewRoutes,
    ...keyPageRoutes,
    ...usageRoutes(downloads),
    ...generationRoutes,
    ...batchPageRoutes,
    ...videoPageRoutes(downloads),
    ...filePageRoutes(downloads),
    ...creditPageRoutes(downloads),
    ...webhookPageRoutes(secretOverlapMs),
    ...auditPageRoutes,
    ...sessionRoutes,
  ];
}
