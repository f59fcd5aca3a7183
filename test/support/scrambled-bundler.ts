import { type HDNodeWallet, Interface, type TransactionRequest, type TransactionResponse, Wallet } from 'ethers';
import { deployContract } from '../../src/demo/world-contracts.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';

const abi = new Interface(['function bundle(address entryPoint, bytes scrambled)']);

const scramble = (data: string): Buffer => Buffer.from(data.slice(2), 'hex').map((byte) => ~byte) as Buffer;

/** Calldata for a `ScrambledBundler`, which hides the call. */
export const scrambledCall = (to: unknown, data: string): Hex =>
  abi.encodeFunctionData('bundle', [to, scramble(data)]) as Hex;

/** A wallet whose transactions hide what they call: they go through a contract that unscrambles it. */
class ScrambledBundler extends Wallet {
  readonly #through: Address;

  constructor({ privateKey, provider }: HDNodeWallet, through: Address) {
    super(privateKey, provider);
    this.#through = through;
  }

  override sendTransaction({ to, data, ...transaction }: TransactionRequest): Promise<TransactionResponse> {
    return super.sendTransaction({ ...transaction, to: this.#through, data: scrambledCall(to, data ?? '0x') });
  }
}

/** Deploys the contract that such a wallet needs. The wallet has the key of `bundler`. */
export const scrambledBundler = async (bundler: HDNodeWallet): Promise<Wallet> =>
  new ScrambledBundler(bundler, await deployContract('ScrambledBundler', [], bundler));
