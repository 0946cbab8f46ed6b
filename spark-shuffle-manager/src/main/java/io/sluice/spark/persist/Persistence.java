package io.sluice.spark.persist;

import io.sluice.rdma.threads.DaemonThreads;
import io.sluice.spark.conf.SparkSettings;
import io.sluice.spark.metrics.Fallbacks;
import java.io.Closeable;
import java.io.IOException;
import java.lang.reflect.Field;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.storage.DiskStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts a {@link SluiceDiskStore} in the place of an executor's disk store, if the application asks
 * for it. Spark has no setting for that: the field is set by reflection, if this Spark has it and
 * the store as they are known, and left alone otherwise.
 *
 * <p>Thread contract: one thread, but for the counts. Ownership: whoever starts it closes it, and
 * with it the store. Failure: is counted and said once; blocks go to files then, as without it.
 */
public final class Persistence implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(Persistence.class);

  private final Fallbacks fallbacks = new Fallbacks("Sluice leaves persisted blocks to files");
  private final Optional<SluiceDiskStore> store;

  /** An executor may exit in the middle of its being stopped, which nobody waits for then. */
  private final Thread atExit = DaemonThreads.create("close-sluice-persistence", this::closeAtExit);

  private Persistence(SparkEnv env) {
    Optional<String> obstacle = obstacle(env);
    obstacle.ifPresent(fallbacks::add);
    store = obstacle.isPresent() ? Optional.empty() : install(env);
    try {
      Runtime.getRuntime().addShutdownHook(atExit);
    } catch (IllegalStateException shuttingDown) {
      return; // nothing is persisted any more
    }
  }

  /** Starts it; empty if the application does not ask for it. */
  public static Optional<Persistence> start(SparkEnv env) {
    return SparkSettings.PERSISTENCE_ENABLED.get(SparkSettings.of(env.conf()))
        ? Optional.of(new Persistence(env))
        : Optional.empty();
  }

  private static Optional<String> obstacle(SparkEnv env) {
    SparkConf conf = env.conf();
    if (conf.getBoolean("spark.shuffle.service.enabled", false)
        && conf.getBoolean("spark.shuffle.service.fetch.rdd.enabled", false)) {
      return Optional.of(
          "spark.shuffle.service.fetch.rdd.enabled is on, and that service serves files only");
    }
    Class<?> present = env.blockManager().diskStore().getClass();
    return present == DiskStore.class
        ? DiskStoreShape.difference(BlockManager.class, DiskStore.class)
        : Optional.of(present.getName() + " is in the place of Spark's disk store already");
  }

  private Optional<SluiceDiskStore> install(SparkEnv env) {
    BlockManager blockManager = env.blockManager();
    SluiceDiskStore ours =
        new SluiceDiskStore(
            env.conf(),
            blockManager.diskBlockManager(),
            env.securityManager(),
            blockManager.diskStore(),
            env.executorId(),
            fallbacks);
    try {
      Field field = BlockManager.class.getDeclaredField(DiskStoreShape.FIELD);
      field.setAccessible(true);
      field.set(blockManager, ours);
    } catch (ReflectiveOperationException | RuntimeException e) {
      fallbacks.add("Spark's disk store cannot be replaced: " + e);
      return Optional.empty();
    }
    LOG.info("Sluice keeps the persisted blocks of executor {}", env.executorId());
    return Optional.of(ours);
  }

  /** What stands in the place of Spark's store; empty if that could not be done. */
  public Optional<SluiceDiskStore> store() {
    return store;
  }

  /** How often something was left to files, by reason. */
  public Map<String, Long> fallbacks() {
    return fallbacks.counts();
  }

  @Override
  public void close() throws IOException {
    closeStore();
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException alreadyShuttingDown) {
      return; // the hook finds the store closed
    }
  }

  private void closeStore() throws IOException {
    if (store.isPresent()) {
      store.get().close();
    }
  }

  private void closeAtExit() {
    try {
      closeStore();
    } catch (IOException e) {
      LOG.warn("The pool of persisted blocks could not be removed; the next one does it", e);
    }
  }
}
