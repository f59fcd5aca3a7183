import type { Address } from '../shared/schema/hex.ts';
import { attachNewContract } from './attach-new-contract.ts';
import type { World } from './world.ts';

export interface Dapp {
  readonly apiKey: string;
  readonly paymaster: Address;
  /** Sends a request to the management interface, as the DApp's developer would. */
  manage(method: string, path: string, body?: unknown): Promise<unknown>;
}

/** Deploys the paymaster contract of a version as the operator would, and checks that it accepts Gasdesk's signer. */
export const deployPaymaster = async (world: World, version: string): Promise<Address> => {
  const { story, engine, chain, cast } = world;
  const target = { chainId: chain.chainId, version };
  const address = await attachNewContract(engine.service, cast.operator, target);
  story.print(`paymaster contract ${version}`, address);
  const attached = await engine.service.call('paymasterContracts.list', {});
  const isChecked = attached.some((one) => one.address === address && one.checked);
  story.check(isChecked, 'the contract hashes operations as Gasdesk does, and accepts its signer');
  return address;
};

/** Registers a DApp over HTTP. Its users cannot pay in tokens. */
export const registerDapp = async (
  { story, engine, desk, chain }: World,
  { name, version, paymaster }: { name: string; version: string; paymaster: Address },
): Promise<Dapp> => {
  const { authToken } = await engine.service.call('authTokens.create', { label: name });
  const registration = { name, type: 'HYBRID', chainId: chain.chainId, version, tokenMode: false };
  const { apiKey } = (await desk.manage('POST', '/paymaster', { authToken }, registration)) as { apiKey: string };
  story.print('API key', apiKey);
  return { apiKey, paymaster, manage: (method, path, body) => desk.manage(method, path, { authToken, apiKey }, body) };
};
