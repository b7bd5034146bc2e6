/**
 * The page of an approval link, for people who do not sign in. Opening it decides nothing, because mail
 * scanners open links; only its buttons, which post the form, do. It has no script.
 */
import { createHash } from 'node:crypto';
import type { Answer } from '@orrery/contract';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { Tries } from './access/tries.ts';
import type { Context } from './context.ts';
import { Refusal } from './problem.ts';
import { answerByLink, findLinked, type GivenAnswer, readApproval } from './runs/approvals.ts';

type Question = Answer<'showApproval'>;

const style =
  'body { font: 15px system-ui; margin: 10vh auto; max-width: 34em; padding: 0 1em } label { display: block; margin: 1em 0 }' +
  ' input, select { display: block; font: inherit; width: 100%; box-sizing: border-box; padding: .4em } button { font: inherit;' +
  ' padding: .5em 2em; margin-right: 1em } .question { font-size: 1.2em; white-space: pre-wrap; overflow-wrap: anywhere }' +
  ' .wrong { color: #b00020 } small { color: #666 }';

const headers = {
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  // Browsers name no origin of a form on a page without referrers, and one without is refused.
  'referrer-policy': 'same-origin',
  'x-robots-tag': 'noindex, nofollow',
};

const words = {
  en: {
    of: (id: string) => `Approval ${id}`,
    yes: 'Yes',
    no: 'No',
    comment: 'Comment (optional)',
    required: 'required for a yes',
    recorded: 'Your answer was recorded. You can close this page.',
    gone: 'This link is not valid, or no longer: the approval was answered or has ended.',
  },
  zh: {
    of: (id: string) => `审批 ${id}`,
    yes: '同意',
    no: '拒绝',
    comment: '备注（可选）',
    required: '同意时必填',
    recorded: '您的答复已记录，可以关闭此页面。',
    gone: '此链接无效或已失效：该审批已被答复或已结束。',
  },
} as const;
type Language = keyof typeof words;

/** Adds the page and what its form posts to. */
export function addApprovePage(app: FastifyInstance, context: Context): void {
  const tries = new Tries(context.clock, 'wrong links');
  const open = { config: { open: true } } as const;

  app.register(async (pages) => {
    pages.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_, body, done) =>
      done(null, new URLSearchParams(String(body))),
    );

    pages.get<{ Params: { key: string } }>('/approve/:key', open, async (request, reply) => {
      tries.check(request.ip);
      const language = languageOf(request.headers['accept-language']);
      const found = await findLinked(context, request.params.key);
      if (!found) {
        tries.failed(request.ip);
        return send(reply.code(404), language, 'Orrery', `<p>${words[language].gone}</p>`);
      }
      return sendForm(reply, language, await readApproval(context, found.id));
    });

    pages.post<{ Params: { key: string } }>('/approve/:key', open, async (request, reply) => {
      tries.check(request.ip);
      const language = languageOf(request.headers['accept-language']);
      const { key } = request.params;
      const found = await findLinked(context, key);
      const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
      const question = found && (await readApproval(context, found.id));
      const said = question && saidIn(form, question);
      try {
        if (said && (await answerByLink(context, key, said)))
          return send(reply, language, 'Orrery', `<p>${words[language].recorded}</p>`);
      } catch (error) {
        if (!(error instanceof Refusal) || !question || error.kind !== 'not-accepted') throw error;
        return sendForm(reply.code(422), language, question, { wrong: error.message, form });
      }
      if (question) return sendForm(reply.code(422), language, question);
      tries.failed(request.ip);
      return send(reply.code(404), language, 'Orrery', `<p>${words[language].gone}</p>`);
    });
  });
}

/**
 * The answer in a form; undefined if neither button was pressed. An empty field without a default is left
 * out.
 */
function saidIn(form: URLSearchParams, { fields }: Question): GivenAnswer | undefined {
  const answer = form.get('answer');
  if (answer !== 'yes' && answer !== 'no') return undefined;
  const values: Record<string, string> = {};
  for (const { name, default: usual } of fields) {
    const value = form.get(`field.${name}`);
    if (value !== null && (value !== '' || usual !== null)) values[name] = value;
  }
  return { answer, values, comment: (form.get('comment') ?? '').trim().slice(0, 1_000) };
}

function sendForm(
  reply: FastifyReply,
  language: Language,
  { id, project, workflow, message, fields }: Question,
  { wrong, form }: { readonly wrong?: string; readonly form?: URLSearchParams } = {},
): FastifyReply {
  const { of, yes, no, comment } = words[language];
  const input = (field: Question['fields'][number]) => {
    const value = form?.get(`field.${field.name}`) ?? field.default ?? '';
    const options = field.options ?? (field.type === 'boolean' ? ['true', 'false'] : undefined);
    const name = escaped(`field.${field.name}`);
    const control = options
      ? `<select name="${name}"><option></option>${options.map((one) => `<option${one === value ? ' selected' : ''}>${escaped(one)}</option>`).join('')}</select>`
      : `<input name="${name}" value="${escaped(value)}">`;
    const hint = `${field.type}${field.required ? `, ${words[language].required}` : ''}`;
    const about = field.description === null ? '' : `<br><small>${escaped(field.description)}</small>`;
    return `<label>${escaped(field.name)} <small>(${hint})</small>${control}${about}</label>`;
  };
  const body = `<p><small>${escaped(`${project}/${workflow}`)}</small></p>
<p class="question">${escaped(message)}</p>
${wrong === undefined ? '' : `<p class="wrong">${escaped(wrong)}</p>`}
<form method="post">
${fields.map(input).join('\n')}
<label>${comment}<input name="comment" maxlength="1000" value="${escaped(form?.get('comment') ?? '')}"></label>
<button name="answer" value="yes">${yes}</button><button name="answer" value="no">${no}</button>
</form>`;
  return send(reply, language, of(id), body);
}

function send(reply: FastifyReply, language: Language, title: string, body: string): FastifyReply {
  return reply
    .headers(headers)
    .type('text/html; charset=utf-8')
    .send(`<!doctype html>
<html lang="${language === 'zh' ? 'zh-CN' : 'en'}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title>
<link rel="icon" href="data:,"><style>${style}</style></head>
<body>
<h1>${escaped(title)}</h1>
${body}
</body>
</html>
`);
}

function languageOf(accepted: string | undefined): Language {
  return /^\s*zh\b/i.test(accepted ?? '') ? 'zh' : 'en';
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
