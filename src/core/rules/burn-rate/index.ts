export { breakerOf } from './breaker.ts';
export { burnRate, forgottenAt, partEndsAt } from './burn-rate.ts';
