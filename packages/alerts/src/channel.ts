/**
 * A channel: where messages go. Its settings are checked by its schema; secrets in them are named as `${secret.NAME}` and
 * resolved before it is called. A channel keeps nothing between two messages.
 */
import type { z } from 'zod';
import type { MessageText } from './message.ts';

/** What the other side did with a message. */
export type SendAnswer =
  | { readonly state: 'sent'; readonly answer: string }
  /** Not accepted, and no second try would be. `gone`: the channel itself does not exist any more. */
  | { readonly state: 'refused'; readonly answer: string; readonly gone?: boolean }
  /** Worth a retry, after `after` milliseconds if the receiver said so. `unsure`: it may have arrived. */
  | { readonly state: 'again'; readonly answer: string; readonly after?: number; readonly unsure?: boolean };

/** A message for a channel. */
export interface Outgoing {
  readonly text: MessageText;
  /** The same over all tries of one message. */
  readonly id: string;
  /** The same for all messages about one trouble, its end too. */
  readonly thread: string;
}

/** What a channel may use of the world. */
export interface SendTools {
  readonly now: () => number;
  readonly timeout: number;
}

/** A kind of channel. */
export interface ChannelKind {
  readonly schema: z.ZodType;
  /** Settings that grant access: they are stored as references to secrets, never as values. */
  readonly secrets: readonly string[];
  /** Sends a message; `settings` are what the schema gave. */
  send(settings: unknown, message: Outgoing, tools: SendTools): Promise<SendAnswer>;
}

/** Declares a kind of channel with settings of its schema's type. */
export function channelKind<Settings>(kind: {
  readonly schema: z.ZodType<Settings>;
  readonly secrets?: ChannelKind['secrets'];
  send(settings: Settings, message: Outgoing, tools: SendTools): Promise<SendAnswer>;
}): ChannelKind {
  return {
    schema: kind.schema,
    secrets: kind.secrets ?? [],
    send: (settings, message, tools) => kind.send(settings as Settings, message, tools),
  };
}
