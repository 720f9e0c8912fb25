import { requireStatement } from '../../management/statement.ts';
import type { RequestContext } from '../request-context.ts';
import { sendCsv } from './send-csv.ts';
import type { Downloading } from './write-download.ts';

/** Sends the CSV of one month. `account` is an address. Throws GatewayError 400, 404. */
export async function sendStatement(
  context: RequestContext,
  downloads: Downloading,
  { account, month: name }: { readonly account: string; readonly month: string },
): Promise<null> {
  const { month, lines } = await requireStatement(downloads.files, account, name);
  return sendCsv(context, downloads, { account, name: `statement-${month.name}`, source: lines });
}
