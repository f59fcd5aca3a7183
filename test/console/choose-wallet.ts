import type { Locator } from 'playwright-core';

/** The local chain's node holds keys, as a wallet on the operator's machine does. */
export const chooseWallet = async (dialog: Locator, url: string): Promise<void> => {
  await dialog.getByText('Wallet on this machine', { exact: true }).click();
  await dialog.getByLabel('URL of the wallet').fill(url);
  await dialog.getByRole('button', { name: 'Ask for its accounts' }).click();
  await dialog
    .getByText(/^0xf39F/i)
    .first()
    .waitFor();
};
