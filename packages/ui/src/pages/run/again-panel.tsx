/**
 * The panel to run tasks again, beside the graph. The server returns what a choice would run, the graph shows
 * it, and the request runs exactly that. The panel guesses nothing.
 */
import { Button, Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useId, useState } from 'react';
import { queries } from '../../data/api.ts';
import { call } from '../../data/client.ts';
import { useEffectWhen } from '../../data/when.ts';
import { useLanguage, useText } from '../../i18n/text.tsx';
import {
  type AgainMode,
  type AgainRequest,
  againCommand,
  againModes,
  requestOf,
  wholeRequest,
} from '../../model/again.ts';
import type { RunTasks } from '../../model/run.ts';
import type { Action } from '../../parts/action-button.tsx';
import { Command } from '../../parts/copy.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { Inspector } from '../../parts/inspector.tsx';
import { notify } from '../../parts/notices.tsx';
import { StateIcon } from '../../parts/state-badge.tsx';
import style from './run.module.css';
import { rerunBody, useAffected } from './use-affected.ts';
import { againWords } from './words.ts';

interface AgainPanelProps {
  readonly run: number;
  /** What the server allows of the run. */
  readonly actions: readonly Action[];
  readonly tasks: RunTasks;
  readonly mode: AgainMode;
  /** The task that `from`, `to` and `only` are about. */
  readonly task: string | undefined;
  readonly onMode: (mode: AgainMode) => void;
  /** Receives the tasks that would run, by index; null until they are known. */
  readonly onMarked: (marked: ReadonlySet<number> | null) => void;
  /** Change parameters or the version instead, which makes another run. */
  readonly onReplay: (part: 'from' | 'to' | 'only' | undefined) => void;
  readonly onClose: () => void;
}

const SHOWN = 200;

export function AgainPanel(props: AgainPanelProps) {
  const { run, actions, tasks, mode, task, onMode, onMarked, onReplay, onClose } = props;
  const { text, sentence } = useLanguage();
  const name = useId();
  const [without, setWithout] = useState<ReadonlySet<string>>(new Set());
  const whole = wholeRequest({ mode, task: task ?? null });
  const affected = useAffected(run, whole);
  const names = affected.data?.names ?? [];
  const unnamed = (affected.data?.count ?? 0) - names.length;
  const left = names.filter((one) => !without.has(one));
  const request = requestOf({ mode, task: task ?? null, without }, names);
  const send = useSend(run);
  const modes = againModes.map((one) => {
    const action = actions.find((each) => each.name === (one === 'recover' ? 'recover' : 'rerun'));
    const needsTask = one !== 'recover' && one !== 'all' && task === undefined;
    const refused = action?.allowed === false ? sentence(action.reason ?? '', action) : undefined;
    return { one, refused: refused ?? (needsTask ? text('run.pickTask') : undefined) };
  });

  const key = left.join('\n');
  // The names determine the marks.
  useEffectWhen(() => {
    onMarked(affected.data ? new Set(left.flatMap((one) => tasks.byName.get(one) ?? [])) : null);
  }, [key, affected.data === undefined, tasks.byName]);
  useEffect(() => () => onMarked(null), [onMarked]);

  const toggle = (one: string) => {
    const next = new Set(without);
    if (!next.delete(one)) next.add(one);
    setWithout(next);
  };
  return (
    <Inspector label={text('again.title')} title={<h2>{text('again.title')}</h2>} onClose={onClose}>
      <div className={style.stack}>
        <fieldset className={style.modes}>
          <legend className="visually-hidden">{text('again.mode')}</legend>
          {modes.map(({ one, refused }) => (
            <label key={one} data-hint={refused}>
              <input
                type="radio"
                name={name}
                checked={one === mode}
                aria-disabled={refused !== undefined || undefined}
                aria-description={refused}
                onChange={() => {
                  if (refused !== undefined) return;
                  setWithout(new Set());
                  onMode(one);
                }}
              />
              {text(againWords[one], { task: task ?? text('again.task') })}
            </label>
          ))}
        </fieldset>
        {affected.error && <ErrorPanel error={affected.error} retry={() => void affected.refetch()} />}
        {affected.data && (
          <section className={style.section}>
            <div role="status">
              <h3>{text('again.count', { count: left.length + unnamed, total: tasks.tasks.length })}</h3>
            </div>
            <ul className={style.affected}>
              {names.slice(0, SHOWN).map((one) => (
                <li key={one}>
                  <label>
                    <input
                      type="checkbox"
                      aria-label={text('again.include', { task: one })}
                      checked={!without.has(one)}
                      onChange={() => toggle(one)}
                    />
                    <StateIcon state={tasks.tasks[tasks.byName.get(one) ?? -1]?.state ?? 'pending'} />
                    {one}
                  </label>
                </li>
              ))}
              {names.length + unnamed > SHOWN && (
                <li className="dim">{text('run.stop.more', { count: names.length + unnamed - SHOWN })}</li>
              )}
            </ul>
          </section>
        )}
        {request && (
          <section className={style.section}>
            <h3>{text('again.command')}</h3>
            <Command line={againCommand(run, request)} />
          </section>
        )}
        <Group justify="flex-end" gap={8}>
          <Button
            variant="subtle"
            onClick={() => onReplay(mode === 'all' || mode === 'recover' ? undefined : mode)}
            data-hint={text('again.editHint')}
          >
            {text('again.edit')}
          </Button>
          <Button onClick={onClose}>{text('cancel')}</Button>
          <Button
            variant="filled"
            disabled={request === undefined}
            loading={send.isPending}
            onClick={() => request && send.mutate(request, { onSuccess: onClose })}
          >
            {text('again.run', { count: left.length + unnamed })}
          </Button>
        </Group>
      </div>
    </Inspector>
  );
}

function useSend(run: number) {
  const text = useText();
  return useMutation<unknown, Error, AgainRequest>({
    mutationFn: (request) =>
      request.operation === 'recover'
        ? call('recoverRun', { id: run, body: {} })
        : call('rerunRun', { id: run, body: rerunBody(request) }),
    onSuccess: async (_, { operation }) => {
      notify(
        text('run.asked', { control: text(operation === 'recover' ? 'run.recover' : 'run.rerun') }),
        'good',
      );
      await queries.invalidateQueries({ queryKey: ['showRun'] });
    },
    onError: (error) => notify(error, 'bad'),
  });
}
