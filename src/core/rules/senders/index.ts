export { readSenders } from './senders-list.ts';
export { senders } from './senders.ts';
