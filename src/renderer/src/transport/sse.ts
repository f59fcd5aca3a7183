export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
}

const fieldOf = (lines: readonly string[], name: string): string | undefined =>
  lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);

/** Reads server-sent events (HTML, 9.2.5) from a response, in the format that the engine writes. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (text + decoder.decode(value, { stream: true })).split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const lines = block.split('\n');
        const data = fieldOf(lines, 'data');
        if (data !== undefined) yield { event: fieldOf(lines, 'event') ?? 'message', data };
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
