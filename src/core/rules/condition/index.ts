export { evaluateCondition } from './evaluate-condition.ts';
export { condition } from './condition.ts';
