package io.sluice.node.service;

import io.sluice.node.conf.DataAddress;
import io.sluice.node.socket.ServedUsers;
import io.sluice.rdma.Release;
import io.sluice.rdma.TransportChooser;
import io.sluice.rdma.memory.OpenFilesLimit;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportNames;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.spill.disk.Device;
import io.sluice.spill.medium.MediumChooser;
import io.sluice.spill.medium.PoolKind;
import io.sluice.spill.store.DiskReserve;
import io.sluice.spill.store.StoreConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one way from settings to a running {@link NodeService}: engines, the service of a node by
 * itself and the doctor fill it in. What is not said has a default.
 *
 * <p>Thread contract: one thread. Failure: {@link #start} says what does not work here, and leaves
 * nothing open.
 */
public final class ServiceBuilder {
  private static final Logger LOG = LoggerFactory.getLogger(ServiceBuilder.class);

  private final ServiceDirectories place;
  private final StoreConfig.Builder store;
  private final long totalBytes; // that the tier is fitted into; 0: the tier was given
  private int segmentBytes = StoreConfig.DEFAULT_SEGMENT_BYTES;
  private String memorySetting = "the memory of the node";
  private String advice = "give the service a directory of its own";
  private String medium = "auto";
  private String transport = TransportChooser.AUTO;
  private List<TransportProvider> transports; // null: chosen by the setting
  private InetAddress bindAddress = new InetSocketAddress(0).getAddress();
  private DataAddress dataAddress; // null: the same
  private int controlPort;
  private boolean needsAllPorts;
  private List<Path> overflowDirectories = List.of();
  private boolean backgroundCopy;
  private boolean recover;
  private BounceConfig bounce = new BounceConfig(BounceConfig.DEFAULT_SLOT_BYTES, 0);
  private ConnectionLimits limits = ConnectionLimits.DEFAULT;
  private Probes probes = Probes.NONE;
  private boolean lendsToSort;
  private ApplicationUsers users; // null: the service's own user alone

  private ServiceBuilder(ServiceDirectories place, long memoryBytes, long totalBytes) {
    this.place = place;
    this.totalBytes = totalBytes;
    this.store = StoreConfig.builder(place.pool(), memoryBytes).use(place.use());
  }

  /** A service in a place that no other one uses, with a memory tier of so many bytes. */
  public static ServiceBuilder at(ServiceDirectories place, long memoryBytes) {
    return new ServiceBuilder(place, memoryBytes, 0);
  }

  /**
   * The same with what is left of so many bytes, which are all that the service takes of its
   * machine's memory: see {@link ServiceMemory}.
   */
  public static ServiceBuilder within(ServiceDirectories place, long totalBytes) {
    return new ServiceBuilder(place, 0, totalBytes);
  }

  /** Whether the memory tier is allocated at the start; if not, as it is needed. */
  public ServiceBuilder wholeAtStart(boolean wholeAtStart) {
    store.wholeAtStart(wholeAtStart);
    return this;
  }

  /** Length of a segment. */
  public ServiceBuilder segments(int segmentBytes) {
    return segments(segmentBytes, StoreConfig.DEFAULT_BLOCK_BYTES);
  }

  /** Lengths of a segment and of a block, the unit of leases. */
  public ServiceBuilder segments(int segmentBytes, int blockBytes) {
    this.segmentBytes = segmentBytes;
    store.geometry(segmentBytes, blockBytes);
    return this;
  }

  /** Where what has no room in memory goes, and how much of it; 0 for no limit. Else nowhere. */
  public ServiceBuilder overflow(List<Path> directories, long capacityBytes) {
    return overflow(directories, capacityBytes, StoreConfig.DEFAULT_DISK_RESERVE);
  }

  /** The same with another number of bytes to be left free on those file systems. */
  public ServiceBuilder overflow(List<Path> directories, long capacityBytes, long reserveBytes) {
    return overflow(directories, capacityBytes, DiskReserve.of(reserveBytes));
  }

  /** The same with another part of those file systems to be left free. */
  public ServiceBuilder overflow(List<Path> directories, long capacityBytes, DiskReserve reserve) {
    overflowDirectories = List.copyOf(directories);
    store.disk(directories, capacityBytes, reserve);
    return this;
  }

  /** Whether outputs in memory are copied to the disk tier when nobody waits for that. */
  public ServiceBuilder backgroundCopy(boolean copy) {
    backgroundCopy = copy;
    store.backgroundCopy(copy);
    return this;
  }

  /** What the settings of the place and of the pool are called, for messages. */
  public ServiceBuilder settingNames(String directory, StoreConfig.SettingNames pool) {
    advice = "remove it, or set " + directory;
    memorySetting = pool.memoryCapacity();
    store.settingNames(pool);
    return this;
  }

  /** How the pool is written, a setting of {@link MediumChooser}. */
  public ServiceBuilder medium(String setting) {
    medium = setting;
    return this;
  }

  /** What readers are served with first, a setting of {@link TransportChooser}. */
  public ServiceBuilder transport(String setting) {
    transport = setting;
    return this;
  }

  /** What readers are served with, in the caller's order: these and no others. */
  public ServiceBuilder transports(List<TransportProvider> bestFirst) {
    transports = List.copyOf(bestFirst);
    return this;
  }

  /**
   * Listens at every address: with the control protocol at this port, transport i at {@code port +
   * 1 + i}, so that a firewall can be told, and for probes three ports further on. 0, the default,
   * takes free ones.
   */
  public ServiceBuilder listen(int port) {
    controlPort = port;
    return this;
  }

  /**
   * Has {@link #start} fail where a port of one transport is taken ({@code PortConflict} tells),
   * for callers that try other ports then. By default the service starts with the other transports.
   */
  public ServiceBuilder needsAllPorts() {
    needsAllPorts = true;
    return this;
  }

  /** The same at one address. */
  public ServiceBuilder listen(InetAddress address, int port) {
    bindAddress = address;
    return listen(port);
  }

  /** Where the transports listen, if not where the control protocol does. */
  public ServiceBuilder dataAddress(DataAddress address) {
    dataAddress = address;
    return this;
  }

  /**
   * Memory through which each transport serves what it cannot register; whole MiB of it are used,
   * and none is the default.
   */
  public ServiceBuilder bounceMemory(long bytes) {
    return bounceSlots(
        BounceConfig.DEFAULT_SLOT_BYTES, Math.toIntExact(bytes / BounceConfig.DEFAULT_SLOT_BYTES));
  }

  /** The same in slots of another length, of which each takes one read. */
  public ServiceBuilder bounceSlots(int slotBytes, int slots) {
    bounce = new BounceConfig(slotBytes, slots);
    return this;
  }

  /** How many tasks, how many readers and, for each transport, how many data connections. */
  public ServiceBuilder limits(ConnectionLimits connectionLimits) {
    limits = connectionLimits;
    return this;
  }

  /** What strangers may try. */
  public ServiceBuilder probes(Probes offered) {
    probes = offered;
    return this;
  }

  /** Serves tasks of other users too, for whose applications the engine vouches. */
  public ServiceBuilder users(ApplicationUsers engine) {
    users = engine;
    store.shared();
    return this;
  }

  /**
   * Whether sort buffers may borrow memory of the pool, if it is memory: pages of it that a task
   * maps must not count against its container.
   */
  public ServiceBuilder lendToSort(boolean lends) {
    lendsToSort = lends;
    return this;
  }

  /** Whether to keep what an earlier service left in the pool. */
  public ServiceBuilder recover(boolean keep) {
    recover = keep;
    return this;
  }

  /**
   * Prepares the place, finds out what works here, says why in the log, and starts the service,
   * which the caller closes.
   */
  public NodeService start() throws IOException {
    place.prepare(advice, users == null ? ServedUsers.OWN : ServedUsers.ALL);
    if (users != null) {
      warnOfOtherUsers();
    }
    MediumChooser.Choice chosenMedium = MediumChooser.choose(medium, place.pool());
    LOG.info("{}; {}", Release.of(ServiceBuilder.class), chosenMedium.reason());
    store.medium(chosenMedium.medium());
    List<TransportProvider> offered = transports == null ? chosenTransports() : transports;
    ServiceMemory memory = memory(offered);
    return NodeService.start(
        new NodeServiceConfig(
            place.directory(),
            applicationCopies(),
            store,
            bindAddress,
            dataAddress == null ? bindAddress : dataAddress.resolve(bindAddress),
            controlPort,
            needsAllPorts,
            offered,
            recover,
            memory,
            bounce,
            fitting(limits, offered.size(), OpenFilesLimit.all()),
            probes,
            lendsToSort && MediumChooser.isMemory(chosenMedium.medium(), place.pool()),
            users));
  }

  /** What of these limits a process can keep that may have so many files open. */
  static ConnectionLimits fitting(ConnectionLimits limits, int transports, long openFiles) {
    ConnectionLimits fitting = limits.within(openFiles, transports);
    if (fitting.maxConnections() < limits.maxConnections()) {
      LOG.warn(
          "Serving up to {} connections of each kind, not the {} that are set, because this process"
              + " may have {} files open; raise that to {} (ulimit -n, or LimitNOFILE= in a systemd"
              + " unit)",
          fitting.maxConnections(),
          limits.maxConnections(),
          openFiles,
          limits.filesNeeded(transports));
    }
    return fitting;
  }

  /** What tasks of other users would not find out by themselves. */
  private void warnOfOtherUsers() throws IOException {
    Optional<Path> closed = place.closedToOthers();
    closed.ifPresent(
        above ->
            LOG.warn(
                "Tasks of other users cannot reach {}, unless an access list lets them: {} is"
                    + " closed to them",
                place.directory(),
                above));
    PoolKind.of(place.pool())
        .oneOwnerBecause()
        .ifPresent(
            reason ->
                LOG.warn(
                    "The memory of {} serves tasks of this service's own user alone ({}); what"
                        + " others write goes to disk",
                    place.pool(),
                    reason));
  }

  /** Shares out what there is, and says how. */
  private ServiceMemory memory(List<TransportProvider> offered) throws IOException {
    long bouncing =
        offered.stream().filter(each -> !each.name().equals(TransportNames.TCP)).count();
    long bounceBytes = bouncing * bounce.totalBytes();
    long diskBytes = (long) overflowDirectories.size() * Device.MEMORY_BYTES;
    if (totalBytes == 0) {
      return new ServiceMemory(store.usableMemoryBytes(), bounceBytes, diskBytes);
    }
    ServiceMemory memory =
        ServiceMemory.within(memorySetting, totalBytes, bounceBytes, diskBytes, segmentBytes);
    memory.check(memorySetting, MachineMemory.of(place.pool()));
    LOG.info(
        "{} of {} MiB: {} MiB are the memory tier, {} MiB for bounce buffers, {} MiB for disks",
        memorySetting,
        totalBytes >> 20,
        memory.tierBytes() >> 20,
        bounceBytes >> 20,
        diskBytes >> 20);
    store.memoryCapacity(memory.tierBytes());
    return memory;
  }

  /** Beside the first directory on disk, which holds files of the pool alone. */
  private Path applicationCopies() {
    if (!backgroundCopy || overflowDirectories.isEmpty()) {
      return null;
    }
    Path first = overflowDirectories.get(0);
    return first.resolveSibling(first.getFileName() + "-applications");
  }

  private List<TransportProvider> chosenTransports() throws TransportException {
    TransportChooser chooser = TransportChooser.standard();
    if (users != null && transport.equals(TransportChooser.AUTO)) {
      chooser = chooser.confined(); // a job's own reader must not get at another user's bytes
    }
    TransportChooser.Choice choice = chooser.choose(transport);
    LOG.info("{}", choice.reason());
    if (users != null && !choice.provider().isConfined()) {
      LOG.warn(
          "Over transport {}, as configured, who has the secret of any job can read and write the"
              + " memory of this service, other users' records in it too",
          choice.provider().name());
    }
    return chooser.withFallbacks(choice);
  }
}
