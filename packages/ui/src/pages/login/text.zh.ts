/** What signing in says, in Chinese. */
import type { loginText as english } from './text.en.ts';

export const loginText: Readonly<Record<keyof typeof english, string>> = {
  'login.title': '登录 Orrery',
  'login.again': '会话已结束。请重新登录以继续，页面上的内容不会丢失。',
  'login.token': '令牌',
  'login.show': '显示或隐藏令牌',
  'login.refused': '服务器不接受此令牌，它可能已过期或被撤销。',
  'login.signIn': '登录',
  'login.how': '还没有令牌？用服务器启动时设置的令牌(ORRERY_TOKEN)，或由管理员为您生成的令牌。',
};
