/** Requests to the API of a Kubernetes cluster: JSON in and out, and the stream of a log. */
import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import type { Gate } from '@orrery/worker/http';
import { TaskFailure } from '@orrery/worker/plugin';

/** The settings of a `kubernetes` connection. */
export interface KubernetesSettings {
  readonly server: string;
  readonly token: string;
  readonly namespace: string;
  readonly ca?: string;
}

/** The cluster refused a request; `status` is the HTTP status. */
export class ClusterRefusal extends TaskFailure {
  readonly status: number;

  constructor(status: number, message: string) {
    // What the cluster refuses by its rules it refuses again.
    super(message, { fatal: status >= 400 && status < 500 && status !== 404 && status !== 429 });
    this.status = status;
  }
}

const ANSWER_WITHIN = 30_000;
const LARGEST_ANSWER = 4_194_304;

/** Asks one cluster, on behalf of one attempt. */
export class KubernetesClient {
  private readonly settings: KubernetesSettings;
  private readonly gate: Gate;
  private readonly signal: AbortSignal;

  constructor(settings: KubernetesSettings, gate: Gate, signal: AbortSignal) {
    this.settings = settings;
    this.gate = gate;
    this.signal = signal;
  }

  /** Sends a request and reads the answer; anything but success is a `ClusterRefusal`. */
  async ask<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const late = AbortSignal.timeout(ANSWER_WITHIN);
    const answer = await this.send(method, path, AbortSignal.any([this.signal, late]), body);
    const text = await textOf(answer);
    const { statusCode = 0 } = answer;
    if (statusCode >= 200 && statusCode < 300) return JSON.parse(text) as Answer;
    throw new ClusterRefusal(statusCode, `the cluster answered with ${statusCode}: ${messageIn(text)}`);
  }

  /** The lines of a stream, until it ends. */
  async *lines(path: string): AsyncGenerator<string> {
    const answer = await this.send('GET', path, this.signal);
    if (answer.statusCode !== 200)
      throw new ClusterRefusal(answer.statusCode ?? 0, messageIn(await textOf(answer)));
    let rest = '';
    for await (const chunk of answer.setEncoding('utf8')) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
    if (rest !== '') yield rest;
  }

  private send(method: string, path: string, signal: AbortSignal, body?: object): Promise<IncomingMessage> {
    const { server, token, ca } = this.settings;
    const url = new URL(path, server);
    this.gate.check(url.hostname);
    const json = body && JSON.stringify(body);
    const headers = {
      authorization: `Bearer ${token}`,
      accept: 'application/json, text/plain',
      ...(json !== undefined && {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(json),
      }),
    };
    const options = { method, headers, lookup: this.gate.lookup, signal, agent: false as const, ca };
    return new Promise((resolve, reject) => {
      const asked = (url.protocol === 'https:' ? tlsRequest : plainRequest)(url, options, resolve);
      asked.on('error', reject);
      asked.end(json);
    });
  }
}

async function textOf(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) {
    text += chunk;
    if (text.length > LARGEST_ANSWER) throw new TaskFailure('the answer of the cluster is too large');
  }
  return text;
}

function messageIn(text: string): string {
  try {
    return (JSON.parse(text) as { message?: string }).message ?? text.slice(0, 200);
  } catch {
    return text.slice(0, 200);
  }
}
