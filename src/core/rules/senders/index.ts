export { readSenders } from './senders-list.ts';
export { senders, sendersSetup } from './senders.ts';
