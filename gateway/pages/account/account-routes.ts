import type { Route } from '../../edge/route.ts';
import { auditPageRoutes } from './audit.ts';
import { batchPageRoutes } from './batches.ts';
import { creditPageRoutes } from './credits.ts';
import { filePageRoutes } from './files.ts';
import { generationRoutes } from './generations.ts';
import { keyPageRoutes } from './keys.ts';
import { overviewRoutes } from './overview.ts';
import { usageRoutes } from './usage.ts';
import { videoPageRoutes } from './videos.ts';
import { webhookPageRoutes } from './webhooks.ts';

/** The pages of the person behind an account. They read and change by the same functions as the routes of the API. */
export const accountRoutes: readonly Route[] = [
  ...overviewRoutes,
  ...keyPageRoutes,
  ...usageRoutes,
  ...generationRoutes,
  ...batchPageRoutes,
  ...videoPageRoutes,
  ...filePageRoutes,
  ...creditPageRoutes,
  ...webhookPageRoutes,
  ...auditPageRoutes,
];
