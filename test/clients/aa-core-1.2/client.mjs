export { default } from './aa-core-provider.mjs';
