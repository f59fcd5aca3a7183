import { type YAMLMap, YAMLSeq, isMap, isSeq, parseDocument } from 'yaml';
import type { TemplateResult } from './template.ts';
import { nodeOf } from '../update-file.ts';

const contractsIn = (file: YAMLMap): YAMLMap[] => {
  const contracts = file.get('contracts');
  return isSeq(contracts) ? contracts.items.filter((item) => isMap(item)) : [];
};

/** Leaves one method of one contract sponsored. The other contracts are paused, but keep their methods. */
const leaveAlone = (file: YAMLMap, { contract, method }: NonNullable<TemplateResult['alone']>): void => {
  for (const item of contractsIn(file)) {
    if (item.get('name') === contract) {
      const methods = item.get('methods');
      if (isSeq(methods)) methods.items = [nodeOf(method)];
      else item.set('methods', nodeOf([method]));
      item.delete('active');
    } else {
      item.set('active', nodeOf(false));
    }
  }
};

/** A policy file with rules added after its own. Existing text stays as it was written, with its comments. */
export const addToFile = (text: string, { rules, alone }: TemplateResult): string => {
  // Every scalar is text, so that each number keeps its spelling, to the last digit.
  const document = parseDocument(text, { schema: 'failsafe' });
  const file = document.contents as YAMLMap;
  const list = file.get('rules');
  if (list instanceof YAMLSeq && rules.length > 0) {
    for (const { name, type, when, data } of rules) {
      list.add(nodeOf({ name, type, ...(when !== undefined && { when }), data }));
    }
    // An empty list in brackets gets lines of its own for long items.
    list.flow = false;
  }
  if (alone !== undefined) leaveAlone(file, alone);
  return document.toString({ lineWidth: 0, flowCollectionPadding: text.includes('{ ') });
};
