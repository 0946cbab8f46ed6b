package io.sluice.spark.service;

import io.sluice.node.remote.RemoteClient;
import io.sluice.node.wire.NodeAddress;
import io.sluice.rdma.threads.DaemonThreads;
import io.sluice.rdma.threads.SafeLog;
import io.sluice.spark.conf.ApplicationId;
import io.sluice.spark.conf.ApplicationSecret;
import io.sluice.spark.conf.SparkSettings;
import io.sluice.spark.engine.ScalaLists;
import io.sluice.spark.pool.BlockRange;
import io.sluice.spark.pool.PoolEndpoint;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.ShuffleStatus;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkContext$;
import org.apache.spark.SparkEnv;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.scheduler.TaskSchedulerImpl;
import org.apache.spark.shuffle.sort.io.LocalDiskShuffleDriverComponents;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;

/**
 * The driver's side of the nodes' services. It tells them to free outputs that nobody needs any
 * more, because the executors that wrote them may be gone. It learns the services' addresses from
 * the map outputs. Services that the cluster manager tells nothing would free the outputs of an
 * application without executors, so the driver shows them the application from time to time.
 *
 * <p>Thread contract: Spark's cleaner, the thread that stops the context, and threads of its own.
 * Failure: a service that cannot be reached is logged and skipped; it frees everything when it has
 * not heard of the application for long enough. Services are told in parallel ({@link
 * ParallelCalls}), so dead hosts delay the others by one deadline at most. Spark's cleaner waits
 * for that only if it is asked to.
 */
final class ServiceDriver extends LocalDiskShuffleDriverComponents {
  private static final Logger LOG = LoggerFactory.getLogger(ServiceDriver.class);
  private static final long SHOW_PERIOD_S = 60;
  private static final String NOT_SHOWN = "The {} could not be told that {} is alive: {}";
  private static final String NOT_FREED = "The {} could not free outputs of {}: {}";

  private final SparkConf conf;
  private final Set<NodeAddress> services = new HashSet<>();
  private final ScheduledExecutorService teller =
      Executors.newSingleThreadScheduledExecutor(
          work -> DaemonThreads.create("sluice-tell-services", work));

  ServiceDriver(SparkConf conf) {
    this.conf = conf;
  }

  @Override
  public Map<String, String> initializeApplication() {
    Map<String, String> forExecutors = super.initializeApplication();
    // YARN tells NodeManagers when an application has ended.
    if (!SparkSettings.nodeService(conf).equals(Optional.of(SparkSettings.YARN_SERVICE))) {
      teller.scheduleWithFixedDelay(this::show, SHOW_PERIOD_S, SHOW_PERIOD_S, TimeUnit.SECONDS);
    }
    return forExecutors;
  }

  /** Connects to each service: proving the application's secret is all that a service waits for. */
  void show() {
    try {
      tell(servicesNow(), NOT_SHOWN, client -> {});
    } catch (RuntimeException | Error e) { // otherwise the thread would show it no more
      SafeLog.warn(LOG, "Services could not be told that {} is alive", ApplicationId.of(conf), e);
    }
  }

  private static Set<NodeAddress> servicesNow() {
    Set<NodeAddress> now = new HashSet<>();
    ScalaLists.forEach(
        tracker().shuffleStatuses().valuesIterator(), status -> now.addAll(servicesOf(status)));
    return now;
  }

  /** Outputs survive a lost executor. A reader finds out if a service lost outputs. */
  @Override
  public boolean supportsReliableStorage() {
    return true;
  }

  @Override
  public void removeShuffle(int shuffleId, boolean blocking) {
    freeInServices(shuffleId, blocking);
    super.removeShuffle(shuffleId, blocking);
  }

  /** Frees the outputs of a shuffle that services hold now, even if a service is told later. */
  void freeInServices(int shuffleId, boolean blocking) {
    Option<ShuffleStatus> status = tracker().shuffleStatuses().get(shuffleId);
    if (status.isDefined()) {
      Set<NodeAddress> ofShuffle = servicesOf(status.get());
      synchronized (this) {
        services.addAll(ofShuffle);
      }
      String prefix = BlockRange.outputsOf(shuffleId);
      long end = nextMapId(status.get());
      Runnable free =
          () -> tell(ofShuffle, NOT_FREED, client -> client.freeOutputsBelow(prefix, end));
      if (blocking) {
        free.run();
      } else {
        inTurn(free);
      }
    }
  }

  /**
   * Map task attempts have ascending numbers. A service may be told only after the shuffle was
   * computed again; outputs of attempts from this number on are then kept.
   */
  private static long nextMapId(ShuffleStatus shuffle) {
    Option<SparkContext> context = SparkContext$.MODULE$.getActive();
    if (context.isDefined()
        && context.get().taskScheduler() instanceof TaskSchedulerImpl scheduler) {
      return scheduler.nextTaskId().get();
    }
    return 1 + shuffle.withMapStatuses(ServiceDriver::lastMapId);
  }

  private static long lastMapId(MapStatus[] statuses) {
    return Stream.of(statuses)
        .filter(Objects::nonNull)
        .mapToLong(MapStatus::mapId)
        .max()
        .orElse(-1);
  }

  /** Runs it on the thread that tells services, after earlier work. */
  void inTurn(Runnable work) {
    try {
      teller.execute(
          () -> {
            try {
              work.run();
            } catch (RuntimeException | Error e) { // otherwise nothing would log it
              SafeLog.warn(LOG, "Services of {} could not be told", ApplicationId.of(conf), e);
            }
          });
    } catch (RejectedExecutionException e) {
      LOG.debug("The application has ended, and all its outputs are freed", e);
    }
  }

  @Override
  public synchronized void cleanupApplication() {
    teller.shutdownNow();
    services.addAll(servicesNow());
    tell(services, NOT_FREED, RemoteClient::applicationStopped);
    super.cleanupApplication();
  }

  private static MapOutputTrackerMaster tracker() {
    return (MapOutputTrackerMaster) SparkEnv.get().mapOutputTracker();
  }

  private static Set<NodeAddress> servicesOf(ShuffleStatus shuffle) {
    return shuffle.withMapStatuses(
        statuses -> {
          Set<NodeAddress> found = new HashSet<>();
          for (MapStatus status : statuses) {
            if (status != null) {
              PoolEndpoint.ofService(status.location()).ifPresent(found::add);
            }
          }
          return found;
        });
  }

  private interface Message {
    void tell(RemoteClient service) throws IOException;
  }

  private void tell(Set<NodeAddress> told, String failure, Message message) {
    ParallelCalls.each(told, service -> tell(service, failure, message));
  }

  private void tell(NodeAddress service, String failure, Message message) {
    long timeoutMs = SparkSettings.IO_TIMEOUT_MS.get(SparkSettings.of(conf));
    try (RemoteClient client =
        RemoteClient.connect(
            service.control(), ApplicationId.of(conf), ApplicationSecret.of(conf), timeoutMs)) {
      message.tell(client);
    } catch (IOException e) {
      LOG.warn(failure, service.name(), ApplicationId.of(conf), e.toString());
    }
  }

  /**
   * Runs a call for each of many hosts, several in parallel. Calls to dead hosts then end after
   * about one deadline together.
   *
   * <p>Thread contract: safe from any thread. Ownership: its threads end when all calls are done.
   * Failure: one of the exceptions of the calls, when all are done; after an interrupt, calls that
   * did not begin are left out.
   */
  static final class ParallelCalls {
    /** Each thread mostly waits. */
    static final int THREADS = 64;

    private static final long IDLE_MS = 1000;

    private ParallelCalls() {}

    /** Returns when all calls are done; each must have a deadline of its own. */
    static <T> void each(Collection<T> all, Consumer<T> work) {
      ThreadPoolExecutor threads = DaemonThreads.executor("sluice-services", THREADS, IDLE_MS);
      try {
        List<Future<?>> begun = new ArrayList<>();
        all.forEach(each -> begun.add(threads.submit(() -> work.accept(each))));
        ExecutionException failure = null;
        for (Future<?> each : begun) {
          try {
            each.get();
          } catch (ExecutionException e) {
            failure = e;
          }
        }
        if (failure != null) {
          throw new IllegalStateException(failure.getCause());
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        threads.shutdownNow();
      }
    }
  }
}
