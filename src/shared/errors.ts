/** How an expected error appears on each interface. */
interface ErrorRow {
  /** HTTP status, on the management interface and for JSON-RPC responses. */
  readonly status: number;
  /** JSON-RPC 2.0 error code (behaviour 2.7). */
  readonly rpc: number;
  /** The message that is used if no other is given. */
  readonly title: string;
}

/** All expected errors of the service (behaviour 2.7, behaviour 8.3). */
export const errorTable = {
  PARSE_ERROR: { status: 400, rpc: -32700, title: 'The request body is not valid JSON' },
  INVALID_REQUEST: { status: 400, rpc: -32600, title: 'The request is not a JSON-RPC 2.0 request' },
  METHOD_NOT_FOUND: { status: 400, rpc: -32601, title: 'Method not found' },
  VALIDATION: { status: 400, rpc: -32602, title: 'Bad request' },
  INTERNAL: { status: 500, rpc: -32603, title: 'Internal error' },

  UNKNOWN_API_KEY: { status: 401, rpc: -32051, title: 'Unknown API key or chain' },
  PAYMASTER_NOT_READY: { status: 400, rpc: -32052, title: 'The paymaster is not ready' },
  CHAIN_UNREACHABLE: { status: 503, rpc: -32053, title: 'The chain cannot be reached' },
  GAS_ESTIMATION_FAILED: { status: 400, rpc: -32054, title: 'Gas estimation failed' },
  NOT_SPONSORED: { status: 400, rpc: -32050, title: 'The user operation is not sponsored' },
  BUNDLER_REFUSED: { status: 400, rpc: -32500, title: "The chain's bundler refuses the request" },
  FEE_TOKEN_REQUIRED: { status: 400, rpc: -32056, title: 'tokenInfo.feeTokenAddress is required in ERC20 mode' },
  TOKEN_NOT_SUPPORTED: { status: 400, rpc: -32057, title: 'The fee token is not supported' },
  ENTRY_POINT_MISMATCH: { status: 400, rpc: -32602, title: "This DApp's operations use another EntryPoint" },
  CHAIN_MISMATCH: { status: 400, rpc: -32602, title: 'This URL serves another chain' },
  RATE_LIMITED: { status: 429, rpc: -32029, title: 'Too many requests' },
  TOO_MANY_STREAMS: { status: 429, rpc: -32029, title: 'This token already has the maximum number of event streams' },

  AUTH_TOKEN_REQUIRED: { status: 401, rpc: -32051, title: 'Auth token is required in the headers' },
  CREDENTIALS_REQUIRED: { status: 401, rpc: -32051, title: 'Auth token and API key is required in the headers' },
  INVALID_AUTH_TOKEN: { status: 401, rpc: -32051, title: 'Invalid auth token' },
  AUTH_TOKEN_EXPIRED: { status: 401, rpc: -32051, title: 'The auth token has expired' },
  AUTH_TOKEN_SCOPE: { status: 403, rpc: -32051, title: 'The scope of the auth token does not allow this' },
  INVALID_API_KEY: { status: 401, rpc: -32051, title: 'Invalid API key' },
  OPERATOR_TOKEN_INVALID: { status: 401, rpc: -32051, title: 'This is not the operator token of the running service' },
  METRICS_TOKEN_INVALID: {
    status: 401,
    rpc: -32051,
    title: 'To read the metrics from another machine, send the token of the setting metricsToken',
  },
  FORBIDDEN_HOST: {
    status: 403,
    rpc: -32600,
    title: 'This host name is not allowed. Add it to the setting allowedHosts',
  },
  FORBIDDEN_ORIGIN: { status: 403, rpc: -32600, title: 'This origin may not call the service' },
  ROUTE_NOT_FOUND: { status: 404, rpc: -32600, title: 'Not found' },
  METHOD_NOT_ALLOWED: { status: 405, rpc: -32600, title: 'Method not allowed' },
  REQUEST_TIMEOUT: { status: 408, rpc: -32600, title: 'The request did not arrive in time' },
  BODY_TOO_LARGE: { status: 413, rpc: -32600, title: 'The request body is larger than 1 MiB' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, rpc: -32600, title: 'The request body must be application/json' },

  ACCOUNT_NOT_FOUND: { status: 404, rpc: -32602, title: 'Account not found' },
  AUTH_TOKEN_NOT_FOUND: { status: 404, rpc: -32602, title: 'Auth token not found' },
  API_KEY_NOT_FOUND: { status: 404, rpc: -32602, title: 'API key not found' },
  LAST_API_KEY: {
    status: 400,
    rpc: -32602,
    title: 'This is the only API key of the DApp. Create another one before you revoke it',
  },
  USER_NOT_FOUND: { status: 404, rpc: -32051, title: 'User not found' },
  PAYMASTER_NOT_FOUND: { status: 404, rpc: -32602, title: 'Paymaster not found' },
  POLICY_FILE_INVALID: { status: 400, rpc: -32602, title: 'The policy file is not valid' },
  POLICY_TESTS_FAILED: { status: 400, rpc: -32602, title: 'The tests of the policy file fail' },
  POLICY_CHANGED: { status: 409, rpc: -32602, title: 'The policy has changed meanwhile' },
  POLICY_REVISION_NOT_FOUND: { status: 404, rpc: -32602, title: 'Policy revision not found' },
  TRIAL_NOT_FOUND: { status: 404, rpc: -32602, title: 'The trial was cancelled, or another trial has replaced it' },
  TRIAL_TOO_BIG: { status: 400, rpc: -32602, title: 'The trial needs too much memory. Try fewer decisions' },
  SMART_CONTRACT_NOT_FOUND: { status: 404, rpc: -32602, title: 'Smart contract not found' },
  WEBHOOK_NOT_FOUND: { status: 404, rpc: -32602, title: 'Webhook not found' },
  ALERT_CHANNEL_NOT_FOUND: { status: 404, rpc: -32602, title: 'Alerts are not sent to a channel with this id' },
  DELIVERY_NOT_FOUND: { status: 404, rpc: -32602, title: 'No delivery of this event webhook has this id' },
  RULE_NOT_FOUND: { status: 404, rpc: -32602, title: 'Paymaster policy not found' },
  CHAIN_NOT_FOUND: { status: 404, rpc: -32602, title: 'Chain not found' },
  FEE_TOKEN_NOT_FOUND: { status: 404, rpc: -32602, title: 'Fee token not found' },
  DECISION_NOT_FOUND: { status: 404, rpc: -32602, title: 'Decision not found' },
  REQUEST_NOT_FOUND: { status: 404, rpc: -32602, title: 'No request with this number is kept' },

  CHAIN_IN_USE: { status: 400, rpc: -32602, title: 'The chain is in use' },
  CHAIN_NOT_SUPPORTED: { status: 400, rpc: -32602, title: 'Chain ID not supported' },
  VERSION_NOT_SUPPORTED: { status: 400, rpc: -32602, title: 'Paymaster version not supported' },
  PAYMASTER_NAME_EXISTS: { status: 400, rpc: -32602, title: 'paymaster_name_exists' },
  CONTRACT_ADDRESS_EXISTS: { status: 400, rpc: -32602, title: 'Smart contract address already exists' },
  CONTRACT_NAME_EXISTS: { status: 400, rpc: -32602, title: 'Smart contract name already exists' },
  UNKNOWN_CONTRACT_METHOD: { status: 400, rpc: -32602, title: 'Unknown method' },
  TOO_MANY: { status: 400, rpc: -32602, title: 'The DApp already has the maximum number of these' },
  RULE_NAME_EXISTS: { status: 400, rpc: -32602, title: 'Paymaster policy name already exists' },
  NOT_A_LIMIT: { status: 400, rpc: -32602, title: 'Only a spending limit can be updated' },
  FEE_TOKEN_MISMATCH: { status: 400, rpc: -32602, title: 'The fee token does not match its contract' },
  INVALID_SIGNATURE: { status: 400, rpc: -32602, title: 'Invalid signature' },

  KEYSTORE_INVALID: { status: 400, rpc: -32602, title: 'This is not a keystore file (Web3 Secret Storage, version 3)' },
  KEYSTORE_EXISTS: { status: 400, rpc: -32602, title: 'A keystore with this address already exists' },
  KEYSTORE_NOT_FOUND: { status: 404, rpc: -32602, title: 'No keystore has this address' },
  KEYSTORE_PASSWORD_WRONG: { status: 400, rpc: -32602, title: 'Wrong password for the keystore' },
  WALLET_UNREACHABLE: { status: 503, rpc: -32603, title: 'The wallet does not answer' },
  SIGNING_REFUSED: { status: 400, rpc: -32602, title: 'The wallet refused to sign' },
  FUNDING_MESSAGE_MISSING: {
    status: 400,
    rpc: -32602,
    title: 'There is no funding message to sign, or it has expired. Request a new one',
  },
  DRAFT_NOT_FOUND: { status: 404, rpc: -32602, title: 'The draft has expired, or its transaction was already sent' },
  TRANSACTION_MAYBE_SENT: { status: 503, rpc: -32603, title: 'The wallet may have sent the transaction' },
  TRANSACTION_NOT_FOUND: { status: 404, rpc: -32602, title: 'No pending transaction has this id' },
  TRANSACTION_KNOWN: {
    status: 400,
    rpc: -32602,
    title: "The chain's node still knows the transaction, so it may be mined",
  },
  TRANSACTION_WOULD_FAIL: { status: 400, rpc: -32602, title: 'The transaction would fail' },

  VAULT_LOCKED: { status: 400, rpc: -32052, title: 'The vault is locked' },
  VAULT_PASSPHRASE_WRONG: { status: 400, rpc: -32052, title: 'Wrong passphrase: the vault stays locked' },
  VAULT_DAMAGED: { status: 400, rpc: -32052, title: 'The vault is damaged' },
  CONTRACT_MISMATCH: { status: 400, rpc: -32052, title: 'The paymaster contract does not match its version or signer' },
  NOT_DEPLOYABLE: {
    status: 400,
    rpc: -32602,
    title: 'Gasdesk cannot deploy this paymaster version. Attach a deployed contract instead',
  },
  SIGNER_EXISTS: { status: 400, rpc: -32602, title: 'The chain already has a signer' },
  SIGNER_MISSING: { status: 400, rpc: -32052, title: 'The chain has no signer' },
  RPC_MISSING: { status: 400, rpc: -32052, title: 'The chain has no RPC URL' },
  DATA_FOLDER_IN_USE: { status: 400, rpc: -32603, title: 'Another Gasdesk engine uses this data folder' },
  DATA_FOLDER_UNUSABLE: { status: 400, rpc: -32603, title: 'The data folder cannot be used' },
  DECISION_OUTDATED: {
    status: 503,
    rpc: -32603,
    title: 'Settings or balances kept changing during the decision. Try again',
  },
  STORAGE_FAILED: { status: 503, rpc: -32053, title: 'Gasdesk cannot write to its database' },
  STORE_UNAVAILABLE: {
    status: 503,
    rpc: -32053,
    title:
      'Gasdesk cannot reach its database, so it signs and changes nothing. It continues by itself when the database is back',
  },
  DATABASE_NOT_EMPTY: { status: 400, rpc: -32602, title: 'The database already contains Gasdesk data' },
  LOG_INCONSISTENT: {
    status: 400,
    rpc: -32603,
    title:
      'The entries of the log are not those that were signed before. Run "gasdesk log verify", which names the entry, and restore a backup',
  },
  LOG_ROLLED_BACK: {
    status: 503,
    rpc: -32053,
    title:
      'The database is an older state of this desk, so Gasdesk signs and changes nothing. "gasdesk doctor" shows what is missing and what to do',
  },
  DATABASE_TOO_NEW: { status: 400, rpc: -32603, title: 'A newer Gasdesk wrote the database. Update Gasdesk' },
  DATABASE_TOO_OLD: { status: 400, rpc: -32603, title: 'A Gasdesk from before version 1.0 wrote the database' },
  ADDRESS_IN_USE: { status: 400, rpc: -32603, title: 'Another program uses the address' },
  EXPORT_INVALID: { status: 400, rpc: -32602, title: 'The file cannot be reviewed or replayed' },
  REVIEW_READ_ONLY: { status: 403, rpc: -32600, title: 'A review is read-only' },
  CONFIG_OVERRIDDEN: { status: 400, rpc: -32602, title: 'Another source overrides the setting' },
  CONFIG_NOT_CHANGEABLE: { status: 400, rpc: -32602, title: 'The setting cannot be changed here' },
  BACKUP_FAILED: { status: 400, rpc: -32603, title: 'The backup failed' },
  BACKUP_NO_ROOM: { status: 400, rpc: -32603, title: 'There is not enough free space for a backup' },
  BACKUP_EXISTS: { status: 400, rpc: -32602, title: 'The file already exists' },
  BACKUP_UNREADABLE: { status: 400, rpc: -32602, title: 'The file is not a readable backup' },
  BACKUP_PASSPHRASE_WRONG: { status: 400, rpc: -32602, title: 'Wrong passphrase for the backup' },
  BACKUP_TOO_NEW: { status: 400, rpc: -32602, title: 'A newer Gasdesk made the backup. Update Gasdesk' },
  BACKUP_TOO_OLD: { status: 400, rpc: -32602, title: 'A Gasdesk from before version 1.0 made the backup' },
  CONFIG_INVALID: { status: 400, rpc: -32603, title: 'The configuration is not valid' },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errorTable;

/** An expected error. `message` is for people, `data` is for programs. Clients may see both, but never `cause`. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
  readonly code: ErrorCode;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message?: string, data: Record<string, unknown> = {}, options?: ErrorOptions) {
    super(message ?? errorTable[code].title, options);
    this.code = code;
    this.data = data;
  }

  get status(): number {
    return errorTable[this.code].status;
  }

  get rpcCode(): number {
    return errorTable[this.code].rpc;
  }
}
