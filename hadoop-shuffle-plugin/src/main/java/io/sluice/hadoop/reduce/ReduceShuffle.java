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
import io.sluice.mapreduce.stage.DiskStage;
import io.sluice.mapreduce.stage.StageArea;
import io.sluice.node.client.NodeReader;
import io.sluice.node.client.NodeReader.LocalPool;
import io.sluice.node.client.ReadStats;
import io.sluice.node.client.Transports;
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
import io.sluice.spill.cipher.OutputKey;
import io.sluice.spill.cipher.ShuffleKey;
import io.sluice.spill.cipher.ShuffleKey.CipherStats;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.medium.MediumChooser;
import io.sluice.spill.memory.Borrower;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.crypto.SecretKey;
import org.apache.hadoop.fs.LocalDirAllocator;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskStatus;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.TaskType;
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

  /** The windows of one transport get this part of direct memory; there may be two transports. */
  private static final int DIRECT_SHARE = 4;

  /** Stock's fetchers create these counters, so every job shows them; Sluice counts none there. */
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
  private MapOutputGathering gathering;
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
      gathering = new MapOutputGathering(context, reader, stage, failureReports);
      gathering.run();
      stage.trim();
      context.getCopyPhase().complete();
      context.getStatus().setPhase(TaskStatus.Phase.SORT);
      context.getReduceTask().statusUpdate(context.getUmbilical());
      records =
          ReducerInput.merge(
              context,
              gathering.takeRuns(),
              reader,
              stage,
              new MergeMemory(context.getCodec(), job, key != null, room.reduceMemory(codec)),
              failureReports);
      return records;
    } catch (IOException | InterruptedException | RuntimeException | Error e) {
      Closer.after(e, this::close);
      throw e;
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
    boolean mayFallBack = fallback != FallbackPolicy.NEVER;
    List<TransportProvider> providers = chooser.reading(transport, mayFallBack);
    long budgetBytes = budgetBytes(providers.size());
    int mostNodes = Transports.mostNodes(providers);
    ReduceWindows windows = ReduceWindows.of(budgetBytes, job.getNumMapTasks(), mostNodes);
    LocalPool localPool = null;
    try {
      NodeMetadata found = NodeMetadata.find(environment);
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
    if (!mayFallBack) {
      transports.oneForEachNode();
    }
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
        room.reduceExtentBytes(MapOutputGathering.fetchers(job)),
        room.stageWindowBytes(windows.count()),
        stageKey);
  }

  /** Memory for the windows of each of so many transports. */
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

  /**
   * Closes it after a reduce that has succeeded. A failure is logged only: the end of this process
   * gives everything back, too.
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
    MapOutputGathering closingGathering = gathering;
    RawKeyValueIterator closingRecords = records;
    Closeable closingMerge = closingRecords == null ? null : closingRecords::close;
    key = null;
    stageKey = null;
    node = null;
    stage = null;
    received = null;
    reader = null;
    gathering = null;
    records = null;
    // Last opened, first closed: the merge reads through the reader and stages on the node.
    try (closingKey;
        closingStageKey;
        closingNode;
        closingReader;
        closingStage;
        closingReceived;
        closingGathering;
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
}
