/** The samples that a first start runs, so that there is something to look at: also a failure, to see why. */
import { createClient } from '@orrery/sdk/client';

/** A sample that was started. */
export interface StartedSample {
  readonly workflow: string;
  readonly run: number;
}

/** Publishes the workflows of a file's text and starts the first. */
export async function runSample(
  server: { readonly url: string; readonly token?: string },
  text: string,
): Promise<StartedSample> {
  const client = createClient(server);
  const { workflows } = await client.publishWorkflows({ body: text });
  const [{ project, name }] = workflows;
  const { id } = await client.startRun({ body: { workflow: `${project}/${name}`, trigger: 'manual' } });
  return { workflow: name, run: id };
}
