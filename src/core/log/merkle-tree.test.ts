import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  CompactTree,
  type LeafRange,
  consistencyRanges,
  inclusionRanges,
  isConsistent,
  isIncluded,
  leafHash,
  nodeHash,
  rangeRoot,
  subtreesOf,
} from './merkle-tree.ts';

const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest();
const leaf = (index: number): Uint8Array => leafHash(Buffer.from(`entry ${index}`), sha256);

/** The definition of RFC 9162, 2.1.1, word for word. */
const definedRoot = ({ start, end }: LeafRange): Uint8Array => {
  if (start === end) return sha256(new Uint8Array());
  if (end - start === 1) return leaf(start);
  const middle = start + 2 ** Math.ceil(Math.log2(end - start) - 1);
  return nodeHash(definedRoot({ start, end: middle }), definedRoot({ start: middle, end }), sha256);
};

const treeOf = (size: number): CompactTree => {
  const tree = new CompactTree(sha256);
  for (let index = 0; index < size; index += 1) tree.append(leaf(index));
  return tree;
};

const subtreeHash = ({ level, index }: { level: number; index: number }): Uint8Array =>
  definedRoot({ start: index * 2 ** level, end: (index + 1) * 2 ** level });

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const head = (size: number) => ({ size, root: definedRoot({ start: 0, end: size }) });

test('the hash of nothing, of one empty leaf, and of the tree of RFC 6962 are the known ones', () => {
  expect(hex(treeOf(0).root())).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  expect(hex(leafHash(new Uint8Array(), sha256))).toBe(
    '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  );
});

test.each(Array.from({ length: 70 }, (_, size) => size))('a tree of %i leaves has the root that is defined', (size) => {
  const tree = treeOf(size);
  expect(hex(tree.root())).toBe(hex(definedRoot({ start: 0, end: size })));
  expect(tree.size).toBe(size);
});

test('a tree continues from any of its sizes, and from the subtrees of any range', () => {
  fc.assert(
    fc.property(fc.nat(200), fc.nat(200), (one, other) => {
      const [middle, size] = [Math.min(one, other), Math.max(one, other)];
      const tree = new CompactTree(sha256);
      for (const range of [
        { start: 0, end: middle },
        { start: middle, end: size },
      ]) {
        for (const subtree of subtreesOf(range)) tree.appendSubtree({ ...subtree, hash: subtreeHash(subtree) });
      }
      expect(hex(tree.root())).toBe(hex(definedRoot({ start: 0, end: size })));
    }),
  );
});

test('every leaf is proved to be in its tree, and nothing else is', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 300 }), fc.nat(299), fc.nat(20), (size, any, changed) => {
      const index = any % size;
      const proof = inclusionRanges(index, size).map((range) => rangeRoot(range, subtreeHash, sha256));
      const at = { index, hash: leaf(index) };
      expect(isIncluded(at, head(size), proof, sha256)).toBe(true);
      expect(isIncluded({ ...at, hash: leaf(index + 1) }, head(size), proof, sha256)).toBe(false);
      expect(isIncluded({ ...at, index: size }, head(size), proof, sha256)).toBe(false);
      expect(isIncluded(at, head(size), [...proof, leaf(0)], sha256)).toBe(false);
      if (proof.length === 0) return;
      const altered = proof.map((hash, step) => (step === changed % proof.length ? leaf(999) : hash));
      expect(isIncluded(at, head(size), altered, sha256)).toBe(false);
    }),
  );
});

test('every size is proved to be the beginning of every later one, and no other tree is', () => {
  fc.assert(
    fc.property(fc.nat(200), fc.nat(200), fc.nat(20), (one, other, changed) => {
      const [older, newer] = [Math.min(one, other), Math.max(one, other)];
      const ranges = older === 0 ? [] : consistencyRanges(older, newer);
      const proof = ranges.map((range) => rangeRoot(range, subtreeHash, sha256));
      expect(isConsistent(head(older), head(newer), proof, sha256)).toBe(true);
      expect(isConsistent(head(newer + 1), head(older), proof, sha256)).toBe(false);
      if (older === 0) return;
      expect(isConsistent({ size: older, root: leaf(999) }, head(newer), proof, sha256)).toBe(false);
      expect(isConsistent(head(older), { size: newer, root: leaf(999) }, proof, sha256)).toBe(false);
      if (proof.length === 0) return;
      const altered = proof.map((hash, step) => (step === changed % proof.length ? leaf(999) : hash));
      expect(isConsistent(head(older), head(newer), altered, sha256)).toBe(false);
    }),
  );
});
