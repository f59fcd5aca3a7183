import type { Draw } from '../support/draw.ts';
import { mutateBytes } from './mutate.ts';

const FRAMING = [
  ...[
    'content-length: 0',
    'content-length: -1',
    'content-length: 1e3',
    'content-length: 99999999999999999999',
    'content-length: 5, 5',
  ],
  ...[
    'transfer-encoding: chunked',
    'transfer-encoding: gzip, chunked',
    'transfer-encoding: chunked, x',
    'transfer-encoding : chunked',
  ],
  ...[
    'connection: close',
    'connection: upgrade',
    'upgrade: websocket',
    'upgrade: h2c',
    'expect: 100-continue',
    'expect: x',
    'trailer: a',
  ],
  ...[
    'host: localhost',
    'host:',
    ' folded',
    '\tfolded',
    ': no name',
    'no colon',
    'a\0b: c',
    'keep-alive: timeout=0',
    'http2-settings: AAMAAABkAAQAAP__',
  ],
];

/** The body in chunks, some of which are none. */
const chunked = (head: string, body: Buffer, draw: Draw): Buffer => {
  const size = draw.pick([
    body.length.toString(16),
    `${body.length.toString(16)};a="b`,
    'ffffffffffffffff',
    '-1',
    '0x5',
    `${'0'.repeat(5_000)}1`,
    '',
  ]);
  const end = draw.pick(['\r\n0\r\n\r\n', '\r\n0\r\na: b\r\n\r\n', '0\r\n\r\n', '\r\n', '']);
  const framed = head.replace(/content-length: \d+/i, 'transfer-encoding: chunked');
  return Buffer.concat([Buffer.from(`${framed}\r\n\r\n${size}\r\n`, 'latin1'), body, Buffer.from(end)]);
};

/** Changes how a message of HTTP/1.1 is framed: its lines, lengths, chunks and number. */
export const mutateFraming = (bytes: Buffer, draw: Draw): Buffer => {
  const at = bytes.indexOf('\r\n\r\n');
  if (at < 0) return mutateBytes(bytes, draw);
  const [head, body] = [bytes.toString('latin1', 0, at), bytes.subarray(at + 4)];
  const put = (text: string): Buffer => Buffer.concat([Buffer.from(`${text}\r\n\r\n`, 'latin1'), body]);
  const lines = head.split('\r\n');
  switch (draw.below(8)) {
    case 0:
      return put(lines.toSpliced(draw.between(1, lines.length), 0, draw.pick(FRAMING)).join('\r\n'));
    case 1:
      return put(lines.join(draw.pick(['\n', '\r', '\r\n ', '\r\r\n'])));
    case 2:
      return chunked(head, body, draw);
    case 3:
      return put(`${head}\r\n${'x'.repeat(draw.pick([100, 9_000, 17_000]))}: ${'y'.repeat(draw.pick([1, 20_000]))}`);
    case 4:
      return put(
        `${head}\r\n${Array.from({ length: draw.pick([50, 1_500]) }, (_, index) => `a${index}: b`).join('\r\n')}`,
      );
    case 5:
      return Buffer.concat(Array.from({ length: draw.pick([2, 5, 12]) }, () => bytes));
    case 6:
      return put(
        lines
          .with(
            0,
            (lines[0] ?? '').replace(
              /HTTP\/1\.1$/,
              draw.pick(['HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/1.10', '', 'ICY']),
            ),
          )
          .join('\r\n'),
      );
    default:
      return mutateBytes(bytes, draw);
  }
};
