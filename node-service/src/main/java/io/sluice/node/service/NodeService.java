package io.sluice.node.service;

import io.sluice.node.ledger.GrantTerms;
import io.sluice.node.memory.MemoryManager;
import io.sluice.node.memory.MemorySnapshot;
import io.sluice.node.probe.ProbeRegion;
import io.sluice.node.remote.AuthenticatedReader;
import io.sluice.node.remote.LongRunLocations;
import io.sluice.node.remote.OutputLocations;
import io.sluice.node.remote.PartitionRange;
import io.sluice.node.remote.ProbeOffer;
import io.sluice.node.remote.RemoteBackend;
import io.sluice.node.remote.RemoteServer;
import io.sluice.node.socket.DiscoveryFile;
import io.sluice.node.socket.LeaseRecords;
import io.sluice.node.socket.RefusalKind;
import io.sluice.node.socket.Refusals;
import io.sluice.node.socket.ServedUsers;
import io.sluice.node.socket.SocketServer;
import io.sluice.node.wire.HeapBudget;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.NodeMetadata;
import io.sluice.node.wire.PortConflict;
import io.sluice.node.wire.ServiceAddress;
import io.sluice.rdma.memory.Mapping;
import io.sluice.rdma.transport.ConnectionCounters;
import io.sluice.rdma.transport.TransportCounters;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.spill.disk.DeviceStats;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.medium.PoolKind;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.PoolPaths;
import io.sluice.spill.segment.PoolVisibility;
import io.sluice.spill.segment.Range;
import io.sluice.spill.store.ApplicationUse;
import io.sluice.spill.store.CommittedOutput;
import io.sluice.spill.store.ExistingPool;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.OutputReads;
import io.sluice.spill.store.SegmentHandle;
import io.sluice.spill.store.SpillStore;
import io.sluice.spill.store.StoreConfig;
import io.sluice.spill.store.StoreStats;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The owner of a node's pool: lends extents to the node's tasks, keeps what they commit, and serves
 * it to readers anywhere until the application ends.
 *
 * <p>Thread contract: safe from any thread. Ownership: whoever started it closes it; outputs stay
 * in the pool, for a successor that is started with {@code recover}. Failure: {@link
 * ServiceBuilder#start} throws and leaves nothing open; a transport that cannot listen is left out,
 * with a line in the log.
 */
public final class NodeService implements Closeable, RemoteBackend {
  private static final Logger LOG = LoggerFactory.getLogger(NodeService.class);
  private static final String APPLICATIONS_NAME = "applications";

  private final Deque<Closeable> open = new ArrayDeque<>();
  private final Map<String, OwnerEndpoints> endpoints = new LinkedHashMap<>();
  private final BounceTransports bounce;
  private final ProbeRegion probeRegion;
  private final SegmentRegistrar registrar;
  private final ApplicationRegistry applications;
  private final TaskAdmission admission;
  private final Refusals refusals = new Refusals();
  private final Owner own;
  private final HeapBudget readersHeap;
  private final HeapBudget tasksHeap;
  private final ServiceMemory nodeMemory;
  private final boolean shared;
  private final MemoryManager memory;
  private final SpillStore store;
  private final Medium medium;
  private final HeldRuns heldRuns;
  private final OutputReads reads;
  private final SocketServer localServer; // null: all who write are in this process
  private final RemoteServer remoteServer;
  private final NodeMetadata metadata;
  private final boolean inlines;
  private final LongAdder inlinedBytes = new LongAdder();
  private final DiscoveryFile removedSocket;
  private final DiscoveryFile removedPool;

  /** Starts a service on a pool that no other one uses. */
  static NodeService start(NodeServiceConfig config) throws IOException {
    return new NodeService(config);
  }

  private NodeService(NodeServiceConfig config) throws IOException {
    try {
      InetSocketAddress control = new InetSocketAddress(config.bindAddress(), config.controlPort());
      RemoteServer.checkFree(control); // first: a pool is not emptied for a start that fails
      nodeMemory = config.memory();
      // Else the bytes would go another way than the administrator has said.
      inlines = config.dataAddress().equals(config.bindAddress());
      listen(config);
      probeRegion = ProbeRegion.open(probed(config), config.dataAddress(), config.probePort());
      open.push(probeRegion);
      bounce = new BounceTransports(endpoints, config.bounce());
      registrar = new SegmentRegistrar(endpoints, bounce);
      open.addLast(registrar.open()::removeAll);
      open.addLast(bounce::close);
      Path applicationsDirectory = config.directory().resolve(APPLICATIONS_NAME);
      StoreConfig.Builder storeConfig = config.store().segmentListener(registrar);
      RegistryBackup copies = openCopies(config.applicationCopies());
      if (copies != null && config.recover()) {
        ApplicationRegistry.restore(applicationsDirectory, copies);
      }
      Set<String> known = ApplicationRegistry.known(applicationsDirectory);
      if (config.recover()) {
        // Tasks of these may have outlived the service and still write to what they had leased.
        storeConfig.recover(known);
        ExistingPool.segmentBytes(storeConfig.directory()).ifPresent(storeConfig::recoverSegments);
        Map<String, Owner> former = ApplicationRegistry.owners(applicationsDirectory);
        storeConfig.applicationOwners(id -> Optional.ofNullable(former.get(id)));
      }
      Path socket = ServiceAddress.socketIn(config.directory());
      if (!config.recover() && PoolKind.of(storeConfig.directory()) == PoolKind.DEVICE) {
        LeaseRecords.refuseWhileTasksWrite(socket, storeConfig.directory());
      }
      LeaseRecords leases = LeaseRecords.open(socket, config.recover());
      memory = new MemoryManager(GrantTerms.DEFAULT, storeConfig.usableMemoryBytes());
      StoreConfig built = storeConfig.formerLeases(leases).memoryKeeper(memory).build();
      medium = built.medium();
      store = SpillStore.open(built);
      heldRuns =
          new HeldRuns(store::find, registrar::location, store::isQuiet, store::replaceByCopy);
      reads = new OutputReads(store::find);
      open.addLast(this::closeStore); // closed last: endpoints serve from its mappings
      applications = ApplicationRegistry.open(applicationsDirectory, config.recover(), copies);
      freeUnknown(known);
      if (!built.diskDirectories().isEmpty()) {
        memory.moveOutputsOf(store);
      }
      if (built.copiesOutputs()) {
        memory.outputsHaveCopies();
      }
      if (config.lendsToSort()) {
        memory.lendToSort();
      }
      own = Owner.ofThisProcess();
      admission = new TaskAdmission(new ApplicationOwners(own, config.users()), applications);
      shared = config.users() != null;
      readersHeap = HeapBudget.ofReaders(shared);
      tasksHeap = HeapBudget.ofTasks(shared);
      ServedUsers served = shared ? ServedUsers.ALL : ServedUsers.OWN;
      localServer =
          built.use() == PoolVisibility.PRIVATE
              ? null
              : SocketServer.start(
                  store,
                  leases,
                  memory,
                  tasksHeap,
                  admission,
                  socket,
                  served,
                  refusals,
                  config.limits());
      if (localServer != null) {
        open.push(localServer::close);
      }
      open.push(memory::close); // else a task that waits for memory keeps the server open
      open.push(store::quiesce); // closed before the tasks' connections, which must not free leases
      remoteServer = RemoteServer.start(this, control, refusals, config.limits());
      open.push(remoteServer::close);
      metadata =
          NodeMetadata.running(
              own, store.poolId(), socket, built.directory(), remoteServer.port(), medium.name());
      removedSocket =
          new DiscoveryFile(
              socket + ", at which tasks connect",
              "Tasks use the stock shuffle until that is mended; if its directory is gone, restart"
                  + " the NodeManager, or this service where it runs by itself");
      removedPool =
          new DiscoveryFile(
              built.directory() + ", in which the pool lies",
              "Tasks cannot use it; restart the NodeManager, or this service where it runs by"
                  + " itself");
    } catch (IOException | RuntimeException | Error e) {
      closeAfter(e);
      throw e;
    }
  }

  /** Null where none are wanted, or that directory does not work: nothing else depends on it. */
  private RegistryBackup openCopies(Path directory) {
    if (directory == null) {
      return null;
    }
    try {
      RegistryBackup copies = RegistryBackup.open(directory);
      open.addLast(copies);
      return copies;
    } catch (IOException e) {
      LOG.warn("Outputs will not outlive the loss of the memory", e);
      return null;
    }
  }

  private static List<TransportProvider> probed(NodeServiceConfig config) {
    return config.transports().stream()
        .filter(
            provider ->
                config.probes() == Probes.ALL
                    || (config.probes() == Probes.CONFINED && provider.isConfined()))
        .toList();
  }

  private void listen(NodeServiceConfig config) throws IOException {
    List<TransportException> causes = new ArrayList<>();
    int port = config.controlPort();
    for (TransportProvider provider : config.transports()) {
      port = config.controlPort() == 0 ? 0 : port + 1;
      try {
        OwnerEndpoints opened =
            OwnerEndpoints.open(
                provider,
                new InetSocketAddress(config.dataAddress(), port),
                config.limits(),
                config.users() != null);
        endpoints.put(provider.name(), opened);
        open.push(opened::close);
      } catch (TransportException e) {
        if (config.needsAllPorts() && config.controlPort() != 0 && PortConflict.isCauseOf(e)) {
          throw e;
        }
        LOG.warn("Not serving over {}: {}", provider.name(), e.getMessage());
        causes.add(e);
      }
    }
    if (endpoints.isEmpty()) {
      IOException none =
          new IOException(
              "no transport can listen: " + causes.stream().map(Throwable::getMessage).toList());
      causes.forEach(none::addSuppressed);
      throw none;
    }
  }

  /** Frees what was left of applications that ended when it could not be freed. */
  private void freeUnknown(Set<String> known) {
    for (String applicationId : store.applications()) {
      if (!known.contains(applicationId)) {
        LOG.info("Freeing what was left of {}, which has ended", applicationId);
        try {
          store.freeApplication(applicationId);
        } catch (IOException e) {
          LOG.warn("Not everything of {} could be freed", applicationId, e);
        }
      }
    }
  }

  /** What the node's tasks must know. */
  public NodeMetadata metadata() {
    return metadata;
  }

  /** How writers in this process write to the pool. */
  public Medium medium() {
    return medium;
  }

  /** What this service takes of its machine's memory at most. */
  public ServiceMemory nodeMemory() {
    return nodeMemory;
  }

  /** Who holds the memory tier, and who waits for it. */
  public MemorySnapshot memory() {
    return memory.moment();
  }

  /** How full the pool is. */
  public StoreStats storeStats() {
    return store.stats();
  }

  /** What the devices of the disk tier did, each that was used. */
  public List<DeviceStats> deviceStats() {
    return store.deviceStats();
  }

  /** What the outputs of each application hold, in no order. */
  public List<ApplicationUse> applicationUses() {
    return store.applicationUses();
  }

  /** Whose an application is; empty if it is not known. */
  public Optional<Owner> ownerOf(String applicationId) {
    return applications.ownerOf(applicationId);
  }

  /** What became of the connections of tasks and of readers, over all transports. */
  public ConnectionCounters connectionCounters() {
    ConnectionCounters all = remoteServer.counters();
    if (localServer != null) {
      all = all.plus(localServer.counters());
    }
    for (OwnerEndpoints each : endpoints.values()) {
      all = all.plus(each.connections());
    }
    return all;
  }

  /** How many connections the tasks and readers of each user have, over all transports. */
  public Map<Owner, Long> connectionsOfUsers() {
    Map<Owner, Long> all = new HashMap<>(Map.of(own, 0L));
    addConnections(remoteServer.connectionsOfUsers(), all);
    if (localServer != null) {
      addConnections(localServer.connectionsOfUsers(), all);
    }
    endpoints.values().forEach(each -> addConnections(each.connectionsOfUsers(), all));
    return all;
  }

  /** Of who shares with nobody, which is the service's own user. */
  private void addConnections(Map<Object, Integer> some, Map<Owner, Long> all) {
    some.forEach(
        (user, count) -> all.merge(user == null ? own : (Owner) user, (long) count, Long::sum));
  }

  /** How many open files were sent to tasks of each user and, it seems, not received. */
  public Map<Owner, Long> filesUnderWay() {
    return localServer == null ? Map.of() : localServer.filesUnderWay();
  }

  /** How often tasks and readers were refused, by why. */
  public Map<RefusalKind, Long> taskRefusals() {
    return refusals.counts();
  }

  /** Of the heap, what the requests and answers of each user's tasks and readers take now. */
  public Map<Owner, Long> heapBytesOfUsers() {
    Map<Owner, Long> all = readersHeap.heldBytes();
    tasksHeap.heldBytes().forEach((owner, bytes) -> all.merge(owner, bytes, Long::sum));
    all.putIfAbsent(own, 0L);
    return all;
  }

  /** Where each transport listens, best first, for messages. */
  public String listening() {
    return endpoints.entrySet().stream()
        .map(each -> each.getKey() + " at " + text(each.getValue().address(own)))
        .collect(Collectors.joining(", "));
  }

  private static String text(InetSocketAddress address) {
    return address.getAddress().getHostAddress() + " port " + address.getPort();
  }

  /** Where a transport listens for those who have a ticket. */
  public InetSocketAddress dataAddress(String transport) {
    return endpoints.get(transport).address(own);
  }

  /** What was served, by transport. */
  public Map<String, TransportCounters> transportCounters() {
    Map<String, TransportCounters> result = new LinkedHashMap<>();
    endpoints.forEach((name, endpoint) -> result.put(name, endpoint.counters()));
    return result;
  }

  /** What was sent with the answers that said where it lies. */
  public long inlinedBytes() {
    return inlinedBytes.sum();
  }

  /** What went through bounce buffers, by transport; one that needs none is absent. */
  public Map<String, BounceCounters> bounceCounters() {
    return bounce.counters();
  }

  /** Applications of which neither a task nor a reader has come for so long. */
  public Set<String> applicationsNotHeardOf(long sinceMs) {
    return applications.notHeardOf(sinceMs);
  }

  /**
   * Tasks of an application are about to come, and will want memory; not waited for. Called for
   * each of its containers, or never, until it is stopped.
   */
  public void applicationExpected(String applicationId) {
    restoreSocket();
    memory.expected(applicationId);
  }

  /**
   * Listens for tasks again if somebody has removed the socket. Called when tasks are about to
   * come, or now and then; if it cannot be made, that is logged, and tasks use the stock shuffle.
   */
  public void restoreSocket() {
    if (localServer != null) {
      removedSocket.restore(localServer::restoreSocket);
      if (!removedSocket.isMissing()) { // else that says it
        removedPool.restore(this::requirePool);
      }
    }
  }

  /** Nobody makes it again: what lay in it is gone. */
  private boolean requirePool() throws IOException {
    if (Files.notExists(metadata.pool())) {
      throw new NoSuchFileException(metadata.pool().toString());
    }
    return false;
  }

  /**
   * Whether tasks can connect, and the pool is where they look for it. Makes the socket again if
   * somebody has removed it; whoever looks at metrics asks now and then.
   */
  public boolean isServing() {
    restoreSocket();
    return !removedSocket.isMissing() && !removedPool.isMissing();
  }

  /**
   * An application has ended: the next start frees what it has, should {@link #applicationStopped}
   * not come to it. Frees nothing by itself, and so waits for no disk.
   */
  public void applicationEnded(String applicationId) throws IOException {
    admission.forget(applicationId);
  }

  @Override
  public void applicationStopped(String applicationId) throws IOException {
    // What could not be freed is freed by the next start, because nobody knows the application.
    admission.ended(applicationId, () -> store.freeApplication(applicationId));
  }

  @Override
  public void freeOutputs(String applicationId, String outputIdPrefix) throws IOException {
    store.freeOutputs(applicationId, outputIdPrefix);
  }

  @Override
  public void freeOutputsBelow(String applicationId, String outputIdPrefix, long end)
      throws IOException {
    store.freeOutputs(
        applicationId,
        outputId ->
            outputId.startsWith(outputIdPrefix)
                && isBelow(end, outputId.substring(outputIdPrefix.length())));
  }

  private static boolean isBelow(long end, String rest) {
    return rest.matches("[0-9]{1,18}") && Long.parseLong(rest) < end;
  }

  @Override
  public void freeOutput(OutputId id) throws IOException {
    store.freeOutput(id);
  }

  /**
   * A lease for a writer in this process, which closes it before this service is closed; with the
   * secret that readers of the application will prove.
   */
  public Lease openLease(String applicationId, JobSecret secret) throws IOException {
    applications.register(applicationId, own, secret);
    return store.openLease(applicationId);
  }

  /** The ids of an application's outputs in this pool, in no order. */
  public List<String> outputIds(String applicationId) {
    return store.outputs(applicationId).stream().map(output -> output.id().outputId()).toList();
  }

  /** An extent of such a lease in the memory tier; not to be touched after {@link #close}. */
  public Mapping memoryOf(Extent extent) throws IOException {
    return segment(extent.segment().segmentId()).part(extent.range());
  }

  /** An output in this pool, for readers in this process. */
  public Optional<CommittedOutput> find(OutputId id) {
    return store.find(id);
  }

  /** As {@link OutputReads#copy}, for readers in this process. */
  public CommittedOutput copy(
      CommittedOutput output, long logicalOffsetBytes, ByteBuffer destination) throws IOException {
    return reads.copy(output, logicalOffsetBytes, destination);
  }

  private SegmentHandle segment(int segmentId) throws IOException {
    return store
        .segment(segmentId)
        .orElseThrow(() -> new IOException("segment " + segmentId + " has been removed"));
  }

  @Override
  public JobSecret secretOf(String applicationId) {
    return applications.secretOf(applicationId);
  }

  @Override
  public UUID poolId() {
    return store.poolId();
  }

  @Override
  public PoolPaths places() {
    return store.places();
  }

  @Override
  public List<ProbeOffer> probe() {
    return probeRegion.offers();
  }

  @Override
  public OutputLocations describe(
      String applicationId, PartitionRange partitions, List<String> outputIds, int inlinedRunBytes)
      throws IOException {
    OutputLocations all = new OutputLocations(new HashMap<>(), new HashMap<>());
    InlinedRuns inlined = new InlinedRuns(inlines ? inlinedRunBytes : 0);
    List<Range> onDisk = new ArrayList<>();
    long leftBytes = OutputLocations.MAX_ANSWER_BYTES;
    for (String outputId : new LinkedHashSet<>(outputIds)) {
      OutputId id = new OutputId(applicationId, outputId);
      Optional<OutputLocations> held = heldRuns.of(id, partitions, leftBytes, inlined);
      if (held.isPresent()) {
        OutputLocations one = held.get();
        one.segments().keySet().removeAll(all.segments().keySet());
        leftBytes -= one.gatheredBytes();
        if (leftBytes < 0) {
          throw HeldRuns.tooMuch(id, partitions);
        }
        all.add(one);
        inlined.keep(one.inlined());
        one.runs()
            .get(outputId)
            .forEach(run -> HeldRuns.addRangesOnDisk(run.place().ranges(), onDisk));
      }
    }
    store.expectReads(onDisk);
    inlinedBytes.add(inlined.keptBytes());
    return all;
  }

  @Override
  public Optional<LongRunLocations> describeLong(OutputId id, int partition) throws IOException {
    List<Range> onDisk = new ArrayList<>();
    Optional<LongRunLocations> described = heldRuns.longOf(id, partition, store.places(), onDisk);
    if (described.isPresent()) {
      store.expectReads(onDisk);
    }
    return described;
  }

  @Override
  public boolean isDamaged(OutputId id, int partition) throws IOException {
    return heldRuns.isDamaged(id, partition);
  }

  @Override
  public AuthenticatedReader open(String applicationId) {
    Optional<Owner> known = applications.ownerOf(applicationId);
    Owner owner = known.orElse(own); // ended meanwhile: nothing is found
    return new OwnerReader(
        owner,
        shared,
        known.isPresent() ? endpoints : Map.of(), // nor may it come where another's keys open
        readersHeap,
        bounce,
        new ReaderSlots(applicationId, owner, store::find, registrar.open(), bounce));
  }

  /** What is still being copied from must not be unmapped; that would end the process. */
  private void closeStore() throws IOException {
    if (registrar.open().isMemoryInUse()) {
      throw new IOException("the pool stays open until this process ends: it is still copied from");
    }
    store.close();
  }

  private void closeAfter(Throwable failure) {
    try {
      close();
    } catch (IOException | RuntimeException e) {
      failure.addSuppressed(e);
    }
  }

  @Override
  public synchronized void close() throws IOException {
    IOException failure = null;
    while (!open.isEmpty()) {
      try {
        open.pop().close();
      } catch (IOException | RuntimeException e) {
        if (failure == null) {
          failure = new IOException("the node service did not close cleanly: " + e, e);
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
