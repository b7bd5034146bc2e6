/** Server-sent events read from a stream of bytes: what `EventSource` does, where a token must go with the request. */

/** One message: its event, `message` unless named, its data, and the last id that was given. */
export interface StreamMessage {
  readonly event: string;
  readonly data: string;
  readonly id: string | undefined;
}

/** The messages of a stream, as they arrive; ends with the stream. `onBytes` sees every sign of life, also comments. */
export async function* readEventStream(
  bytes: ReadableStream<Uint8Array>,
  onBytes?: () => void,
): AsyncGenerator<StreamMessage, void> {
  const decoder = new TextDecoder();
  const reader = bytes.getReader();
  let rest = '';
  let event = '';
  let data: string[] = [];
  let id: string | undefined;
  try {
    for (;;) {
      const { value, done } = await reader.read();
      // A message that was cut off has no empty line after it, and is none.
      if (done) return;
      onBytes?.();
      const lines = (rest + decoder.decode(value, { stream: true })).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line === '') {
          if (data.length > 0) yield { event: event || 'message', data: data.join('\n'), id };
          event = '';
          data = [];
          continue;
        }
        const [, field, text = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
        if (field === 'event') event = text;
        else if (field === 'data') data.push(text);
        else if (field === 'id' && !text.includes('\0')) id = text;
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
