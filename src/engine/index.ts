import { createBackgroundWork } from './service/background-work.ts';
import { createBackups } from './backup/backups.ts';
import { createContinuousBackup } from './continuous-backup/continuous-backup.ts';
import { untilStopped } from './continuous-backup/start-waits.ts';
import { finishInterrupted, requireNoUnfinishedRestore } from './backup/restore.ts';
import { openWatchedDatabase } from './log/watched-database.ts';
import { createChainAccess } from './chain/chain-access.ts';
import { createBelievedFees } from './chain/fees/believed-fees.ts';
import { createRates } from './chain/rates/rates.ts';
import { createReceiptReader } from './chain/read-receipts.ts';
import { createSettlement } from './chain/settlement.ts';
import { warnOfSetBack } from './service/clock-watch.ts';
import { systemClock, systemEntropy } from './base/clock.ts';
import { createControlApp } from './control/app.ts';
import { listenForOwner } from './control/listen-for-owner.ts';
import { freeOnDisk } from './data-folder/free-bytes.ts';
import { lockDataFolder } from './data-folder/lock.ts';
import { removeAbandonedFolders } from './data-folder/temporary-folder.ts';
import { createThresholdTrials } from './policy-trial/threshold-trials.ts';
import { createTrials } from './policy-trial/trials.ts';
import { createDeposits } from './sponsorship/deposits.ts';
import { createPauseSwitch } from './sponsorship/pause-switch.ts';
import { createHttpApp } from './server/app.ts';
import { type HttpListener, listen } from './http/listen.ts';
import { createDelivery } from './notifications/delivery.ts';
import { createCheckpoints } from './log/checkpoints.ts';
import type { Rollback } from './log/rollback.ts';
import { createNotifications } from './notifications/notifications.ts';
import { watchDesk } from './notifications/watch.ts';
import { createKeySigners } from './keys/key-signers.ts';
import { createKeystores } from './keys/keystores.ts';
import { createWallets } from './keys/wallets.ts';
import { requireNodeApi } from './base/node-api.ts';
import { Secret } from './base/secret.ts';
import { undoAll } from './base/undo-all.ts';
import { createDecisionFeed } from './events/decision-feed.ts';
import { followOthers } from './service/follow-others.ts';
import { measureExposure } from './service/exposure.ts';
import type { EngineOptions } from './service/engine-options.ts';
import { type Service, createService } from './service/index.ts';
import { createOutgoing } from './service/outgoing.ts';
import { createSettings } from './config/settings.ts';
import { reconcileSigners } from './signer/chain-signer.ts';
import { openOrMakeVault } from './signer/open-or-make-vault.ts';
import { openVault } from './signer/vault.ts';
import { openDeskDatabase } from './store/open-database.ts';
import { createOperatorTransactions } from './transactions/operator-transactions.ts';
import { createKeySets } from './identity/key-sets.ts';
import { createPost } from './network/http-post.ts';
import { createNames } from './network/names.ts';
import { systemNetwork } from './network/network.ts';
import { createDeliverer } from './webhooks/deliver.ts';
import { createSigningThread } from './signer/signing-thread.ts';
import { createRecentRequests } from './requests/recent-requests.ts';
import { createReceiver } from './webhooks/receiver.ts';

/** A running engine. It locks the data folder until it is stopped. */
export interface Engine {
  readonly service: Service;
  /** The older state of the database that the operator accepted, if `onRollback` is `accept`. */
  readonly accepted: Rollback | undefined;
  readonly operatorToken: Secret<string>;
  /**
   * Serves HTTP and the control socket.
   *
   * @returns the address of the HTTP interfaces
   * @throws EngineError; the reason of `stop` if it is aborted before anything is served
   */
  serve(): Promise<string>;
  /** Finishes requests in flight, flushes the database file and releases the data folder. */
  stop(): Promise<void>;
}

/**
 * Opens a data folder and starts the engine, without serving requests yet.
 *
 * @throws EngineError `DATA_FOLDER_IN_USE`, `DATA_FOLDER_UNUSABLE`, `DATABASE_TOO_NEW`, `DATABASE_TOO_OLD`,
 * `STORAGE_FAILED`, `LOG_ROLLED_BACK`, `VAULT_PASSPHRASE_WRONG` or `VAULT_DAMAGED`; nothing has then changed, and the
 * folder is unlocked
 */
export const createEngine = async (options: EngineOptions): Promise<Engine> => {
  // Loaded while other threads derive the vault's key, because this thread would otherwise be idle.
  const loadingMetrics = import('./metrics/metrics.ts');
  const { folder, log, passphrase, clock = systemClock, entropy = systemEntropy, network = systemNetwork } = options;
  const { freeBytes = freeOnDisk, openDatabase = openDeskDatabase, onRollback = 'refuse', scrypt, vaultKey } = options;
  const { stop = new AbortController().signal } = options;
  const settings = createSettings(options.config, options.configSources ?? { flags: options.config }, folder.config);
  const { config } = settings;
  const operatorToken = new Secret(Buffer.from(entropy.bytes(32)).toString('base64url'));
  requireNodeApi();
  const lock = lockDataFolder(folder.dir);
  const undo: (() => unknown)[] = [() => lock.release()];
  try {
    requireNoUnfinishedRestore(folder.dir);
    if (finishInterrupted(folder.dir)) log.warn('restore.completed');
    const place = { folder, url: config.database };
    let confirm: () => Promise<void> | undefined = () => undefined;
    const database = await openWatchedDatabase({
      folder,
      place,
      openDatabase,
      onRollback,
      freeBytes,
      confirm: () => confirm(),
      clock,
      log,
      stop,
    });
    undo.push(() => database.close());
    let endCopy = (): Promise<void> => Promise.resolve();
    // Copies what everything else has written at its end.
    undo.push(() => endCopy());
    const vault = openVault(database.vault, { entropy, ...(scrypt !== undefined && { scrypt }) });
    undo.push(() => vault.lock());
    if (passphrase !== undefined && vault.state === 'locked') await vault.unlock({ passphrase });
    const { isLeader } = database.engines;
    const feed = createDecisionFeed(database.store, isLeader);
    const { store } = feed;
    const trials = createTrials({ database: place, clock, entropy, log });
    undo.push(() => trials.stop());
    const thresholdTrials = createThresholdTrials({ database: place, clock, entropy, log });
    undo.push(() => thresholdTrials.stop());
    const checkpoints = createCheckpoints({ store, vault, clock });
    const endLog = async (): Promise<void> => {
      if ((await store.logStop()) && isLeader() && vault.state === 'unlocked') await checkpoints.sign();
    };
    undo.push(() => endLog().catch((err: unknown) => log.warn('log.end', { err })));
    await warnOfSetBack(store, clock, log);
    await store.createFirstAccount({ accountId: entropy.uuid(), name: 'Operator', createdAt: clock.now() });
    await openOrMakeVault(store, vault, { passphrase, vaultKey });
    vault.refresh();
    await reconcileSigners(store, vault);
    const metrics = (await loadingMetrics).createMetrics(clock);
    undo.push(feed.onOwn(metrics.decided));
    const names = createNames({ clock, servers: options.nameServers });
    undo.push(() => names.close());
    const post = createPost(names.resolve, network);
    const { chainTimeoutMs, settlementPollMs: everyMs } = config;
    const { webhookAllowPrivate: allowPrivate, webhookMaxConcurrent: maxConcurrent } = config;
    const chains = createChainAccess(store, vault, chainTimeoutMs, metrics.calledNode, post, clock, network.timers);
    const fees = createBelievedFees({ store, clock, log });
    undo.push(() => fees.stop());
    const guard = { resolver: names.resolve, allowPrivate, network };
    const guarded = { ...guard, clock, timeoutMs: () => config.webhookTimeoutMs };
    const webhooks = createDeliverer({ ...guarded, maxConcurrent, answered: metrics.calledWebhook });
    const signingThread = createSigningThread({ log, clock });
    undo.push(() => signingThread.end());
    const keySets = createKeySets(guarded);
    undo.push(() => keySets.close());
    const receiver = createReceiver(clock);
    undo.push(() => receiver.stop());
    const backups = createBackups({ folder, store, vault, clock, entropy, freeBytes, scrypt });
    undo.push(() => backups.stop());
    const continuousBackup = createContinuousBackup({ folder, config, store, vault, freeBytes, clock, entropy, log });
    endCopy = () => continuousBackup.stop();
    confirm = continuousBackup.confirm;
    const keystores = createKeystores({ dir: folder.keystores, clock, entropy, scrypt });
    const wallets = createWallets(clock);
    const keySigners = createKeySigners({ keystores, wallets });
    const transactions = createOperatorTransactions({ store, vault, chains, clock, entropy, keySigners });
    const rates = createRates(chains, clock);
    const afterPoll = createReceiptReader({ store, clock, rates });
    const settlement = createSettlement({ store, chains, afterPoll, clock, log, isLeader, everyMs });
    let url: string | null = null;
    const address = (): string | null => url;
    const pause = await createPauseSwitch(store, log);
    const notifications = await createNotifications({ store, isLeader, clock, entropy, log });
    undo.push(() => notifications.stop());
    const delivery = createDelivery({ notifications, store, isLeader, webhooks, vault, clock, entropy, log, address });
    const outgoing = createOutgoing({ store, notifications, isLeader, vault, clock, log, entropy, address }, guard);
    const measure = () => measureExposure({ store, chains }).then(metrics.sawTanks);
    const deskWatch = watchDesk({ notifications, store, feed, pause, vault, measure, isLeader, clock, log });
    const service = createService(
      {
        store,
        vault,
        vaultKey,
        backups,
        continuousBackup,
        keystores,
        wallets,
        keySigners,
        transactions,
        trials,
        thresholdTrials,
        chains,
        rates,
        fees,
        deposits: createDeposits(store, clock),
        webhooks,
        keySets,
        signingThread,
        clock,
        entropy,
        pause,
        checkpoints,
        notifications,
        ...outgoing,
        delivery,
        config,
        log,
        receiver,
        requests: createRecentRequests({ clock, isBlanked: () => config.blankWebhookData }),
        settings,
        folder,
        freeBytes,
        storage: database.storage,
        rollback: database.rollback,
        polledAt: (chainId) => settlement.polledAt(chainId),
        metrics,
        isLeader,
        address,
      },
      feed,
    );
    const loops = createBackgroundWork({
      store,
      chains,
      transactions,
      fees,
      checkpoints,
      continuousBackup,
      notifications,
      clock,
      log,
      isLeader,
      transactionsMs: config.settlementPollMs,
      flush: () => database.flush(),
    });
    const repeated = [...loops, settlement, deskWatch, delivery, outgoing.events, outgoing.alerts];
    undo.push(() => {
      const stopped = repeated.map((one) => one.stop());
      // After this, nothing waits for a node or a receiver that does not answer.
      chains.close();
      webhooks.close();
      return Promise.all(stopped);
    });
    undo.push(await followOthers(database.engines, { feed, pause, notifications, vault }, log));
    // Servers stop first, so that nothing new is accepted while the rest stops.
    const servers: HttpListener[] = [];
    undo.push(() => Promise.all(servers.map((server) => server.close())));
    // These stop before the servers: the servers wait for requests, and a request may wait for the next decision or for
    // the owner of a wallet.
    undo.push(() => feed.stop());
    undo.push(() => wallets.stop());
    undo.push(() => transactions.handOvers.stop());
    return {
      service,
      accepted: database.accepted,
      operatorToken,
      stop: () => undoAll(undo),
      async serve() {
        removeAbandonedFolders(log);
        await untilStopped(stop, () => continuousBackup.lead());
        const serving = { ...config, clock, log, network };
        const control = createControlApp({ service: () => service, log, entropy });
        servers.push(await listenForOwner(folder.controlSocket, control, serving));
        await store.logStart();
        continuousBackup.start();
        for (const one of repeated) one.start();
        const { consoleFolder, consoleFramedBy } = options;
        const consoleOptions = { operatorToken, consoleFolder, consoleFramedBy };
        const app = createHttpApp({ service, config, clock, entropy, log, ...consoleOptions });
        const http = await listen(app, { host: config.host, port: config.port }, serving);
        servers.push(http);
        url = http.url;
        return url;
      },
    };
  } catch (error) {
    await undoAll(undo).catch((cause: unknown) => log.error('engine.stop', { err: cause }));
    throw error;
  }
};
