/** Titles of refusals in Chinese, by their kind. */
import type { ProblemKind } from '@orrery/sdk/client';

export const titles: Readonly<Record<ProblemKind, string>> = {
  'bad-request': '无法读懂该请求',
  'not-signed-in': '需要令牌',
  expired: '令牌已过期',
  'not-allowed': '不允许这样做',
  'not-found': '未找到',
  conflict: '当前状态下无法进行',
  changed: '读取之后它已被更改',
  'too-large': '请求过大',
  'unsupported-type': '不接受这种内容类型',
  'wrong-host': '未知主机',
  'not-accepted': '输入不被接受',
  'too-many-tries': '尝试次数过多',
  'too-many-starts': '等待启动的运行过多',
  defect: 'Orrery 内部出错',
  'store-away': '存储没有应答',
  'registry-away': '注册中心没有应答',
  unhealthy: '部分组件异常',
  busy: '服务器过于繁忙',
};
