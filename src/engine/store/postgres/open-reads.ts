import pg from 'pg';
import { Secret } from '../../base/secret.ts';
import { configOf } from './connection.ts';
import { rowsOf } from './rows.ts';

/** Opens a connection only to read. @throws Error of the server */
export const openReads = async (url: string) => {
  // Counting a large DApp's decisions may take longer than a request may take.
  const client = new pg.Client({ ...configOf(new Secret(url)), query_timeout: undefined });
  // Callers get the error with their results.
  client.on('error', () => undefined);
  await client.connect();
  return { rows: rowsOf(client), close: () => client.end() };
};
