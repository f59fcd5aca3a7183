import { PassThrough, Readable } from 'node:stream';
import { examples } from '../../src/cli/examples.ts';
import { runGasdesk } from '../../src/cli/run.ts';
import type { Draw } from '../support/draw.ts';
import { mutateText, severalTimes } from './mutate.ts';
import { Finding, type Way, way } from './way.ts';

/** Commands that serve, wait, ask, take seconds of scrypt, stop the desk for all requests, or write files. */
const NOT_RUN =
  /^(?:serve|review|dev|demo|vault|restore|backup|database|pause|resume|keystore|config|signer|contract|setup|completion|decisions tail|log export|receiver)\b|--(?:out|watch|follow)/;
const FIRST_WORDS = new Set(Object.keys(examples).map((name) => name.split(' ')[0] ?? ''));

const words = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '');

const mutateWords = (args: readonly string[], draw: Draw): string[] => {
  const at = draw.below(args.length + 1);
  switch (draw.below(5)) {
    case 0:
      return args.toSpliced(at, 1);
    case 1:
      return args.toSpliced(
        at,
        0,
        draw.pick(['--json', '--help', '--', '-x', '--data', '--dapp', '--limit', '-1', '@/etc/passwd', '--=', '']),
      );
    case 2:
      return args.toReversed();
    default:
      return at < args.length ? args.with(at, mutateText(args[at] ?? '', draw).slice(0, 5_000)) : [...args, ...args];
  }
};

/** @param dir the data folder of a desk that runs */
export const commandWay = (dir: string): Way =>
  way<readonly string[]>({
    name: 'arguments of commands',
    atATime: 4,
    atOnce: 1,
    seeds: Object.values(examples)
      .flat()
      .filter((line) => !NOT_RUN.test(line))
      .map(words),
    mutate(args, draw) {
      const mutated = severalTimes([...args], draw, mutateWords);
      return NOT_RUN.test(mutated.join(' ')) || !FIRST_WORDS.has(mutated[0] ?? '')
        ? [args[0] ?? '', '--nothing']
        : mutated;
    },
    async play(args) {
      const streams = [new PassThrough(), new PassThrough()] as const;
      const printed: Buffer[] = [];
      for (const stream of streams) stream.on('data', (chunk: Buffer) => printed.push(chunk));
      const [stdout, stderr] = streams;
      const env = { HOME: '/dev/null', GASDESK_DATA: dir };
      const code = await runGasdesk([...args, '--data', dir], { env, stdin: Readable.from([]), stdout, stderr });
      const text = Buffer.concat(printed).toString();
      if (![0, 1, 2].includes(code) || /Internal error|\n\s+at .*\.ts:\d/.test(text))
        throw new Finding(`exit ${code}: ${text.slice(0, 2_000)}`);
    },
    show: (args) => JSON.stringify(args),
  });
