import { EngineError } from '../../shared/errors.ts';
import { requireAgreement } from '../paymaster/agreement.ts';
import { findAttachable } from '../paymaster/registry.ts';
import type { ChainSettings, PaymasterContract } from '../store/store.ts';
import { version } from '../version.ts';
import { logLines } from './log-lines.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

interface Check {
  name: string;
  ok: boolean;
  detail: string;
  fix: string;
}

const good = (name: string, detail: string): Check => ({ name, ok: true, detail, fix: '' });
const bad = (name: string, detail: string, fix: string): Check => ({ name, ok: false, detail, fix });

/** Runs a check that tells its success; an expected failure is its fault. */
const attempt = async (name: string, fix: string, probe: () => Promise<string>): Promise<Check> => {
  try {
    return good(name, await probe());
  } catch (error) {
    return bad(name, error instanceof Error ? error.message : String(error), fix);
  }
};

/** The service itself: what it is, and whether everything it stands on is sound. */
export const systemHandlers = ({
  store,
  vault,
  chains,
  clock,
  pause,
  log,
  address,
}: ServiceContext): Handlers<NamesOf<'system'>> => {
  const checkDatabase = async (): Promise<Check> => {
    const faults = await store.integrityFaults();
    return faults.length === 0
      ? good('database', 'Sound')
      : bad('database', faults.join('; '), 'Stop the service and restore a backup.');
  };

  const checkVault = (): Check => {
    const fix = 'Start the service with its passphrase in GASDESK_PASSPHRASE or --passphrase-file.';
    return vault.state === 'unlocked'
      ? good('vault', 'Unlocked')
      : bad('vault', vault.state === 'absent' ? 'There is no vault yet' : 'Locked', fix);
  };

  const checkChain = ({ chainId }: ChainSettings): Promise<Check> =>
    attempt(`chain ${chainId}`, `Check the node, or run "gasdesk chain set ${chainId} --rpc URL".`, async () => {
      const rpc = await chains.rpc(chainId);
      if (rpc === undefined) throw new EngineError('RPC_MISSING');
      return `At block ${Number(await rpc.send('eth_blockNumber', []))}`;
    });

  const checkContract = ({ chainId, version: contractVersion, address }: PaymasterContract): Promise<Check> => {
    const fix = `Attach the right contract with "gasdesk contract use --chain ${chainId} --version ${contractVersion} --address 0x…".`;
    return attempt(`contract ${contractVersion} on chain ${chainId}`, fix, async () => {
      const layout = findAttachable(contractVersion);
      if (layout === undefined) throw new EngineError('VERSION_NOT_SUPPORTED');
      const signer = await store.findSigner(chainId);
      if (signer === undefined) throw new EngineError('SIGNER_MISSING');
      const rpc = await chains.rpc(chainId);
      if (rpc === undefined) throw new EngineError('RPC_MISSING');
      const contract = { chainId, version: contractVersion, address, checked: false };
      // Until it agrees again it is looked at before anything is signed for it.
      await store.savePaymasterContract(contract);
      await requireAgreement(rpc, { chainId, layout, contract: address, signer: signer.address });
      await store.savePaymasterContract({ ...contract, checked: true });
      return `${address} agrees on hash and signer`;
    });
  };

  return {
    'system.info': async () => ({
      version,
      url: address(),
      vault: vault.state,
      paymasters: (await store.listPaymasters()).length,
      decisions: await store.countDecisions(),
      paused: pause.current(),
    }),
    'system.pause': async ({ reason = '' }) => {
      const before = pause.current();
      const words = reason.trim() === '' ? (before?.reason ?? null) : reason.trim();
      const paused = { since: before?.since ?? clock.now(), reason: words };
      await pause.set(paused);
      return paused;
    },
    'system.resume': async () => {
      await pause.set(null);
      return null;
    },
    'system.doctor': async () => {
      const checks = [
        await checkDatabase(),
        checkVault(),
        ...(await Promise.all((await store.listChains()).map(checkChain))),
        ...(await Promise.all((await store.listPaymasterContracts()).map(checkContract))),
      ];
      return { ok: checks.every((check) => check.ok), checks };
    },
    'system.log': async (args) => logLines(log, args),
  };
};
