import { Interface } from 'ethers';
import type { AttachableLayout } from '../../core/paymaster-layouts/layout.ts';
import { digits } from '../../core/user-operation/hex-digits.ts';
import type { Address, Hex } from '../../shared/schema/hex.ts';
import { readCode } from '../chain/gas/eth-call.ts';
import { requireNode } from '../chain/require-node.ts';
import type { PaymasterContract } from '../store/registry-store.ts';
import type { ActionContext } from './action-context.ts';

type SignerSetter = NonNullable<AttachableLayout['signerSetter']>;

const NAMES: readonly SignerSetter[] = ['setSigner', 'setVerifyingSigner'];

const abi = new Interface(NAMES.map((name) => `function ${name}(address signer)`));

/**
 * The call by which a contract replaces its signer. Builds of 1.0.0 differ in the name of the function, so the
 * contract's code is searched for it. The usual function is called if the code contains neither name.
 */
export const signerSetterCall = async (
  { chains }: ActionContext,
  { chainId, address }: PaymasterContract,
  { signer, usual }: { signer: Address; usual: SignerSetter },
): Promise<Hex> => {
  const code = await readCode(await requireNode(chains, chainId), address);
  const has = (name: SignerSetter): boolean => code.includes(digits(abi.getFunction(name)?.selector as Hex));
  return abi.encodeFunctionData(NAMES.find(has) ?? usual, [signer]) as Hex;
};
