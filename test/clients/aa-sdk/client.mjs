import { erc7677Middleware } from '@aa-sdk/core';
import { PAYMASTER_METHODS, sendWith } from './aa-sdk.mjs';

const erc7677 = (task) =>
  sendWith(task, PAYMASTER_METHODS, () => erc7677Middleware(task.token && { context: { token: task.token } }));

export default { erc7677Middleware: erc7677 };
