/** Robots of DingTalk, WeCom and Feishu. They answer 200 to what they refuse, and say why in the body. */
import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { channelKind, type SendAnswer } from '../channel.ts';
import { plainText } from '../message.ts';
import { postJson } from '../request.ts';
import { cutBytes } from '../text.ts';

/** Interprets the code in an answer: 0 is success, some ask for a wait, others are final. */
function byCode(
  code: unknown,
  text: unknown,
  throttled: readonly number[],
  wait: number,
): SendAnswer | undefined {
  if (code === undefined || code === 0) return undefined;
  const answer = `${code} ${text ?? ''}`.trim();
  if (throttled.includes(Number(code))) return { state: 'again', answer, after: wait };
  return { state: 'refused', answer };
}

/** The signature of DingTalk: of milliseconds, in the query. */
export function dingtalkSignature(secret: string, at: number): string {
  return createHmac('sha256', secret).update(`${at}\n${secret}`).digest('base64');
}

/** The signature of Feishu: of seconds, which are part of the key; nothing is signed but that. */
export function feishuSignature(secret: string, seconds: number): string {
  return createHmac('sha256', `${seconds}\n${secret}`).update('').digest('base64');
}

const robot = {
  url: z.url({ protocol: /^https?$/ }),
  secret: z.string().min(1).optional().describe('Signs the message.'),
};

export const dingtalk = channelKind({
  schema: z.strictObject({
    ...robot,
    keyword: z.string().optional().describe('A word that the robot asks for in every message.'),
    mobiles: z.array(z.string()).default([]).describe('Phone numbers of people to mention.'),
    everyone: z.boolean().default(false),
  }),
  secrets: ['url', 'secret'],
  async send({ url, secret, keyword, mobiles, everyone }, { text }, tools) {
    const target = new URL(url);
    if (secret !== undefined) {
      const at = tools.now();
      target.searchParams.set('timestamp', String(at));
      target.searchParams.set('sign', dingtalkSignature(secret, at));
    }
    const content = [plainText(text), ...(keyword === undefined ? [] : [keyword])].join('\n');
    const body = {
      msgtype: 'text',
      text: { content: cutBytes(content, 18_000) },
      at: { atMobiles: mobiles, isAtAll: everyone },
    };
    return await postJson({ url: target.href, body }, tools, ({ errcode, errmsg }) =>
      byCode(errcode, errmsg, [130101], 600_000),
    );
  },
});

export const wecom = channelKind({
  schema: z.strictObject({ url: robot.url }),
  secrets: ['url'],
  async send({ url }, { text }, tools) {
    // Not as Markdown: there `<@name>` in an error line would call people.
    const body = { msgtype: 'text', text: { content: cutBytes(plainText(text), 2_000) } };
    return await postJson({ url, body }, tools, ({ errcode, errmsg }) =>
      byCode(errcode, errmsg, [45009], 60_000),
    );
  },
});

/** `<at user_id="all">` in an error line would call everybody. */
function withoutMentions(text: string): string {
  return text.replace(/<(?=\s*\/?\s*at\b)/gi, '＜');
}

export const feishu = channelKind({
  schema: z.strictObject(robot),
  secrets: ['url', 'secret'],
  async send({ url, secret }, { text }, tools) {
    const seconds = Math.floor(tools.now() / 1_000);
    const body = {
      ...(secret === undefined ? {} : { timestamp: String(seconds), sign: feishuSignature(secret, seconds) }),
      msg_type: 'text',
      content: { text: cutBytes(withoutMentions(plainText(text)), 18_000) },
    };
    return await postJson({ url, body }, tools, ({ code, msg }) => byCode(code, msg, [9499, 11232], 60_000));
  },
});
