import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServerProcess } from '../dev/server-process.ts';
import { traceIds, traceparent } from './ids.ts';
import { startTracing } from './tracing.ts';

/** A span as it is sent. */
interface Sent {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly links?: readonly { traceId: string; spanId: string }[];
  readonly attributes: readonly { key: string; value: Record<string, unknown> }[];
  readonly status: { readonly code?: number };
}

const caller = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };
const spans: Sent[] = [];
let receiver: Server;
let folder: string;
let server: ServerProcess;
let run: number;
let log: string;

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    const { resourceSpans } = (await json(request)) as {
      resourceSpans: { scopeSpans: { spans: Sent[] }[] }[];
    };
    for (const { scopeSpans } of resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
  folder = mkdtempSync(join(tmpdir(), 'orrery-tracing-'));
  const { port } = receiver.address() as AddressInfo;
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${port}`;
  server = await ServerProcess.start(join(folder, 'data'));
  delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
  const script = 'echo $TRACEPARENT; test "$ORRERY_ATTEMPT" -ge 2';
  const workflow = `name: traced\ntasks: [{ name: twice, type: shell, retries: 1, with: { script: '${script}' } }]`;
  await server.post('/workflows', workflow, 'application/yaml');
  const started = await fetch(`${server.url}/api/v1/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', traceparent: `00-${caller.traceId}-${caller.spanId}-01` },
    body: '{"workflow":"traced"}',
  });
  run = ((await started.json()) as { id: number }).id;
  for (let state = ''; state !== 'success'; ) {
    ({ state } = await server.get<{ state: string }>(`/runs/${run}`));
    expect(state).not.toBe('failed');
    await new Promise((wake) => setTimeout(wake, 50));
  }
  log = (await server.get<{ text: string }>(`/attempts/${run}.twice.2/log`)).text;
  // What was not sent yet is sent before the process ends.
  await server.end('SIGTERM');
}, 120_000);
afterAll(async () => {
  await server?.end('SIGKILL');
  receiver.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

const named = (name: string) => spans.filter((span) => span.name === name);
const attribute = ({ attributes }: Sent, key: string) =>
  Object.values(attributes.find((entry) => entry.key === key)?.value ?? {})[0];

describe('traces', () => {
  it('have a span of a request, in the trace of its caller, linked with the run that it started', () => {
    const [span] = named('startRun');
    expect(span).toMatchObject({ traceId: caller.traceId, parentSpanId: caller.spanId });
    expect(attribute(span, 'http.response.status_code')).toBe(202);
    expect(span.links).toMatchObject([{ traceId: named('run default/traced')[0].traceId }]);
  });

  it('have a trace of each run, with a span of each attempt that knows the one before it', () => {
    const [whole] = named('run default/traced');
    expect(Number(attribute(whole, 'orrery.run'))).toBe(run);
    expect(whole.parentSpanId ?? '').toBe('');
    const attempts = named('task twice').sort(
      (a, b) => Number(attribute(a, 'orrery.attempt')) - Number(attribute(b, 'orrery.attempt')),
    );
    expect(attempts).toHaveLength(2);
    for (const span of attempts)
      expect(span).toMatchObject({ traceId: whole.traceId, parentSpanId: whole.spanId });
    expect(attempts.map((span) => attribute(span, 'orrery.outcome'))).toEqual(['failed', 'success']);
    expect(attempts[1].links).toMatchObject([{ spanId: attempts[0].spanId }]);
  });

  it('are told to tasks, so that theirs become part of them', () => {
    const second = named('task twice').find((span) => Number(attribute(span, 'orrery.attempt')) === 2);
    expect(log).toContain(`00-${second?.traceId}-${second?.spanId}-01`);
  });
});

describe('without a receiver', () => {
  it('nothing is traced', async () => {
    expect(await startTracing({}, () => undefined)).toBeUndefined();
  });
});

describe('ids of spans', () => {
  it('are the same wherever they are computed, and others in another cluster', () => {
    const attempt = { run: 7, task: 1, shard: -1, number: 1 };
    expect(traceIds('a').attempt(attempt)).toEqual(traceIds('a').attempt(attempt));
    expect(traceIds('a').attempt(attempt).traceId).toBe(traceIds('a').run(7).traceId);
    expect(traceIds('a').run(7).traceId).not.toBe(traceIds('b').run(7).traceId);
    expect(traceIds('a').run(7).traceId).not.toBe(traceIds('a').run(8).traceId);
    expect(traceparent(traceIds('a').run(7))).toMatch(/^00-[\da-f]{32}-[\da-f]{16}-01$/);
  });
});
