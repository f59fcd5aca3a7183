import { z } from 'zod';
import type { ErrorCode } from '../../shared/errors.ts';
import type { Service } from '../service/index.ts';
import type { Paymaster } from '../service/access.ts';

/** `account`: the authToken header alone is asked for. `dapp`: authToken and apiKey. */
export type OperationAccess = 'account' | 'dapp';

/** Who calls: the account of the authToken and, where the operation asks for an apiKey, its DApp. */
export type OperationCaller<Access extends OperationAccess> = {
  readonly accountId: string;
  /** The DApp that the token is for alone; null where it is for all of the account. */
  readonly onlyDapp: string | null;
  /** False for a token that may only read: URLs of webhooks are not shown to it whole. */
  readonly mayChange: boolean;
} & (Access extends 'dapp' ? { readonly paymaster: Paymaster } : { readonly paymaster?: Paymaster });

/** What an operation is run with besides its caller; the body is read by its schema. */
export interface OperationInput<Body> {
  readonly service: Service;
  readonly body: Body;
  /** Parameters of the path and of the query, as sent. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | string[] | undefined>>;
}

/** Errors by which an operation answers credentials it does not accept (behaviour 8.2). */
export interface CredentialFaults {
  readonly missingAuthToken: ErrorCode;
  readonly unknownAuthToken: ErrorCode;
  readonly unknownApiKey: ErrorCode;
}

/** One operation of the management interface: a thin rendering of one procedure. */
export interface Operation<Body extends z.ZodType = z.ZodType, Access extends OperationAccess = OperationAccess> {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  /** Below the prefix, in the notation of the router. */
  readonly path: string;
  readonly summary: string;
  /** Message of success. */
  readonly message: string;
  readonly access: Access;
  /** False: tokens that may only read may use it. */
  readonly changes: boolean;
  readonly faults: CredentialFaults;
  readonly body: Body;
  /** What the answer carries, for the description; operations without it answer no data. */
  readonly data?: z.ZodType;
  readonly query?: readonly string[];
  /** Statuses besides 200, 400 and 401, for the description. */
  readonly statuses?: readonly number[];
  /** Answers `data`; undefined where the operation has none. */
  run(input: OperationInput<z.output<Body>> & OperationCaller<Access>): Promise<unknown>;
}

const standardFaults: CredentialFaults = {
  missingAuthToken: 'CREDENTIALS_REQUIRED',
  unknownAuthToken: 'INVALID_AUTH_TOKEN',
  unknownApiKey: 'INVALID_API_KEY',
};

const nothing = z.strictObject({});

type Given<Body extends z.ZodType, Access extends OperationAccess> = Omit<
  Operation<Body, Access>,
  'faults' | 'body' | 'access' | 'changes'
> & {
  readonly faults?: Partial<CredentialFaults>;
  readonly body?: Body;
  readonly access?: Access;
  /** Unless it says otherwise, what is asked for with GET changes nothing. */
  readonly changes?: boolean;
};

/** Declares an operation: of a DApp, without a body and with the usual credential faults, unless it says otherwise. */
export const operation = <Body extends z.ZodType = typeof nothing, Access extends OperationAccess = 'dapp'>(
  given: Given<Body, Access>,
): Operation => ({
  body: nothing,
  access: 'dapp',
  changes: given.method !== 'get',
  ...given,
  faults: { ...standardFaults, ...given.faults },
  // The router reads the body by this very schema before it runs the operation.
});
