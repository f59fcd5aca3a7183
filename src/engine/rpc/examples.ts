/** An operation in the form that clients send. */
export const exampleOperationV06 = {
  sender: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  nonce: '0x1',
  initCode: '0x',
  callData: '0xb61d27f6',
  callGasLimit: '108848',
  verificationGasLimit: '57121',
  preVerificationGas: '75388',
  maxFeePerGas: '0x59682f12',
  maxPriorityFeePerGas: '0x59682f00',
  signature: '0x',
};

export const exampleOperationV07 = {
  sender: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  nonce: '0x1',
  callData: '0xb61d27f6',
  callGasLimit: '0x1a930',
  verificationGasLimit: '0xdf21',
  preVerificationGas: '0x1267c',
  maxFeePerGas: '0x59682f12',
  maxPriorityFeePerGas: '0x59682f00',
  signature: '0x',
};

export const exampleEntryPoint = '0x0000000071727De22E5E9d8BAf0edAc6f37da032';

/** The paymaster's fields, with shortened data. */
export const examplePaymasterFields = {
  paymaster: '0x9d1f9f6A3C0B0dA29DCd7A0Ff8a2Cd8fFbAe1B6d',
  paymasterData: '0x0100006789abcd',
  paymasterVerificationGasLimit: '0xc350',
  paymasterPostOpGasLimit: '0xea60',
};

export const exampleUserOpHash = '0x93c06f3f5909cc2b192713ed9bf93e3e1fde4b22fcd2466304fa404f9b80ff90';
