import type { FileRecord } from '../../../actors/file/file-record.ts';
import type { FileServices } from '../../files/file-services.ts';
import { type FileDescription, storeUpload } from '../../files/store-upload.ts';
import type { EdgeLimits } from '../../terms/config/config.ts';
import { readFormUpload } from './form-upload.ts';
import type { BodyRequest } from './request-bodies.ts';
import type { UploadRoom } from './upload-room.ts';

export interface FormFileParts {
  readonly files: FileServices;
  readonly limits: EdgeLimits;
  readonly uploads: UploadRoom;
}

interface FormFile {
  /** Id of the account that stores the file. */
  readonly account: string;
  readonly describe: (filename: string, fields: ReadonlyMap<string, string>) => FileDescription;
}

/**
 * Reads a form with one file and stores the file, piece by piece. `describe` judges the fields
 * of the form, which are known once the file has been read. Rejects as `readFormUpload`, `storeUpload` and `describe` do,
 * and with GatewayError 429 or 503 where too many uploads are under way.
 */
export async function storeFormFile(
  context: Pick<BodyRequest, 'request' | 'place' | 'invite'>,
  { files, limits, uploads }: FormFileParts,
  { account, describe }: FormFile,
): Promise<FileRecord> {
  const { clock } = files;
  const { fileBytesMax } = files.limits;
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
