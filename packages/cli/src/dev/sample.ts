/** The sample that a first start runs, so that there is something to look at. */
import { readFile } from 'node:fs/promises';

/** Publishes the workflows of a file and starts the first; the id of its run. */
export async function runSample(url: string, file: string): Promise<number> {
  const published = await call(`${url}/api/v1/workflows`, {
    method: 'POST',
    headers: { 'content-type': 'application/yaml' },
    body: await readFile(file, 'utf8'),
  });
  const [{ project, name }] = (published as { workflows: { project: string; name: string }[] }).workflows;
  const started = await call(`${url}/api/v1/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ workflow: `${project}/${name}` }),
  });
  return (started as { id: number }).id;
}

async function call(url: string, init: RequestInit): Promise<unknown> {
  const answer = await fetch(url, init);
  const body = await answer.json();
  if (!answer.ok) throw new Error(`the sample could not be started: ${JSON.stringify(body)}`);
  return body;
}
