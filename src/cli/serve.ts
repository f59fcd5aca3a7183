import { askedToStop } from './asked-to-stop.ts';
import { command, wholeNumber } from './command.ts';
import { type DeskOptions, openEngine } from './desk.ts';

interface ServeFlags {
  host?: string;
  port?: number;
}

/** `gasdesk serve`: prints one line when it listens, and stays until it is told to stop. */
export const serveCommand = command('serve', 'Run the service without a window')
  .option('--host <host>', 'address to bind (default: 127.0.0.1)')
  .option('--port <port>', 'port to bind, 0 for any free one (default: 8645)', wholeNumber(0, 65_535))
  .action(async ({ host, port, ...options }: DeskOptions & ServeFlags) => {
    const stopped = askedToStop();
    const engine = await openEngine(options, {
      ...(host !== undefined && { host }),
      ...(port !== undefined && { port }),
    });
    try {
      const url = await engine.serve();
      const consoleUrl = `${url}/console/#token=${engine.operatorToken.reveal()}`;
      console.log(JSON.stringify({ event: 'listening', url, console: consoleUrl }));
      await stopped;
    } finally {
      await engine.stop();
    }
  });
