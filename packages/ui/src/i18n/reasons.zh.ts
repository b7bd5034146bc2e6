/**
 * Reasons in Chinese, from their codes and fields; English is the server's own wording, the same as `orrery why`. A
 * code that this build does not know is left to the server's words.
 */
import type { WhyReason } from '@orrery/sdk/client';
import { chineseUnits, duration } from '../model/time.ts';

type Code = WhyReason['code'];
type Of<C extends Code, R = WhyReason> = R extends { readonly code: infer K }
  ? C extends K
    ? Omit<R, 'code'>
    : never
  : never;
type Words = readonly [why: string, frees: string | null];

const list = (value: readonly string[]) => value.join('、');
const standing = (
  value: readonly { readonly id: string; readonly name?: string; readonly state: string }[],
) => value.map(({ id, name, state }) => `${name ?? id}（${state}）`).join('、');
const because = ({ reason }: { readonly reason?: string | null }) => (reason ? `：${reason}` : '');
const queue = ({ group, attempt, ahead, higher }: Of<'no-worker'>) =>
  `第 ${attempt} 次尝试在工作组 ${group} 的队列中，前面有 ${ahead} 个${higher > 0 ? `，其中 ${higher} 个优先级更高` : ''}`;
const ends = ({ id, usual }: { readonly id: string; readonly usual: number }) =>
  `${id} 结束，通常需要 ${duration(usual, chineseUnits)}`;
const going = ({ stopping }: { readonly stopping: boolean }, what: string): Words =>
  stopping ? [`正在停止；${what}`, 'worker 节点报告已无残留'] : [what, null];

const sentences: { readonly [C in Code]: (fields: Of<C>) => Words } = {
  'start-queued': ({ ahead }) => [`启动命令等待领取，前面有 ${ahead} 个`, '有空闲的 master 节点领取它'],
  'start-no-master': ({ ahead }) => [
    `启动命令等待领取，前面有 ${ahead} 个，且没有存活的 master 节点`,
    '启动一个 master 节点',
  ],
  'start-masters-full': ({ ahead, masters }) => [
    `启动命令等待领取，前面有 ${ahead} 个；${masters} 个存活的 master 节点没有余量或已过载`,
    '有运行结束，或启动另一个 master 节点',
  ],
  'start-overloaded': ({ ahead, reasons }) => [
    `启动命令等待领取，前面有 ${ahead} 个；${reasons.join('；')}`,
    '负载下降，或启动另一个 master 节点',
  ],
  unowned: () => ['没有归属；发给它的消息等待某个 master 节点', '某个 master 节点领取它'],
  'unowned-no-master': () => ['没有归属，且没有存活的 master 节点', '启动一个 master 节点'],
  serial: ({ workflow, limit, mode, runs }) => [
    `${workflow} 的运行${mode === 'parallel' ? `最多同时 ${limit} 个` : `一次一个（${mode}）`}，先来的有 ${standing(runs)}`,
    '其中一个结束',
  ],
  'run-running': ({ running, queued }) => [`${running} 个任务运行在执行，${queued} 个在排队`, null],
  'task-waits': ({ task, reason }) => {
    const [why, frees] = chineseReason(reason.code, reason) ?? ['', null];
    return [`没有任务在执行：${task} ${why}`, frees];
  },
  'next-step': () => ['正在进入下一步', null],
  'run-pausing': ({ open }) => [`正在暂停，还有 ${open} 个任务运行未结束`, '它们结束或被挂起'],
  'run-stopping': ({ open }) => [`正在停止，还有 ${open} 个任务运行未结束`, '它们不再残留'],
  'run-failing': (fields) => [
    `失败后正在收尾${because(fields)}，还有 ${fields.open} 个任务运行未结束`,
    '它们结束',
  ],
  'run-paused': () => ['已暂停', '恢复它'],
  'run-success': () => ['成功', null],
  'run-failed': (fields) => {
    const named = fields.tasks
      .map(({ name, error }) => (error === undefined ? name : `${name}：${error}`))
      .join('、');
    return [`失败${because(fields)}${named === '' ? '' : `（${named}）`}`, '恢复或重跑它'];
  },
  'run-stopped': (fields) => [`已停止${because(fields)}`, '恢复或重跑它'],
  'run-broken': (fields) => [
    `已搁置${because(fields)}`,
    fields.unplanned ? '以最新版本重放或停止它' : '恢复、重跑或停止它',
  ],
  'about-to-start': () => ['即将开始', null],
  'limit-full': ({ limit, held, slots, holders, ahead, first }) => [
    `等待 ${limit} 的槽位：${slots} 个中已占 ${held} 个${list(holders) === '' ? '' : `（${list(holders)}）`}，前面有 ${ahead} 个`,
    first === undefined ? '占用者之一结束' : ends(first),
  ],
  'run-not-started': () => ['等待其运行开始', null],
  'never-had-turn': ({ run }) => [`未轮到执行：运行状态为 ${run}`, null],
  needs: ({ tasks, rule }) => [`等待 ${standing(tasks)}`, `它们按规则 ${rule} 结束`],
  'no-worker': (fields) => [
    `${queue(fields)}，且没有存活的 worker 节点服务该工作组`,
    `为工作组 ${fields.group} 启动一个 worker 节点`,
  ],
  'workers-unhealthy': (fields) => [
    `${queue(fields)}，且该工作组没有健康的 worker 节点：${fields.workers.map(({ id, reason }) => `${id}（${reason}）`).join('、')}`,
    '其中一个恢复健康，或另一个 worker 节点加入该工作组',
  ],
  'no-room': (fields) => [
    fields.never
      ? `${queue(fields)}，需要 ${fields.asks}，超过任何存活 worker 节点的容量`
      : `${queue(fields)}，需要 ${fields.asks}，任何存活 worker 节点的剩余容量都不够`,
    fields.never ? '更大的 worker 节点加入该工作组，或任务减少所需资源' : '占用核数或内存的尝试结束',
  ],
  'meant-for': (fields) => [
    `${queue(fields)}，${fields.chosen ? '选中' : '指定给'} worker 节点 ${fields.worker}`,
    `worker 节点 ${fields.worker} 取走它，${fields.chosen ? '或 2 秒后由其他节点取走' : '或已离开'}`,
  ],
  'slots-taken': (fields) => [
    `${queue(fields)}；${fields.workers} 个存活 worker 节点的全部 ${fields.slots} 个槽位都被占用`,
    '前面的一次尝试结束',
  ],
  'next-up': (fields) => [
    `${queue(fields)}；${fields.workers} 个存活 worker 节点的 ${fields.slots} 个槽位中有 ${fields.free} 个空闲`,
    '某个 worker 节点随即取走它',
  ],
  'entering-queue': () => ['正在进入队列', null],
  delayed: ({ until }) => [`按延迟设置等到 ${until ?? '未知时间'}`, '到时，或立即开始'],
  retrying: ({ error, at }) => [`失败：${error}；将于 ${at ?? '未知时间'} 重试`, '到时，或立即开始'],
  'attempt-runs': (fields) => going(fields, `第 ${fields.attempt} 次尝试在 ${list(fields.workers)} 上执行`),
  'attempt-waits': ({ attempt, worker, seen }) => [
    `第 ${attempt} 次尝试在 ${worker} 上等待${seen == null ? '' : `：${seen}`}`,
    '之后的一次检查发现条件已满足，或超时',
  ],
  'shards-run': (fields) =>
    going(fields, `${fields.of} 个分片中有 ${fields.shards} 个在 ${list(fields.workers)} 上执行`),
  reported: (fields) => going(fields, '其 worker 节点已报告结果，运行继续'),
  depends: ({ on }) => {
    const missing = on.filter(({ state }) => state !== 'success');
    if (missing.length === 0) return ['所依赖的运行均已完成', '随即通知其运行'];
    const names = missing.map(({ workflow, window }) => `${workflow}（${window}）`).join('、');
    const met = on.length - missing.length;
    return [`等待 ${names} 运行成功${met > 0 ? `；${on.length} 项中已满足 ${met} 项` : ''}`, '那些运行成功'];
  },
  approval: ({ message, until, taskRun }) => [
    `等待对“${message}”的答复${until == null ? '' : `，直到 ${until}`}`,
    `有人答复：orrery approvals answer ${taskRun} yes`,
  ],
  'child-queued': () => ['等待其子运行，子运行在排队', '子运行结束'],
  child: ({ runs }) => [`等待其子运行 ${standing(runs)}`, '子运行结束'],
  series: ({ ended, total, open }) => [
    `${total} 个子运行中已结束 ${ended} 个，${open} 个进行中`,
    '其余的结束',
  ],
  held: () => ['因运行暂停而挂起', '恢复运行'],
  excluded: () => ['不在本轮运行中', null],
  success: (fields) => [`成功${because(fields)}`, null],
  passed: () => ['已禁用，被略过', null],
  forced: (fields) => [`按成功计${because(fields)}`, null],
  skipped: (fields) => [`已跳过${because(fields)}`, null],
  killed: (fields) => [`已终止${because(fields)}`, null],
  failed: (fields) => [`失败${because(fields)}`, null],
};

/** The words of a reason; undefined for a code that is not known here. */
export function chineseReason(code: string, fields: object): Words | undefined {
  if (!Object.hasOwn(sentences, code)) return undefined;
  const [why, frees] = sentences[code as Code](fields as never);
  return ['counted' in fields && fields.counted === false ? `${why}；它不计入结果` : why, frees];
}
