export { askCondition } from './ask-condition.ts';
export { condition } from './condition.ts';
