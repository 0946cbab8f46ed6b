package io.sluice.node.service;

import io.sluice.node.probe.ProbeRegion;
import io.sluice.node.remote.RemoteBackend;
import io.sluice.node.remote.RemoteServer;
import io.sluice.node.service.TaskAdmission.ApplicationOwners;
import io.sluice.node.socket.DiscoveryFile;
import io.sluice.node.socket.LeaseRecords;
import io.sluice.node.socket.Refusals;
import io.sluice.node.socket.ServedApplications.ServedUsers;
import io.sluice.node.socket.SocketServer;
import io.sluice.node.wire.HeapBudget;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.NodeMetadata;
import io.sluice.node.wire.ServiceAddress;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.memory.Mapping;
import io.sluice.spill.ledger.GrantTerms;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.medium.PoolKind;
import io.sluice.spill.memory.MemoryManager;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.PoolVisibility;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.OutputReads;
import io.sluice.spill.store.SpillStore;
import io.sluice.spill.store.StoreConfig;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The owner of a node's pool: lends extents to the node's tasks, keeps the outputs that they
 * commit, and serves these to readers anywhere until the application ends. It starts, connects and
 * closes the parts; callers get the part that they need from it.
 *
 * <p>Thread contract: safe from any thread. Ownership: the caller of {@link #start} closes it, and
 * none of its parts; outputs stay in the pool, for a successor that recovers. Failure: {@link
 * #start} throws and leaves nothing open.
 */
public final class NodeService implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(NodeService.class);
  private static final String APPLICATIONS_NAME = "applications";

  private final Deque<Closeable> open = new ArrayDeque<>();
  private final Owner own = Owner.ofThisProcess();
  private final ServiceMemory nodeMemory;
  private final TransportEndpoints endpoints;
  private final SegmentRegistrar registrar;
  private final ApplicationRegistry applications;
  private final TaskAdmission admission;
  private final MemoryManager memory;
  private final SpillStore store;
  private final OutputReads reads;
  private final Medium medium;
  private final SocketServer socketServer; // null: all tasks are threads of this process
  private final ReaderBackend readers;
  private final Optional<RestartAdvice> advice;
  private final ServiceCounters counters;
  private final NodeMetadata metadata;
  private final DiscoveryFile removedSocket;
  private final DiscoveryFile removedPool;

  /** Concludes the context and starts a service, which the caller closes. */
  public static NodeService start(ServiceContext context) throws IOException {
    context.conclude();
    return new NodeService(context);
  }

  private NodeService(ServiceContext context) throws IOException {
    try {
      InetSocketAddress control = context.ports().control();
      RemoteServer.checkFree(control); // first: a start that fails must not empty a pool
      nodeMemory = context.memory();
      advice = context.restartAdvice();
      endpoints = TransportEndpoints.open(context, own);
      open.push(endpoints::close);
      ProbeRegion probes =
          ProbeRegion.open(
              context.probed(),
              context.ports().dataAddress(),
              context.ports().probePort(context.transports().size()));
      open.push(probes);
      BounceTransports bounce = new BounceTransports(endpoints.byTransport(), context.bounce());
      registrar = new SegmentRegistrar(endpoints.byTransport(), bounce);
      open.addLast(registrar.open()::removeAll);
      open.addLast(bounce::close);
      RegistryBackup backup = openBackup(context);
      Path registry = context.directories().directory().resolve(APPLICATIONS_NAME);
      FormerService former = former(context, registry, backup);
      Path socket = ServiceAddress.socketIn(context.directories().directory());
      Path pool = context.directories().pool();
      if (!context.recovers() && PoolKind.of(pool) == PoolKind.DEVICE) {
        LeaseRecords.refuseWhileTasksWrite(socket, pool);
      }
      LeaseRecords leases = LeaseRecords.open(socket, context.recovers());
      long segmentBytes = former.segmentBytes();
      memory =
          new MemoryManager(GrantTerms.DEFAULT, context.tierBytes() / segmentBytes * segmentBytes);
      StoreConfig config =
          context
              .store(former)
              .segmentListener(registrar)
              .formerLeases(leases)
              .memoryKeeper(memory)
              .build();
      medium = config.medium();
      store = SpillStore.open(config);
      reads = new OutputReads(store::find);
      open.addLast(this::closeStore); // closed last: endpoints serve from its mappings
      applications = ApplicationRegistry.open(registry, context.recovers(), backup);
      freeUnknown(former.applications());
      if (!config.diskDirectories().isEmpty()) {
        memory.moveOutputsOf(store);
      }
      if (config.copiesOutputs()) {
        memory.outputsHaveCopies();
      }
      if (context.lendsToSort()) {
        memory.lendToSort();
      }
      admission = new TaskAdmission(new ApplicationOwners(own, context.users()), applications);
      boolean shared = context.users() != null;
      HeapBudget readersHeap = HeapBudget.ofReaders(shared);
      HeapBudget tasksHeap = HeapBudget.ofTasks(shared);
      Refusals refusals = new Refusals();
      socketServer =
          config.use() == PoolVisibility.PRIVATE
              ? null
              : SocketServer.start(
                  new SocketServer.Backend(
                      store,
                      leases,
                      memory,
                      tasksHeap,
                      admission,
                      shared ? ServedUsers.ALL : ServedUsers.OWN,
                      refusals),
                  socket,
                  context.limits());
      if (socketServer != null) {
        open.push(socketServer::close);
      }
      open.push(memory::close); // else a task that waits for memory keeps the server open
      open.push(store::quiesce); // closed before the tasks' connections, which must not free leases
      readers =
          new ReaderBackend(
              context,
              store,
              registrar,
              endpoints,
              bounce,
              probes,
              applications,
              admission,
              readersHeap,
              own);
      RemoteServer remoteServer = RemoteServer.start(readers, control, refusals, context.limits());
      open.push(remoteServer::close);
      counters =
          new ServiceCounters(
              own,
              remoteServer,
              socketServer,
              endpoints,
              bounce,
              readers,
              readersHeap,
              tasksHeap,
              refusals);
      metadata =
          NodeMetadata.running(
              own, store.poolId(), socket, config.directory(), remoteServer.port(), medium.name());
      removedSocket =
          new DiscoveryFile(
              socket + ", at which tasks connect",
              "Tasks use the stock shuffle until that is mended; if its directory is gone, restart"
                  + " the NodeManager, or this service where it runs by itself");
      removedPool =
          new DiscoveryFile(
              config.directory() + ", in which the pool lies",
              "Tasks cannot use it; restart the NodeManager, or this service where it runs by"
                  + " itself");
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, this);
      throw e;
    }
  }

  /** Null if none is wanted, or if its directory does not work: the service runs without. */
  private RegistryBackup openBackup(ServiceContext context) {
    if (context.registryBackup().isEmpty()) {
      return null;
    }
    try {
      RegistryBackup backup = RegistryBackup.open(context.registryBackup().get());
      open.addLast(backup);
      return backup;
    } catch (IOException e) {
      LOG.warn("Outputs will be lost with the memory: the registry has no copies", e);
      return null;
    }
  }

  private static FormerService former(ServiceContext context, Path registry, RegistryBackup backup)
      throws IOException {
    if (!context.recovers()) {
      return FormerService.forgotten(registry, context.segmentBytes());
    }
    if (backup != null) {
      ApplicationRegistry.restore(registry, backup);
    }
    return FormerService.recovered(registry, context.directories().pool(), context.segmentBytes());
  }

  /** Frees outputs of applications that have ended without anybody freeing them. */
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

  /** The data that the node's tasks must know. */
  public NodeMetadata metadata() {
    return metadata;
  }

  /** How writers in this process write to the pool. */
  public Medium medium() {
    return medium;
  }

  /** Most memory of its machine that this service takes. */
  public ServiceMemory nodeMemory() {
    return nodeMemory;
  }

  /** The pool and its outputs. This service closes it. */
  public SpillStore store() {
    return store;
  }

  /** Reads of outputs, for readers in this process. */
  public OutputReads reads() {
    return reads;
  }

  /** The manager of the memory tier. This service closes it. */
  public MemoryManager memory() {
    return memory;
  }

  /** The applications that have outputs here. */
  public ApplicationRegistry applications() {
    return applications;
  }

  /** Where the transports listen. This service closes it. */
  public TransportEndpoints endpoints() {
    return endpoints;
  }

  /** Answers of the control protocol, without a connection. */
  public RemoteBackend readers() {
    return readers;
  }

  /** Connections, reads and refusals. */
  public ServiceCounters counters() {
    return counters;
  }

  /**
   * Tasks of an application are about to come, and will want memory; not waited for. Called for
   * each of its containers, or never, until it is stopped.
   */
  public void applicationExpected(String applicationId) {
    lookAround();
    memory.expected(applicationId);
  }

  /**
   * An application has ended: the next start frees its outputs, should {@link #applicationStopped}
   * not come to it. Frees nothing by itself, and so waits for no disk.
   */
  public void applicationEnded(String applicationId) throws IOException {
    admission.forget(applicationId);
  }

  /** An application has ended everywhere: frees its outputs and forgets its secret. */
  public void applicationStopped(String applicationId) throws IOException {
    readers.applicationStopped(applicationId);
  }

  /**
   * Listens for tasks again if somebody has removed the socket, and says in the log if a restart
   * would help. Called when tasks are about to come, or now and then.
   */
  public void lookAround() {
    restoreSocket();
    advice.ifPresent(RestartAdvice::look);
  }

  /** If it cannot be made, that is logged, and tasks use the stock shuffle. */
  private void restoreSocket() {
    if (socketServer != null) {
      removedSocket.restore(socketServer::restoreSocket);
      if (removedSocket.trouble().isEmpty()) { // else the log has said so
        removedPool.restore(this::requirePool);
      }
    }
  }

  /** The pool is not made again: its outputs are gone. */
  private boolean requirePool() throws IOException {
    if (Files.notExists(metadata.pool())) {
      throw new NoSuchFileException(metadata.pool().toString());
    }
    return false;
  }

  /**
   * Why tasks cannot connect, or do not find the pool; empty if they can. Makes the socket again if
   * somebody has removed it; readers of metrics ask now and then.
   */
  public Optional<String> trouble() {
    restoreSocket();
    return removedSocket.trouble().or(removedPool::trouble);
  }

  /**
   * A lease for a writer in this process, which closes it before this service is closed.
   *
   * @param secret that readers of the application will prove
   */
  public Lease openLease(String applicationId, JobSecret secret) throws IOException {
    applications.register(applicationId, own, secret);
    return store.openLease(applicationId);
  }

  /** An extent of such a lease in the memory tier; not to be touched after {@link #close}. */
  public Mapping memoryOf(Extent extent) throws IOException {
    int segmentId = extent.segment().segmentId();
    return store
        .segment(segmentId)
        .orElseThrow(() -> new IOException("segment " + segmentId + " has been removed"))
        .part(extent.range());
  }

  /** A reader may still copy from the mappings; to unmap them would end the process. */
  private void closeStore() throws IOException {
    if (registrar.open().isMemoryInUse()) {
      throw new IOException("the pool stays open until this process ends: it is still copied from");
    }
    store.close();
  }

  @Override
  public synchronized void close() throws IOException {
    Closer closer = new Closer();
    while (!open.isEmpty()) {
      closer.run(open.pop());
    }
    closer.finish("the node service did not close cleanly");
  }
}
