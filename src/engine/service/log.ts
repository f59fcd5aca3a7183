import { createSharedProof } from '../../core/log/shared-proof.ts';
import { type EntryProof, entryProofError, entryProofText } from '../../core/log/tlog-proof.ts';
import { verifierKeyText } from '../../core/log/signed-note.ts';
import { EngineError } from '../../shared/errors.ts';
import { sha256 } from '../base/sha256.ts';
import { version } from '../base/version.ts';
import { logCrypto } from '../log/ed25519.ts';
import { proofPage } from '../log/proof-page.ts';
import { differentColumn, heldAccounts, storedRevisions, tileFaults } from '../log/stored-faults.ts';
import type { Entry } from '../../core/log/entry.ts';
import type { Handlers, NamesOf, ServiceContext } from './service.ts';

const unprovable = (): EngineError =>
  new EngineError(
    'LOG_INCONSISTENT',
    'The stored tree of the log is damaged: a receipt would not verify. Run "gasdesk log verify", which names what is wrong, and restore a backup',
  );

type DecisionEntry = Entry & { readonly body: { readonly policy?: string } };

/** Procedures for verifying and browsing the log. */
export const logHandlers = ({
  store,
  vault,
  checkpoints,
  rollback,
}: Pick<ServiceContext, 'store' | 'vault' | 'checkpoints' | 'rollback'>): Handlers<NamesOf<'log'>> => {
  const prove = async (decisionId: string): Promise<EntryProof> => {
    const index = await store.entryOfDecision(decisionId);
    if (index === undefined) throw new EngineError('DECISION_NOT_FOUND');
    const { size, note } = await checkpoints.sign();
    const [line] = await store.logLines({ from: index, to: index + 1, limit: 1 });
    const hashes = await store.inclusionProof(index, size);
    const proof = { entry: line?.text ?? '', index, hashes, checkpoint: note };
    if (entryProofError(proof, await checkpoints.key(), logCrypto) !== undefined) throw unprovable();
    return proof;
  };
  return {
    'log.key': async () => {
      const key = await checkpoints.key();
      return { origin: key.name, key: verifierKeyText(key, sha256) };
    },
    'log.state': async () => ({
      entries: await store.logSize(),
      signed: (await store.newestCheckpoint())?.size ?? 0,
      key: vault.state === 'unlocked' ? verifierKeyText(await checkpoints.key(), sha256) : null,
      rollback: (await rollback())?.words ?? null,
    }),
    'log.checkpoint': () => checkpoints.sign(),
    'log.checkpoints': (page) => store.listCheckpoints(page),
    'log.page': async ({ from, to, limit }) => {
      const lines = await store.logLines({ from, limit, ...(to !== undefined && { to }) });
      return lines.map(({ text, hash }) => ({ text, hash }));
    },
    'log.subtrees': async ({ start, end }) => {
      const size = await store.logSize();
      const hashes = await store.subtreeHashes({ start: Math.min(start, size), end: Math.min(end, size) });
      return hashes.map((hash) => Buffer.from(hash).toString('base64'));
    },
    'log.list': async (page) =>
      (await store.listLog(page)).map(({ entry, at, kind, text }) => {
        const { body } = JSON.parse(text) as Entry;
        return { entry, at, kind, body };
      }),
    'log.receipt': async ({ decisionId }) => ({ receipt: entryProofText(await prove(decisionId)) }),
    'log.proof': async ({ decisionId }) => {
      const proof = await prove(decisionId);
      const { policy } = (JSON.parse(proof.entry) as DecisionEntry).body;
      const revision = policy === undefined ? undefined : await store.findPolicy(policy);
      const key = verifierKeyText(await checkpoints.key(), sha256);
      const html = await proofPage(createSharedProof(proof, { key, policy: revision ?? null, engine: version }));
      return { html, entry: proof.index };
    },
    'log.rows': async (page) => {
      const rows = await store.decisionColumns(page);
      const faults = rows.flatMap((row) => {
        const column = differentColumn(row);
        return column === undefined ? [] : [{ id: row.id, detail: `Its column ${column} differs from its record` }];
      });
      const last = rows.at(-1);
      return {
        faults,
        entries: last?.entries ?? 0,
        upTo: last?.seq ?? page.after,
        rows: rows.map(({ id, settlement, actualCostWei, block }) => ({ id, settlement, actualCostWei, block })),
      };
    },
    'log.accounts': async () => {
      const rows = await store.heldAccounts();
      return { entries: rows[0]?.entries ?? 0, accounts: heldAccounts(rows) };
    },
    'log.stored': async () => {
      const changes = await store.policyChanges();
      const { hashes, faults, entries } = await storedRevisions(store);
      return {
        entries: Math.max(entries, changes.at(-1)?.entries ?? 0),
        changes: changes.map(({ paymasterId, hash }) => ({ paymasterId, hash })),
        revisions: hashes,
        faults: [...faults, ...(await tileFaults(store))],
      };
    },
  };
};
