import { type Address, type Hex, addressKey } from '../../shared/schema/hex.ts';
import { type UserOperation, isV06 } from '../../shared/schema/user-operation.ts';
import { isEip7702 } from '../user-operation/user-op-hash.ts';
import { readHex, readSelector } from './decode-calls.ts';
import { DecodeError } from './decode-error.ts';
import { type Decoding, decodingOf } from './decoding.ts';
import { factoryFunctions, initializers } from './factory-functions.ts';
import { isSetUp } from './set-up.ts';

/** How an operation creates or initialises its account. */
export interface Deployment {
  /** Lower case. For an EIP-7702 account: the marker, padded to an address. */
  readonly factory: Address;
  readonly factoryData: Hex;
}

const MARKER: Address = `0x7702${'00'.repeat(18)}`;
const ADDRESS_DIGITS = 42;

/**
 * How an operation creates its account: through a factory, or by initialising an EIP-7702 account. Undefined if it does
 * neither. An account that only delegates to a contract (the EIP-7702 marker without data) already exists.
 *
 * @param isFactoryIgnored true if the EntryPoint ignores the operation's factory, because the account already exists
 */
export const deploymentOf = (op: UserOperation, isFactoryIgnored = false): Deployment | undefined => {
  if (isV06(op)) {
    if (op.initCode === '0x') return undefined;
    const factory = addressKey(op.initCode.slice(0, ADDRESS_DIGITS) as Address);
    return { factory, factoryData: `0x${op.initCode.slice(ADDRESS_DIGITS)}` };
  }
  const { factory, factoryData = '0x' } = op;
  if (factory === undefined) return undefined;
  if (!isEip7702(factory)) return isFactoryIgnored ? undefined : { factory: addressKey(factory), factoryData };
  return factoryData === '0x' ? undefined : { factory: MARKER, factoryData };
};

/**
 * The calls that an account makes while it is created, except those that belong to the creation itself, such as
 * installing owners and modules. Does not examine what `trusted` contracts do (lower-case addresses of factories or
 * set-up code). Never throws.
 */
export const decodeDeployment = (
  { factory, factoryData }: Deployment,
  sender: Address,
  trusted: ReadonlySet<Address>,
): Decoding => {
  if (trusted.has(factory)) return { outcome: 'decoded', calls: [], via: [] };
  const account = addressKey(sender);
  const read = () => {
    const call = readHex(factoryData);
    const selector = readSelector(call);
    const decode = (factory === MARKER ? initializers : factoryFunctions).get(selector);
    if (decode === undefined) throw new DecodeError('UNKNOWN_SELECTOR', `Its function ${selector} is not known.`);
    return decode(call.slice(4), account);
  };
  return decodingOf(read, {
    account,
    byteCount: factoryData.length / 2 - 1,
    harmless: ({ operation, target, data }) =>
      operation === 'delegatecall' && (trusted.has(target) || isSetUp(target, data)),
  });
};
