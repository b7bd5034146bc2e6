/**
 * Sentences that the server says the same each time, in Chinese: why an action is not allowed, and what kind of problem
 * an answer is. What stands for a name is taken over. A sentence that this build does not know is left as it is.
 */

const sentences: Readonly<Record<string, string>> = {
  'the run has ended': '运行已结束',
  'the run has ended; recover or rerun it': '运行已结束;可恢复或重跑它',
  'the run has not started': '运行尚未开始',
  'the run has started': '运行已经开始',
  'the run is starting': '运行正在开始',
  'the run has not started; stop it first': '运行尚未开始;请先停止它',
  'the run is queued; it has not started': '运行在排队,尚未开始',
  'the run is running; pause it first': '运行正在执行;请先暂停它',
  'the run is still running; stop it first': '运行仍在执行;请先停止它',
  'the run is not paused': '运行没有暂停',
  'the run is pausing': '运行正在暂停',
  'the run is already pausing': '运行已在暂停中',
  'the run is still pausing': '运行仍在暂停中',
  'the run is still pausing; stop it first': '运行仍在暂停中;请先停止它',
  'the run is paused': '运行已暂停',
  'the run is already paused': '运行已经暂停',
  'the run is paused; resume or stop it first': '运行已暂停;请先恢复或停止它',
  'the run is being stopped': '运行正在停止',
  'the run is already being stopped': '运行已在停止中',
  'the run is still being stopped': '运行仍在停止中',
  'the run is ending after a failure': '运行失败后正在收尾',
  'the run is still ending': '运行仍在收尾',
  'the run is broken; recover or stop it': '运行已搁置;可恢复或停止它',
  'the run succeeded; there is nothing to recover': '运行已成功,没有可恢复的内容',
  'the run is not a backfill': '此运行不是补数',
  'it is a backfill; start another one for the business times you want':
    '这是补数;请为所需的业务时间另启一个补数',
  'it has no live version; publish its draft first': '没有线上版本;请先发布草稿',
  'it is offline; put it online first': '已下线；请先上线',
  'it is offline': '已下线',
  'it is online': '已上线',
  'its workflow was offline': '工作流已下线',
  'it has no draft': '没有草稿',
  'it has no instance': '没有实例',
  'its Java instances take no parameter': '其 Java 实例不接受参数',
  'it is disabled': '已禁用',
  'it is not disabled': '没有禁用',
  'it has instances; stop them first': '仍有实例;请先停止它们',
  'it has no schedule': '没有调度',
  'its schedules are paused': '其调度已暂停',
  'none of its schedules is paused': '其调度均未暂停',
  'The request cannot be read': '无法读懂该请求',
  'A token is needed': '需要令牌',
  'The token has expired': '令牌已过期',
  'This is not allowed': '不允许这样做',
  'Not found': '未找到',
  'Not possible in the present state': '当前状态下无法进行',
  'It has changed since it was read': '读取之后它已被更改',
  'The request is too large': '请求过大',
  'This content type is not accepted': '不接受这种内容类型',
  'Unknown host': '未知主机',
  'The input is not accepted': '输入不被接受',
  'Too many tries': '尝试次数过多',
  'Too many starts wait': '等待启动的运行过多',
  'Something went wrong in Orrery': 'Orrery 内部出错',
  'The store does not answer': '存储没有应答',
  'The registry does not answer': '注册中心没有应答',
  Unhealthy: '部分组件异常',
  'The server has too much to do': '服务器过于繁忙',
};

/** Sentences with something in them. */
const forms: readonly (readonly [RegExp, (...parts: string[]) => string])[] = [
  [/^a ([\w-]+) has been asked for already$/, (what) => `已经请求过${doings[what] ?? what}`],
  [/^this needs the role (\w+); an admin can give it to you$/, (role) => `需要角色 ${role};可由管理员授予`],
  [
    /^your role is (\w+); this needs the role (\w+); an admin can give it to you$/,
    (own, role) => `您的角色是 ${own};需要角色 ${role},可由管理员授予`,
  ],
];

const doings: Readonly<Record<string, string>> = { recover: '恢复', rerun: '重跑', force: '按成功计' };

/** A sentence of the server in Chinese; undefined for one that is not known here. */
export function chineseSentence(said: string): string | undefined {
  if (Object.hasOwn(sentences, said)) return sentences[said];
  for (const [form, write] of forms) {
    const found = form.exec(said);
    if (found) return write(...found.slice(1));
  }
  return undefined;
}
