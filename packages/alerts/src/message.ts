/**
 * A message in words: title, lines, link and a command with more details. English and Chinese are two tables.
 */
import { type AlertKind, alertKinds, type Severity, severities } from '@orrery/core/alert';
import type { AlertMessage, AlertSubject } from '@orrery/store';
import { applyTemplate, type Template } from './template.ts';
import { cut, withoutControls } from './text.ts';

/** Languages that messages can be written in. */
export const languages = ['en', 'zh'] as const;
export type Language = (typeof languages)[number];

/** A message as channels show it. */
export interface MessageText {
  readonly title: string;
  /** One line for each thing it is about. */
  readonly lines: readonly string[];
  readonly severity: Severity | 'resolved';
  /** Its page in the console; undefined if the console's address is not configured. */
  readonly link: string | undefined;
  /** A command with more details; undefined if there is none. */
  readonly command: string | undefined;
  /** What to do about it; undefined where nothing is to be done. */
  readonly action: string | undefined;
  readonly reason: AlertMessage['reason'];
  readonly count: number;
  /** Epoch milliseconds. */
  readonly since: number;
  readonly subjects: readonly AlertSubject[];
}

interface Words {
  readonly reason: Readonly<Record<AlertMessage['reason'], (title: string, count: number) => string>>;
  readonly kind: Readonly<Record<AlertKind, (name: string) => string>>;
  readonly action: Readonly<Partial<Record<AlertKind, string>>>;
  readonly others: (title: string, count: number) => string;
  readonly more: (count: number) => string;
  readonly mayBeDoubled: string;
  readonly templateFailed: (why: string) => string;
}

const words: Record<Language, Words> = {
  en: {
    reason: {
      new: (title) => title,
      more: (title, count) => `${title} (${count} alerts so far)`,
      repeat: (title) => `Still: ${title}`,
      escalate: (title) => `Not acknowledged: ${title}`,
      resolve: (title) => `Resolved: ${title}`,
      test: () => 'Test message from Orrery',
    },
    kind: {
      'run-failed': (name) => `${name} failed`,
      'run-succeeded': (name) => `${name} succeeded`,
      'run-timeout': (name) => `${name} runs longer than its time limit`,
      'task-failed': (name) => `a task of ${name} failed`,
      'task-timeout': (name) => `a task of ${name} runs longer than its time limit`,
      deadline: (name) => `${name} missed its deadline`,
      'tick-late': (name) => `${name} started late`,
      'tick-skipped': (name) => `${name} was not started`,
      'backfill-done': (name) => `backfill of ${name} ended`,
      'approval-waiting': (name) => `${name} waits for an approval`,
      'master-lost': (name) => `master ${name} is lost`,
      'worker-lost': (name) => `worker ${name} is lost`,
      'worker-unhealthy': (name) => `worker ${name} takes no work`,
      'no-worker': (name) => `no worker serves group ${name}`,
      'leader-changed': (name) => `${name} leads the masters now`,
      'claim-alarm': (name) => `master ${name} holds more schedules than its alarm threshold`,
      disk: (name) => `the disk of ${name} is nearly full`,
      retention: (name) => `${name} are nearly as many as are kept`,
      undelivered: (name) => `channel ${name} does not deliver`,
    },
    action: {
      'run-failed': 'Next: read the log, fix the cause, then recover the run.',
      'run-timeout': 'Next: see what it waits for, or stop it.',
      'task-failed': 'Next: read the log of the task.',
      'task-timeout': 'Next: see what it waits for, or stop it.',
      deadline: 'Next: see why it is late; start it if nothing runs.',
      'tick-late': 'Next: check that masters run and their clocks are right.',
      'tick-skipped': 'Next: start it for the skipped times if they are needed.',
      'approval-waiting': 'Next: approve or reject it.',
      'master-lost': 'Next: restart it; others have taken over its work.',
      'worker-lost': 'Next: restart it; its tasks run elsewhere.',
      'worker-unhealthy': 'Next: fix what it reports; it takes work again by itself.',
      'no-worker': 'Next: start a worker of this group.',
      'claim-alarm': 'Next: add a master, or raise the threshold.',
      disk: 'Next: free some space before it is full.',
      retention: 'Next: raise the limit, or expect older entries to be deleted early.',
      undelivered: 'Next: fix the channel, then send the message again.',
    },
    others: (title, count) => `${title}, and ${count} more`,
    more: (count) => `… and ${count} more`,
    templateFailed: (why) => `The template of this channel failed, so this is the standard text: ${why}.`,
    mayBeDoubled: 'This message may have been delivered before: the answer to an earlier try was lost.',
  },
  zh: {
    reason: {
      new: (title) => title,
      more: (title, count) => `${title}（目前共 ${count} 条告警）`,
      repeat: (title) => `仍未恢复：${title}`,
      escalate: (title) => `尚未确认：${title}`,
      resolve: (title) => `已恢复：${title}`,
      test: () => '来自 Orrery 的测试消息',
    },
    kind: {
      'run-failed': (name) => `${name} 运行失败`,
      'run-succeeded': (name) => `${name} 运行成功`,
      'run-timeout': (name) => `${name} 运行超时`,
      'task-failed': (name) => `${name} 的任务失败`,
      'task-timeout': (name) => `${name} 的任务运行超时`,
      deadline: (name) => `${name} 未在截止时间前完成`,
      'tick-late': (name) => `${name} 启动延迟`,
      'tick-skipped': (name) => `${name} 未按时启动，已跳过`,
      'backfill-done': (name) => `${name} 的补数已结束`,
      'approval-waiting': (name) => `${name} 等待审批`,
      'master-lost': (name) => `Master ${name} 失联`,
      'worker-lost': (name) => `Worker ${name} 失联`,
      'worker-unhealthy': (name) => `Worker ${name} 停止接收任务`,
      'no-worker': (name) => `Worker 分组 ${name} 没有可用的 Worker`,
      'leader-changed': (name) => `${name} 成为新的主节点`,
      'claim-alarm': (name) => `Master ${name} 持有的调度数超过告警阈值`,
      disk: (name) => `${name} 的磁盘即将写满`,
      retention: (name) => `${name} 的数量接近保留上限`,
      undelivered: (name) => `渠道 ${name} 无法送达`,
    },
    action: {
      'run-failed': '下一步：查看日志，排除原因后恢复运行。',
      'run-timeout': '下一步：查看它在等待什么，或停止它。',
      'task-failed': '下一步：查看任务日志。',
      'task-timeout': '下一步：查看它在等待什么，或停止它。',
      deadline: '下一步：查明延迟原因；若没有运行，请启动它。',
      'tick-late': '下一步：检查 Master 是否在运行、时钟是否正确。',
      'tick-skipped': '下一步：如有需要，为跳过的时间手动启动。',
      'approval-waiting': '下一步：批准或拒绝。',
      'master-lost': '下一步：重新启动；其工作已由其他节点接管。',
      'worker-lost': '下一步：重新启动；其任务已在别处运行。',
      'worker-unhealthy': '下一步：排除它报告的问题；之后它会自动恢复。',
      'no-worker': '下一步：启动该分组的 Worker。',
      'claim-alarm': '下一步：增加 Master，或提高阈值。',
      disk: '下一步：在写满之前清理空间。',
      retention: '下一步：提高上限，否则较早的记录会提前删除。',
      undelivered: '下一步：修复渠道，然后重新发送消息。',
    },
    others: (title, count) => `${title}，另有 ${count} 项`,
    more: (count) => `…… 另有 ${count} 项`,
    templateFailed: (why) => `此渠道的模板有误，已改用标准文本：${why}。`,
    mayBeDoubled: '此消息可能已送达过：先前一次尝试的应答丢失。',
  },
};

/** Things that a message lists. */
const MOST_LINES = 5;
/** Characters of one line. */
const MOST_OF_LINE = 1_000;

/** Writes a message; `console` is the address of the console, without a slash at its end. */
export function writeMessage(
  message: AlertMessage,
  options: {
    readonly language: Language;
    readonly console?: string;
    readonly doubled?: boolean;
    readonly template?: Template;
  },
): MessageText {
  const { reason, count, since } = message;
  const subjects = message.subjects.map(cleaned);
  const say = words[options.language];
  const [first] = subjects;
  const heads = first ? say.kind[first.kind](nameOf(first)) : '';
  const title = say.reason[reason](
    subjects.length > 1 ? say.others(heads, subjects.length - 1) : heads,
    count,
  );
  const lines = subjects
    .slice(0, MOST_LINES)
    .map((subject) => cut(`${nameOf(subject)}: ${subject.text}`, MOST_OF_LINE));
  if (subjects.length > MOST_LINES) lines.push(say.more(subjects.length - MOST_LINES));
  const path = first && pathOf(first);
  const standard: MessageText = {
    title,
    lines,
    severity: reason === 'resolve' ? 'resolved' : worst(subjects),
    link: path === undefined || options.console === undefined ? undefined : `${options.console}${path}`,
    command: first?.run ? `orrery why ${first.run}` : undefined,
    action: first === undefined || reason === 'resolve' ? undefined : say.action[first.kind],
    reason,
    count,
    since,
    subjects,
  };
  const text = options.template
    ? applyTemplate(options.template, standard, message.rule, say.templateFailed)
    : standard;
  return options.doubled ? { ...text, lines: [...text.lines, say.mayBeDoubled] } : text;
}

/** A message as plain text, title first. */
export function plainText({ title, ...rest }: MessageText): string {
  return [title, ...bodyLines(rest), ...(rest.link === undefined ? [] : [rest.link])].join('\n');
}

/** The text of a message below its title, without the link. */
export function bodyLines({
  lines,
  action,
  command,
}: Pick<MessageText, 'lines' | 'action' | 'command'>): string[] {
  return [...lines, ...[action, command].filter((one) => one !== undefined)];
}

/** What people and tasks wrote, without what could trick a terminal or a reader. */
function cleaned(subject: AlertSubject): AlertSubject {
  const { name, text } = subject;
  return { ...subject, name: withoutControls(name).replaceAll('\n', ' '), text: withoutControls(text) };
}

function nameOf({ project, name }: AlertSubject): string {
  return project === '' ? name : `${project}/${name}`;
}

function pathOf({ kind, project, name, run }: AlertSubject): string | undefined {
  if (run) return `/runs/${run}`;
  if (kind === 'undelivered') return '/alerts';
  if (project === '') return '/cluster';
  return `/workflows/${project}/${name}`;
}

function worst(subjects: readonly AlertSubject[]): Severity {
  const ranks = subjects.map(({ kind }) => severities.indexOf(alertKinds[kind].severity));
  return severities[Math.max(0, ...ranks)];
}
