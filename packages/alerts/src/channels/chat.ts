/** Chat rooms with an incoming address: Slack, Microsoft Teams, Discord, Telegram. */
import { z } from 'zod';
import { channelKind } from '../channel.ts';
import { bodyLines, type MessageText, plainText } from '../message.ts';
import { postJson } from '../request.ts';
import { cut, cutBytes, escapedWithin } from '../text.ts';

const address = z.strictObject({ url: z.url({ protocol: /^https?$/ }) });

const COLOURS = {
  resolved: 0x2e7d32,
  info: 0x1976d2,
  warning: 0xed6c02,
  error: 0xd32f2f,
  critical: 0x9c27b0,
} as const;

function bodyOf(text: MessageText): string {
  return bodyLines(text).join('\n');
}

export const slack = channelKind({
  schema: address,
  secrets: ['url'],
  async send({ url }, { text }, tools) {
    const { title, link } = text;
    const body = bodyOf(text);
    const blocks = [
      { type: 'header', text: { type: 'plain_text', text: cut(title, 150) } },
      ...(body === ''
        ? []
        : // Not as `mrkdwn`: there `*` and `_` in an error line would be markup.
          [{ type: 'section', text: { type: 'plain_text', text: cut(body, 3_000) } }]),
      ...(link === undefined
        ? []
        : [
            {
              type: 'actions',
              elements: [{ type: 'button', text: { type: 'plain_text', text: 'Open' }, url: link }],
            },
          ]),
    ];
    return await postJson({ url, body: { text: escapedWithin(plainText(text), 3_000), blocks } }, tools);
  },
});

export const teams = channelKind({
  schema: address,
  secrets: ['url'],
  async send({ url }, { text }, tools) {
    const { title, link, severity } = text;
    const color = severity === 'resolved' || severity === 'info' ? 'good' : 'attention';
    const content = {
      $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
      type: 'AdaptiveCard',
      version: '1.4',
      body: [
        {
          // A block of this type reads no markup, unlike a text block.
          type: 'RichTextBlock',
          inlines: [{ type: 'TextRun', text: title, weight: 'Bolder', size: 'Medium', color }],
        },
        // Teams takes 28 KB; every line has its frame.
        ...cutBytes(bodyOf(text), 16_000)
          .split('\n', 100)
          .map((line) => ({ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: line }] })),
      ],
      ...(link === undefined ? {} : { actions: [{ type: 'Action.OpenUrl', title: 'Open', url: link }] }),
      msteams: { width: 'full' },
    };
    const card = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content };
    return await postJson({ url, body: { type: 'message', attachments: [card] } }, tools);
  },
});

/** A text in which Discord finds no markup. */
function unmarked(text: string): string {
  return text.replace(/[\\*_~`|>[\]()#]/g, '\\$&');
}

export const discord = channelKind({
  schema: address,
  secrets: ['url'],
  async send({ url }, { text }, tools) {
    const { title, link, severity, since } = text;
    const embed = {
      title: cut(unmarked(title), 256),
      description: cut(unmarked(bodyOf(text)), 4_096),
      url: link,
      color: COLOURS[severity],
      timestamp: new Date(since).toISOString(),
    };
    return await postJson({ url, body: { embeds: [embed], allowed_mentions: { parse: [] } } }, tools);
  },
});

export const telegram = channelKind({
  schema: z.strictObject({
    token: z.string().min(1).describe('The token of the bot.'),
    chat: z.union([z.string().min(1), z.int()]),
    thread: z.int().optional(),
    server: z.url({ protocol: /^https?$/ }).default('https://api.telegram.org'),
  }),
  secrets: ['token'],
  async send({ token, chat, thread, server }, { text }, tools) {
    const { title, link } = text;
    const head = `<b>${escapedWithin(title, 1_000)}</b>\n`;
    const body = {
      chat_id: chat,
      ...(thread === undefined ? {} : { message_thread_id: thread }),
      text: `${head}${escapedWithin(bodyOf(text), 4_096 - head.length)}`,
      parse_mode: 'HTML',
      link_preview_options: { is_disabled: true },
      ...(link === undefined ? {} : { reply_markup: { inline_keyboard: [[{ text: 'Open', url: link }]] } }),
    };
    return await postJson({ url: `${server}/bot${token}/sendMessage`, body }, tools);
  },
});
