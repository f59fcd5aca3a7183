import { z } from 'zod';
import { address, sameAddress } from './hex.ts';

const EXPIRY_ERROR = 'must be a whole number of seconds from 30 to 86400';
const expiryDuration = z
  .number(EXPIRY_ERROR)
  .int(EXPIRY_ERROR)
  .min(30, EXPIRY_ERROR)
  .max(86_400, EXPIRY_ERROR)
  .nullish();

const MODES = ['SPONSORED', 'SPONSORSHIP', 'SPONSOR', 'ERC20'] as const;
const MODE_ERROR = `must be one of: ${MODES.join(', ')}`;

/** The payment mode, in several products' spellings and in any letter case. */
const mode = z
  .string(MODE_ERROR)
  .toUpperCase()
  .pipe(z.enum(MODES, MODE_ERROR))
  .transform((name): 'SPONSORED' | 'ERC20' => (name === 'ERC20' ? name : 'SPONSORED'))
  .meta({ description: `${MODES.join(', ')}, in any letter case` });

/** The longest validity window for an operation that its account has already signed, in seconds. */
const FINALIZE_SECONDS = 60;

const signingPhase = z
  .enum(['commit', 'finalize'], 'must be commit or finalize')
  .nullish()
  .describe(
    'For accounts that sign before the paymaster (EntryPoint v0.9). commit: everything but the signature; finalize: the signature for the signed operation',
  );

const policy = z.string().max(200);

/** How a client says who the person behind an operation is. Read only by the IDENTITY rules. */
export const personProof = {
  voucher: z
    .unknown()
    .optional()
    .describe("{subject, expiresAt, signature}: the DApp's backend says who the sender is, for IDENTITY rules"),
  idToken: z.unknown().optional().describe('An ID token (JWT) of the user, for IDENTITY rules'),
};

/**
 * Sponsorship options: `params[1]` in Biconomy's dialect (behaviour 2.3), some of them also under the names of other
 * products. Unknown members are ignored, and null means absent (behaviour 2.2).
 */
const fields = z.object({
  mode,
  calculateGasLimits: z.boolean().nullish(),
  expiryDuration,
  validForSeconds: expiryDuration.describe("Pimlico's name of expiryDuration"),
  sponsorshipInfo: z
    .object({
      webhookData: z.record(z.string(), z.unknown()).nullish(),
      smartAccountInfo: z
        .object({ name: z.string().max(100).nullish(), version: z.string().max(100).nullish() })
        .nullish(),
    })
    .nullish(),
  meta: z.record(z.string(), z.unknown()).nullish().describe("Pimlico's name of sponsorshipInfo.webhookData"),
  tokenInfo: z
    .object({
      feeTokenAddress: address.nullish(),
      preferredToken: address.nullish(),
      tokenList: z.array(address).max(100).nullish(),
    })
    .nullish(),
  token: address.nullish().describe("Pimlico's and Candide's name of tokenInfo.feeTokenAddress"),
  feeTokenAddress: address.nullish().describe('The same'),
  erc20Context: z.object({ tokenAddress: address.nullish() }).nullish().describe("Alchemy's name of the same"),
  policyId: z
    .union([policy, z.array(policy).max(100)], 'must be a string, or an array of at most 100 strings')
    .nullish()
    .describe('Kept; the API key selects the rules'),
  sponsorshipPolicyId: policy.nullish().describe('The same'),
  signingPhase,
  ...personProof,
});
const unnamedMode = fields.extend({ mode: mode.nullish() });

type UnnamedModeOptions = z.output<typeof unnamedMode>;

/** The token to pay in, under every name that the request uses for it. */
const tokensNamed = ({ tokenInfo, token, feeTokenAddress, erc20Context }: UnnamedModeOptions) => {
  const named = {
    'tokenInfo.feeTokenAddress': tokenInfo?.feeTokenAddress,
    token,
    feeTokenAddress,
    'erc20Context.tokenAddress': erc20Context?.tokenAddress,
  };
  return Object.entries(named).flatMap(([name, value]) => (value ? [{ name, value }] : []));
};

/** Requires that fields that name the token agree. */
const checkTokens = (given: UnnamedModeOptions, context: z.RefinementCtx): void => {
  const [first, ...others] = tokensNamed(given);
  const contradicts = (name: string, message: string): void =>
    context.addIssue({ code: 'custom', path: name.split('.'), message });
  const different = first && others.find(({ value }) => !sameAddress(value, first.value));
  if (different) contradicts(different.name, `should not differ from ${first.name}: omit one of them`);
  // Biconomy's clients also send `tokenInfo` with the mode SPONSORED, so it is accepted with that mode.
  const { name } = [first, ...others].find((named) => named && !named.name.startsWith('tokenInfo')) ?? {};
  if (name !== undefined && given.mode === 'SPONSORED') {
    contradicts(
      name,
      `should not exist with mode SPONSORED: drop ${name} to be sponsored, or mode to pay in the token`,
    );
  }
};

/** A client that has a signed operation sends it immediately, so a short validity is sufficient. */
const checkFinalExpiry = (given: UnnamedModeOptions, context: z.RefinementCtx): void => {
  if (given.signingPhase !== 'finalize') return;
  for (const field of ['expiryDuration', 'validForSeconds'] as const) {
    if ((given[field] ?? 0) <= FINALIZE_SECONDS) continue;
    const message = `must be at most ${FINALIZE_SECONDS} with signingPhase finalize`;
    context.addIssue({ code: 'custom', path: [field], message });
  }
};

const check = (given: UnnamedModeOptions, context: z.RefinementCtx): void => {
  checkTokens(given, context);
  checkFinalExpiry(given, context);
};

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** The rule that needs a proof of identity says what is wrong with it. Other DApps may use the names as they like. */
const proofOf = ({ voucher, idToken }: Pick<UnnamedModeOptions, 'voucher' | 'idToken'>) => ({
  ...(isGiven(voucher) && { voucher }),
  ...(isGiven(idToken) && { idToken }),
});

/** Merges the different names of each option, and fills in defaults. */
const asOptions = <Mode>({ mode: payer, ...given }: Omit<UnnamedModeOptions, 'mode'> & { mode: Mode }) => {
  const { sponsorshipInfo, tokenInfo, policyId, sponsorshipPolicyId, signingPhase: phase } = given;
  const isSigned = phase === 'finalize';
  const feeTokenAddress = tokensNamed({ ...given, mode: undefined })[0]?.value;
  const webhookData = sponsorshipInfo?.webhookData ?? given.meta;
  return {
    mode: payer,
    // With other gas limits, the account would have to sign again.
    calculateGasLimits: (given.calculateGasLimits ?? false) && !isSigned,
    expiryDuration: given.expiryDuration ?? given.validForSeconds ?? (isSigned ? FINALIZE_SECONDS : 300),
    sponsorshipInfo: { ...sponsorshipInfo, ...(webhookData && { webhookData }) },
    tokenInfo: { ...tokenInfo, ...(feeTokenAddress && { feeTokenAddress }) },
    ...(policyId && { policyId }),
    ...(sponsorshipPolicyId && { sponsorshipPolicyId }),
    ...(phase && { signingPhase: phase }),
    ...proofOf(given),
  };
};

/** Sponsorship options in which the mode is required. */
export const sponsorshipOptions = fields.superRefine(check).transform(asOptions).meta({ id: 'SponsorshipOptions' });

export type SponsorshipOptions = z.output<typeof sponsorshipOptions>;

/**
 * Options of `pm_getFeeQuoteOrData`. Without a mode, the operation is sponsored if the rules allow it; otherwise,
 * tokens are quoted.
 */
export const feeQuoteOptions = unnamedMode
  .superRefine(check)
  .transform(({ mode: payer, ...given }) => asOptions({ ...given, mode: payer ?? undefined }))
  .meta({ id: 'FeeQuoteOptions' });

/** Some clients send the id of a policy alone, and others something empty. */
const asContext = (given: unknown): unknown => {
  if (typeof given === 'string' && given !== '') return { policyId: given };
  const isEmpty = !given || (Array.isArray(given) && given.length === 0);
  return isEmpty && given !== 0 ? {} : given;
};

/** The context in ERC-7677 and in Pimlico's dialect, parsed as options. The default mode is SPONSORED. */
export const paymasterContext = z
  .preprocess(
    asContext,
    unnamedMode
      .superRefine(check)
      .transform((given) =>
        asOptions({ ...given, mode: given.mode ?? (tokensNamed(given).length > 0 ? 'ERC20' : 'SPONSORED') }),
      ),
  )
  .meta({ id: 'PaymasterContext', absent: [null, '', false, []] });
