package io.sluice.spark.persist;

import io.sluice.rdma.threads.DaemonThreads;
import io.sluice.spark.conf.SparkSettings;
import io.sluice.spark.metrics.Fallbacks;
import java.io.Closeable;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.internal.Logging;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.storage.DiskStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replaces an executor's disk store by a {@link SluiceDiskStore}, if the application asks for it.
 * Spark has no setting for that, so it sets the field by reflection. It does so only if this Spark
 * has the known field and the known store.
 *
 * <p>Thread contract: one thread, except for the counters. Ownership: the plugin closes it, and
 * with it the store. Failure: is counted and logged once; blocks then go to files.
 */
public final class Persistence implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(Persistence.class);

  private final Fallbacks fallbacks = new Fallbacks("Sluice leaves persisted blocks to files");
  private final Optional<SluiceDiskStore> store;

  /** Closes the store at exit: an executor may exit while Spark is stopping it. */
  private final Thread atExit = DaemonThreads.create("close-sluice-persistence", this::closeAtExit);

  private Persistence(SparkEnv env) {
    Optional<String> obstacle = obstacle(env);
    obstacle.ifPresent(fallbacks::add);
    store = obstacle.isPresent() ? Optional.empty() : install(env);
    try {
      Runtime.getRuntime().addShutdownHook(atExit);
    } catch (IllegalStateException shuttingDown) {
      return; // the process is exiting
    }
  }

  /** Replaces the store; empty if the application does not ask for it. */
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
        : Optional.of(present.getName() + " has replaced Spark's disk store already");
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

  /** The store that replaced Spark's; empty if it could not be replaced. */
  public Optional<SluiceDiskStore> store() {
    return store;
  }

  /** Number of blocks left to files, by reason. */
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
      LOG.warn(
          "The pool of persisted blocks could not be removed; the next executor to start removes it",
          e);
    }
  }

  /**
   * Checks that Spark's disk store has exactly the methods that {@link SluiceDiskStore} overrides.
   * The class is not public, and a release may change it. A method that is not overridden would
   * look for files that do not exist.
   */
  static final class DiskStoreShape {
    static final String FIELD = "diskStore";

    private static final Set<String> METHODS =
        Set.of(
            "contains(BlockId)",
            "getBytes(BlockId)",
            "getBytes(File,long)",
            "getSize(BlockId)",
            "moveFileToBlock(File,long,BlockId)",
            "put(BlockId,Function1)",
            "putBytes(BlockId,ChunkedByteBuffer)",
            "remove(BlockId)");

    private DiskStoreShape() {}

    /** The first difference from what is expected; empty if there is none. */
    static Optional<String> difference(Class<?> blockManager, Class<?> diskStore) {
      try {
        Field field = blockManager.getDeclaredField(FIELD);
        if (field.getType() != diskStore || Modifier.isStatic(field.getModifiers())) {
          return Optional.of(field + " is not what it was");
        }
      } catch (NoSuchFieldException e) {
        return Optional.of(blockManager.getName() + " has no field " + FIELD);
      }
      Set<String> found = methods(diskStore);
      return found.equals(METHODS)
          ? Optional.empty()
          : Optional.of(diskStore.getName() + " has " + found + ", expected " + METHODS);
    }

    /** The public methods, without those of Spark's logging and of the compiler. */
    private static Set<String> methods(Class<?> diskStore) {
      Set<String> logging =
          Arrays.stream(Logging.class.getMethods())
              .map(Method::getName)
              .collect(Collectors.toSet());
      return Arrays.stream(diskStore.getDeclaredMethods())
          .filter(method -> Modifier.isPublic(method.getModifiers()) && !method.isSynthetic())
          .filter(method -> !logging.contains(method.getName()) && !method.getName().contains("$"))
          .map(
              method ->
                  Arrays.stream(method.getParameterTypes())
                      .map(Class::getSimpleName)
                      .collect(Collectors.joining(",", method.getName() + "(", ")")))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }
}
