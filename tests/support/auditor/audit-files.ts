import type { Check } from './check.ts';
import type { FileEvidence } from './file-evidence.ts';
import {
  absentFilesAreAlike,
  copiesDie,
  fileBoundsHold,
  keysDie,
  keysStayApart,
  refusedUploadsLeaveNothing,
  sealsAreBound,
  storedFilesStay,
} from './files.ts';

/** The rules of stored files, those on sealed bytes only where the run could look at them. */
export function auditFiles(files: FileEvidence): readonly Check[] {
  const { openings, keyAgesHours, searched } = files;
  return [
    ...[absentFilesAreAlike, storedFilesStay, refusedUploadsLeaveNothing, fileBoundsHold].map((check) => check(files)),
    ...(openings.length === 0 ? [] : [copiesDie(files), sealsAreBound(files)]),
    ...(searched.length === 0 ? [] : [keysStayApart(files)]),
    ...(keyAgesHours.length === 0 ? [] : [keysDie(files)]),
  ];
}
