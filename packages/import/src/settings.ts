/** Tasks that a worker runs. One without a counterpart becomes a task that fails and says why. */
import { z } from 'zod';
import { type ExportedTask, readSettings } from './export-file.ts';
import { productSettings } from './products.ts';
import type { Report } from './report.ts';
import type { Settings } from './task.ts';

const script = z.object({ rawScript: z.string() });

const word = z
  .string()
  .nullish()
  .transform((value) => value ?? '');
const http = z.object({
  url: z.string(),
  httpMethod: z.string().default('GET'),
  httpParams: z
    .array(z.object({ prop: z.string(), httpParametersType: z.string(), value: word }))
    .nullish()
    .transform((list) => list ?? []),
  httpBody: word,
  httpCheckCondition: word,
  condition: word,
  connectTimeout: z.coerce.number().default(0),
});

/** Type and settings. */
export function pluginSettings(task: ExportedTask, report: Report): Settings {
  switch (task.taskType) {
    case 'SHELL':
      return { type: 'shell', with: { script: readSettings(script, task).rawScript, shell: '/bin/bash' } };
    case 'PYTHON':
      report.changed('is a shell task that runs python3');
      return { type: 'shell', with: { script: readSettings(script, task).rawScript, shell: 'python3' } };
    case 'HTTP':
      return importHttp(task, report);
    default:
      return productSettings(task, report) ?? replaced(task, report);
  }
}

function importHttp(task: ExportedTask, report: Report): Settings {
  const { httpMethod, url, httpParams, httpBody, httpCheckCondition, condition, connectTimeout } =
    readSettings(http, task);
  const sent = (kind: string) =>
    httpParams.flatMap(({ httpParametersType, prop, value }) =>
      httpParametersType === kind ? [[prop, value]] : [],
    );
  const [headers, query, form] = [sent('HEADERS'), sent('PARAMETER'), sent('BODY')];
  if (httpCheckCondition.startsWith('BODY_'))
    report.leftOut(
      `looked for "${condition}" in the answer (${httpCheckCondition}); here the status alone decides`,
    );
  return {
    type: 'http',
    with: {
      url,
      ...(httpMethod !== 'GET' && { method: httpMethod }),
      ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
      ...(query.length > 0 && { query: Object.fromEntries(query) }),
      ...(httpBody ? { body: httpBody } : form.length > 0 && { json: Object.fromEntries(form) }),
      ...(httpCheckCondition === 'STATUS_CODE_CUSTOM' && condition && { status: Number(condition) }),
      ...(connectTimeout > 0 && { connectTimeout }),
    },
  };
}

function replaced(task: ExportedTask, report: Report): Settings {
  report.leftOut(
    `a task of type ${task.taskType} with these settings has no counterpart; the task is there, and fails until it is replaced`,
  );
  return placeholder(task);
}

/** Fails with the reason; what it said stands in its description for the person who replaces it. */
function placeholder({ taskType, taskParams }: ExportedTask): Settings {
  const name = taskType.replace(/\W/g, '_');
  return {
    type: 'shell',
    with: { script: `echo 'this was a task of type ${name}, which has to be replaced' >&2\nexit 1\n` },
    description: `Was a task of type ${name}: ${JSON.stringify(taskParams)}`,
  };
}
