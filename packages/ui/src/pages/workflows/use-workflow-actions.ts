/** The actions on one or many workflows of the list; each reports its result. */
import { useRef, useState } from 'react';
import { queries } from '../../data/api.ts';
import { call, client } from '../../data/client.ts';
import { saveFile } from '../../data/save-file.ts';
import { useText } from '../../i18n/text.tsx';
import { useCopy } from '../../parts/copy.tsx';
import { notify } from '../../parts/notices.tsx';
import { nameOf, type Row } from './row.ts';

export interface WorkflowActions {
  /** Whether an action is in flight: none can start twice. */
  readonly pending: boolean;
  runAll(rows: readonly Row[]): Promise<void>;
  setPaused(rows: readonly Row[], paused: boolean): Promise<void>;
  setOnline(rows: readonly Row[], online: boolean): Promise<void>;
  togglePause(row: Row): Promise<void>;
  exportFiles(rows: readonly Row[]): Promise<void>;
  copyName(row: Row): void;
}

export function useWorkflowActions(): WorkflowActions {
  const text = useText();
  const copy = useCopy();
  const busy = useRef(false);
  const [pending, setPending] = useState(false);

  async function once(deed: () => Promise<void>): Promise<void> {
    if (busy.current) return;
    busy.current = true;
    setPending(true);
    try {
      await deed();
    } catch (error) {
      notify(error as Error, 'bad');
    } finally {
      busy.current = false;
      setPending(false);
    }
  }

  /** Acts on each; a refusal of one does not stop the others. */
  async function each<T>(things: readonly T[], deed: (thing: T) => Promise<unknown>): Promise<void> {
    const results = await Promise.allSettled(things.map(deed));
    const refusals = results.flatMap((result) =>
      result.status === 'rejected' ? [String(result.reason.message)] : [],
    );
    const done = things.length - refusals.length;
    if (refusals.length === 0) notify(text('workflows.done', { done }), 'good');
    else
      notify(
        text('workflows.refused', { done, refused: refusals.length, why: [...new Set(refusals)].join('; ') }),
        'bad',
      );
    await queries.invalidateQueries({ queryKey: ['listWorkflows'] });
  }

  async function setPaused(rows: readonly Row[], paused: boolean): Promise<void> {
    const schedules: number[] = [];
    for (const row of rows)
      for await (const schedule of client.all.listSchedules({
        workflow: nameOf(row),
        state: paused ? 'on' : 'paused',
      }))
        schedules.push(schedule.id);
    await each(schedules, (id) => call(paused ? 'pauseSchedule' : 'resumeSchedule', { id }));
  }

  return {
    pending,
    setPaused: (rows, paused) => once(() => setPaused(rows, paused)),
    setOnline: (rows, online) =>
      once(() =>
        each(rows, ({ project, name }) => call('setWorkflowOnline', { project, name, body: { online } })),
      ),
    runAll: (rows) =>
      once(() =>
        each(rows, (row) => call('startRun', { body: { workflow: nameOf(row), trigger: 'manual' } })),
      ),
    togglePause: (row) =>
      once(() => setPaused([row], row.schedules?.some(({ state }) => state === 'on') ?? true)),
    copyName: (row) => copy(nameOf(row)),
    exportFiles: (rows) =>
      once(async () => {
        const texts = await Promise.all(
          rows.map(({ project, name }) => call('readSource', { project, name })),
        );
        saveFile(
          rows.length === 1 ? `${rows[0].name}.yaml` : 'workflows.yaml',
          texts.join('\n---\n'),
          'application/yaml',
        );
      }),
  };
}
