/** Controls of runs and their tasks: their words, and how they are sent. */
import { useMutation } from '@tanstack/react-query';
import { queries } from '../data/api.ts';
import { call, type InputOf } from '../data/client.ts';
import type { Key } from '../i18n/en.ts';
import { useText } from '../i18n/text.tsx';
import { notify } from './notices.tsx';

const operations = {
  pause: 'pauseRun',
  resume: 'resumeRun',
  stop: 'stopRun',
  recover: 'recoverRun',
  force: 'forceTask',
  kill: 'killTask',
  'start-now': 'startTaskNow',
  'set-params': 'setRunParams',
} as const;

/** The names of controls. */
export const controlWords = {
  pause: 'run.pause',
  resume: 'run.resume',
  stop: 'run.stop',
  recover: 'run.recover',
  rerun: 'run.rerun',
  force: 'run.force',
  kill: 'run.kill',
  answer: 'run.answer',
  'start-now': 'run.startNow',
  'set-params': 'run.setParams',
} as const satisfies Record<string, Key>;

/** Sends a control to a run. The run reports the result later, so success only means "requested". */
export function useControl(run: number, name: keyof typeof operations, after: () => void = () => {}) {
  const text = useText();
  const { mutate, isPending } = useMutation<unknown, Error, ControlBody>({
    mutationFn: (body) =>
      call(operations[name], { id: run, body } as InputOf<(typeof operations)[typeof name]>),
    onSuccess: async () => {
      notify(text('run.asked', { control: text(controlWords[name]) }), 'good');
      await queries.invalidateQueries({ queryKey: ['showRun', { id: run }] });
    },
    onError: (error) => notify(error, 'bad'),
  });
  // Callbacks per call: a dialog that has closed meanwhile closes none that opened after it.
  return {
    send: (body: ControlBody) => mutate(body, { onSuccess: after }),
    pending: isPending,
  };
}

/** The body of a control, besides its run. */
interface ControlBody {
  readonly task?: string;
  readonly reason?: string;
  readonly params?: Readonly<Record<string, string>>;
}
