import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { systemRandom } from '../../../../actors/runtime/index.ts';
import type { ClusterConfig } from '../../../terms/config/config.ts';
import { openMaintenance } from '../../config/open-maintenance.ts';
import { acceptPepper } from '../../config/pepper.ts';
import { secretsFolder } from '../../config/secrets.ts';
import { prepareDataFolder } from '../../launcher/data-folder.ts';

/** `--new-pepper`: the database continues with the pepper of this data folder. Refused while a node runs. */
export async function voidKeys(config: ClusterConfig, report: (line: string) => void): Promise<void> {
  prepareDataFolder(config.data);
  const maintenance = await openMaintenance(config, process.env);
  if (!(await acceptPepper(config.data, maintenance, systemRandom))) {
    report('--new-pepper changes nothing: the database already belongs to the pepper of this data folder');
    return;
  }
  // The demo makes new keys as well.
  await unlink(join(secretsFolder(config.data), 'demo.json')).catch(() => {});
  report(`every key of ${maintenance.database} is void; make new ones with \`npx troupe keys create\``);
}
