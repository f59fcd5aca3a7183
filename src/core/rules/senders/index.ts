export { readSenders, sendersErrorWords } from './senders-list.ts';
export { senders, sendersSetup } from './senders.ts';
