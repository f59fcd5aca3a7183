export { default } from './permissionless.mjs';
