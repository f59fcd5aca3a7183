/**
 * Creates resources/contracts/*.json from artifacts and creation code in npm packages, and by compiling Solidity from
 * npm packages and from this repository (resources/solidity). Writes nothing if the inputs have not changed since the
 * last build.
 */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { AbiEntry, Artifact, ArtifactName } from '../src/engine/chain/artifacts.ts';
import type { Hex } from '../src/shared/schema/hex.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const packageFolder = join(root, 'node_modules');
const solidityFolder = join(root, 'resources', 'solidity');

const AA = {
  '0.6': '@account-abstraction/contracts',
  '0.7': 'account-abstraction-0.7',
  '0.8': 'account-abstraction-0.8',
  '0.9': 'account-abstraction-0.9',
};
const BICONOMY = '@biconomy-devx/account-contracts-v2';
const OPENZEPPELIN = '@openzeppelin/contracts';
const PIMLICO = '@pimlico/mock-paymaster';

/** Artifacts in packages: the package and the path. */
const shipped = {
  EntryPoint: [AA['0.6'], 'artifacts/EntryPoint.json'],
  SimpleAccount: [AA['0.6'], 'artifacts/SimpleAccount.json'],
  SimpleAccountFactory: [AA['0.6'], 'artifacts/SimpleAccountFactory.json'],
  VerifyingPaymaster: [AA['0.6'], 'artifacts/VerifyingPaymaster.json'],
  'EntryPoint-0.7': [AA['0.7'], 'artifacts/EntryPoint.json'],
  'EntryPointSimulations-0.7': [AA['0.7'], 'artifacts/EntryPointSimulations.json'],
  'SimpleAccount-0.7': [AA['0.7'], 'artifacts/SimpleAccount.json'],
  'SimpleAccountFactory-0.7': [AA['0.7'], 'artifacts/SimpleAccountFactory.json'],
  'VerifyingPaymaster-0.7': [AA['0.7'], 'artifacts/VerifyingPaymaster.json'],
  'EntryPoint-0.8': [AA['0.8'], 'artifacts/EntryPoint.json'],
  'EntryPointSimulations-0.8': [AA['0.8'], 'artifacts/EntryPointSimulations.json'],
  'SimpleAccount-0.8': [AA['0.8'], 'artifacts/SimpleAccount.json'],
  'SimpleAccountFactory-0.8': [AA['0.8'], 'artifacts/SimpleAccountFactory.json'],
  'Simple7702Account-0.8': [AA['0.8'], 'artifacts/Simple7702Account.json'],
  'EntryPoint-0.9': [AA['0.9'], 'artifacts/EntryPoint.json'],
  'EntryPointSimulations-0.9': [AA['0.9'], 'artifacts/EntryPointSimulations.json'],
  'SimpleAccount-0.9': [AA['0.9'], 'artifacts/SimpleAccount.json'],
  'SimpleAccountFactory-0.9': [AA['0.9'], 'artifacts/SimpleAccountFactory.json'],
  'Simple7702Account-0.9': [AA['0.9'], 'artifacts/Simple7702Account.json'],
  ERC20PresetFixedSupply: [OPENZEPPELIN, 'build/contracts/ERC20PresetFixedSupply.json'],
  ERC721PresetMinterPauserAutoId: [OPENZEPPELIN, 'build/contracts/ERC721PresetMinterPauserAutoId.json'],
  ERC1155PresetMinterPauser: [OPENZEPPELIN, 'build/contracts/ERC1155PresetMinterPauser.json'],
} as const satisfies Partial<Record<ArtifactName, readonly [string, string]>>;

/** Creation code in a module of Pimlico's package: the function that returns the code, and the name of the ABI. */
const pimlico = {
  SingletonPaymasterV6: ['getSingletonPaymaster06InitCode', 'singletonPaymaster06Abi'],
  SingletonPaymasterV7: ['getSingletonPaymaster07InitCode', 'singletonPaymaster07Abi'],
  SingletonPaymasterV8: ['getSingletonPaymaster08InitCode', 'singletonPaymaster08Abi'],
} as const satisfies Partial<Record<ArtifactName, readonly [string, string]>>;

/** Our sources of accounts from libraries that need a later compiler. */
const laterCompiled = {
  SoladyAccount: 'SoladyAccount.sol',
  SoladyExecutor: 'SoladyExecutor.sol',
  OpenZeppelinExecutor: 'OpenZeppelinExecutor.sol',
  OpenZeppelinAccount7579: 'OpenZeppelinAccount7579.sol',
} as const satisfies Partial<Record<ArtifactName, string>>;

/** Sources to compile, as Solidity import paths. Those without a package are in this repository. */
const compiled: Record<
  Exclude<ArtifactName, keyof typeof shipped | keyof typeof pimlico | keyof typeof laterCompiled>,
  string
> = {
  SmartAccount: `${BICONOMY}/contracts/smart-account/SmartAccount.sol`,
  VerifyingSingletonPaymaster: `${BICONOMY}/contracts/smart-account/paymasters/verifying/singleton/VerifyingSingletonPaymaster.sol`,
  TankPaymasterV100: 'TankPaymasterV100.sol',
  ParallelPaymaster: 'ParallelPaymaster.sol',
  ScrambledBundler: 'ScrambledBundler.sol',
  GameItems: 'GameItems.sol',
  Create2Deployer: 'Create2Deployer.sol',
  TellingAccount: 'TellingAccount.sol',
  CallGasProbe: 'CallGasProbe.sol',
  PaymentProbe: 'PaymentProbe.sol',
  ValidationProbe: 'ValidationProbe.sol',
  HoldingsProbe: 'HoldingsProbe.sol',
  LayerOneFees: 'LayerOneFees.sol',
  GasBurner: 'GasBurner.sol',
  TestToken: 'TestToken.sol',
  DearToken: 'DearToken.sol',
  TaxedToken: 'TaxedToken.sol',
  HostileToken: 'HostileToken.sol',
  TestFeed: 'TestFeed.sol',
  AttackerAccount: 'AttackerAccount.sol',
  AccountOfForm: 'AccountOfForm.sol',
};

/** A folder in node_modules may contain a package with another name. */
const version = (packageName: string): string => {
  const manifest = JSON.parse(readFileSync(join(packageFolder, packageName, 'package.json'), 'utf8')) as {
    name: string;
    version: string;
  };
  return `${manifest.name}@${manifest.version}`;
};

const sourceFile = (importPath: string): string =>
  join(importPath.includes('/') ? packageFolder : solidityFolder, importPath);

/** The parts of solc's standard JSON output that this script reads. */
interface SolcOutput {
  errors?: { severity: string; formattedMessage: string }[];
  contracts: Record<string, Record<string, SolcContract>>;
}
interface SolcContract {
  abi: AbiEntry[];
  evm: { bytecode: { object: string }; deployedBytecode: { object: string } };
}

const FIRST_COMPILER = 'solc';
const LATER_COMPILER = 'solc-0.8.28';

/** Compiles sources (contract name to import path) with the compiler of the package `compiler`. */
const compile = (sources: Readonly<Record<string, string>>, compiler: string): SolcOutput => {
  // Loaded here, because loading takes a second, and an up-to-date build does not need the compiler.
  const solc = createRequire(import.meta.url)(compiler) as {
    compile(input: string, callbacks: { import(path: string): { contents: string } | { error: string } }): string;
  };
  const wanted = ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'];
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(
      Object.values(sources).map((path) => [path, { content: readFileSync(sourceFile(path), 'utf8') }]),
    ),
    settings: {
      optimizer: { enabled: true, runs: 800 },
      viaIR: true, // Without this option, VerifyingSingletonPaymaster fails with "stack too deep"
      outputSelection: Object.fromEntries(Object.entries(sources).map(([name, path]) => [path, { [name]: wanted }])),
    },
  };
  const findImport = (path: string): { contents: string } | { error: string } =>
    existsSync(sourceFile(path))
      ? { contents: readFileSync(sourceFile(path), 'utf8') }
      : { error: `No such file in node_modules: ${path}` };
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: findImport })) as SolcOutput;
  const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'));
  return output;
};

const shippedArtifact = async (name: keyof typeof shipped): Promise<Artifact> => {
  const [packageName, path] = shipped[name];
  const file = join(packageFolder, packageName, path);
  const { abi, bytecode, deployedBytecode } = JSON.parse(await readFile(file, 'utf8')) as Artifact;
  return { name, abi, bytecode, deployedBytecode, source: version(packageName) };
};

const PIMLICO_CONSTRUCTOR = {
  type: 'constructor',
  inputs: [
    { name: 'entryPoint', type: 'address' },
    { name: 'owner', type: 'address' },
    { name: 'manager', type: 'address' },
    { name: 'signers', type: 'address[]' },
  ],
};
/** The package's functions append these arguments: four words, the number of signers, and one signer. */
const PIMLICO_ARGUMENT_DIGITS = 6 * 64;

const pimlicoModule = (file: string): Promise<Record<string, unknown>> =>
  import(pathToFileURL(join(packageFolder, PIMLICO, '_esm', file)).href) as Promise<Record<string, unknown>>;

const pimlicoArtifact = async (name: keyof typeof pimlico): Promise<Artifact> => {
  const [initCodeName, abiName] = pimlico[name];
  const initCode = (await pimlicoModule('constants.js'))[initCodeName] as (owner: string) => Hex;
  // The ABI in the package belongs to an older contract, whose constructor differs.
  const abi = ((await pimlicoModule('helpers/abi.js'))[abiName] as AbiEntry[]).filter(
    ({ type }) => type !== 'constructor',
  );
  return {
    name,
    abi: [PIMLICO_CONSTRUCTOR, ...abi],
    bytecode: initCode(`0x${'00'.repeat(20)}`).slice(0, -PIMLICO_ARGUMENT_DIGITS) as Hex,
    deployedBytecode: '0x',
    source: version(PIMLICO),
  };
};

const compiledArtifact = (name: ArtifactName, path: string, output: SolcOutput): Artifact => {
  const contract = output.contracts[path]?.[name];
  if (contract === undefined) throw new Error(`${path} has no contract ${name}`);
  const fromPackage = path.startsWith(BICONOMY);
  return {
    name,
    abi: contract.abi,
    bytecode: `0x${contract.evm.bytecode.object}`,
    deployedBytecode: `0x${contract.evm.deployedBytecode.object}`,
    source: fromPackage ? version(BICONOMY) : `resources/solidity/${path}`,
  };
};

/** A hash of everything on which the artifacts depend. The versions represent the contents of the packages. */
const inputHash = (): string => {
  const hash = createHash('sha256').update(readFileSync(fileURLToPath(import.meta.url)));
  const packages = [BICONOMY, OPENZEPPELIN, PIMLICO, 'openzeppelin-5', 'solady', FIRST_COMPILER, LATER_COMPILER];
  for (const name of [...Object.values(AA), ...packages]) hash.update(version(name));
  for (const path of [...Object.values(compiled), ...Object.values(laterCompiled)])
    hash.update(readFileSync(sourceFile(path)));
  return hash.digest('hex');
};

/** Writes the file atomically, because another process may be building or reading at the same time. */
const writeWhole = async (file: string, text: string): Promise<void> => {
  const temporary = `${file}.${randomUUID()}.tmp`;
  await writeFile(temporary, text);
  await rename(temporary, file);
};

/** Creates every artifact in `folder`, unless all exist and were created from the same inputs. */
export const buildContracts = async (folder: string = join(root, 'resources', 'contracts')): Promise<void> => {
  const shippedNames = Object.keys(shipped) as (keyof typeof shipped)[];
  const pimlicoNames = Object.keys(pimlico) as (keyof typeof pimlico)[];
  const sources = [
    { paths: compiled, compiler: FIRST_COMPILER },
    { paths: laterCompiled, compiler: LATER_COMPILER },
  ];
  const compiledNames = sources.flatMap(({ paths }) => Object.keys(paths) as ArtifactName[]);
  const fileOf = (name: ArtifactName): string => join(folder, `${name}.json`);
  const stampFile = join(folder, '.stamp');
  const stamp = inputHash();
  const complete = [...shippedNames, ...pimlicoNames, ...compiledNames].every((name) => existsSync(fileOf(name)));
  if (complete && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;

  const artifacts = [
    ...(await Promise.all([...shippedNames.map(shippedArtifact), ...pimlicoNames.map(pimlicoArtifact)])),
    ...sources.flatMap(({ paths, compiler }) => {
      const output = compile(paths, compiler);
      return Object.entries(paths).map(([name, path]) => compiledArtifact(name as ArtifactName, path, output));
    }),
  ];
  await mkdir(folder, { recursive: true });
  for (const artifact of artifacts) await writeWhole(fileOf(artifact.name), `${JSON.stringify(artifact, null, 2)}\n`);
  await writeWhole(stampFile, stamp); // Written last, because it says that all artifacts are complete.
};

if (import.meta.main) await buildContracts();
