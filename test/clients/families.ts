import type { Error, Way } from './way.ts';

const ALL = ['0.6', '0.7', '0.8'] as const;
const OLD = ['0.6', '0.7'] as const;
const BOTH = ['sponsored', 'in a token'] as const;

/** permissionless 0.2 to 0.4 are the same program. */
const permissionless: Readonly<Record<string, Way>> = {
  "viem's createPaymasterClient": { on: ALL, paid: BOTH },
  createPimlicoClient: { on: ALL, paid: BOTH },
  prepareUserOperationForErc20Paymaster: { on: ALL, paid: ['in a token'] },
};

/** Biconomy's SDKs of 2025 and later are the same program, too. */
const bicoPaymaster: Readonly<Record<string, Way>> = {
  createBicoPaymasterClient: { on: ALL, paid: BOTH },
  "createBicoPaymasterClient with the SDK's expiry": {
    on: ALL,
    paid: ['in a token'],
    errors: [
      {
        error: 'expiryDuration (or validForSeconds) must be at most 3600',
        whose: 'desk',
        why: 'its default of 6000 seconds is over the most that the desk allows; expiryDuration: 300 does',
      },
    ],
  },
  getTokenPaymasterQuotes: { on: ALL, paid: ['in a token'] },
};

const biconomyAccount: Readonly<Record<string, Way>> = {
  Paymaster: { on: ALL, paid: BOTH },
  sendTransaction: { on: ['0.6'], paid: BOTH },
};

const biconomyPaymaster: Readonly<Record<string, Way>> = { BiconomyPaymaster: { on: ['0.6'], paid: BOTH } };

const metaMask: Readonly<Record<string, Way>> = {
  Hybrid: { on: ['0.7'], paid: BOTH },
  MultiSig: { on: ['0.7'], paid: BOTH },
  Stateless7702: { on: ['0.7'], paid: BOTH },
};

const zerodev: Readonly<Record<string, Way>> = {
  createZeroDevPaymasterClient: { on: ALL, paid: BOTH },
  sponsorUserOperation: { on: ALL, paid: BOTH },
};

const sendsSponsor: Error = {
  error: "Unrecognized key(s) in object: 'sponsor', 'isFinal'",
  whose: 'client',
  why: 'it sends sponsor and isFinal of the stub data to the bundler, as if they were of the operation',
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

/** Of versions 1 and 2. */
const aaCoreProvider: Readonly<Record<string, Way>> = { withPaymasterMiddleware: { on: ['0.6'], paid: BOTH } };

const safe: Readonly<Record<string, Way>> = {
  Safe4337Pack: { on: ['0.7'], paid: BOTH },
  'Safe4337Pack with GenericFeeEstimator': { on: ['0.7'], paid: BOTH },
};

const startale: Readonly<Record<string, Way>> = {
  createSCSPaymasterClient: { on: ALL, paid: BOTH },
  'createSCSPaymasterClient with calculateGasLimits': { on: ALL, paid: BOTH },
  // It always names EntryPoint 0.7.
  getTokenPaymasterQuotes: { on: ['0.7'], paid: ['in a token'] },
};

const userop: Readonly<Record<string, Way>> = {
  'verifyingPaymaster with {}': { on: ['0.6'], paid: BOTH },
  'verifyingPaymaster with {type}': { on: ['0.6'], paid: BOTH },
};

const thirdweb: Readonly<Record<string, Way>> = { 'sponsorGas with overrides.paymaster': { on: OLD, paid: BOTH } };

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
  'biconomy-account': biconomyAccount,
  'biconomy-account-4.5': biconomyAccount,
  'biconomy-account-4.2': biconomyAccount,
  'biconomy-paymaster-4': biconomyPaymaster,
  'biconomy-paymaster': biconomyPaymaster,
  'biconomy-paymaster-3.1.0': {
    'BiconomyPaymaster with gas limits': { on: ['0.6'], paid: BOTH },
    BiconomyPaymaster: {
      on: ['0.6'],
      paid: BOTH,
      errors: [
        {
          error: 'invalid BigNumber value (argument="value", value=undefined',
          whose: 'client',
          why: 'it fails on an operation without gas limits before it asks',
        },
      ],
    },
  },
  abstractjs: bicoPaymaster,
  'biconomy-sdk': bicoPaymaster,
  abstractionkit: { CandidePaymaster: { on: ALL, paid: BOTH } },
  'abstractionkit-0.1': {
    CandidePaymaster: {
      on: OLD,
      paid: BOTH,
      errors: [
        {
          error: 'invalid content-type, content-type must be application/json',
          whose: 'client',
          why: 'it reads what the desk answers, and then sends the bundler no content type',
        },
      ],
    },
  },
  zerodev,
  'zerodev-5.4': zerodev,
  'zerodev-5.3': {
    sponsorUserOperation: { on: OLD, paid: BOTH },
    // It cannot say that tokens are to pay.
    sponsorUserOperationEip7677: { on: OLD, paid: ['sponsored'], errors: [sendsSponsor] },
    'sponsorUserOperationEip7677, with a sponsor that is hidden': { on: OLD, paid: ['sponsored'], hidesSponsor: true },
  },
  'zerodev-wallet': {
    wallet_sendCalls: { on: OLD, paid: ['sponsored'], errors: [sendsSponsor] },
    'wallet_sendCalls, with a sponsor that is hidden': { on: OLD, paid: ['sponsored'], hidesSponsor: true },
  },
  'aa-sdk': { erc7677Middleware: { on: OLD, paid: BOTH } },
  'aa-sdk-4.62': { erc7677Middleware: { on: OLD, paid: BOTH } },
  'account-kit': {
    alchemyGasManagerMiddleware: { on: OLD, paid: BOTH },
    alchemyGasAndPaymasterAndDataMiddleware: { on: OLD, paid: BOTH },
  },
  'aa-core': aaCore,
  'aa-core-3.12': aaCore,
  'aa-core-2.5': aaCoreProvider,
  'aa-core-1.2': aaCoreProvider,
  safe,
  'safe-4.1': safe,
  'safe-3.4': {
    Safe4337Pack: {
      on: ['0.6'],
      paid: BOTH,
      errors: [
        {
          paid: ['in a token'],
          error: 'AA33 reverted',
          whose: 'client',
          why: 'it asks no paymaster: its paymasterAndData is an address alone',
        },
      ],
    },
  },
  userop,
  'userop-0.4': {
    'stackupV1, viem for the node and ethers for the bundler': { on: ['0.6'], paid: BOTH },
    'stackupV1, viem for both': {
      on: ['0.6'],
      paid: BOTH,
      errors: [
        { error: 'Invalid at "params[0].nonce"', whose: 'client', why: 'it sends the bundler numbers in decimal' },
      ],
    },
    'stackupV1, ethers for both': {
      on: ['0.6'],
      paid: BOTH,
      errors: [
        {
          error: 'AA20 account not deployed',
          whose: 'client',
          why: 'it takes the code 0x for that of an account, and never deploys a new one',
        },
      ],
    },
  },
  'userop-0.2': userop,
  'account-abstraction-sdk': {
    PaymasterAPI: {
      on: ['0.6'],
      paid: ['sponsored'],
      errors: [
        {
          error: 'Invalid UserOperation signature or paymaster signature',
          whose: 'client',
          why: 'it asks with one preVerificationGas, which the desk signs, and sends another',
        },
      ],
    },
    'PaymasterAPI with its own getPreVerificationGas': { on: ['0.6'], paid: ['sponsored'] },
  },
  thirdweb,
  'thirdweb-5.115': thirdweb,
  etherspot: { VerifyingPaymasterAPI: { on: ['0.7'], paid: BOTH } },
  wagmi: {
    'sendCalls with paymasterService': { on: ALL, paid: BOTH },
    "sendCalls with the app's own context": { on: ALL, paid: ['sponsored'] },
  },
  web3auth: {
    'Safe, bundlerClient': { on: ['0.7'], paid: BOTH },
    'Safe, eth_sendTransaction': { on: ['0.7'], paid: ['sponsored'] },
    'an account of its own, bundlerClient': { on: ALL, paid: BOTH },
  },
  circle: {
    'toModularTransport for the paymaster': { on: ALL, paid: BOTH },
    'toModularTransport for paymaster and bundler': { on: ALL, paid: BOTH },
  },
  wdk: { sendTransaction: { on: ['0.7'], paid: BOTH } },
  metamask: metaMask,
  'delegation-toolkit': metaMask,
  cometh: { createComethPaymasterClient: { on: ALL, paid: BOTH } },
  startale,
  'startale-1.0': startale,
};

/** Those whose stack has a newer one above: `--mode newest`, as CI runs, leaves them out. */
export const older: readonly string[] = [
  'permissionless-0.3',
  'permissionless-0.2',
  'permissionless-0.1',
  'biconomy-account-4.5',
  'biconomy-account-4.2',
  'biconomy-paymaster-4',
  'biconomy-paymaster',
  'biconomy-paymaster-3.1.0',
  'biconomy-sdk',
  'abstractionkit-0.1',
  'zerodev-5.4',
  'zerodev-5.3',
  'aa-sdk-4.62',
  'aa-core',
  'aa-core-3.12',
  'aa-core-2.5',
  'aa-core-1.2',
  'safe-4.1',
  'safe-3.4',
  'userop-0.4',
  'userop-0.2',
  'thirdweb-5.115',
  'startale-1.0',
  'delegation-toolkit',
];
