import { type InjectionKey, computed, inject, provide, reactive, ref, watch } from 'vue';
import { useRoute } from 'vue-router';
import { entryPoint06 } from '../../../../core/entry-points/0.6.ts';
import { weiToDecimal } from '../../../../shared/schema/decimal.ts';
import type { Address } from '../../../../shared/schema/hex.ts';
import { sameAddress } from '../../../../shared/schema/hex.ts';
import { typedWei } from '../../../../shared/typed-wei.ts';
import { useDesk } from '../../desk/desk-store.ts';
import { useCall } from '../../desk/use-call.ts';

/** What must be set up for a sponsored operation, in this order. The policy can be set up later. */
export const setupSteps = ['vault', 'chain', 'dapp', 'wallet', 'tank', 'policy', 'try'] as const;

export type SetupStepName = (typeof setupSteps)[number];

/** Who signs and pays: a local key, or a wallet that is asked for each signature. */
export interface Payer {
  readonly kind: 'keystore' | 'other';
  readonly address: Address | undefined;
}

/** Rounds up to three significant digits. */
const roundedUp = (wei: bigint): bigint => {
  const unit = 10n ** BigInt(Math.max(0, String(wei).length - 3));
  return ((wei + unit - 1n) / unit) * unit;
};

/**
 * The progress of the setup, for the DApp in the page's address or else the newest DApp. It is read from the engine, so
 * that every window shows the same progress. Only the password of the local key stays in this page.
 */
const createSetup = () => {
  const desk = useDesk();
  const route = useRoute();
  const quietly = () => desk.now;

  const dapp = computed(() => {
    const named = desk.dapps.find(({ paymasterId }) => paymasterId === route.query['dapp']);
    return named ?? [...desk.dapps].sort((a, b) => b.createdAt - a.createdAt)[0];
  });
  /** The chain whose node was last saved on this page. */
  const savedChain = ref<number>();
  const chain = computed(() => {
    const connected = desk.chainList.filter(({ rpc }) => rpc !== null);
    const chainId = dapp.value?.chainId ?? savedChain.value;
    return connected.find((one) => one.chainId === chainId) ?? (dapp.value ? undefined : connected[0]);
  });
  const { data: signers, reload: reloadSigners } = useCall('signers.list', () => ({}), { quietly });
  const hasSigner = computed(() => signers.value?.some(({ chainId }) => chainId === dapp.value?.chainId) === true);
  const { data: versions } = useCall('paymasterContracts.versions', () => ({}));
  const version = computed(() => versions.value?.find((one) => one.version === dapp.value?.version));
  /** Whether the test operation can be sent from this page. */
  const isTestedHere = computed(
    () => version.value === undefined || version.value.entryPointVersion === entryPoint06.version,
  );

  const ofDapp = () => dapp.value && { paymasterId: dapp.value.paymasterId };
  const ofChain = () => dapp.value && { chainId: dapp.value.chainId };
  const { data: tank, error: tankError, reload: reloadTank } = useCall('tanks.get', ofDapp, { quietly });
  const { data: transactions, reload: reloadTransactions } = useCall('transactions.list', ofChain, { quietly });
  const { data: rules, reload: reloadRules } = useCall('rules.list', ofDapp, { quietly });
  const { data: keystores, reload: reloadKeystores } = useCall('keystores.list', () => ({}), { quietly });

  const chosen = ref<Payer>();
  /** Password of the local key, kept in this page's memory until the setup is done or the operator leaves the page. */
  const password = ref('');
  const payer = computed((): Payer | undefined => {
    const sound = (keystores.value ?? []).filter(({ error }) => error === null);
    const owner = dapp.value?.fundingWallet ?? undefined;
    if (owner !== undefined) {
      const isLocal = sound.some(({ address }) => sameAddress(address, owner as Address));
      return { kind: isLocal ? 'keystore' : 'other', address: owner as Address };
    }
    const [first] = sound;
    return chosen.value ?? (first && { kind: 'keystore', address: first.address });
  });
  const {
    data: costs,
    error: costsError,
    reload: reloadCosts,
  } = useCall(
    'setup.costs',
    () => {
      const [paymaster, from] = [dapp.value, payer.value?.address];
      if (paymaster === undefined || from === undefined || chain.value === undefined || !hasSigner.value)
        return undefined;
      return { paymasterId: paymaster.paymasterId, from };
    },
    { quietly },
  );

  const { data: sponsored, reload: reloadSponsored } = useCall(
    'decisions.list',
    () => dapp.value && { paymasterId: dapp.value.paymasterId, outcome: 'sponsored' as const, limit: 20 },
    { quietly: () => desk.sums },
  );
  const rows = computed(() => (sponsored.value ?? []).map((row) => desk.settled.get(row.id) ?? row));
  /** The latest mined operation, or else the latest operation. */
  const tried = computed(() => rows.value.find(({ settlement }) => settlement === 'settled') ?? rows.value[0]);

  const hasContract = computed(() => typeof tank.value?.contract === 'string');
  const hasWallet = computed(() => tank.value?.hasTanks === false || typeof dapp.value?.fundingWallet === 'string');
  const isFilled = computed(() => BigInt(tank.value?.balanceWei ?? 0) > 0n);

  const deposit = ref('');
  watch(
    costs,
    (known) => {
      if (deposit.value === '' && known !== undefined) deposit.value = weiToDecimal(BigInt(known.depositWei));
    },
    { immediate: true },
  );
  const depositWei = computed(() => typedWei(deposit.value));

  /** Maximum cost of the remaining setup transactions, without the deposit, in wei. */
  const feesWei = computed((): bigint => {
    if (costs.value === undefined) return 0n;
    const { missing, maxFeeWei: most } = costs.value;
    const isTried = tried.value?.settlement === 'settled';
    const canBundle = chain.value?.bundler !== null;
    const parts = [
      missing.includes('entryPoint') ? most.entryPoint : '0',
      hasContract.value ? '0' : most.contract,
      isFilled.value ? '0' : most.deposit,
      missing.includes('accountFactory') && !isTried ? most.accountFactory : '0',
      isTried || canBundle ? '0' : most.operation,
    ];
    return parts.reduce((sum, wei) => sum + BigInt(wei), 0n);
  });
  /** The balance that the wallet should have, rounded up. */
  const requiredWei = computed(() =>
    roundedUp(feesWei.value + (isFilled.value ? 0n : BigInt(costs.value?.depositWei ?? 0))),
  );
  const balanceWei = computed(() => BigInt(costs.value?.balanceWei ?? 0));
  /**
   * True if the wallet can pay for a deposit at current fees, so that rising fees do not lead to a request for more
   * coins.
   */
  const isEnoughFor = (amountWei: bigint): boolean =>
    balanceWei.value >= (feesWei.value * 2n) / 3n + (isFilled.value ? 0n : amountWei);

  const hasTank = computed(() => hasContract.value && hasWallet.value && isFilled.value);
  /** False if nothing is left to pay for, as on a contract that others have deployed and filled. */
  const needsPayer = computed(() => !hasTank.value || (isTestedHere.value && tried.value?.settlement !== 'settled'));

  const done = computed((): Readonly<Record<SetupStepName, boolean>> => {
    const isFunded = costs.value !== undefined && isEnoughFor(BigInt(costs.value.depositWei));
    return {
      vault: desk.info?.vault === 'unlocked',
      chain: chain.value !== undefined,
      dapp: dapp.value !== undefined && hasSigner.value,
      wallet: !needsPayer.value || (payer.value?.address !== undefined && (isFunded || hasTank.value)),
      tank: hasTank.value,
      policy: (rules.value ?? []).length > 0,
      try: tried.value?.settlement === 'settled',
    };
  });
  /** The first unfinished step; undefined if all steps are done. */
  const next = computed(() => setupSteps.find((step) => step !== 'policy' && !done.value[step]));
  const isKnown = computed(
    () =>
      desk.info !== undefined &&
      signers.value !== undefined &&
      keystores.value !== undefined &&
      (dapp.value === undefined || ((tank.value ?? tankError.value) !== undefined && sponsored.value !== undefined)) &&
      (payer.value?.address === undefined || !hasSigner.value || (costs.value ?? costsError.value) !== undefined),
  );
  const reload = async (): Promise<void> => {
    await desk.refresh();
    await Promise.all([
      reloadSigners(),
      reloadTank(),
      reloadTransactions(),
      reloadKeystores(),
      reloadCosts(),
      reloadSponsored(),
      reloadRules(),
    ]);
  };

  return reactive({
    dapp,
    chain,
    savedChain,
    hasSigner,
    versions,
    version,
    isTestedHere,
    needsPayer,
    tank,
    transactions,
    keystores,
    chosen,
    password,
    payer,
    costs,
    costsError,
    deposit,
    depositWei,
    isEnoughFor,
    requiredWei,
    balanceWei,
    hasContract,
    hasWallet,
    isFilled,
    tried,
    done,
    next,
    isKnown,
    reload,
  });
};

export type Setup = ReturnType<typeof createSetup>;

const setupKey: InjectionKey<Setup> = Symbol('setup');

export const provideSetup = (): Setup => {
  const setup = createSetup();
  provide(setupKey, setup);
  return setup;
};

/** The setup that an ancestor of the calling component provides. */
export const useSetup = (): Setup => {
  const setup = inject(setupKey);
  if (setup === undefined) throw new Error('There is no setup around this part');
  return setup;
};
