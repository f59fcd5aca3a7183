import type { EntryPointVersion } from '../../src/shared/schema/user-operation.ts';

/** How an operation is paid for. */
export type Payment = 'sponsored' | 'in a token';

/** What does not work yet: where, how the client says it, and who would have to change. */
export interface Error {
  readonly on: readonly EntryPointVersion[];
  readonly paid: readonly Payment[];
  /** Words of the error. */
  readonly error: string;
  readonly whose: 'desk' | 'client';
  readonly why: string;
}

/** One way of a client to have operations paid: what it knows, and what of that fails. */
export interface Way {
  readonly on: readonly EntryPointVersion[];
  readonly paid: readonly Payment[];
  readonly errors?: readonly Error[];
}

const ALL = ['0.6', '0.7', '0.8'] as const;
const OLD = ['0.6', '0.7'] as const;
const BOTH = ['sponsored', 'in a token'] as const;

/** permissionless 0.2 to 0.4 are the same program. */
const permissionless: Readonly<Record<string, Way>> = {
  "viem's createPaymasterClient": { on: ALL, paid: BOTH },
  createPimlicoClient: { on: ALL, paid: BOTH },
  prepareUserOperationForErc20Paymaster: { on: ALL, paid: ['in a token'] },
};

/** What viem 2.57.20 does to clients that ask once for gas and data (docs/clients/README.md). */
const dropsLimits: Error = {
  on: ['0.6'],
  paid: ['in a token'],
  error: 'signature',
  whose: 'client',
  why: 'viem drops the limits that the desk has signed, and its bundler estimates others',
};

/** So are Biconomy's SDKs of 2025 and later. */
const bicoPaymaster: Readonly<Record<string, Way>> = {
  createBicoPaymasterClient: { on: ALL, paid: BOTH, errors: [dropsLimits] },
  "createBicoPaymasterClient with the SDK's expiry": {
    on: ALL,
    paid: ['in a token'],
    errors: [
      {
        on: ALL,
        paid: ['in a token'],
        error: 'expiryDuration (or validForSeconds) must be at most 3600',
        whose: 'desk',
        why: 'its default of 6000 seconds is over the most that the desk allows; expiryDuration: 300 does',
      },
    ],
  },
  getTokenPaymasterQuotes: { on: ALL, paid: ['in a token'], errors: [dropsLimits] },
};

const metaMask: Readonly<Record<string, Way>> = {
  Hybrid: { on: ['0.7'], paid: BOTH },
  MultiSig: { on: ['0.7'], paid: BOTH },
  Stateless7702: { on: ['0.7'], paid: BOTH },
};

const zerodev: Readonly<Record<string, Way>> = {
  createZeroDevPaymasterClient: { on: ALL, paid: BOTH },
  sponsorUserOperation: { on: ALL, paid: BOTH },
};

const aaCore: Readonly<Record<string, Way>> = {
  'paymasterAndData middleware': {
    on: OLD,
    paid: BOTH,
    errors: [
      {
        on: ['0.7'],
        paid: ['in a token'],
        error: 'UserOperation reverted during simulation with reason: 0x',
        whose: 'client',
        why: 'its SimpleAccount batches on 0.7 as on 0.6, so it cannot approve and call in one',
      },
    ],
  },
};

const safe: Readonly<Record<string, Way>> = {
  Safe4337Pack: { on: ['0.7'], paid: BOTH },
  'Safe4337Pack with GenericFeeEstimator': { on: ['0.7'], paid: BOTH },
};

/** The families, by the names of their folders, and the ways in their programs. */
export const families: Readonly<Record<string, Readonly<Record<string, Way>>>> = {
  permissionless,
  'permissionless-0.3': permissionless,
  'permissionless-0.2': permissionless,
  'permissionless-0.1': {
    // Its client cannot say that tokens are to pay.
    createPimlicoPaymasterClient: { on: OLD, paid: ['sponsored'] },
    paymasterActionsEip7677: { on: OLD, paid: BOTH },
    createStackupPaymasterClient: { on: OLD, paid: BOTH },
  },
  'biconomy-account': { Paymaster: { on: ALL, paid: BOTH }, sendTransaction: { on: ['0.6'], paid: BOTH } },
  'biconomy-paymaster': { BiconomyPaymaster: { on: ['0.6'], paid: BOTH } },
  abstractjs: bicoPaymaster,
  'biconomy-sdk': bicoPaymaster,
  abstractionkit: { CandidePaymaster: { on: ALL, paid: BOTH } },
  'abstractionkit-0.1': {
    CandidePaymaster: {
      on: OLD,
      paid: BOTH,
      errors: [
        {
          on: OLD,
          paid: BOTH,
          error: 'invalid content-type, content-type must be application/json',
          whose: 'client',
          why: 'it reads what the desk answers, and then sends the bundler no content type',
        },
      ],
    },
  },
  zerodev,
  'zerodev-5.4': zerodev,
  'aa-sdk': { erc7677Middleware: { on: OLD, paid: BOTH } },
  'aa-sdk-4.62': { erc7677Middleware: { on: OLD, paid: BOTH } },
  'account-kit': {
    alchemyGasManagerMiddleware: { on: OLD, paid: BOTH },
    alchemyGasAndPaymasterAndDataMiddleware: { on: OLD, paid: BOTH },
  },
  'aa-core': aaCore,
  'aa-core-3.12': aaCore,
  safe,
  'safe-4.1': safe,
  userop: {
    'verifyingPaymaster with {}': { on: ['0.6'], paid: BOTH },
    'verifyingPaymaster with {type}': { on: ['0.6'], paid: BOTH },
  },
  thirdweb: { 'sponsorGas with overrides.paymaster': { on: OLD, paid: BOTH } },
  etherspot: { VerifyingPaymasterAPI: { on: ['0.7'], paid: BOTH } },
  wagmi: {
    'sendCalls with paymasterService': { on: ALL, paid: BOTH },
    "sendCalls with the app's own context": { on: ALL, paid: ['sponsored'] },
  },
  metamask: metaMask,
  'delegation-toolkit': metaMask,
  cometh: { createComethPaymasterClient: { on: ALL, paid: BOTH } },
  startale: {
    createSCSPaymasterClient: { on: ALL, paid: BOTH },
    'createSCSPaymasterClient with calculateGasLimits': { on: ALL, paid: BOTH },
    // It always names EntryPoint 0.7.
    getTokenPaymasterQuotes: { on: ['0.7'], paid: ['in a token'] },
  },
};

/** Those whose stack has a newer one above: `--mode newest`, as CI runs, leaves them out. */
export const older: readonly string[] = [
  'permissionless-0.3',
  'permissionless-0.2',
  'permissionless-0.1',
  'biconomy-paymaster',
  'biconomy-sdk',
  'abstractionkit-0.1',
  'zerodev-5.4',
  'aa-sdk-4.62',
  'aa-core',
  'aa-core-3.12',
  'safe-4.1',
  'delegation-toolkit',
];
