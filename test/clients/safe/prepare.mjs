// Puts Safe's contracts where every public chain has them.
import process from 'node:process';
import { deploySafe } from './safe-contracts.mjs';

const entryPoint = { address: '0x0000000071727De22E5E9d8BAf0edAc6f37da032' };
await deploySafe({ rpcUrl: process.env.RPC_URL, entryPoint });
