/** The topics of a stream. */

import { liveRules, topicForms } from '@orrery/contract/live';
import { said } from '@orrery/core/texts';
import { Refusal } from '../problem.ts';

const shapes = Object.keys(topicForms).map((form) => {
  const [word, subject] = form.split(':');
  const rest = { undefined: '', '{id}': ':[1-9]\\d{0,14}', '{project}/{name}': ':[^/,]+/[^/,]+' }[
    String(subject)
  ];
  return new RegExp(`^${word}${rest}$`);
});

/** Parses a list of topics, or reports the first invalid one. */
export function readTopics(given: readonly string[]): readonly string[] {
  const topics = [...new Set(given)];
  if (topics.length > liveRules.mostTopics)
    throw new Refusal('bad-request', said('live.tooMany', { most: liveRules.mostTopics }));
  const unknown = topics.find((topic) => !shapes.some((shape) => shape.test(topic)));
  if (unknown !== undefined)
    throw new Refusal(
      'bad-request',
      said('live.noTopic', { topic: unknown, accepted: Object.keys(topicForms) }),
    );
  return topics.sort();
}
