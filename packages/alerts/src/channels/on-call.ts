/** On-call services: PagerDuty and Opsgenie. One trouble is one incident there, and its end closes it. */
import { z } from 'zod';
import { channelKind } from '../channel.ts';
import { bodyLines } from '../message.ts';
import { postJson } from '../request.ts';
import { cut } from '../text.ts';

const PRIORITIES = { resolved: 'P5', info: 'P5', warning: 'P3', error: 'P2', critical: 'P1' } as const;

export const pagerduty = channelKind({
  schema: z.strictObject({
    key: z.string().min(1).describe('The integration key of the service.'),
    server: z.url({ protocol: /^https?$/ }).default('https://events.pagerduty.com'),
  }),
  secrets: ['key'],
  async send({ key, server }, { text, thread }, tools) {
    const { title, lines, action, command, link, severity, reason, since, subjects, count } = text;
    const base = { routing_key: key, dedup_key: thread };
    const body =
      reason === 'resolve'
        ? { ...base, event_action: 'resolve' }
        : {
            ...base,
            event_action: 'trigger',
            payload: {
              summary: cut(title, 1_024),
              source: subjects[0]?.name ?? 'orrery',
              severity: severity === 'resolved' ? 'info' : severity,
              timestamp: new Date(since).toISOString(),
              custom_details: { lines, count, action, command },
            },
            ...(link === undefined ? {} : { links: [{ href: link, text: 'Orrery' }] }),
            client: 'Orrery',
          };
    return await postJson({ url: `${server}/v2/enqueue`, body }, tools);
  },
});

export const opsgenie = channelKind({
  schema: z.strictObject({
    key: z.string().min(1),
    server: z.url({ protocol: /^https?$/ }).default('https://api.opsgenie.com'),
    tags: z.array(z.string()).default([]),
  }),
  secrets: ['key'],
  async send({ key, server, tags }, { text, thread }, tools) {
    const { title, link, severity, reason, subjects } = text;
    const headers = { authorization: `GenieKey ${key}` };
    if (reason === 'resolve') {
      const url = `${server}/v2/alerts/${encodeURIComponent(thread)}/close?identifierType=alias`;
      return await postJson({ url, headers, body: { source: 'Orrery' } }, tools);
    }
    const body = {
      message: cut(title, 130),
      alias: thread,
      description: cut([...bodyLines(text), ...(link === undefined ? [] : [link])].join('\n'), 15_000),
      source: 'Orrery',
      entity: subjects[0]?.name,
      priority: PRIORITIES[severity],
      tags,
    };
    return await postJson({ url: `${server}/v2/alerts`, headers, body }, tools);
  },
});
