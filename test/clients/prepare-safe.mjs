// Puts Safe's contracts where every public chain has them.
import process from 'node:process';
import { deploySafe } from './safe-contracts.mjs';

await deploySafe({ rpcUrl: process.env.RPC_URL });
