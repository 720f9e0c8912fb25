import { openAccounts } from '../chaos/bank.ts'; import { LaunchedCluster } from '../support/cluster/launched-cluster.ts'; import { listening } from './child.ts'; import { simulatedProvider } from '../support/provider/simulated-provider.ts';
import { Lane } from './lane.ts';
import { buildFirst } from '../support/cluster/build-first.ts';
import { loadavg } from 'node:os';
await buildFirst();
const U=1e9; const N = Number(process.argv[2] ?? 3), secs = Number(process.argv[3] ?? 6), rounds = Number(process.argv[4] ?? 3), latency = Number(process.argv[5] ?? 0);
const sim = await listening('../../gateway/simulator/main.ts', ['--name', 'sim-a']);
const cluster = await LaunchedCluster.start({ nodes: Array.from({length: N}, (_, i) => ({ name: 'n' + (i+1), grpc: '127.0.0.1:0', operator: '127.0.0.1:0' })), rates: { keyPerMinute: U, endpointPerMinute: U, addressPerMinute: U }, ...(process.argv[6] ? { overload: JSON.parse(process.argv[6]) } : {}), providers: [simulatedProvider('sim-a', 'http://127.0.0.1:' + sim.port + '/v1')] }, {});
const [payer] = await openAccounts(cluster, 1, '1000000');
const sim1 = latency ? ` @sim {"latency_ms":${latency}}` : '';
const body = JSON.stringify({ model: 'sim/fast', max_tokens: 64, messages: [{ role: 'system', content: 'Answer in one short sentence.' },{ role: 'user', content: 'Which river runs through the capital of the country that borders both of these seas?' + sim1 }] });
const req = Buffer.from(`POST /api/v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1:${cluster.port}\r\ncontent-type: application/json\r\nauthorization: Bearer ${payer!.key}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
import { readFileSync } from 'node:fs'; import { join } from 'node:path';
const token = () => readFileSync(join((cluster as any).folder ?? (cluster as any).data ?? '', 'secrets/operator-token'), 'utf8').trim();
const metrics = async () => { const c = cluster.connection() as any; const out = []; for (const n of c.nodes) { try { const t = await (await fetch(n.operator_url + '/metrics', { headers: { authorization: 'Bearer ' + (c.operator_token ?? token()) } })).text(); out.push(n.name + ' ' + t.split('\n').filter((x) => /^troupe_(places|requests_w|places_taken|arrivals|event_loop|loop)/.test(x) || /^troupe_[a-z_]*(waiting|queue)[a-z_]*[ {]/.test(x)).map((x) => x.replace('troupe_', '').slice(0, 70)).join('; ')); } catch (e) { out.push(String(e)); } } return out.join('\n   '); };
try {
  const lanes = Array.from({ length: 256 }, () => new Lane(cluster.port, req));
  await Promise.all(lanes.map((l) => l.run()));
  for (let r = 0; r < rounds + 1; r++) {
    const all: number[] = []; const per: number[][] = lanes.map(() => []); const fails: Record<string, number> = {};
    const end = performance.now() + secs * 1000;
    const m = setTimeout(async () => console.log('  ', await metrics()), secs * 800);
    await Promise.all(lanes.map(async (l, i) => { while (performance.now() < end) { const x = await l.run(); if (x?.status === 200) { all.push(x.endedAt - x.sentAt); per[i]!.push(x.endedAt - x.sentAt); } else fails[String(x?.status)] = (fails[String(x?.status)] ?? 0) + 1; } }));
    all.sort((a, b) => a - b); const at = (q: number, a = all) => a[Math.min(a.length - 1, Math.floor(a.length * q))]?.toFixed(0);
    const counts = per.map((p) => p.length).sort((a, b) => a - b);
    console.log(r === 0 ? 'warm' : 'run', 'rate', (all.length / secs).toFixed(0), 'p50', at(.5), 'p90', at(.9), 'p99', at(.99), 'p99.9', at(.999), 'max', at(1), 'ratio', (Number(at(.99)) / Number(at(.5))).toFixed(1), JSON.stringify(fails), 'answers per lane: min', counts[0], 'p10', at(.1, counts), 'p33', at(.33, counts), 'p50', at(.5, counts), 'p90', at(.9, counts), 'max', counts.at(-1), 'load', loadavg()[0]?.toFixed(1));
  }
  for (const l of lanes) l.close();
} finally { await cluster.stop(); await sim.stop(); }
