/** Every kind of channel by name. */
import type { ChannelKind } from '../channel.ts';
import { discord, slack, teams, telegram } from './chat.ts';
import { dingtalk, feishu, wecom } from './chat-china.ts';
import { mail } from './mail.ts';
import { opsgenie, pagerduty } from './on-call.ts';
import { script } from './script.ts';
import { snmp } from './snmp/snmp.ts';
import { webhook } from './webhook.ts';

export const channelKinds: Readonly<Record<string, ChannelKind>> = {
  mail,
  webhook,
  slack,
  teams,
  discord,
  telegram,
  pagerduty,
  opsgenie,
  dingtalk,
  wecom,
  feishu,
  snmp,
  script,
};
