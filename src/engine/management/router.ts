import Router from '@koa/router';
import type { Context } from 'koa';
import { EngineError } from '../../shared/errors.ts';
import { parse } from '../../shared/schema/parse.ts';
import { calledBy } from '../base/caller.ts';
import { nearestName } from '../config/nearest-name.ts';
import { type ReadBody, readJson } from '../http/json.ts';
import type { AuthToken } from '../service/access.ts';
import type { Service } from '../service/index.ts';
import type { Operation, OperationInput } from './operation.ts';
import { MANAGEMENT_PREFIX, operations } from './operations.ts';

const orElse = async <T>(
  code: 'INVALID_AUTH_TOKEN' | 'INVALID_API_KEY',
  instead: EngineError,
  find: () => Promise<T>,
): Promise<T> => {
  try {
    return await find();
  } catch (error) {
    throw error instanceof EngineError && error.code === code ? instead : error;
  }
};

/**
 * Whether a token's scope allows an operation, whichever DApp it concerns. A token for one DApp cannot create DApps.
 */
const mayUse = ({ scope }: AuthToken, { access, changes }: Operation): boolean =>
  !changes || scope === 'manage' || (scope === 'dapp' && access === 'dapp');

/** Checks the credentials that the operation requires. Headers are checked before the body. */
const authenticate = async (context: Context, service: Service, operation: Operation) => {
  const { access, errors } = operation;
  const authToken = context.get('authToken');
  const apiKey = context.get('apiKey');
  if (authToken === '') throw new EngineError(errors.missingAuthToken);
  if (access === 'dapp' && apiKey === '') throw new EngineError('CREDENTIALS_REQUIRED');
  const token = await orElse('INVALID_AUTH_TOKEN', new EngineError(errors.unknownAuthToken), () =>
    service.access.token(authToken),
  );
  if (!mayUse(token, operation)) throw new EngineError('AUTH_TOKEN_SCOPE');
  const caller = { accountId: token.accountId, onlyDapp: token.paymasterId, mayChange: token.scope !== 'read' };
  if (access === 'account') return caller;
  const dapp = await orElse('INVALID_API_KEY', new EngineError(errors.unknownApiKey), () =>
    service.access.dapp(token, apiKey),
  );
  return { ...caller, dapp };
};

/**
 * Refuses a misspelt query parameter, without which a list would be longer than meant. Others are ignored, because
 * clients and proxies add some of their own.
 */
const requireSpelling = (query: OperationInput<unknown>['query'], known: readonly string[]): void => {
  for (const name of Object.keys(query)) {
    const meant = known.includes(name) ? undefined : nearestName(name, known);
    if (meant === undefined) continue;
    const message = `${name} should not exist`;
    throw new EngineError('VALIDATION', message, { errors: [message], meant });
  }
};

export const managementRouter = (service: Service, readBody: ReadBody): Router => {
  const router = new Router({ prefix: MANAGEMENT_PREFIX });
  for (const operation of operations) {
    router[operation.method](operation.path, async (context) => {
      const caller = await authenticate(context, service, operation);
      const text = await readBody(context);
      const body = parse(operation.body, text === '' ? {} : readJson(text));
      const { params: path, query } = context;
      requireSpelling(query, operation.query ?? []);
      const data = await calledBy({ via: 'http', by: caller.accountId }, () =>
        operation.run({ service, ...caller, body, path, query }),
      );
      context.body = { statusCode: 200, message: operation.message, ...(data !== undefined && { data }) };
    });
  }
  return router;
};

/** What would help, for errors whose documented message does not say it. */
const hintOf = ({ code, data: { fields, meant, methods, supported } }: EngineError): string | undefined => {
  const those = (what: string, known: unknown): string | undefined =>
    Array.isArray(known) && known.length > 0 ? `The ${what} are: ${known.join(', ')}` : undefined;
  if (typeof meant === 'string') return `Did you mean the query parameter ${meant}?`;
  if (code === 'VALIDATION') return those('known fields', fields);
  if (code === 'UNKNOWN_CONTRACT_METHOD') return those("ABI's methods that are not view or pure", methods);
  if (code === 'VERSION_NOT_SUPPORTED') return those('versions', supported);
  return code === 'CHAIN_NOT_SUPPORTED'
    ? 'The operator adds the chain with "gasdesk chain set", or on the Settings page of the console'
    : undefined;
};

/** The JSON of an error. If there are several errors, `errors` lists all of them. */
export const errorEnvelope = (error: EngineError): Record<string, unknown> => {
  const { errors } = error.data;
  const hint = hintOf(error);
  return {
    statusCode: error.status,
    message: error.message,
    ...(Array.isArray(errors) && { errors }),
    ...(hint !== undefined && { hint }),
  };
};
