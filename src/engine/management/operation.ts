import { z } from 'zod';
import type { ErrorCode } from '../../shared/errors.ts';
import type { Service } from '../service/index.ts';
import type { Dapp } from '../service/access.ts';

/** `account` requires only the authToken header; `dapp` requires authToken and apiKey. */
export type OperationAccess = 'account' | 'dapp';

/** The caller: the account of the authToken and, if the operation requires an apiKey, its DApp. */
export type OperationCaller<Access extends OperationAccess> = {
  readonly accountId: string;
  /** Set if the token is restricted to one DApp; null if it is valid for the whole account. */
  readonly onlyDapp: string | null;
  /** False for a read-only token, for which webhook URLs are partly hidden. */
  readonly mayChange: boolean;
} & (Access extends 'dapp' ? { readonly dapp: Dapp } : { readonly dapp?: Dapp });

export interface OperationInput<Body> {
  readonly service: Service;
  readonly body: Body;
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | string[] | undefined>>;
}

/** The errors with which an operation refuses credentials (behaviour 8.2). */
export interface CredentialErrors {
  readonly missingAuthToken: ErrorCode;
  readonly unknownAuthToken: ErrorCode;
  readonly unknownApiKey: ErrorCode;
}

export interface Operation<Body extends z.ZodType = z.ZodType, Access extends OperationAccess = OperationAccess> {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  /** Path below the prefix, in the router's notation. */
  readonly path: string;
  readonly summary: string;
  readonly message: string;
  readonly access: Access;
  /** False if read-only tokens may call it. */
  readonly changes: boolean;
  readonly errors: CredentialErrors;
  readonly body: Body;
  /** Schema of the response's data, for the API description. Operations without it return no data. */
  readonly data?: z.ZodType;
  readonly query?: readonly string[];
  /** HTTP statuses other than 200, 400 and 401, for the API description. */
  readonly statuses?: readonly number[];
  run(input: OperationInput<z.output<Body>> & OperationCaller<Access>): Promise<unknown>;
}

const standardErrors: CredentialErrors = {
  missingAuthToken: 'CREDENTIALS_REQUIRED',
  unknownAuthToken: 'INVALID_AUTH_TOKEN',
  unknownApiKey: 'INVALID_API_KEY',
};

const nothing = z.strictObject({});

type OperationFields<Body extends z.ZodType, Access extends OperationAccess> = Omit<
  Operation<Body, Access>,
  'errors' | 'body' | 'access' | 'changes'
> & {
  readonly errors?: Partial<CredentialErrors>;
  readonly body?: Body;
  readonly access?: Access;
  /** Default: false for GET, true for other methods. */
  readonly changes?: boolean;
};

/** Declares an operation. Defaults: access `dapp`, no body, the usual credential errors. */
export const operation = <Body extends z.ZodType = typeof nothing, Access extends OperationAccess = 'dapp'>(
  given: OperationFields<Body, Access>,
): Operation => ({
  body: nothing,
  access: 'dapp',
  changes: given.method !== 'get',
  ...given,
  errors: { ...standardErrors, ...given.errors },
  // The router has already validated the body with this schema.
});
