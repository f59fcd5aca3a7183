import { z } from 'zod';
import { address } from '../shared/schema/hex.ts';
import { id, name } from '../shared/schema/text.ts';
import { procedure } from './procedure.ts';

const methodNames = z.array(z.string()).max(1000);

const smartContract = z.strictObject({
  name: z.string(),
  address,
  abi: z.string(),
  whitelistedMethods: z.array(z.string()),
  methods: z.array(z.string()),
});

export const contractProcedures = {
  'contracts.methods': procedure({
    summary: 'Name the methods of an ABI that change state: those that can be whitelisted',
    input: z.strictObject({ abi: z.string('must be a JSON ABI string') }),
    output: z.strictObject({ methods: methodNames }),
  }),
  'contracts.create': procedure({
    summary: 'Whitelist a smart contract',
    input: z.strictObject({
      paymasterId: id,
      name,
      address,
      abi: z.string('must be a JSON ABI string'),
      whitelistedMethods: methodNames.optional(),
    }),
    output: smartContract,
    errors: ['PAYMASTER_NOT_FOUND', 'CONTRACT_ADDRESS_EXISTS', 'CONTRACT_NAME_EXISTS', 'UNKNOWN_CONTRACT_METHOD'],
  }),
  'contracts.list': procedure({
    summary: 'List the smart contracts of a DApp',
    input: z.strictObject({ paymasterId: id }),
    output: z.array(smartContract),
    errors: ['PAYMASTER_NOT_FOUND'],
  }),
  'contracts.update': procedure({
    summary: 'Replace the whitelisted methods of a smart contract',
    input: z.strictObject({ paymasterId: id, address, whitelistedMethods: methodNames }),
    output: smartContract,
    errors: ['PAYMASTER_NOT_FOUND', 'SMART_CONTRACT_NOT_FOUND', 'UNKNOWN_CONTRACT_METHOD'],
  }),
  'contracts.delete': procedure({
    summary: 'Delete a smart contract',
    input: z.strictObject({ paymasterId: id, address }),
    errors: ['PAYMASTER_NOT_FOUND', 'SMART_CONTRACT_NOT_FOUND'],
  }),
};
