/** Tests a connection of kind `s3`: asks for one object of its bucket. */
import { createGate } from '@orrery/worker/http';
import type { Probe } from '../connections/test-task.ts';
import type { Places } from '../places.ts';
import { firstOf, type S3Settings } from './client.ts';

/** Made for one worker. */
export function probeS3({ httpAllow = [] }: Places): Probe {
  const gate = createGate(httpAllow);
  return async ({ signal }, given) => {
    const settings = given as unknown as S3Settings;
    await firstOf(settings, '', { gate, signal });
    return `${new URL(settings.endpoint).host}, bucket ${settings.bucket}`;
  };
}
