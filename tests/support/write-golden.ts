/**
 * Writes the golden snapshots of chart versions that have none yet: `node tests/support/write-golden.ts`
 * after a chart's version was raised. Never overwrites one: a released snapshot must load, or be refused, for ever. Before
 * the first release, delete the file of a chart whose context changed.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { kinds } from '../../actors/kinds.ts';
import { goldenScenes } from './golden-scenes.ts';

const scenes = goldenScenes();
for (const { name, version } of kinds) {
  const path = fileURLToPath(new URL(`../fixtures/snapshots/${name}-${version}.json`, import.meta.url));
  if (existsSync(path)) continue;
  writeFileSync(path, `${JSON.stringify(scenes.get(name) ?? [], null, 2)}\n`);
  process.stdout.write(`${path}\n`);
}
