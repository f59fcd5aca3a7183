import { type RemoteInfo, createSocket } from 'node:dgram';
import { once } from 'node:events';

/** Answer of the name server: IPv4 addresses, no such name, a failure, or silence. */
export type Answer = readonly string[] | 'unknown' | 'failing' | 'silent';

interface NameServer {
  /** Address and port, as `dns.setServers` takes it. */
  readonly address: string;
  /** Requested names, once for each question. */
  readonly asked: string[];
  readonly stop: () => Promise<void>;
}

const HEADER_BYTES = 12;
const [TYPE_A, CLASS_IN] = [1, 1];
const RCODES = { unknown: 3, failing: 2 };

const readQuestion = (message: Buffer): { name: string; type: number; bytes: Buffer } => {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const end = at + 5;
  return { name: labels.join('.'), type: message.readUInt16BE(at + 1), bytes: message.subarray(HEADER_BYTES, end) };
};

const record = (address: string, ttl: number): Buffer => {
  const fixed = Buffer.alloc(12);
  fixed.writeUInt16BE(0xc0_0c, 0); // the name of the question
  fixed.writeUInt16BE(TYPE_A, 2);
  fixed.writeUInt16BE(CLASS_IN, 4);
  fixed.writeUInt32BE(ttl, 6);
  fixed.writeUInt16BE(4, 10);
  return Buffer.concat([fixed, Buffer.from(address.split('.').map(Number))]);
};

/** A DNS server on this machine. @param ttl lifetime of its answers, s */
export const startNameServer = async (
  answer: (name: string) => Answer | Promise<Answer>,
  ttl = 0,
): Promise<NameServer> => {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  let isOpen = true;
  const reply = async (message: Buffer, from: RemoteInfo): Promise<void> => {
    const question = readQuestion(message);
    asked.push(question.name);
    const said = await answer(question.name);
    if (said === 'silent') return;
    const addresses = typeof said === 'string' || question.type !== TYPE_A ? [] : said;
    const header = Buffer.alloc(HEADER_BYTES);
    message.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x81_80 | (typeof said === 'string' ? RCODES[said] : 0), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(addresses.length, 6);
    const records = addresses.map((address) => record(address, ttl));
    if (isOpen) socket.send(Buffer.concat([header, question.bytes, ...records]), from.port, from.address);
  };
  socket.on('message', (message: Buffer, from: RemoteInfo) => void reply(message, from));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    async stop() {
      isOpen = false;
      socket.close();
      await once(socket, 'close');
    },
  };
};
