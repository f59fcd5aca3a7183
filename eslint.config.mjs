// Plain JavaScript, since editors load it too; the rules of the house are in scripts/house-rules.ts.
import process from 'node:process';
import js from '@eslint/js';
import jsdoc from 'eslint-plugin-jsdoc';
import vue from 'eslint-plugin-vue';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { houseConfig } from './scripts/house-rules.ts';

/** The files that rules read with types, which takes most of the time: the sources, unless LINT says otherwise. */
const typedFiles = { fast: [], sources: ['src/**'], whole: ['**/*.ts', '**/*.vue'] };
const depth = process.env.LINT ?? 'sources';
const typed = typedFiles[depth];
if (typed === undefined) throw new Error(`LINT must be one of: ${Object.keys(typedFiles).join(', ')}`);

const withTypes = {
  files: typed,
  extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
  languageOptions: {
    // With these, types of other parts come from what `tsc --build` wrote; the project service would infer all of them
    // again for each component.
    parserOptions: {
      project: ['src/*/tsconfig.json', 'test/tsconfig.json'],
      tsconfigRootDir: import.meta.dirname,
      extraFileExtensions: ['.vue'],
    },
  },
  rules: {
    // Numbers and bigints print as they are; everything else in a template must be a string.
    '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
    // `() => clearTimeout(t)` is the shortest way to say it.
    '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
    '@typescript-eslint/no-unnecessary-condition': ['error', { allowConstantLoopConditions: 'only-allowed-literals' }],
    // The Store and the service are asynchronous by contract, also where today's code behind them is not.
    '@typescript-eslint/require-await': 'off',
    // An empty string in the environment or a form means "not set".
    '@typescript-eslint/prefer-nullish-coalescing': ['error', { ignorePrimitives: { string: true } }],
    // ethers names contract functions by index signature; brackets say that the compiler cannot check the name.
    '@typescript-eslint/dot-notation': ['error', { allowIndexSignaturePropertyAccess: true }],
  },
};

export default defineConfig(
  globalIgnores(['out/', 'dist/', '.tsbuild/', 'resources/', 'coverage/', 'test-artifacts/']),
  js.configs.recommended,
  tseslint.configs.strict,
  tseslint.configs.stylistic,
  // Before the rules for Vue, whose parser reads `.vue` files.
  typed.length === 0 ? [] : withTypes,
  vue.configs['flat/recommended'],
  houseConfig,
  {
    // Without types, what switches off a rule that needs them is unused.
    linterOptions: {
      reportUnusedDisableDirectives: depth === 'fast' ? 'off' : 'error',
      reportUnusedInlineConfigs: 'error',
    },
    rules: {
      eqeqeq: 'error',
      // A file is read in one sitting, a function at one glance.
      'max-lines': ['error', { max: 250, skipBlankLines: true, skipComments: true }],
      complexity: ['error', 15],
      // A leading underscore marks what a signature demands and the body does not need.
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    },
  },
  {
    files: ['src/**/*.ts', 'test/support/**/*.ts'],
    ignores: ['**/*.{test,rows}.ts'],
    plugins: { jsdoc },
    rules: {
      // A docstring gives what a name cannot: a unit, an error, a shape, a reason. The first two can be seen from here.
      'jsdoc/require-jsdoc': [
        'error',
        {
          publicOnly: true,
          require: { FunctionDeclaration: false, ClassDeclaration: true },
          contexts: [
            'ExportNamedDeclaration:has(> VariableDeclaration):has(ThrowStatement)',
            'ExportNamedDeclaration:has(> VariableDeclaration):has(ArrowFunctionExpression > TSTypeAnnotation > TSBigIntKeyword)',
          ],
        },
      ],
      'jsdoc/require-description': 'error',
      // Only the parameters that need a word get one.
      'jsdoc/check-param-names': ['error', { disableMissingParamChecks: true }],
      'jsdoc/check-tag-names': 'error',
      'jsdoc/no-types': 'error',
    },
  },
  {
    files: ['**/*.{test,rows}.ts', 'test/store/conformance/*.ts'],
    rules: {
      // In a test a missing element is the failure the test is there to show.
      '@typescript-eslint/no-non-null-assertion': 'off',
      // `expect.any(String)` is typed any.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      // A table of cases is long and simple.
      'max-lines': 'off',
    },
  },
  {
    files: ['test/**/*.ts'],
    // What is no test of the desk, and what removes no desk's folder.
    ignores: [
      'test/{bench,clients,long-log}/**',
      'test/continuous-backup/restore-seconds.ts',
      'test/support/{chromium,global-setup,postgres,temp-folder}.ts',
    ],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: "CallExpression[callee.name='rmSync']:has(Property[key.name='recursive'])",
          message: 'removeTempFolder decides every decision in the folder again before it is gone.',
        },
      ],
    },
  },
  {
    files: ['**/*.vue'],
    languageOptions: { parserOptions: { parser: tseslint.parser } },
    rules: {
      // A name that a stranger chose is text, always.
      'vue/no-v-html': 'error',
      // How a template breaks its lines is for Prettier to say.
      'vue/html-closing-bracket-newline': 'off',
      'vue/html-indent': 'off',
      'vue/html-self-closing': 'off',
      'vue/max-attributes-per-line': 'off',
      'vue/multiline-html-element-content-newline': 'off',
      'vue/singleline-html-element-content-newline': 'off',
      // vue-tsc knows which names there are, also those of the browser.
      'no-undef': 'off',
    },
  },
  { files: ['**/*.mjs'], extends: [tseslint.configs.disableTypeChecked] },
);
