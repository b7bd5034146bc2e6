/**
 * The part of the API of Kubernetes that `kubernetes` tasks use, played from answers as its documentation records them:
 * no cluster runs here. A test moves the one pod of a job along.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

interface PlayedJob {
  readonly name: string;
  readonly body: { readonly spec: { readonly template: { readonly spec: object } } };
  phase: string;
  state: object;
  conditions: object[];
  log: string;
  readonly readers: Set<ServerResponse>;
  deleted: boolean;
}

/** The token that it accepts. */
export const TOKEN = 'hush-hush-token';

/** Starts one that ends with the test. */
export async function startKubernetesApi() {
  const jobs = new Map<string, PlayedJob>();
  const asked: string[] = [];
  let away = false;
  const status = (code: number, reason: string, message: string) => ({
    code,
    body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', message, reason, code },
  });
  const podOf = (job: PlayedJob) => ({
    metadata: { name: `${job.name}-x7k2p`, labels: { 'orrery/attempt': job.name } },
    status: { phase: job.phase, containerStatuses: [{ name: 'main', state: job.state }] },
  });
  const answer = (method: string, url: URL, body: PlayedJob['body'] & { metadata: { name: string } }) => {
    const [, name] = /\/namespaces\/etl\/jobs\/([^/]+)$/.exec(url.pathname) ?? [];
    if (url.pathname === '/version') return { code: 200, body: { gitVersion: 'v1.33.1' } };
    if (!url.pathname.includes('/namespaces/etl/'))
      return status(403, 'Forbidden', 'jobs.batch is forbidden: User "etl" cannot create resource "jobs"');
    if (method === 'POST') {
      const job = { name: body.metadata.name, body, phase: 'Pending', state: {}, conditions: [], log: '' };
      jobs.set(job.name, { ...job, readers: new Set(), deleted: false });
      return { code: 201, body };
    }
    if (url.pathname.endsWith('/pods')) {
      const wanted = url.searchParams.get('labelSelector')?.split('=')[1] ?? '';
      const job = jobs.get(wanted);
      return { code: 200, body: { kind: 'PodList', items: job && !job.deleted ? [podOf(job)] : [] } };
    }
    if (url.pathname.endsWith('/jobs')) return { code: 200, body: { kind: 'JobList', items: [] } };
    const job = jobs.get(name ?? '');
    if (!job || job.deleted) return status(404, 'NotFound', `jobs.batch "${name}" not found`);
    if (method === 'DELETE') {
      job.deleted = true;
      for (const reader of job.readers) reader.end();
    }
    return { code: 200, body: { kind: 'Job', metadata: { name }, status: { conditions: job.conditions } } };
  };
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://x');
    let text = '';
    for await (const chunk of request) text += chunk;
    asked.push(`${request.method} ${url.pathname}`);
    if (away) return response.destroy();
    const refused = request.headers.authorization !== `Bearer ${TOKEN}`;
    const [, podName] = /\/pods\/([^/]+)\/log$/.exec(url.pathname) ?? [];
    const followed = [...jobs.values()].find((job) => podName === `${job.name}-x7k2p`);
    if (!refused && followed) {
      response.writeHead(200, { 'content-type': 'text/plain' }).write(followed.log);
      if (followed.conditions.length > 0) response.end();
      else followed.readers.add(response);
      return undefined;
    }
    const { code, body } = refused
      ? status(401, 'Unauthorized', 'Unauthorized')
      : answer(request.method ?? '', url, text === '' ? undefined : JSON.parse(text));
    response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    settings: { server: `http://127.0.0.1:${port}`, namespace: 'etl', token: TOKEN },
    asked,
    jobs: () => [...jobs.values()],
    alive: () => [...jobs.values()].filter((job) => !job.deleted && job.conditions.length === 0),
    setAway(value: boolean) {
      away = value;
    },
    /** The pod runs and prints. */
    begin(job: PlayedJob, log: string) {
      job.phase = 'Running';
      job.state = { running: { startedAt: '2026-11-18T12:00:00Z' } };
      job.log += log;
      for (const reader of job.readers) reader.write(log);
    },
    /** The pod ends. */
    finish(job: PlayedJob, exitCode: number, reason = exitCode === 0 ? 'Completed' : 'Error') {
      job.phase = exitCode === 0 ? 'Succeeded' : 'Failed';
      job.state = { terminated: { exitCode, reason } };
      job.conditions.push(
        exitCode === 0
          ? { type: 'Complete', status: 'True' }
          : {
              type: 'Failed',
              status: 'True',
              reason: 'BackoffLimitExceeded',
              message: 'Job has reached the specified backoff limit',
            },
      );
      for (const reader of job.readers) reader.end();
    },
  };
}
