/** The processes that the test runner starts, and their order. Pure: `npm test` runs it. */
import { dirname } from 'node:path';

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
 * Tests that kill, stop and cut node processes and expect that the others of a cluster stay undisturbed: one of these
 * runs at a time.
 */
const TIMED = [
  'tests/chaos/short',
  'tests/cluster/faulty-node',
  'tests/chaos/drains',
  'tests/cluster/postgres-faults',
  'tests/cluster/zombie',
];
/**
 * The longest files, in seconds beside the others on two cores: the longest jobs start first, so that none remains
 * alone at the end. Other heavy files take about 4 s, light ones less than 1 s. A wrong number affects only the order.
 */
const SECONDS = {
  'tests/chaos/short': 95,
  'tests/cluster/faulty-node': 60,
  'tests/chaos/drains': 45,
  'tests/cluster/postgres-faults': 35,
  'tests/cluster/zombie': 30,
  'tests/gateway/operator/cli/production-folder': 45,
  'tests/gateway/operator/cli/start/up': 45,
  'tests/simulation/simulation': 20,
  'tests/simulation/mutations': 18,
  'tests/chaos/conversations': 25,
  'tests/chaos/cut-off': 25,
  'tests/chaos/idempotency': 25,
  'tests/gateway/operator/launcher/fleet': 25,
  'tests/gateway/operator/cli/several-hosts': 25,
  'tests/cluster/takeover': 20,
  'tests/cluster/links': 20,
  'tests/cluster/grpc': 20,
  'tests/api/sdks/': 15,
  'tests/gateway/operator/cli/': 15,
  'tests/cluster/http2-floods': 15,
  'tests/api/checks': 20,
  'tests/api/files/files': 15,
  'tests/powercut/': 15,
  'tests/actors/runtime/bytes/nonces': 20,
  'tests/actors/runtime/bytes/forgetting': 15,
  'tests/actors/runtime/stores/postgres/': 8,
};
const HEAVY_FILE_SECONDS = 4;
const LIGHT_FILE_SECONDS = 0.4;
/**
 * What runs on other versions of Node too: the parts that a version of it can break (native module, sockets and
 * streams, HTTP/2, worker threads, the file system), one cluster of several nodes and one of the API.
 */
export const SHORT_FORM = [
  'tests/actors/runtime/actor/',
  'tests/actors/runtime/durable/',
  'tests/actors/runtime/stores/',
  'tests/actors/runtime/transports/',
  'tests/gateway/edge/',
  'tests/gateway/http/',
  'tests/gateway/sockets/',
  'tests/gateway/outbound/',
  'tests/gateway/providers/',
  'tests/cluster/grpc.test.ts',
  'tests/api/answers/',
];
/**
 * Heavy files of these folders that are none of the longest run a few in one process, each with a cluster of its own:
 * loading the product takes 0.8 s of CPU time.
 */
const FEW_PER_PROCESS = /^tests\/(api|chaos|cluster|simulation|gateway\/operator\/(config|http|launcher))\/[^/]+$/;
const HEAVY_FILES_PER_PROCESS_MAX = 8;
const FILES_PER_PROCESS_MAX = 40;
/** At pace 1. */
const LIGHT_FILE_MS_MAX = 150_000;
const HEAVY_FILE_MS_MAX = 420_000;

/** True for files that need only the sources: no build, no process, no cluster. */
export function isLight(file) {
  return !HEAVY.some((folder) => file.startsWith(folder));
}

/** Jobs `{files, fileMsMax}`, the longest first; at most one of `timed` may run at a time. */
export function jobsOf(files) {
  const heavy = files.filter((file) => !isLight(file));
  const timed = heavy.filter((file) => TIMED.some((name) => file.startsWith(name)));
  const rest = heavy.filter((file) => !timed.includes(file));
  const few = rest.filter((file) => FEW_PER_PROCESS.test(file) && secondsOf(file) === HEAVY_FILE_SECONDS);
  const own = rest.filter((file) => !few.includes(file));
  const light = files.filter(isLight);
  return {
    timed: longestFirst(jobs(grouped(timed, String), HEAVY_FILE_MS_MAX)),
    others: longestFirst([
      ...jobs(
        grouped(own, (file) => SHARED_CLUSTER.exec(file)?.[0] ?? file),
        HEAVY_FILE_MS_MAX,
      ),
      ...jobs(grouped(few, dirname).flatMap(chunksOf(HEAVY_FILES_PER_PROCESS_MAX)), HEAVY_FILE_MS_MAX),
      ...jobs(chunksOf(FILES_PER_PROCESS_MAX)(light), LIGHT_FILE_MS_MAX),
    ]),
  };
}

function jobs(groups, fileMsMax) {
  return groups.map((files) => ({ files, fileMsMax }));
}

function longestFirst(all) {
  const seconds = ({ files }) => files.reduce((sum, file) => sum + secondsOf(file), 0);
  return [...all].sort((a, b) => seconds(b) - seconds(a));
}

function secondsOf(file) {
  const name = Object.keys(SECONDS).find((part) => file.startsWith(part));
  return name ? SECONDS[name] : isLight(file) ? LIGHT_FILE_SECONDS : HEAVY_FILE_SECONDS;
}

function grouped(files, nameOf) {
  const byName = new Map();
  for (const file of files) byName.set(nameOf(file), [...(byName.get(nameOf(file)) ?? []), file]);
  return [...byName.values()];
}

/** Chunks of equal size, as few as hold `max` each. */
function chunksOf(max) {
  return (group) => {
    const size = Math.ceil(group.length / Math.ceil(group.length / max));
    return Array.from({ length: Math.ceil(group.length / size) }, (_, i) => group.slice(i * size, (i + 1) * size));
  };
}

/** More failing files than this are no accident of a busy machine, so none of them runs again. */
const SECOND_RUN_FILES_MAX = 2;
/** A violation that these find counts although it shows only in one run of many. */
const NO_SECOND_RUN = /^tests\/(chaos|simulation|powercut)\//;

/** The failing files that run a second time. */
export function secondRunOf(failing) {
  return failing.length > SECOND_RUN_FILES_MAX ? [] : failing.filter((file) => !NO_SECOND_RUN.test(file));
}
