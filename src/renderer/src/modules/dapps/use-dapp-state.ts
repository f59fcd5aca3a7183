import { useDesk } from '../../desk/desk-store.ts';
import type { Dapp, PaymasterVersion } from '../../desk/types.ts';
import { useCall } from '../../desk/use-call.ts';
import { useExposure } from '../../desk/use-exposure.ts';

/** Icon, tone and words of what a DApp's state consists of, which are always used together. */
export const dappStates = {
  paused: { icon: 'paused', tone: 'paused', words: 'Paused' },
  unreachable: { icon: 'lost', tone: 'bad', words: 'Node unreachable' },
  live: { icon: 'check', tone: 'good', words: 'Live' },
  missing: { icon: 'error', tone: 'warning', words: 'Not live yet' },
} as const;

type Words = keyof typeof dappStates;

export interface DappState {
  /** What is said of it, in this order. None until enough is known. */
  readonly says: readonly Words[];
  /** What prevents the DApp from sponsoring, in the order in which to fix it. Undefined until everything is known. */
  readonly missing: readonly string[] | undefined;
  /** Why its node cannot be reached; undefined if it can. */
  readonly error: string | null | undefined;
}

const saidOf = (isPaused: boolean, isUnreachable: boolean, isReady: boolean): Words[] => {
  const paused: Words[] = isPaused ? ['paused'] : [];
  if (!isReady) return paused;
  if (isUnreachable) return [...paused, 'unreachable'];
  return isPaused ? paused : ['live'];
};

/** The state of each DApp, from what is read once for all of them. */
export const useDappState = (): ((dapp: Dapp, version: PaymasterVersion | undefined) => DappState) => {
  const desk = useDesk();
  const exposure = useExposure();
  const { data: contracts } = useCall('paymasterContracts.list', () => ({}), { quietly: () => desk.now });
  const { data: signers } = useCall('signers.list', () => ({}), { quietly: () => desk.now });

  const tankOf = ({ paymasterId }: Dapp) => exposure.data?.dapps.find((one) => one.paymasterId === paymasterId)?.tank;
  const isPaused = ({ paymasterId }: Dapp): boolean =>
    !!desk.info?.paused || !!desk.info?.pausedDapps.some((one) => one.paymasterId === paymasterId);
  const missingOf = (dapp: Dapp, version: PaymasterVersion | undefined): string[] | undefined => {
    if (!signers.value || !contracts.value || !version) return undefined;
    const { chainId, fundingWallet } = dapp;
    const hasSigner = signers.value.some((one) => one.chainId === chainId);
    const hasContract = contracts.value.some((one) => one.chainId === chainId && one.version === dapp.version);
    return [
      ...(hasSigner ? [] : ['Create the signing key']),
      ...(hasContract ? [] : ['Deploy or attach a paymaster contract']),
      ...(version.hasTanks && fundingWallet === null ? ['Verify a funding wallet'] : []),
      ...(tankOf(dapp)?.level === 'empty' ? ['Fill the gas tank'] : []),
    ];
  };

  return (dapp, version) => {
    const missing = missingOf(dapp, version);
    const lost = exposure.data?.chains.find((one) => one.chainId === dapp.chainId && one.state === 'unreachable');
    const isReady = missing?.length === 0 && tankOf(dapp) !== undefined;
    const says = saidOf(isPaused(dapp), lost !== undefined, isReady);
    return { says: missing?.length ? [...says, 'missing'] : says, missing, error: lost?.error };
  };
};
