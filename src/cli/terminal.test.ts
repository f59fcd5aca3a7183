import { Readable, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type Printable, humanText } from './human-text.ts';
import { type Terminal, inTerminal, printError, withProgress } from './terminal.ts';

/** A terminal that keeps what is written to it. `columns`: it is a window of that width. */
const terminalOf = (columns?: number, env: NodeJS.ProcessEnv = {}) => {
  const written = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof written) =>
    Object.assign(
      new Writable({
        write(chunk: Buffer, _encoding, done) {
          written[name] += chunk.toString();
          done();
        },
      }),
      columns === undefined ? {} : { isTTY: true, columns },
    );
  const terminal: Terminal = { env, stdin: Readable.from([]), stdout: stream('stdout'), stderr: stream('stderr') };
  return { terminal, written };
};

const shown = async (columns?: number, env?: NodeJS.ProcessEnv): Promise<string> => {
  let text = '';
  const rows = [
    {
      id: '3f2a91c4-1111-4111-8111-111111111111',
      outcome: 'denied',
      sender: `0x${'ab'.repeat(20)}`,
      dapp: 'Pixel Bazaar',
    },
    { id: '77b00000-1111-4111-8111-111111111111', outcome: 'sponsored', sender: `0x${'cd'.repeat(20)}`, dapp: 'Game' },
  ];
  await inTerminal(terminalOf(columns, env).terminal, async () => {
    text = humanText(rows);
  });
  return text;
};

const plain = { NO_COLOR: '1' };

describe('a table', () => {
  it('is whole on a pipe, without colours, so that other programs read it', async () => {
    const [head, first] = (await shown()).split('\n');
    expect(head).toBe(`${'id'.padEnd(38)}outcome    ${'sender'.padEnd(44)}dapp`);
    expect(first).toBe(`3f2a91c4-1111-4111-8111-111111111111  denied     0x${'ab'.repeat(20)}  Pixel Bazaar`);
  });

  it('has short ids and addresses if the window is too narrow', async () => {
    expect((await shown(60, plain)).split('\n')).toEqual([
      'id        outcome    sender       dapp',
      '3f2a91c4  denied     0xabab…abab  Pixel Bazaar',
      '77b00000  sponsored  0xcdcd…cdcd  Game',
    ]);
  });

  it('has texts of several lines', async () => {
    let text = '';
    await inTerminal(terminalOf(30, plain).terminal, async () => {
      text = humanText([
        { result: 'warning', fix: 'Store a backup on another machine.' },
        { result: 'ok', fix: '-' },
      ]);
    });
    expect(text.split('\n')).toEqual([
      'result   fix',
      'warning  Store a backup on',
      '         another machine.',
      'ok       -',
    ]);
  });

  it('is a record for each row, with all that ids have, in a very narrow window', async () => {
    expect((await shown(30, plain)).split('\n').slice(0, 6)).toEqual([
      'id       3f2a91c4-1111-4111-8111-111111111111',
      'outcome  denied',
      `sender   0x${'ab'.repeat(20)}`,
      'dapp     Pixel Bazaar',
      '',
      'id       77b00000-1111-4111-8111-111111111111',
    ]);
  });

  it('leaves fields without a value out of the records of a list, but not out of a single record', async () => {
    const row = { sender: 'x'.repeat(40), bundler: null, price: '' };
    const shownIn = async (value: Printable): Promise<string> => {
      let text = '';
      await inTerminal(terminalOf(30, plain).terminal, async () => {
        text = humanText(value);
      });
      return text;
    };
    expect(await shownIn([row])).toBe(`sender  ${row.sender}`);
    expect(await shownIn(row)).toBe(`sender   ${row.sender}\nbundler  -\nprice    -`);
  });
});

describe('colours', () => {
  it('show outcomes in a window', async () => {
    const text = await shown(200);
    expect(text).toContain('\u001b[31mdenied   \u001b[39m');
    expect(text).toContain('\u001b[32msponsored\u001b[39m');
  });

  it.each([
    ['a pipe', undefined, {}],
    ['NO_COLOR', 200, plain],
    ['a terminal that has none', 200, { TERM: 'dumb' }],
  ])('are absent with %s', async (_what, columns, env) => {
    expect(await shown(columns, env)).not.toContain('\u001b');
  });

  it('mark an error', async () => {
    const [piped, window] = [terminalOf(), terminalOf(80)];
    for (const { terminal } of [piped, window]) await inTerminal(terminal, async () => printError('No.'));
    expect(piped.written.stderr).toBe('gasdesk: No.\n');
    expect(window.written.stderr).toBe('\u001b[31mgasdesk:\u001b[39m No.\n');
  });
});

describe('progress', () => {
  it('is one line of standard error, which is gone at the end', async () => {
    const { terminal, written } = terminalOf(80);
    await inTerminal(terminal, () => withProgress(async (say) => say('1 of 2')));
    expect(written).toEqual({ stdout: '', stderr: '\r\u001b[2K1 of 2\r\u001b[2K' });
  });

  it('is not written to a file', async () => {
    const { terminal, written } = terminalOf();
    await inTerminal(terminal, () => withProgress(async (say) => say('1 of 2')));
    expect(written).toEqual({ stdout: '', stderr: '' });
  });
});
