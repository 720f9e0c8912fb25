import type { FileRecord } from '../../../actors/file/file-record.ts';
import { ownerOf } from '../../../actors/runtime/index.ts';
import { type FileDescription, storeUpload } from '../../files/store-upload.ts';
import type { EdgeRoutes } from '../edge-routes.ts';
import { callerOf, type RequestContext } from '../request-context.ts';
import { readFormUpload } from './form-upload.ts';

/**
 * Reads a form with one file and stores the file for the caller's account, piece by piece. `describe` judges the fields
 * of the form, which are known once the file has been read. Rejects as `readFormUpload`, `storeUpload` and `describe` do,
 * and with GatewayError 429 or 503 where too many uploads are under way.
 */
export async function storeFormFile(
  context: RequestContext,
  { services, uploads }: Pick<EdgeRoutes, 'services' | 'uploads'>,
  describe: (filename: string, fields: ReadonlyMap<string, string>) => FileDescription,
): Promise<FileRecord> {
  const { limits, clock, files } = services;
  const { fileBytesMax } = files.limits;
  const account = ownerOf(callerOf(context).key);
  // An upload waits for its client.
  context.place?.leave();
  return uploads.run(account, async () => {
    const form = await readFormUpload(context.request, { limits, clock, fileBytesMax, invite: context.invite });
    try {
      return await storeUpload(files, {
        account,
        source: form.source,
        describe: () => describe(form.filename, form.fields),
      });
    } catch (thrown) {
      form.drop();
      throw thrown;
    }
  });
}
