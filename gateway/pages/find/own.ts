/** What the account of the visitor has: keys and files by id or name, requests and jobs by id. */
import { batchList } from '../account/batches.ts';
import { fileList } from '../account/files.ts';
import { generationList } from '../account/generation-list.ts';
import { KEYS_PATH, keyList } from '../account/key-list.ts';
import { localOf } from '../account/names.ts';
import { videoList } from '../account/videos.ts';
import type { List } from '../kit/list/list.ts';
import { matchesOf } from '../kit/list/list-view.ts';
import type { PrivateVisit } from '../kit/page-route.ts';
import { timeText } from '../kit/parts/format.ts';
import type { Found } from './found.ts';

/** Shorter texts are in too many names. */
const CHARACTERS_MIN = 2;
const SHOWN_MAX = 4;

/** One read of rows for each list at most. Files come last: a file of results has the id of its batch in its name. */
export async function findOwn(visit: PrivateVisit, text: string): Promise<readonly Found[]> {
  if (text.length < CHARACTERS_MIN) return [];
  const found = await Promise.all([
    of({ ...generationList(visit), texts: ({ generation }) => [generation] }, ({ generation, model, createdAt }) => ({
      name: generation,
      what: `${model}, ${timeText(createdAt)}`,
      path: `/account/generations/${generation}`,
    })),
    of({ ...batchList(visit), texts: ({ id }) => [id] }, ({ id, status }) => ({
      name: id,
      what: `batch, ${status}`,
      path: `/account/batches/${id}`,
    })),
    of({ ...videoList(visit), texts: ({ id, generation }) => [id, generation] }, ({ id, model, status }) => ({
      name: id,
      what: `${model}, ${status}`,
      path: `/account/videos/${id}`,
    })),
    of(keyList(visit), ({ name, label, key }) => ({
      name: name === '' ? label : name,
      what: localOf(key),
      path: `${KEYS_PATH}/${localOf(key)}`,
    })),
    of(fileList(visit), ({ id, filename }) => ({
      name: filename,
      what: id,
      path: `/account/files/${id}/content`,
    })),
  ]);
  return found.flat();

  async function of<T>(list: List<T>, shown: (item: T) => Found): Promise<readonly Found[]> {
    return (await matchesOf(visit, { ...list, pageRows: SHOWN_MAX }, text)).map(shown);
  }
}
