/** The processes that the test runner starts, and their order. Pure: `npm test` runs it. */

/** Whole clusters in one process, launchers, long searches: each file runs in a process of its own. */
const HEAVY = [
  'tests/api/',
  'tests/chaos/',
  'tests/cluster/',
  'tests/contracts/',
  'tests/gateway/operator/',
  'tests/powercut/',
  'tests/simulation/',
];
/** The files of one such folder share a started cluster, and so a process. */
const SHARED_CLUSTER = /^tests\/api\/[^/]+\//;
/**
 * Tests that kill, stop and cut node processes and measure real time: one of these runs at a time, the longest first,
 * so that none remains alone at the end. Measured alone on two cores: 95 s down to 8 s.
 */
const TIMED = [
  'tests/chaos/short',
  'tests/cluster/faulty-node',
  'tests/chaos/drains',
  'tests/cluster/postgres-faults',
  'tests/cluster/zombie',
  'tests/chaos/conversations',
  'tests/chaos/cut-off',
  'tests/cluster/takeover',
  'tests/cluster/http2-floods',
  'tests/chaos/idempotency',
];
/** The longest of the other tests start first; a missing name affects only the order. */
const LONG = [
  'tests/actors/runtime/',
  'tests/gateway/operator/launcher/fleet',
  'tests/gateway/operator/cli/up',
  'tests/api/sdks/',
  'tests/simulation/',
  'tests/cluster/links',
  'tests/cluster/grpc',
  'tests/api/attacks/',
  'tests/gateway/operator/cli/',
  'tests/powercut/',
  'tests/api/',
  'tests/gateway/pricing/',
];
/**
 * What runs on other versions of Node too: the parts that a version of it can break (native module, sockets and streams,
 * HTTP/2, worker threads, the file system), one cluster of several nodes and one of the API.
 */
export const SHORT_FORM = [
  'tests/actors/runtime/actor/',
  'tests/actors/runtime/durable/',
  'tests/actors/runtime/stores/',
  'tests/actors/runtime/transports/',
  'tests/gateway/edge/',
  'tests/gateway/outbound/',
  'tests/gateway/providers/',
  'tests/cluster/grpc.test.ts',
  'tests/api/answers/',
];
const FILES_PER_PROCESS_MAX = 40;
const LIGHT_FILE_MS_MAX = 150_000;
const HEAVY_FILE_MS_MAX = 420_000;

/** True for files that need only the sources: no build, no process, no cluster. */
export function isLight(file) {
  return rank(HEAVY, file) === HEAVY.length;
}

/** Jobs `{files, fileMsMax}`, the longest first; at most one of `timed` may run at a time. */
export function jobsOf(files) {
  const isTimed = (file) => rank(TIMED, file) < TIMED.length;
  const heavy = (some) =>
    jobs(
      grouped(some, (file) => SHARED_CLUSTER.exec(file)?.[0] ?? file),
      HEAVY_FILE_MS_MAX,
    );
  const light = grouped(files.filter(isLight), (file) => file.split('/').slice(1, 3).join('/')).flatMap(chunks);
  const others = [
    ...heavy(files.filter((file) => !isLight(file) && !isTimed(file))),
    ...jobs(light, LIGHT_FILE_MS_MAX),
  ];
  return {
    timed: byRank(TIMED, heavy(files.filter(isTimed))),
    others: byRank(LONG, others),
  };
}

function jobs(groups, fileMsMax) {
  return groups.map((files) => ({ files, fileMsMax }));
}

function byRank(list, all) {
  return [...all].sort((a, b) => rank(list, a.files[0]) - rank(list, b.files[0]) || b.files.length - a.files.length);
}

function rank(list, file) {
  const at = list.findIndex((part) => file.startsWith(part));
  return at < 0 ? list.length : at;
}

function grouped(files, nameOf) {
  const byName = new Map();
  for (const file of files) byName.set(nameOf(file), [...(byName.get(nameOf(file)) ?? []), file]);
  return [...byName.values()];
}

function chunks(group) {
  return Array.from({ length: Math.ceil(group.length / FILES_PER_PROCESS_MAX) }, (_, i) =>
    group.slice(i * FILES_PER_PROCESS_MAX, (i + 1) * FILES_PER_PROCESS_MAX),
  );
}

/** More failing files than this are no accident of a busy machine, so none of them runs again. */
const SECOND_RUN_FILES_MAX = 2;
/** A violation that these find counts although it shows only in one run of many. */
const NO_SECOND_RUN = /^tests\/(chaos|simulation|powercut)\//;

/** The failing files that run a second time. */
export function secondRunOf(failing) {
  return failing.length > SECOND_RUN_FILES_MAX ? [] : failing.filter((file) => !NO_SECOND_RUN.test(file));
}
