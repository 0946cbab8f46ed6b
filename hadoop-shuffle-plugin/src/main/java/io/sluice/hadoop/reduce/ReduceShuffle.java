package io.sluice.hadoop.reduce;

import io.sluice.hadoop.SluiceCounter;
import io.sluice.hadoop.conf.JobSettings;
import io.sluice.hadoop.conf.UnknownSettings;
import io.sluice.hadoop.entry.FallbackPolicy;
import io.sluice.hadoop.task.ContainerRoom;
import io.sluice.hadoop.task.JobEncryption;
import io.sluice.hadoop.task.NodeLink;
import io.sluice.mapreduce.id.TaskNames;
import io.sluice.mapreduce.merge.CodecMemory;
import io.sluice.mapreduce.merge.MergeMemory;
import io.sluice.mapreduce.merge.MergedRecords;
import io.sluice.mapreduce.order.KeyOrders;
import io.sluice.mapreduce.reduce.MergeRun;
import io.sluice.mapreduce.reduce.ReduceMerge;
import io.sluice.mapreduce.stage.DiskStage;
import io.sluice.mapreduce.stage.StageArea;
import io.sluice.node.client.LocalPool;
import io.sluice.node.client.NodeReader;
import io.sluice.node.client.ReadStats;
import io.sluice.node.client.Transports;
import io.sluice.node.socket.ServiceAnnouncement;
import io.sluice.node.socket.SocketClient;
import io.sluice.node.wire.NodeMetadata;
import io.sluice.node.wire.ServiceAddress;
import io.sluice.node.wire.Timeouts;
import io.sluice.rdma.TransportChooser;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.memory.DirectMemory;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportNames;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.spill.cipher.CipherStats;
import io.sluice.spill.cipher.OutputKey;
import io.sluice.spill.cipher.ShuffleKey;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.medium.MediumChooser;
import io.sluice.spill.memory.Borrower;
import io.sluice.spill.merge.KWayMerge;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.security.PrivilegedAction;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import javax.crypto.SecretKey;
import org.apache.hadoop.fs.LocalDirAllocator;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskStatus;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.Progress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One reduce task's shuffle: gathers the runs of its partition from every map, then hands their
 * merge to the reducer, which pulls the bytes as it goes.
 *
 * <p>Thread contract: {@link #run} and what it returns belong to the task's thread; fetchers and
 * the poller are its own threads and gone when it returns. Ownership: the consumer plugin closes
 * it. Failure: {@link IOException} when the shuffle is hopeless, as stock's policy defines it.
 */
final class ReduceShuffle {
  private static final Logger LOG = LoggerFactory.getLogger(ReduceShuffle.class);

  private static final long PROGRESS_PERIOD_MS = 1000;
  private static final long JOIN_TIMEOUT_MS = 5_000;

  /** The part of direct memory that the windows of one transport may have; there may be two. */
  private static final int DIRECT_SHARE = 4;

  /** Created by stock's fetchers, so that every job shows them; ours has none of its own there. */
  private static final String[] STOCK_ERRORS = {
    "BAD_ID", "CONNECTION", "IO_ERROR", "WRONG_LENGTH", "WRONG_MAP", "WRONG_REDUCE"
  };

  private final ShuffleConsumerPlugin.Context<?, ?> context;
  private final Map<String, String> environment;
  private final JobConf job;
  private final FallbackPolicy fallback;
  private final TaskAttemptID reduce;
  private final ContainerRoom room;
  private final CodecMemory codec;
  private ShuffleKey key;
  private OutputKey stageKey;
  private SocketClient node;
  private ReceivedMemory received; // null where there is no pool
  private StageArea stage;
  private NodeReader reader;
  private StockFetch stock;
  private FetchSchedule schedule;
  private RawKeyValueIterator records;
  private final FailureReports failureReports;

  /**
   * Nothing is opened yet.
   *
   * @param environment of the container, which says whether this node has a service
   */
  ReduceShuffle(ShuffleConsumerPlugin.Context<?, ?> context, Map<String, String> environment) {
    this.context = context;
    this.environment = environment;
    this.job = context.getJobConf();
    this.fallback = FallbackPolicy.of(job);
    this.reduce = (TaskAttemptID) context.getReduceId();
    this.room = ContainerRoom.of(environment, job, TaskType.REDUCE);
    this.codec = CodecMemory.of(context.getCodec(), job);
    this.failureReports = new FailureReports(context.getUmbilical(), reduce, context.getStatus());
  }

  RawKeyValueIterator run() throws IOException, InterruptedException {
    for (String error : STOCK_ERRORS) {
      context.getReporter().getCounter("Shuffle Errors", error).increment(0);
    }
    try {
      open();
      gather();
      stage.trim();
      context.getCopyPhase().complete();
      context.getStatus().setPhase(TaskStatus.Phase.SORT);
      context.getReduceTask().statusUpdate(context.getUmbilical());
      int shuffledMaps = schedule.shuffledMaps();
      List<MergeRun> runs = schedule.takeAll();
      count(shuffledMaps, runs);
      LostOutputs lostOutputs =
          new LostOutputs(
              runs,
              context.getReporter(),
              new MergeLosses(),
              (address, outputId) ->
                  reader.isDamaged(address, reduce.getTaskID().getId(), outputId));
      records =
          new ReportingRecords(
              new MergedRecords(merge(runs, lostOutputs), new Progress()), lostOutputs);
      return records;
    } catch (IOException | InterruptedException | RuntimeException | Error e) {
      closeAfter(e);
      throw e;
    }
  }

  private KWayMerge merge(List<MergeRun> runs, LostOutputs lostOutputs) throws IOException {
    MergeMemory memory =
        new MergeMemory(context.getCodec(), job, key != null, room.reduceMemory(codec));
    ReduceMerge merge =
        new ReduceMerge(
            new NodeWindows(reader),
            stage,
            context.getCodec(),
            KeyOrders.of(job),
            context.getReporter(),
            memory);
    try {
      return merge.merge(runs);
    } catch (IOException e) {
      throw lostOutputs.report(e); // a round of merging reads whole outputs
    } finally {
      SluiceCounter.MERGE_ROUNDS.add(context.getReporter(), merge.rounds());
    }
  }

  private void open() throws IOException {
    UnknownSettings.warn(job);
    SecretKey secret = context.getReduceTask().getShuffleSecret();
    Timeouts timeouts = JobSettings.timeouts(job);
    key = JobEncryption.keyOf(job, context.getReduceTask());
    stageKey = key == null ? null : key.newScratch();
    TransportChooser chooser = TransportChooser.standard();
    TransportChooser.Choice transport = transport(chooser);
    List<TransportProvider> providers =
        fallback == FallbackPolicy.NEVER
            ? List.of(transport.provider())
            : chooser.withFallbacks(transport);
    long budgetBytes = budgetBytes(providers.size());
    int mostNodes = Transports.mostNodes(providers);
    ReduceWindows windows = ReduceWindows.of(budgetBytes, job.getNumMapTasks(), mostNodes);
    LocalPool localPool = null;
    try {
      NodeMetadata found = ServiceAnnouncement.find(environment);
      ServiceAddress service = found.address();
      node =
          NodeLink.connect(
              found,
              reduce.getJobID(),
              Borrower.reduce(TaskNames.attempt(reduce)),
              secret,
              timeouts);
      localPool = new LocalPool(node.info().poolId(), node.places(), node.opener());
      Medium medium = MediumChooser.choose(service.medium(), localPool.places()).medium();
      received = new ReceivedMemory(node);
      stage = stage(medium, windows);
    } catch (IOException e) {
      LOG.info("This reduce has no pool on its own node and stages on disk: {}", ErrorText.of(e));
      stage =
          new DiskStage(
              job,
              ((LocalFileSystem) context.getLocalFS()).getRaw(),
              new LocalDirAllocator(MRConfig.LOCAL_DIR),
              TaskNames.attempt(reduce),
              stageKey);
    }
    Transports transports =
        new Transports(providers, windows.windowBytes(), budgetBytes, mostNodes);
    reader =
        new NodeReader(
            TaskNames.application(reduce.getJobID()),
            NodeLink.jobSecret(secret),
            transports,
            localPool,
            key,
            timeouts);
    LOG.info(
        "Reading map outputs through Sluice, {}; {} windows of {} KiB; {}",
        transport.reason(),
        transports.windowCount(),
        windows.windowBytes() >> 10,
        JobEncryption.describe(job, key));
  }

  /** In the pool of this node. */
  private StageArea stage(Medium medium, ReduceWindows windows) {
    return received.stage(
        medium,
        room.reduceExtentBytes(fetchers()),
        room.stageWindowBytes(windows.count()),
        stageKey);
  }

  /** For the windows of one of so many transports. */
  private long budgetBytes(int transports) {
    int settingMb = JobSettings.REDUCE_BUFFER_MB.get(job::getTrimmed);
    long roomBytes = room.windowsBytes(codec, transports);
    if (roomBytes >> 20 < settingMb) {
      LOG.info(
          "Windows have {} MiB at most instead of the {} MiB of {}: they lie outside the heap, and"
              + " the container has {} MiB",
          roomBytes >> 20,
          settingMb,
          JobSettings.REDUCE_BUFFER_MB.name(),
          job.getMemoryRequired(TaskType.REDUCE));
    }
    return Math.min(
        Math.min((long) settingMb << 20, roomBytes), DirectMemory.limitBytes() / DIRECT_SHARE);
  }

  /** The job's choice; TCP where this host lacks it and the job has not ruled that out. */
  private TransportChooser.Choice transport(TransportChooser chooser) throws TransportException {
    String wanted = JobSettings.TRANSPORT.get(job::getTrimmed);
    try {
      return chooser.choose(wanted);
    } catch (TransportException e) {
      if (fallback == FallbackPolicy.NEVER) {
        throw e;
      }
      LOG.warn(
          "Reading map outputs over {} instead of {}: {}",
          TransportNames.TCP,
          wanted,
          e.getMessage());
      SluiceCounter.FALLBACK_TRANSPORT.add(context.getReporter(), 1);
      return chooser.choose(TransportNames.TCP);
    }
  }

  /** Waits until every map's output is located or staged. */
  private void gather() throws IOException, InterruptedException {
    FetchPolicy policy =
        isFirstOfMany() ? FetchPolicy.of(job).ofFirstAttempt() : FetchPolicy.of(job);
    schedule =
        new FetchSchedule(
            job.getNumMapTasks(), policy, new Listener(), System::nanoTime, new Random());
    List<Thread> threads = new ArrayList<>();
    try {
      startAll(threads, policy);
      while (!schedule.awaitDone(PROGRESS_PERIOD_MS)) {
        throwIfFailed();
        context.getReporter().progress();
        closeWithdrawn();
        failureReports.send();
      }
      throwIfFailed();
    } finally {
      schedule.end();
      // Only the poller sleeps; an interrupt in a fetcher would close the files it reads from.
      threads.stream().limit(1).forEach(Thread::interrupt);
      join(threads);
    }
    closeWithdrawn();
    failureReports.send();
  }

  /** Whether another attempt of this reduce, on another host perhaps, may do what it cannot. */
  private boolean isFirstOfMany() {
    return reduce.getId() == 0 && job.getMaxReduceAttempts() > 1;
  }

  private void closeWithdrawn() throws IOException {
    Closer.all(schedule.takeWithdrawn());
  }

  /** The next attempt depends on what this one has found, so that is sent first. */
  private void throwIfFailed() throws IOException, InterruptedException {
    try {
      schedule.throwIfFailed();
    } catch (IOException e) {
      try {
        failureReports.send();
      } catch (IOException unsent) {
        e.addSuppressed(unsent);
      }
      throw e;
    }
  }

  private void startAll(List<Thread> threads, FetchPolicy policy) throws IOException {
    threads.add(
        start(
            "sluice-completion-poller",
            new CompletionPoller(
                context.getUmbilical(),
                reduce,
                job.getNumReduceTasks(),
                schedule,
                System::nanoTime,
                Thread::sleep)));
    stock = new StockFetch(job, context.getReduceTask().getShuffleSecret());
    long restartMs = JobSettings.timeouts(job).restartMs();
    FetchLog notes = new FetchLog(context.getReporter(), System::nanoTime, restartMs);
    HostFetcher.Settings settings =
        new HostFetcher.Settings(
            reduce.getTaskID().getId(),
            context.getCodec(),
            fallback,
            new ServicePorts(JobSettings.PORT_OFFSET.get(job::getTrimmed)),
            policy,
            restartMs,
            reader.windowCount() / Math.max(1, job.getNumMapTasks()),
            !isFirstOfMany());
    int fetchers = fetchers();
    for (int i = 0; i < fetchers; i++) {
      threads.add(
          start(
              "sluice-fetcher-" + i,
              new HostFetcher(schedule, notes, reader, stock, stage, settings)));
    }
  }

  private int fetchers() {
    return Math.max(1, job.getInt(MRJobConfig.SHUFFLE_PARALLEL_COPIES, 5));
  }

  /** A fetcher may be waiting for a node whose outputs nobody needs any more. */
  private static void join(List<Thread> threads) throws InterruptedException {
    long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(JOIN_TIMEOUT_MS);
    for (Thread thread : threads) {
      thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime())));
      if (thread.isAlive()) {
        LOG.warn(
            "{} has not ended within {} ms; what it still brings is discarded",
            thread.getName(),
            JOIN_TIMEOUT_MS);
      }
    }
  }

  private static Thread start(String name, Runnable body) throws IOException {
    // Newer JDKs do not hand the caller's identity to new threads.
    UserGroupInformation user = UserGroupInformation.getCurrentUser();
    Thread thread =
        new Thread(
            () ->
                user.doAs(
                    (PrivilegedAction<Void>)
                        () -> {
                          body.run();
                          return null;
                        }),
            name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private void count(int shuffledMaps, List<MergeRun> runs) {
    context.getShuffledMapsCounter().increment(shuffledMaps);
    context.getMergedMapOutputsCounter().increment(shuffledMaps);
    context.getReduceShuffleBytes().increment(runs.stream().mapToLong(MergeRun::lengthBytes).sum());
  }

  /** What the schedule says goes to the ApplicationMaster and into the counters. */
  private final class Listener implements FetchSchedule.Listener {
    @Override
    public void reportFetchFailure(TaskAttemptID map) {
      failureReports.add(map); // sent by the thread that may wait
    }

    @Override
    public void fetchFailed() {
      context.getFailedShuffleCounter().increment(1);
    }

    @Override
    public void progress(int doneMaps, int totalMaps) {
      context.getCopyPhase().set((float) doneMaps / totalMaps);
      context.getStatus().setStateString(doneMaps + " / " + totalMaps + " copied.");
    }
  }

  /** What the merge finds goes to the ApplicationMaster before this attempt ends. */
  private final class MergeLosses implements LostOutputs.Report {
    @Override
    public void outputForged() {
      SluiceCounter.FORGED_RUNS.add(context.getReporter(), 1);
    }

    @Override
    public void outputUnreadable(TaskAttemptID map) throws IOException {
      failureReports.add(map);
      context.getFailedShuffleCounter().increment(1);
      try {
        failureReports.send();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("interrupted while lost map outputs were reported");
      }
    }
  }

  /**
   * Closes it after a reduce that has succeeded. What cannot be given back then is in the log and
   * fails nothing: the end of this process gives it back, too.
   */
  void closeFinished() {
    if (node != null) {
      node.stopReconnecting(); // a node that is down is not waited for
    }
    try {
      close();
    } catch (IOException | RuntimeException e) {
      LOG.warn("The shuffle of {} did not close cleanly after its reduce had ended", reduce, e);
    }
  }

  void close() throws IOException {
    countReads();
    ShuffleKey closingKey = key;
    OutputKey closingStageKey = stageKey;
    SocketClient closingNode = node;
    StageArea closingStage = stage;
    ReceivedMemory closingReceived = received;
    NodeReader closingReader = reader;
    StockFetch closingStock = stock;
    FetchSchedule closingSchedule = schedule;
    RawKeyValueIterator closingRecords = records;
    Closeable closingMerge = closingRecords == null ? null : closingRecords::close;
    key = null;
    stageKey = null;
    node = null;
    stage = null;
    received = null;
    reader = null;
    stock = null;
    schedule = null;
    records = null;
    // From the last to the first: the merge reads through the reader and stages on the node.
    try (closingKey;
        closingStageKey;
        closingNode;
        closingReader;
        closingStock;
        closingStage;
        closingReceived;
        closingSchedule;
        closingMerge) {
      LOG.debug("Closing the shuffle of {}", reduce);
    }
  }

  private void countReads() {
    if (reader == null) {
      return;
    }
    ReadStats stats = reader.stats();
    SluiceCounter.READ_BYTES_LOCAL.add(context.getReporter(), stats.bytes(ReadStats.LOCAL));
    for (String transport : TransportNames.BEST_FIRST) {
      SluiceCounter.valueOf("READ_BYTES_" + transport.toUpperCase(Locale.ROOT))
          .add(context.getReporter(), stats.bytes(transport));
    }
    SluiceCounter.BOUNCED_BYTES.add(context.getReporter(), stats.bouncedBytes());
    SluiceCounter.FALLBACK_TRANSPORT.add(context.getReporter(), stats.transportFallbacks());
    SluiceCounter.FALLBACK_BOUNCE_BUSY.add(context.getReporter(), stats.bounceRefusals());
    SluiceCounter.FALLBACK_NODE_BUSY.add(context.getReporter(), stats.nodeRefusals());
    SluiceCounter.STAGED_BYTES_MEMORY.add(context.getReporter(), stage.memoryBytes());
    SluiceCounter.STAGED_BYTES_DISK.add(context.getReporter(), stage.diskBytes());
    if (key != null) {
      CipherStats cipher = key.stats();
      SluiceCounter.ENCRYPTED_BYTES.add(context.getReporter(), cipher.encryptedBytes());
      SluiceCounter.DECRYPTED_BYTES.add(context.getReporter(), cipher.decryptedBytes());
      SluiceCounter.CRYPTO_MS.add(context.getReporter(), cipher.ms());
    }
    LOG.info(
        "Read by way: {}, {} bytes of it through bounce buffers, {} retries",
        stats.bytesByWay(),
        stats.bouncedBytes(),
        stats.retries());
  }

  private void closeAfter(Throwable failure) {
    try {
      close();
    } catch (IOException | RuntimeException e) {
      failure.addSuppressed(e);
    }
  }
}
